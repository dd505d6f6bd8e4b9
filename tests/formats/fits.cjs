// Shows that a page's tables can be read where there is little room: fits.cjs PAGE. Names that are cut are
// whole in their titles and on paper; at 1280 px every table of the page fits; at 400 px the bars, which
// draw what stands beside them, are left away, and the first column stays where the rest is scrolled.
"use strict";
const path = require("path");
const { chromium } = require("playwright-core");

const problems = [];
const expect = (what, condition) => { if (!condition) problems.push(what); };

async function at(browser, width, look, print) {
  const page = await (await browser.newContext({ offline: true, viewport: { width, height: 900 } })).newPage();
  await page.goto("file://" + path.resolve(process.argv[2]));
  if (print) await page.emulateMedia({ media: "print" });
  const seen = await page.evaluate(look);
  await page.close();
  return seen;
}

const tables = () => [...document.querySelectorAll(".scroll")].filter((e) => e.clientWidth)
  .map((e) => `${e.getAttribute("aria-label")}: ${e.scrollWidth} of ${e.clientWidth}`);
const wide = (list) => list.filter((text) => { const [a, b] = text.match(/\d+(?= of)|\d+$/g); return +a > +b + 1; });
const cut = () => [...document.querySelectorAll(".name, .long")].map((e) =>
  ({ title: e.title, text: e.textContent, cut: e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight + 1 }));
const narrow = () => {
  const scrolled = [...document.querySelectorAll(".scroll")].find((e) => e.scrollWidth > e.clientWidth + 20);
  if (!scrolled) return { bars: 1 };
  scrolled.scrollLeft = 1000;
  const first = scrolled.querySelector("tbody td").getBoundingClientRect().left;
  return { bars: [...document.querySelectorAll("td.b")].filter((e) => e.clientWidth).length,
    moved: Math.round(first - scrolled.getBoundingClientRect().left) };
};

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
  expect("too wide at 1280 px: " + wide(await at(browser, 1280, tables)), !wide(await at(browser, 1280, tables)).length);
  const names = await at(browser, 1280, cut);
  expect("no name is cut", names.some((name) => name.cut));
  for (const name of names) expect(`title '${name.title}' of '${name.text}'`, name.text.replace(/\u00a0/g, " ").includes(name.title.trim()));
  expect("a name is cut on paper", !(await at(browser, 700, cut, true)).some((name) => name.cut));
  const phone = await at(browser, 400, narrow);
  expect(`at 400 px ${JSON.stringify(phone)}`, phone.bars === 0 && phone.moved === 0);
  await browser.close();
  for (const problem of problems) console.log(problem);
  process.exit(problems.length ? 1 : 0);
})();

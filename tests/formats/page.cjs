// Checks a page in Chromium: page.cjs FILE [TEXT]. It loads nothing but itself, the console stays
// empty, there is no script and nothing that would run one; axe-core has nothing to say, by day and
// by night; nothing is wider than the window at 320 px, at 360, at 400 and at 1,280, and no table is to be
// scrolled sideways, folded up or not; nor is a command on a phone, where no phase's name is cut off; its links
// lead somewhere. With TEXT, a file: what can be read goes there.
"use strict";
const crypto = require("crypto");
const fs = require("fs");
const path = require("path");
const { chromium } = require("playwright-core");

const [file, text] = process.argv.slice(2);
const url = "file://" + path.resolve(file);
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const problems = [];

async function look(browser, colorScheme, width) {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 }, bypassCSP: false });
  const page = await context.newPage();
  const where = `${colorScheme}, ${width} px`;

  page.on("console", (said) => problems.push(`${where}: console: ${said.text()}`));
  page.on("pageerror", (error) => problems.push(`${where}: error: ${error}`));
  page.on("request", (request) => {
    if (request.url() !== url) problems.push(`${where}: request: ${request.url().slice(0, 200)}`);
  });
  await page.goto(url);
  const scrolls = await page.evaluate(() => {
    const folded = [...document.querySelectorAll("details:not([open])")];
    for (const one of folded) one.open = true;
    const wide = [...document.querySelectorAll(innerWidth > 400 ? ".scroll" : ".scroll, pre")].filter((one) => one.scrollWidth > one.clientWidth);
    const said = wide.map((one) => `${one.getAttribute("aria-label")} is ${one.scrollWidth} px wide`);
    for (const one of folded) one.open = false;
    return said;
  });
  const found = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    active: [...document.querySelectorAll("script, link, iframe, object, embed, img, base, form, input, [style], [src]")]
      .map((one) => one.outerHTML.slice(0, 100)),
    handlers: [...document.querySelectorAll("*")].flatMap((one) => one.getAttributeNames())
      .filter((name) => name.startsWith("on")),
    lost: [...document.querySelectorAll("a")].map((one) => one.getAttribute("href"))
      .filter((to) => !to.startsWith("#") || !document.getElementById(to.slice(1))),
    cut: [...document.querySelectorAll(".phases text")]
      .filter((one) => one.getBoundingClientRect().right > one.parentNode.querySelector("rect").getBoundingClientRect().right)
      .map((one) => one.textContent),
    touching: [...document.querySelectorAll("svg.axis")].flatMap((axis) => {
      const names = [...axis.querySelectorAll("text")].filter((one) => one.getBoundingClientRect().width);
      return names.filter((one, i) => i && one.getBoundingClientRect().left < names[i - 1].getBoundingClientRect().right + 1);
    }).map((one) => one.textContent),
    policy: document.querySelector("meta[http-equiv=Content-Security-Policy]")?.content,
    style: document.querySelector("style")?.textContent,
    title: document.title,
    ink: getComputedStyle(document.body).color,
  }));
  if (found.wide > 0) problems.push(`${where}: ${found.wide} px wider than the window`);
  found.scrolls = scrolls;
  if (width > 400) found.cut = []; // a part of a name says something where there is room for most
  for (const kind of ["active", "handlers", "lost", "cut", "touching", "scrolls"]) {
    if (found[kind].length) problems.push(`${where}: ${kind}: ${found[kind].join(" ")}`);
  }
  const hash = crypto.createHash("sha256").update(found.style || "").digest("base64");
  if (!/^default-src 'none'; style-src 'sha256-[^']*'/.test(found.policy) || !found.policy.includes(`'sha256-${hash}'`)) {
    problems.push(`policy: ${found.policy}; the style's hash is ${hash}`);
  }
  if (!found.title) problems.push("no title");
  // The page's own policy lets no script in, so that axe-core comes in by the debugger's door.
  const client = await context.newCDPSession(page);
  await client.send("Runtime.evaluate", { expression: axe });
  const said = await client.send("Runtime.evaluate",
    { expression: "axe.run().then((r) => JSON.stringify(r.violations.map((v) => [v.id, v.nodes.length, v.nodes[0].html])))",
      awaitPromise: true });
  for (const one of JSON.parse(said.result.value)) problems.push(`${where}: axe: ${one.join(": ").slice(0, 300)}`);
  if (text) fs.writeFileSync(text, await page.evaluate(() => document.body.innerText));
  await context.close();
  return found.ink;
}

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
  const inks = [await look(browser, "light", 1280), await look(browser, "dark", 1280), await look(browser, "light", 400),
    await look(browser, "dark", 360), await look(browser, "light", 320)];

  if (inks[0] === inks[1]) problems.push("light and dark are the same");
  await browser.close();
  for (const one of problems) console.log(one);
  process.exit(problems.length ? 1 : 0);
})().catch((error) => { console.error(error); process.exit(2); });

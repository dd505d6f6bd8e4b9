// Shows that a page's tables can be read where there is little room: fits.cjs PAGE. Names that are cut are
// whole in their titles and on paper; at 1280 px, of a tablet and at 400, 360 and 320 px all of every table and command is seen, also what
// is folded up, and at 400 px and less every bar below or beside its row is as wide as some letters at least.
"use strict";
const path = require("path");

async function at(page, width, look, print) {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ media: print ? "print" : "screen" });
  return page.evaluate(look);
}

const tables = () => {
  const folded = [...document.querySelectorAll("details:not([open])")];
  for (const one of folded) one.open = true;
  const seen = [...document.querySelectorAll(".scroll, pre")]
    .map((e) => `${e.getAttribute("aria-label") || e.textContent.slice(0, 20)}: ${e.scrollWidth} of ${e.clientWidth}`);
  for (const one of folded) one.open = false;
  return seen;
};
const wide = (list) => list.filter((text) => { const [a, b] = text.match(/\d+(?= of)|\d+$/g); return +a > +b + 1; });
// Of a path the end is seen, and letters stand in their order.
const ends = () => [...document.querySelectorAll(".name")].filter((e) => e.title.startsWith("/")).map((e) => {
  const text = document.createTreeWalker(e, NodeFilter.SHOW_TEXT).nextNode(), range = document.createRange();
  const seen = (at) => { range.setStart(text, at); range.setEnd(text, at + 1); return range.getBoundingClientRect(); };
  const cell = e.getBoundingClientRect(), last = seen(text.length - 1), before = seen(text.length - 2);
  return { title: e.title, clear: last.right <= cell.right && last.left >= cell.left && (before.left < last.left || before.top < last.top) };
});
const cut = () => [...document.querySelectorAll(".name, .long")].map((e) =>
  ({ title: e.title, text: e.textContent, cut: e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight + 1 }));
// Neither is a bar drawn across a letter of its row; names that are cut have letters that are not seen.
const bars = () => {
  const letters = (cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return [...range.getClientRects()].filter((rect) => rect.width > 0);
  };
  const apart = (a, b) => a.bottom <= b.top + 1 || a.top >= b.bottom - 1 || a.right <= b.left || a.left >= b.right;
  return [...document.querySelectorAll("td.b svg")].map((e) => {
    const bar = e.getBoundingClientRect(), tr = e.closest("tr"), row = tr.getBoundingClientRect();
    const others = [...tr.cells].filter((cell) => !cell.contains(e) && !cell.matches(".name")).flatMap(letters);
    return { wide: bar.width, high: bar.height, within: bar.top >= row.top && bar.bottom <= row.bottom && bar.right <= innerWidth,
             clear: others.every((rect) => apart(bar, rect)), of: tr.innerText.slice(0, 20) };
  });
};

module.exports = async (page, file) => {
  const problems = [];
  const expect = (what, condition) => { if (!condition) problems.push(what); };
  await page.goto("file://" + path.resolve(file));
  for (const width of [1280, 800, 710, 400, 360, 320]) {
    const cut = wide(await at(page, width, tables));
    expect(`too wide at ${width} px: ${cut}`, !cut.length);
    const drawn = await at(page, width, bars);
    expect(`no bars at ${width} px`, drawn.length);
    for (const bar of drawn) expect(`at ${width} px ${JSON.stringify(bar)}`, bar.wide >= 80 && bar.high >= 4 && bar.within && bar.clear);
  }
  for (const width of [1280, 400])
    for (const path of await at(page, width, ends)) expect(`at ${width} px the end of ${path.title}`, path.clear);
  const names = await at(page, 1280, cut);
  expect("no name is cut", names.some((name) => name.cut));
  for (const name of names) expect(`title '${name.title}' of '${name.text}'`, name.text.replace(/\u00a0/g, " ").includes(name.title.trim()));
  expect("a name is cut on paper", !(await at(page, 700, cut, true)).some((name) => name.cut));
  return problems;
};

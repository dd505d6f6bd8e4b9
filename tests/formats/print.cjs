// Shows that a page can be read on paper: print.cjs PAGE PDF ROWS. Seen by night it is white there. What is
// folded up stands on paper with what it folds, or not at all. On each sheet with a part of what was over time, the axis
// stands above it, and each metric has all its ROWS rows below its heading, as pdftotext reads them. No sheet but
// the last ends in its upper part. Without ROWS that alone is of the sheets.
"use strict";
const path = require("path");
const { execFileSync } = require("child_process");

const folded = () => {
  const lost = () => [...document.querySelectorAll("details")].map((one) =>
    [...one.children].filter((part) => part.checkVisibility() && part.getBoundingClientRect().height > 0).length)
    .filter((seen) => seen === 1).length;
  const closed = lost();
  for (const one of document.querySelectorAll("details")) one.open = true;
  const all = [...document.querySelectorAll("details")];
  const open = lost() + all.filter((one) => !one.getBoundingClientRect().height).length;
  for (const one of all) one.open = false;
  return { closed, open, all: all.length, paper: getComputedStyle(document.body).backgroundColor };
};

module.exports = async (page, file, pdf, rows) => {
  const problems = [];
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.goto("file://" + path.resolve(file));
  const seen = await page.evaluate(folded);
  if (!seen.all) problems.push("nothing is folded up");
  if (seen.closed) problems.push(`${seen.closed} times what is folded up is a title alone`);
  if (seen.paper !== "rgb(255, 255, 255)") problems.push(`paper is ${seen.paper}`);
  if (seen.open) problems.push(`${seen.open} times what is unfolded is not seen`);
  await page.pdf({ path: pdf, format: "A4" });

  const sheets = execFileSync("pdftotext", ["-layout", pdf, "-"]).toString().split("\f");
  const words = execFileSync("pdftotext", ["-bbox", pdf, "-"]).toString().split("<page ").slice(1);
  for (const [i, sheet] of words.slice(0, -1).entries()) {
    const height = Number(/height="([\d.]+)"/.exec(sheet)[1]);
    const low = Math.max(0, ...[...sheet.matchAll(/yMax="([\d.]+)"/g)].map((found) => Number(found[1])));
    if (low < 0.7 * height) problems.push(`sheet ${i + 1} of ${words.length}: empty from ${(100 * low / height).toFixed(0)} % of its height on`);
  }
  let timed = 0, metrics = 0;
  for (const [i, sheet] of rows ? sheets.entries() : []) {
    const lines = sheet.replace(/A line is the mean of[^]*/, "").split("\n");
    const titles = lines.flatMap((line, at) => (/^\s*(GPU|SM|Memory|CPU)\b.* -?[\d,.]+ to [\d,.]+\s\S/.test(line) ? [at] : []));
    const axis = lines.findIndex((line) => /^\s*0\s+\d+\s*(s|min|h)\b/.test(line));
    const strips = lines.filter((line) => /^\s*gpu\d+ +[\d,.]+ +[\d,.]+\s*$/.test(line)).length;
    if (axis >= 0 && !titles.length) problems.push(`sheet ${i + 1}: an axis without rows`);
    if (titles.length && !(axis >= 0 && axis < titles[0])) problems.push(`sheet ${i + 1}: rows without an axis above them`);
    if (strips !== titles.length * rows) problems.push(`sheet ${i + 1}: ${strips} rows of ${titles.length} metrics`);
    timed += titles.length > 0;
    metrics += titles.length;
  }
  if (rows && timed < 2) problems.push(`${metrics} metrics on ${timed} sheets`);
  return problems;
};

// Looks at pages in one tab of one Chromium, whose start takes longer than most looks: browse.cjs JOBS. A line of JOBS is
// "NUMBER SCRIPT ARGUMENT..."; a script of this folder exports async (page, ...arguments) => problems, and finds the tab
// by day, on a screen, 1280 px wide. Prints "NUMBER: problem" lines, and "whole" at the end.
"use strict";
const fs = require("fs");
const { chromium } = require("playwright-core");

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
  const page = await (await browser.newContext({ offline: true, bypassCSP: false })).newPage();

  for (const line of fs.readFileSync(process.argv[2], "utf8").trim().split("\n")) {
    const [number, script, ...parameters] = line.split(" ");
    await page.emulateMedia({ media: "screen", colorScheme: "light" });
    await page.setViewportSize({ width: 1280, height: 900 });
    const problems = await require(`./${script}`)(page, ...parameters).catch((error) => [String(error.stack)]);
    for (const one of problems) console.log(`${number}: ${one.replace(/\n/g, " ")}`);
  }
  await browser.close();
  console.log("whole");
})().catch((error) => { console.error(error); process.exit(2); });

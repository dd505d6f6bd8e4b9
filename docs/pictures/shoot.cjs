// Photographs pages in Chromium, which is let see nothing but them:
//
//   shoot.cjs page HTML FOLDER NAME   FOLDER/NAME-light.png, -dark, -narrow (400 px), each of the whole
//                                     page, and -print.pdf
//   shoot.cjs part HTML PNG SELECTOR  from its top to the end of the first that SELECTOR finds, sharper
"use strict";
const path = require("path");
const { chromium } = require("playwright-core");

const [what, file, to, name] = process.argv.slice(2);

async function open(browser, options) {
  const page = await (await browser.newContext({ offline: true, ...options })).newPage();
  await page.goto("file://" + path.resolve(file));
  return page;
}

async function whole(browser, kind, colorScheme, width) {
  const page = await open(browser, { colorScheme, viewport: { width, height: 900 } });
  await page.screenshot({ path: path.join(to, `${name}-${kind}.png`), fullPage: true });
  if (kind === "light") await page.pdf({ path: path.join(to, `${name}-print.pdf`), format: "A4" });
  await page.close();
}

async function part(browser) {
  const page = await open(browser, { viewport: { width: 1040, height: 900 }, deviceScaleFactor: 1.5 });
  const box = await page.locator(name).first().boundingBox({ timeout: 5000 });
  const width = Math.min(1040, Math.ceil(box.x * 2 + box.width));
  await page.screenshot({ path: to, fullPage: true,
    clip: { x: 0, y: 0, width, height: Math.ceil(box.y + box.height + 16) } });
}

(async () => {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox", "--font-render-hinting=none"],
  });
  if (what === "page") {
    await whole(browser, "light", "light", 1280);
    await whole(browser, "dark", "dark", 1280);
    await whole(browser, "narrow", "light", 400);
  } else {
    await part(browser);
  }
  await browser.close();
})().catch((error) => {
  console.error(String(error));
  process.exit(1);
});

// Shows that a page is sound: page.cjs PAGE. It loads nothing but itself, the console stays
// empty, there is no script and nothing that would run one; axe-core has nothing to say, by day and
// by night; nothing is wider than the window at 320 px, at 360, at 400 and at 1,280, and no table is to be
// scrolled sideways, folded up or not; nor is a command on a phone, where no phase's name is cut off; its links
// lead somewhere.
"use strict";
const crypto = require("crypto");
const fs = require("fs");
const path = require("path");

const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

// By day or by night, so many pixels wide; with a debugger axe-core has a look, too.
async function look(page, problems, colorScheme, width, client) {
  const where = `${colorScheme}, ${width} px`;

  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 900 });
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
  if (client) {
    const said = await client.send("Runtime.evaluate",
      // At night other colors are all that can be worse.
      { expression: `axe.run(${colorScheme === "dark" ? '{ runOnly: ["color-contrast"] }' : ""}).then((r) => JSON.stringify(r.violations.map((v) => [v.id, v.nodes.length, v.nodes[0].html])))`,
        awaitPromise: true });
    for (const one of JSON.parse(said.result.value)) problems.push(`${where}: axe: ${one.join(": ").slice(0, 300)}`);
  }
  return found.ink;
}

module.exports = async (page, file) => {
  const url = "file://" + path.resolve(file);
  const problems = [];
  const said = (one) => problems.push(`console: ${one.text()}`);
  const thrown = (error) => problems.push(`error: ${error}`);
  const asked = (request) => {
    if (request.url() !== url) problems.push(`request: ${request.url().slice(0, 200)}`);
  };

  page.on("console", said).on("pageerror", thrown).on("request", asked);
  await page.goto(url);
  // The page's own policy lets no script in, so that axe-core comes in by the debugger's door.
  const client = await page.context().newCDPSession(page);
  await client.send("Runtime.evaluate", { expression: axe });
  const day = await look(page, problems, "light", 1280, client);
  await look(page, problems, "light", 400);
  await look(page, problems, "light", 320);
  await look(page, problems, "dark", 360);
  const night = await look(page, problems, "dark", 1280, client);
  if (day === night) problems.push("light and dark are the same");
  await client.detach();
  page.off("console", said).off("pageerror", thrown).off("request", asked);
  return problems;
};

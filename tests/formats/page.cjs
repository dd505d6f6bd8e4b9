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

// Removes what looks like a sibling before it: the same elements with the same classes and attributes. Axe-core's time
// grows faster than a page, and says of the tenth row of a table what it says of the first.
const prune = () => {
  const shape = (one) => {
    const seen = new Set();
    for (const child of [...one.children]) {
      const kind = shape(child), size = seen.size;
      if (seen.add(kind).size === size) child.remove();
    }
    const text = [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    const attributes = [...one.attributes].map(({ name, value }) => name + (/^(class|role|scope|aria-hidden)$/.test(name) ? value : !value));
    return `${one.localName}[${attributes}]${text ? "text" : ""}(${[...seen]})`;
  };
  shape(document.body);
};

// By day, and by night, when other colors are all that can be worse.
async function axeLooks(page, problems) {
  // The page's own policy lets no script in, so that axe-core comes in by the debugger's door.
  const client = await page.context().newCDPSession(page);
  await client.send("Runtime.evaluate", { expression: axe });
  await page.evaluate(prune);
  await page.setViewportSize({ width: 1280, height: 900 });
  for (const [colorScheme, options] of [["light", ""], ["dark", '{ runOnly: ["color-contrast"] }']]) {
    await page.emulateMedia({ colorScheme });
    const said = await client.send("Runtime.evaluate", { awaitPromise: true,
      expression: `axe.run(${options}).then((r) => JSON.stringify(r.violations.map((v) => [v.id, v.nodes.length, v.nodes[0].html])))` });
    for (const one of JSON.parse(said.result.value)) problems.push(`${colorScheme}: axe: ${one.join(": ").slice(0, 300)}`);
  }
  await client.detach();
}

// By day or by night, so many pixels wide.
async function look(page, problems, colorScheme, width) {
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
    twice: [...document.querySelectorAll("[id]")].map((one) => one.id).filter((id, i, all) => all.indexOf(id) < i),
    policy: document.querySelector("meta[http-equiv=Content-Security-Policy]")?.content,
    style: document.querySelector("style")?.textContent,
    title: document.title,
    ink: getComputedStyle(document.body).color,
  }));
  if (found.wide > 0) problems.push(`${where}: ${found.wide} px wider than the window`);
  found.scrolls = scrolls;
  if (width > 400) found.cut = []; // a part of a name says something where there is room for most
  for (const kind of ["active", "handlers", "lost", "cut", "touching", "twice", "scrolls"]) {
    if (found[kind].length) problems.push(`${where}: ${kind}: ${found[kind].join(" ")}`);
  }
  const hash = crypto.createHash("sha256").update(found.style || "").digest("base64");
  if (!/^default-src 'none'; style-src 'sha256-[^']*'/.test(found.policy) || !found.policy.includes(`'sha256-${hash}'`)) {
    problems.push(`policy: ${found.policy}; the style's hash is ${hash}`);
  }
  if (!found.title) problems.push("no title");
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
  const day = await look(page, problems, "light", 1280);
  await look(page, problems, "light", 400);
  await look(page, problems, "light", 320);
  await look(page, problems, "dark", 360);
  const night = await look(page, problems, "dark", 1280);
  if (day === night) problems.push("light and dark are the same");
  if (!problems.length) await axeLooks(page, problems);
  page.off("console", said).off("pageerror", thrown).off("request", asked);
  return problems;
};

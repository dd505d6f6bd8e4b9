// Shows that what a page draws can be seen: contrast.cjs PAGE [MISSING]. By day, by night and on paper a band from
// the least to the largest value, a phase and what marks a gap have 3:1 against all that they may stand on, and a mean
// against the band that it lies on (WCAG 1.4.11); the name of a phase has 4.5:1 against it. The page has each of
// these but for MISSING. Colors are those that Chromium computes.
"use strict";
const path = require("path");

const pairs = [[".e", "fill", [".odd", ".ran", "body"], 3], [".m", "stroke", [".e", ".odd", ".ran", "body"], 3],
  [".one", "fill", [".odd", "body"], 3], [".phases text", "fill", [".one"], 4.5], [".s", "fill", [".odd", "body"], 3]];
const colors = (pairs) => pairs.flatMap(([what, property, behind, least]) => {
  const shown = (selector, name) => {
    const one = document.querySelector(selector);
    const style = one && getComputedStyle(one);
    return style && (selector === "body" ? style.backgroundColor : style[name]);
  };
  return behind.map((on) => ({ what, on, least, ink: shown(what, property), paper: shown(on, "fill") }));
});

function luminance(color) {
  const [r, g, b] = color.match(/[\d.]+/g).slice(0, 3).map((n) => n / 255)
    .map((n) => (n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

module.exports = async (page, file, missing) => {
  const problems = [];
  await page.goto("file://" + path.resolve(file));
  for (const [colorScheme, media] of [["light", "screen"], ["dark", "screen"], ["dark", "print"]]) {
    await page.emulateMedia({ media, colorScheme });
    const seen = await page.evaluate(colors, pairs);
    for (const { what, on, least, ink, paper } of seen) {
      if (ink && paper && !(contrast(ink, paper) >= least))
        problems.push(`${colorScheme}, ${media}: ${what} on ${on}: ${contrast(ink, paper).toFixed(2)}:1`);
    }
    for (const [what] of pairs) {
      if (what !== missing && !seen.some((one) => one.what === what && one.ink)) problems.push(`there is no ${what}`);
    }
  }
  return problems;
};

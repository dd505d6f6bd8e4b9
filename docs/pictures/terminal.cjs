// What was on a terminal, as tmux's capture-pane -e says it, as a page to be photographed:
// terminal.cjs COMMAND <CAPTURE >HTML. An attribute that is not known here is an error.
"use strict";
const fs = require("fs");

const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const STYLE = `body{margin:0;background:#17181a;color:#d6d9dd}
pre{font:14.12px/1.25 "DejaVu Sans Mono",monospace;margin:0;padding:14px 18px;display:inline-block}
.prompt,.faint{color:#8d949b}.bold{font-weight:bold}.underlined{text-decoration:underline}
.red{color:#ff7b72}.green{color:#7fc96b}.yellow{color:#f0b95c}.blue{color:#7fb0e6}
.magenta{color:#c99ae6}.cyan{color:#5cc5c5}.black{color:#5c6166}.white{color:#fff}`;

const escaped = (text) => text.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);

// The classes that hold behind one escape, of those that held before it.
function obey(classes, number) {
  const of = (names) => [...classes].filter((name) => !names.includes(name));
  if (number === 0) return [];
  if (number === 1) return [...classes, "bold"];
  if (number === 2) return [...classes, "faint"];
  if (number === 4) return [...classes, "underlined"];
  if (number === 22) return of(["bold", "faint"]);
  if (number === 24) return of(["underlined"]);
  if (number === 39) return of(COLOURS);
  const color = COLOURS[number < 90 ? number - 30 : number - 90];
  if (!color) throw new Error(`attribute ${number} is not known`);
  return [...of(COLOURS), color];
}

let classes = [];
const parts = fs.readFileSync(0, "utf8").trimEnd().split(/\x1b\[([0-9;]*)m/);
const shown = parts.map((part, i) => {
  if (i % 2 === 0) return part && `<span class="${classes.join(" ")}">${escaped(part)}</span>`;
  for (const number of part.split(";")) classes = obey(classes, Number(number));
  return "";
}).join("");
if (/[\x00-\x08\x0b-\x1f]/.test(shown)) throw new Error("an escape is not known");
process.stdout.write(`<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>terminal</title><style>${STYLE}</style>
<pre><span class="prompt">$</span> ${escaped(process.argv[2])}
${shown}</pre></html>
`);

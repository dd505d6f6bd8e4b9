// Runs scripts of this folder in one process, whose start takes longer than most of them. A line of standard input is
// SCRIPT, ARGUMENT..., each ended by the control character US. Answers a line with the status, and one with what it
// printed as JSON has it.
"use strict";
const readline = require("readline");
const path = require("path");

const print = console.log;
function exit(status) {
  throw { status };
}
process.exit = exit;
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const [script, ...args] = line.split("\x1f").slice(0, -1);
  const file = path.join(__dirname, script);
  let status = 0, text = "";
  console.log = (one) => { text += `${one}\n`; };
  process.argv = [process.execPath, file, ...args];
  try {
    delete require.cache[file];
    require(file);
  } catch (error) {
    status = error.status ?? 2;
    text += status === 2 ? error.stack : "";
  }
  print(`${status}\n${JSON.stringify(text)}`);
});

// refused.cjs SCRIPT ARGUMENT...: succeeds if a script of this folder finds something wrong,
// and not if it breaks.
"use strict";
const { spawnSync } = require("child_process");
const path = require("path");

const [script, ...args] = process.argv.slice(2);
const result = spawnSync(process.execPath, [path.join(__dirname, script), ...args], { encoding: "utf8" });
process.stdout.write(result.stdout + result.stderr);
process.exit(result.status === 1 && !result.stderr && result.stdout ? 0 : 1);

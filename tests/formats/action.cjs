// Checks GitHub's YAML with action-validator: action.cjs action|workflow FILE...
"use strict";
const fs = require("fs");
const { validateAction, validateWorkflow } = require("@action-validator/core");

const [kind, ...paths] = process.argv.slice(2);
const validate = kind === "action" ? validateAction : validateWorkflow;
let bad = 0;
for (const path of paths) {
  for (const error of validate(fs.readFileSync(path, "utf8")).errors) {
    bad++;
    console.log(`${path}: ${JSON.stringify(error)}`);
  }
}
process.exit(bad ? 1 : 0);

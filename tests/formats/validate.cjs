// Checks JSON against a schema with Ajv: validate.cjs SCHEMA DOCUMENT...
// validate.cjs --lines SCHEMA DOCUMENT...: documents of lines, whose schemas follow from
// that of the report: a line is a part of it, with type, format_version, run and path.
// validate.cjs --any DOCUMENT...: lines of JSON that has no schema of ours.
"use strict";
const fs = require("fs");
const Ajv = require("ajv/dist/2020");

let args = process.argv.slice(2);
const mode = args[0].startsWith("--") ? args.shift() : "";
const read = (path) => fs.readFileSync(path, "utf8");
const schema = mode === "--any" ? {} : JSON.parse(read(args.shift()));
const ajv = new Ajv({ strict: true, strictRequired: false, strictTypes: false });
let bad = 0;

function complain(path, what) {
  bad++;
  console.log(`${path}: ${what}`);
}

function object(properties, optional = []) {
  const required = Object.keys(properties).filter((key) => !optional.includes(key));
  return { type: "object", additionalProperties: false, properties, required };
}

function without(properties, keys) {
  return Object.fromEntries(Object.entries(properties).filter(([key]) => !keys.includes(key)));
}

// A part of the report as a line: its keys behind those that all lines have.
function line(type, properties, identified = true) {
  const run = schema.$defs.run.properties;
  const identity = identified ? { run: run.run, path: run.path } : {};
  return object({ type: { const: type }, format_version: { const: "2.0" }, ...identity, ...properties });
}

function optionalOf(def) {
  return Object.keys(def.properties).filter((key) => !def.required.includes(key));
}

function lineSchemas() {
  const defs = schema.$defs;
  const evidence = object(without(defs.evidence.properties, ["devices", "gaps", "clock_changes", "observer"]));
  const run = without(defs.run.properties, ["metrics", "phases", "work", "findings", "events",
    "sources", "diagnostics"]);
  const types = {
    run: line("run", { ...run, evidence }, false),
    metric: line("metric", defs.metric.properties),
    phase: line("phase", { phase: { $ref: "#/$defs/phase" } }),
    work: line("work", { work: { $ref: "#/$defs/work" } }),
    finding: line("finding", defs.finding.properties),
    diagnostic: line("diagnostic", defs.run_diagnostic.properties),
    warning: line("warning", { text: { type: "string" } }, false),
  };
  const loose = optionalOf(defs.metric);
  types.metric.required = types.metric.required.filter((key) => !loose.includes(key));
  return Object.fromEntries(Object.entries(types).map(([type, one]) => [
    type, ajv.compile({ ...one, $defs: defs }),
  ]));
}

function judge(path, validate, document) {
  if (!validate(document)) {
    const first = validate.errors[0];
    complain(path, `${first.instancePath || "/"} ${first.message}`);
  }
}

function each(path, take) {
  for (const text of read(path).split("\n").filter((one) => one)) {
    try {
      take(JSON.parse(text));
    } catch (error) {
      complain(path, error.message);
    }
  }
}

const lines = mode === "--lines" ? lineSchemas() : null;
const whole = mode ? null : ajv.compile(schema);
for (const path of args) {
  if (mode === "--any") {
    each(path, () => {});
  } else if (mode === "--lines") {
    each(path, (one) => judge(path, lines[one.type] || (() => complain(path, `type ${one.type}`)), one));
  } else {
    judge(path, whole, JSON.parse(read(path)));
  }
}
process.exit(bad ? 1 : 0);

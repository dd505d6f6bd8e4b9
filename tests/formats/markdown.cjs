// Checks Markdown: markdown.cjs [--words WORDS] FILE [TEXT...]. markdownlint has nothing to say; rendered as
// CommonMark with tables, HTML and bare links allowed, it has headings, lists, tables, code
// and emphasis, and no other element; outside of code stands nothing that GitHub or GitLab
// make a mention, reference, emoji or formula of; each TEXT can be read, and each in WORDS,
// where NUL ends them.
"use strict";
const fs = require("fs");
const MarkdownIt = require("markdown-it");
const markdownlint = require("markdownlint");

const args = process.argv.slice(2);
const words = args[0] === "--words" ? fs.readFileSync(args.splice(0, 2)[1], "utf8") : "";
const [path, ...texts] = args;
texts.push(...words.split("\0").filter((one) => one));
const source = fs.readFileSync(path, "utf8");
const problems = [];

// A page of its own has other headings than a part of a page, and cells are long.
const config = {
  default: true,
  "first-line-heading": false,
  "line-length": false,
  "no-duplicate-heading": { siblings_only: true },
};

// Pieces of a long page: the linter's time grows with the square of the rows. A table that goes on has
// its head again.
function pieces() {
  const lines = source.split("\n"), all = [];
  let piece = [], head = 0;
  lines.forEach((line, i) => {
    head = line.startsWith("|") ? head || i + 1 : 0;
    if (piece.length >= 30 && head) {
      all.push(piece);
      piece = i - head >= 1 ? lines.slice(head - 1, head + 1) : [];
    }
    piece.push(line);
  });
  return [...all, piece].map((one) => `${one.join("\n").trim()}\n`);
}
const found = markdownlint.sync({ strings: Object.fromEntries(pieces().entries()), config });
for (const one of Object.values(found).flat()) {
  problems.push(`${one.lineNumber}: ${one.ruleNames.join("/")} ${one.errorDetail || ""} ${one.errorContext || ""}`);
}

const renderer = new MarkdownIt({ html: true, linkify: true });
renderer.linkify.set({ fuzzyLink: true, fuzzyIP: true, fuzzyEmail: true });
const allowed = new Set(["heading", "paragraph", "bullet_list", "list_item", "table", "thead",
  "tbody", "tr", "th", "td", "strong", "inline", "text", "code_inline"]);
const references = [
  /@\w/, // user
  /#\w/, /\bGH-\d/i, /[A-Za-z]-\d/, // issue, ticket
  /[!$%&~^]["\w*]/, // GitLab's
  /\b[0-9a-f]{7,}\b/, // commit
  /:(?!\d\d\b)[\w+-]+:/, // emoji
  /:\/\//, /\bwww\./i, // link
  /[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/, // what can't be seen
];
let read = "";

function look(token) {
  const kind = token.type.replace(/_(open|close)$/, "");
  if (!allowed.has(kind)) {
    problems.push(`${token.type}: ${token.content || token.markup}`);
  }
  if (token.type === "text" || token.type === "code_inline") {
    read += token.content;
  }
  if (token.type === "text") {
    for (const one of references.filter((pattern) => pattern.test(token.content))) {
      problems.push(`${one} in: ${token.content}`);
    }
  }
}

for (const token of renderer.parse(source, {})) {
  look(token);
  (token.children || []).forEach(look);
  read += "\n";
}
for (const text of texts.filter((one) => !read.includes(one))) {
  problems.push(`can't be read: ${text}`);
}
problems.slice(0, 20).forEach((one) => console.log(`${path}: ${one.slice(0, 300)}`));
process.exit(problems.length ? 1 : 0);

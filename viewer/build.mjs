// SPDX-License-Identifier: GPL-2.0-or-later
//
// node build.mjs --src DIR --modules DIR [--wasm FILE] [--worker FILE] --out FILE
//
// Builds the page as one self-contained HTML file: scripts, style, and dmd's core as gzipped WebAssembly in base64.
// dmdv puts its data into the last, empty script element. Prints the size of the page, and fails if it is too large.
// --worker: a replacement for src/worker.ts, such as one for tests.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";

const MOST_BYTES = 300 * 1024;

const { values: options } = parseArgs({
  options: {
    src: { type: "string" },
    modules: { type: "string" },
    wasm: { type: "string" },
    worker: { type: "string" },
    out: { type: "string" },
  },
});
const src = resolve(options.src ?? ".");
const modules = resolve(options.modules ?? "node_modules");
const esbuild = createRequire(join(modules, "x.js"))("esbuild");

async function bundle(entry, define = {}) {
  const result = await esbuild.build({
    entryPoints: [join(src, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2022", "chrome110", "firefox115"],
    charset: "utf8",
    legalComments: "none",
    nodePaths: [modules],
    jsx: "automatic",
    jsxImportSource: "preact",
    define,
  });
  return result.outputFiles[0].text.trimEnd();
}

/** Text inside a script or style element must not end the element or begin a comment or another script there. */
function inside(text, element) {
  if (new RegExp(`<(/${element}|!--|script)`, "i").test(text)) throw new Error(`a ${element} element would not hold this text`);
  return text;
}

function hash(text) {
  return `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
}

const worker = await bundle(options.worker ?? "src/worker.ts");
// Escapes "<" in JavaScript strings, so that nothing in the worker ends its element.
const script = inside(await bundle("src/main.tsx", { DMD_WORKER: JSON.stringify(worker) }), "script");
const style = inside(await bundle("src/page.css"), "style");
const core = options.wasm === undefined ? "" : gzipSync(readFileSync(options.wasm), { level: 9 }).toString("base64");

// dmdv view --page-only changes connect-src.
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)} 'wasm-unsafe-eval'`,
  "worker-src blob:",
  `style-src ${hash(style)}`,
  "img-src data: blob:",
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const parts = { CSP: policy, STYLE: style, SCRIPT: script, CORE: core };
const template = readFileSync(join(src, "src", "page.html"), "utf8");
const page = template.replace(/@(CSP|STYLE|SCRIPT|CORE)@/g, (_, name) => parts[name]);
const size = gzipSync(page, { level: 9 }).length;
const kib = (n) => `${(n / 1024).toFixed(1)} KiB`;
console.log(`page: ${kib(size)} gzipped (script ${kib(gzipSync(script).length)}, core ${kib(gzipSync(core).length)}); at most ${kib(MOST_BYTES)}`);
if (size > MOST_BYTES) {
  console.error("build.mjs: the page is too large");
  process.exit(1);
}
writeFileSync(options.out ?? "page.html", page);

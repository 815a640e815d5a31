// SPDX-License-Identifier: GPL-2.0-or-later
//
// node test.mjs --src DIR --modules DIR --out DIR [WORD...]
//
// Bundles test/*.test.ts (all, or those whose names contain a WORD) and runs them with node's test runner, as TAP.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const { values: options, positionals: words } = parseArgs({
  options: { src: { type: "string" }, modules: { type: "string" }, out: { type: "string" } },
  allowPositionals: true,
});
const src = resolve(options.src ?? ".");
const modules = resolve(options.modules ?? "node_modules");
const out = resolve(options.out ?? "tests");
const esbuild = createRequire(join(modules, "x.js"))("esbuild");

const names = readdirSync(join(src, "test"))
  .filter((name) => /\.test\.tsx?$/.test(name) && (words.length === 0 || words.some((word) => name.includes(word))))
  .sort();
// Unlike browsers, Node 18 has no global crypto.
const imports = ['import { webcrypto } from "node:crypto";', "globalThis.crypto ??= webcrypto;"];
for (const name of names) imports.push(`import ${JSON.stringify(join(src, "test", name))};`);
mkdirSync(out, { recursive: true });
const all = join(out, "all.mjs");
await esbuild.build({
  stdin: { contents: imports.join("\n"), resolveDir: src },
  outfile: all,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node18",
  nodePaths: [modules],
  jsx: "automatic",
  jsxImportSource: "preact",
  sourcemap: "inline",
  logLevel: "error",
});
const env = { ...process.env, VIEWER_SRC: src, VIEWER_MODULES: modules };
const run = spawnSync(process.execPath, ["--enable-source-maps", "--test-reporter=tap", all], { stdio: "inherit", env });
process.exit(run.status ?? 1);

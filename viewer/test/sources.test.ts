// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rules about the sources. What heaps hold are a stranger's texts: they become text nodes, never markup or code.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const VIEWER = process.env["VIEWER_SRC"] ?? "";
const MODULES = process.env["VIEWER_MODULES"] ?? "";

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sources(path) : [path];
  });
}

const FORBIDDEN = [
  /innerHTML|outerHTML|insertAdjacentHTML/,
  /dangerouslySetInnerHTML/,
  /document\.write/,
  /\beval\s*\(/,
  /new\s+Function\b|\bFunction\s*\(/,
  /setAttribute\(\s*["'`]on/,
  /setAttribute\(\s*["'`](href|src|srcdoc|style)/,
  /DOMParser|createContextualFragment|setHTMLUnsafe|srcdoc/,
  /setTimeout\(\s*["'`]|setInterval\(\s*["'`]/,
  /XMLHttpRequest|WebSocket|sendBeacon|EventSource|importScripts/,
  /href=\{(?!router\.address\()/,
];

test("sources: nothing makes markup or code of text, and no link leads out of the page", () => {
  for (const path of sources(join(VIEWER, "src")))
    for (const [i, line] of readFileSync(path, "utf8").split("\n").entries())
      for (const pattern of FORBIDDEN) assert.ok(!pattern.test(line), `${path}:${i + 1}: ${line.trim()} (${pattern.source})`);
});

test("sources: only session.ts asks the network, for what the page's address names", () => {
  for (const path of sources(join(VIEWER, "src")))
    if (!path.endsWith("session.ts")) assert.ok(!/\bfetch\s*\(["'`a]/.test(readFileSync(path, "utf8")), path);
});

test("sources: no file of more than 500 lines, and each says its licence", () => {
  for (const path of [...sources(join(VIEWER, "src")), ...sources(join(VIEWER, "test")), join(VIEWER, "build.mjs")]) {
    const text = readFileSync(path, "utf8");
    assert.ok(text.split("\n").length <= 501, path);
    if (!/\.(html|json)$/.test(path)) assert.match(text.slice(0, 200), /SPDX-License-Identifier: GPL-2.0-or-later/, path);
  }
});

test("sources: the strict compiler finds nothing", () => {
  const folder = mkdtempSync(join(tmpdir(), "dmd-viewer-"));
  try {
    const config = {
      extends: join(VIEWER, "tsconfig.json"),
      compilerOptions: { paths: { "*": [join(MODULES, "@types/*"), join(MODULES, "*")] }, typeRoots: [join(MODULES, "@types")] },
      include: [join(VIEWER, "src"), join(VIEWER, "test")],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const run = spawnSync(process.execPath, [join(MODULES, "typescript/bin/tsc"), "-p", folder], { encoding: "utf8" });
    assert.equal(run.stdout, "");
    assert.equal(run.status, 0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

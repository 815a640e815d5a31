// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core in WebAssembly answers like the same code in an ordinary program (tests/page/ask.c), for profiles and for
// files that are not profiles.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { Pieces } from "../src/core/inflate.ts";
import { PageError } from "../src/core/protocol.ts";
import { WasmCore } from "../src/core/wasm.ts";

const top = join(process.env["VIEWER_SRC"] ?? ".", "..");
const build = join(process.env["VIEWER_MODULES"] ?? "viewer/node_modules", "../..");
const wasm = join(build, "viewer/dmd.wasm");
const ask = join(build, "tests/page/ask");
const corpus = join(top, "tests/fuzz/corpus/fuzz_load");
/** Profiles, heap graphs, memory reports. */
const corpora = ["fuzz_load", "fuzz_graph", "fuzz_memory_reports"].map((name) => join(top, "tests/fuzz/corpus", name));
const skip = existsSync(wasm) && existsSync(ask) ? false : "no core for WebAssembly, or no unit tests, were built";

function start(): Promise<WasmCore> {
  return WasmCore.start(new Uint8Array(readFileSync(wasm)));
}

function native(...words: string[]): string {
  return execFileSync(ask, words, { encoding: "utf8", maxBuffer: 1 << 28 });
}

/** The file inflated, as the page does it. null: it cannot be inflated. */
function bytesOf(file: string): Uint8Array | null {
  const bytes = readFileSync(file);
  try {
    return new Uint8Array(bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes);
  } catch {
    return null;
  }
}

/** Adds the file. Returns the error, or null. */
function add(core: WasmCore, bytes: Uint8Array): string | null {
  try {
    core.addFile("file", new Pieces(bytes.subarray(0, 7), new Uint8Array(0), bytes.subarray(7)));
    return null;
  } catch (error) {
    assert.ok(error instanceof PageError);
    return error.message;
  }
}

test("answers and errors are those of the same code as an ordinary program", { skip }, async () => {
  const queries = native().split("\n").filter((name) => name !== "").map((name) => `ask=${name}`);
  assert.ok(queries.includes("ask=records"));
  let refused = 0;
  for (const folder of corpora) {
    let answered = 0;
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      const bytes = bytesOf(file);
      if (bytes === null) continue;
      const core = await start();
      const wrong = add(core, bytes);
      if (wrong !== null) {
        assert.equal(wrong, (JSON.parse(native(file, "ask=files")) as { message: string }).message, name);
        refused++;
      } else {
        for (const query of queries) assert.equal(core.ask(query), native(file, query), `${name}: ${query}`);
        answered++;
      }
    }
    assert.ok(answered > 1, folder);
  }
  assert.ok(refused > 10);
});

/** A profile of n blocks, in which each number is written differently. */
function profileOf(blocks: readonly string[]): Uint8Array {
  return new TextEncoder().encode(
    `{"version": 5e0, "invocation": {"dmdEnvVar": null, "mode": "live"}, "blockList": [${blocks.join(",\n")}],` +
      `"traceTable": {}, "frameTable": {}}`,
  );
}

test("numbers are read as JavaScript reads them", { skip }, async () => {
  const core = await start();
  core.addFile("numbers", new Pieces(profileOf(['{"req": 1e3}', '{"req": 2.50e2}', '{"req": 9007199254740991, "num": 1}', '{"req": 10E-1}'])));
  const { files } = JSON.parse(core.ask("ask=files")) as { files: { bytes: number; blocks: number }[] };
  assert.equal(files[0]?.blocks, 4);
  assert.equal(files[0]?.bytes, 1000 + 250 + 1 + 9007199254740991);
});

test("a file that is no profile leaves those that were there", { skip }, async () => {
  const core = await start();
  core.addFile("good", new Pieces(profileOf(['{"req": 1}'])));
  assert.throws(() => core.addFile("bad.json", new Pieces(new TextEncoder().encode('{"version": 5,\n "blockList": [}'))), {
    message: "bad.json:2: '}' found where a value should be (byte 30)",
  });
  assert.throws(() => core.addFile("empty", new Pieces()), { message: "empty:1: the file ends where an object should be (byte 0)" });
  const { files } = JSON.parse(core.ask("ask=files")) as { files: { name: string }[] };
  assert.deepEqual(files.map((file) => file.name), ["good"]);
});

test("reading tells how far it is", { skip }, async () => {
  const core = await start();
  const bytes = profileOf(Array.from({ length: 100000 }, (_, i) => `{"req": ${i}, "slop": ${i % 16}}`));
  const told: number[] = [];
  core.addFile("large", new Pieces(bytes), (done) => told.push(done));
  assert.ok(told.length > 5 && told.every((done, i) => done >= (told[i - 1] ?? 0)));
  assert.equal(told.at(-1), bytes.length);
});

test("a regular expression is the browser's", { skip }, async () => {
  const core = await start();
  const bytes = bytesOf(join(corpus, "small.json"));
  assert.ok(bytes !== null);
  core.addFile("small", new Pieces(bytes));
  const all = JSON.parse(core.ask("ask=records")) as { error?: unknown };
  assert.equal(all.error, undefined);
  assert.match(core.ask("ask=records&regex=1&q=%5B"), /^\{"error"/);
  assert.doesNotMatch(core.ask("ask=records&regex=1&q=%5Ema%5Cw%2B"), /"error"/);
});

test("without memory the core says so, and every further call says it again", { skip }, async () => {
  const core = await start();
  const short = new PageError("The core cannot go on: out of memory: the browser refuses to give the page more", "");
  const huge = { length: 0xffff0000, subarray: () => new Uint8Array(0) } as unknown as Uint8Array;
  assert.throws(() => core.addImage(huge), { message: short.message });
  assert.throws(() => core.ask("ask=files"), { message: short.message });
});

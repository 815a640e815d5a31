// SPDX-License-Identifier: GPL-2.0-or-later
//
// node page_load.mjs WASM FILE QUERY: gives the page's core a profile, as a page does, and asks. Prints the CPU seconds of
// reading and of the answer, and the MB that the core's memory has then.

import { readFileSync } from "node:fs";

const [wasm, file, query] = process.argv.slice(2);
const program = await WebAssembly.compile(readFileSync(wasm));
const whole = readFileSync(file);
let coming = whole;

const bytes = (at, n) => new Uint8Array(core.memory.buffer, at, n);
const text = (at) => {
  const all = new Uint8Array(core.memory.buffer);
  return new TextDecoder().decode(all.subarray(at, all.indexOf(0, at)));
};
const host = {
  fail: (at, n) => {
    throw new Error(new TextDecoder().decode(bytes(at, n)));
  },
  next: (to, room) => {
    const piece = coming.subarray(0, room);
    coming = coming.subarray(piece.length);
    bytes(to, piece.length).set(piece);
    return piece.length;
  },
  rewind: () => {
    coming = whole;
  },
  number: (at) => Number(text(at)),
  is_pattern: () => 0,
  match: () => 0,
};
const core = (await WebAssembly.instantiate(program, { host })).exports;

function put(string) {
  const encoded = new TextEncoder().encode(`${string}\0`);
  const at = core.alloc(encoded.length);
  bytes(at, encoded.length).set(encoded);
  return at;
}

function seconds(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  const answer = new TextDecoder().decode(bytes(core.answer(), core.answer_length()));
  if (answer.startsWith('{"error"')) throw new Error(answer);
  return (user + system) / 1e6;
}

core.start(1, 2);
const read = seconds(() => core.add_file(put("file")));
const asked = seconds(() => core.ask(put(query)));
console.log(read.toFixed(3), asked.toFixed(3), (core.memory.buffer.byteLength / 1e6).toFixed(1));

// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { Base64Decoder } from "../src/core/base64.ts";

function decode(...pieces: string[]): string {
  const decoder = new Base64Decoder();
  const bytes = pieces.flatMap((piece) => [...decoder.decode(piece)]);
  return Buffer.from([...bytes, ...decoder.end()]).toString("latin1");
}

test("base64: every length, cut at every place, equals node's own", () => {
  for (let n = 0; n < 12; n++) {
    const bytes = Buffer.from(Array.from({ length: n }, (_, i) => 251 - i * 37));
    const text = bytes.toString("base64");
    for (let at = 0; at <= text.length; at++) assert.equal(decode(text.slice(0, at), text.slice(at)), bytes.toString("latin1"));
  }
  const long = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 2654435761) >>> 24));
  assert.equal(decode(long.toString("base64")), long.toString("latin1"));
});

test("base64: blanks are skipped; anything else is an error that says where", () => {
  assert.equal(decode("Z g\n=\t=\r\n"), "f");
  for (const [text, at] of [["Zm*v", 2], ["Zg==Zg==", 4], ["Zmé", 2], ["Z", 1]] as const)
    assert.throws(() => decode(text), new RegExp(`broken after ${at} characters`));
});

// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import * as format from "../src/format.ts";

test("format: numbers as dmdv prints them", () => {
  const cases: [number, string][] = [[0, "0"], [999, "999"], [1000, "1,000"], [-1000, "-1,000"], [1234567, "1,234,567"], [100000, "100,000"]];
  for (const [n, text] of cases) assert.equal(format.number(n), text);
  assert.equal(format.number(Number.MAX_SAFE_INTEGER), "9,007,199,254,740,991");
  assert.equal(format.signed(1000), "+1,000");
  assert.equal(format.signed(0), "0");
  assert.equal(format.signed(-5), "-5");
});

test("format: one byte, two bytes", () => {
  assert.equal(format.bytes(1), "1 byte");
  assert.equal(format.bytes(26056480), "26,056,480 bytes");
  assert.equal(format.blocks(1), "1 block");
  assert.equal(format.count(0, "record", "records"), "0 records");
  assert.equal(format.percent(34.475), "34.48%");
  assert.equal(format.percent(100), "100.00%");
});

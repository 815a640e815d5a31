// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatOpen, linesOf, parseOpen } from "../src/ui/lazytree.tsx";

const row = (id: number, n = 0): { id: number; n: number } => ({ id, n });
const spell = (lines: ReturnType<typeof linesOf>): string[] => lines.map((line) => `${line.level}:${line.row === null ? `${line.left} more of ${line.of ?? "all"}` : line.row.id}`);

test("lazy tree: what is open and known is seen below its row, and where there is more", () => {
  const levels = new Map([
    [-1, { n: 3, rows: [row(1, 2), row(2)] }],
    [1, { n: 2, rows: [row(5), row(6, 1)] }],
  ]);
  assert.deepEqual(spell(linesOf(levels, new Set())), ["0:1", "0:2", "0:1 more of all"]);
  assert.deepEqual(spell(linesOf(levels, new Set([1, 6]))), ["0:1", "1:5", "1:6", "0:2", "0:1 more of all"]);
  assert.deepEqual(spell(linesOf(new Map(), new Set([1]))), []);
});

test("lazy tree: what is open is a key of the link", () => {
  assert.deepEqual(parseOpen(formatOpen(new Set([3, 1]))), new Set([3, 1]));
  assert.deepEqual(parseOpen("1,x,,-2,4"), new Set([1, 4]));
});

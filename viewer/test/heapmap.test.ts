// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { CELL, cellAfter, cellAt, columnsOf, partAround } from "../src/views/heapmapmodel.ts";

test("heap map: a point is in its square, and in none outside of the map", () => {
  assert.equal(columnsOf(10 * CELL + 1), 10);
  assert.equal(cellAt(3.5 * CELL, 2.5 * CELL, 10, 100), 23);
  assert.equal(cellAt(10.5 * CELL, 0, 10, 100), undefined);
  assert.equal(cellAt(5 * CELL, 9.5 * CELL, 10, 95), undefined);
  assert.equal(cellAt(-1, 0, 10, 100), undefined);
});

test("heap map: keys stay in the map", () => {
  assert.deepEqual(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].map((key) => cellAfter(key, 5, 10, 12)), [5, 5, 4, 6]);
  assert.equal(cellAfter("ArrowDown", 1, 10, 12), 11);
  assert.equal(cellAfter("x", 1, 10, 12), undefined);
});

test("heap map: what is shown of a square is around it, and within the map", () => {
  const map = { bytes: 1 << 20, from: 0, to: 1 << 20, cell: 1024 };
  for (const cell of [0, 17, 500, 1023]) {
    const { from, to } = partAround(map, cell);
    assert.ok(from >= 0 && to <= map.bytes && from <= cell * 1024 && to >= (cell + 1) * 1024, `${cell}: ${from} to ${to}`);
    assert.equal(to - from, (1 << 20) / 32);
  }
});

// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { callAfter, callAt, layoutFlame, type FlameAnswer } from "../src/views/flamemodel.ts";

// main 100 = a 60 (= c 60) + b 20 + 20 of its own
const ANSWER: FlameAnswer = {
  names: ["main", "a", "b", "c"], name: [0, 1, 2, 3], parent: [-1, 0, 0, 1], id: [1, 2, 3, 4], total: [100, 60, 20, 60], blocks: [4, 2, 1, 2],
  bytes: { unreported: [100, 60, 20, 60] }, cut: { calls: 0, least: 0 },
};

test("flame: boxes are as wide as their bytes, and stand in their caller's", () => {
  const layout = layoutFlame(ANSWER);
  assert.deepEqual(layout.depth, [0, 1, 1, 2]);
  assert.deepEqual(layout.width, [1, 0.6, 0.2, 0.6]);
  assert.deepEqual(layout.left, [0, 0, 0.6, 0]);
});

test("flame: what is under a point, and nothing where a function kept bytes for itself", () => {
  const layout = layoutFlame(ANSWER);
  assert.deepEqual([0.1, 0.61, 0.79, 0.81].map((x) => callAt(layout, 1, x)), [1, 2, 2, undefined]);
  assert.equal(callAt(layout, 7, 0.5), undefined);
});

test("flame: neighbours, and a call and its caller, have different shades", () => {
  // Each call but the last ones calls three others, of which one has no bytes.
  const n = 1000;
  const parent = Array.from({ length: n }, (_, i) => (i === 0 ? -1 : Math.floor((i - 1) / 3)));
  const total = Array.from({ length: n }, (_, i) => (i % 3 === 2 ? 0 : n - i));
  const { rows, shade } = layoutFlame({ ...ANSWER, parent, total });
  for (const row of rows)
    row.forEach((call, place) => {
      assert.ok([0, 1, 2].includes(shade[call] ?? -1));
      assert.notEqual(shade[call], shade[row[place - 1] ?? -1], `left of ${call}`);
      assert.notEqual(shade[call], shade[parent[call] ?? -1], `above ${call}`);
    });
});

test("flame: in a difference no box leaves its caller's", () => {
  const layout = layoutFlame({ ...ANSWER, total: [10, 60, -50, 60] });
  for (const call of [1, 2]) assert.ok((layout.left[call] ?? 0) + (layout.width[call] ?? 0) <= 1 + 1e-9);
  assert.ok(Math.abs((layout.width[1] ?? 0) - 60 / 110) < 1e-9);
});

test("flame: a deep graph is laid out without recursion", () => {
  const n = 200_000;
  const ones = new Array<number>(n).fill(1);
  const deep = layoutFlame({ ...ANSWER, name: ones, parent: ones.map((_, i) => i - 1), total: ones, blocks: ones, id: ones, bytes: {} });
  assert.equal(deep.rows.length, n);
});

test("flame: keys lead from call to call", () => {
  const layout = layoutFlame(ANSWER);
  assert.deepEqual(["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "x"].map((key) => callAfter(key, layout, ANSWER, 1)), [3, 0, 1, 2, undefined]);
  assert.equal(callAfter("ArrowDown", layout, ANSWER, 3), 3);
});

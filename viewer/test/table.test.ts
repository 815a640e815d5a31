// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { rowAfter } from "../src/ui/keys.ts";
import { RowCache, ROWS } from "../src/ui/rowcache.ts";
import { MAX_HEIGHT, ScrollMap } from "../src/ui/scrollmap.ts";
import { ROW_HEIGHT, seenRows, slots } from "../src/ui/rowlist.ts";

test("table: keys lead to rows that exist", () => {
  const cases: [string, number, number | undefined][] = [
    ["ArrowDown", 5, 6], ["ArrowDown", 99, 99], ["ArrowUp", 5, 4], ["ArrowUp", 0, 0], ["PageDown", 5, 14], ["PageDown", 95, 99],
    ["PageUp", 50, 41], ["PageUp", 3, 0], ["Home", 50, 0], ["End", 50, 99], ["x", 50, undefined], ["Enter", 0, undefined],
  ];
  for (const [key, at, to] of cases) assert.equal(rowAfter(key, at, 100, 10), to, key);
});

test("scrollmap: a list that fits is as its element", () => {
  const map = new ScrollMap();
  map.resize(10_000, 500);
  for (const to of [0, 1, 4000, 9500]) {
    map.scrolled(to);
    assert.equal(map.top, to);
    assert.equal(map.settle(), to);
  }
  map.scrolled(99_999);
  assert.equal(map.top, 9500);
});

test("scrollmap: a list taller than any element is reached whole", () => {
  const map = new ScrollMap();
  const full = 1_000_000 * ROW_HEIGHT;
  const viewport = 600;
  map.resize(full, viewport);
  assert.equal(map.height, MAX_HEIGHT);
  map.scrolled(MAX_HEIGHT - viewport);
  assert.equal(map.top, full - viewport);
  map.scrolled(0);
  assert.equal(map.top, 0);
  map.scrolled((MAX_HEIGHT - viewport) / 2);
  assert.ok(Math.abs(map.top - (full - viewport) / 2) < 1, "a jump to the middle is the middle");
});

test("scrollmap: small steps are small, however tall the list", () => {
  const map = new ScrollMap();
  map.resize(24_000_000, 600);
  let at = map.moveTo(12_000_000);
  for (let i = 0; i < 50; i++) {
    const before = map.top;
    map.scrolled((at += 100));
    assert.equal(map.top - before, 100);
  }
  const shown = map.top;
  at = map.settle();
  assert.equal(map.top, shown, "settling shows the same");
  map.scrolled(at);
  assert.equal(map.top, shown, "and so does the event of it");
});

test("scrollmap: every row can be shown, and steps from any place end at both ends", () => {
  const map = new ScrollMap();
  const total = 1_000_000;
  map.resize(total * ROW_HEIGHT, 600);
  for (let row = 0; row < total; row += 9973) {
    map.moveTo(row * ROW_HEIGHT);
    const seen = seenRows(map.top, 600, total);
    assert.ok(seen.first <= row && row < seen.end, `row ${row}`);
    assert.ok(seen.end - seen.first < 40);
  }
  let at = map.moveTo(3000);
  for (let i = 0; map.top > 0; i++) {
    assert.ok(i < 40, "no way to the first row");
    map.scrolled((at = Math.max(0, at - 100)));
    at = map.settle();
  }
});

test("table: a row keeps its element while it is seen, and every row that is seen has one", () => {
  const pool = 600 / ROW_HEIGHT + 9;
  let before: (number | undefined)[] = [];
  for (let top = 0; top < 30_000; top += 77) {
    const seen = seenRows(top, 600, 1000);
    const now = slots(seen, pool);
    assert.equal(now.length, pool);
    assert.deepEqual(now.filter((index) => index !== undefined).sort((a, b) => a - b), Array.from({ length: seen.end - seen.first }, (_, i) => seen.first + i));
    for (const [slot, index] of before.entries()) if (index !== undefined && index >= seen.first && index < seen.end) assert.equal(now[slot], index);
    before = now;
  }
});

/** Rows whose content is their number, delivered when the test calls give(). */
function numbers(): { fetch: (first: number, count: number, signal: AbortSignal) => Promise<readonly number[]>; asked: number[]; give: () => Promise<void>; aborted: number[] } {
  const waiting: (() => void)[] = [];
  const asked: number[] = [];
  const aborted: number[] = [];
  return {
    asked,
    aborted,
    fetch: (first, count, signal) => {
      asked.push(first);
      signal.addEventListener("abort", () => aborted.push(first));
      return new Promise((resolve) => waiting.push(() => resolve(Array.from({ length: count }, (_, i) => first + i))));
    },
    give: async () => {
      for (const one of waiting.splice(0)) one();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("rowcache: rows are asked for once, in windows, and where they are seen", async () => {
  const source = numbers();
  let changes = 0;
  const cache = new RowCache(source.fetch, () => changes++);
  cache.show(ROWS - 2, ROWS + 10);
  cache.show(ROWS - 1, ROWS + 11);
  assert.deepEqual(source.asked, [0, ROWS]);
  assert.equal(cache.row(ROWS), undefined);
  await source.give();
  assert.equal(changes, 2);
  for (const row of [0, ROWS - 1, ROWS, 2 * ROWS - 1]) assert.equal(cache.row(row), row);
  assert.equal(cache.row(2 * ROWS), undefined);
});

test("rowcache: what is out of sight before its turn is cancelled, and asked again when it is back", async () => {
  const source = numbers();
  const cache = new RowCache(source.fetch, () => undefined);
  cache.show(0, 10);
  cache.show(50 * ROWS, 50 * ROWS + 10);
  assert.deepEqual(source.aborted, [0]);
  await source.give();
  assert.equal(cache.row(0), undefined);
  assert.equal(cache.row(50 * ROWS), 50 * ROWS);
  cache.show(0, 10);
  assert.deepEqual(source.asked, [0, 50 * ROWS, 0]);
});

test("rowcache: of what was seen only the latest stays", async () => {
  const source = numbers();
  const cache = new RowCache(source.fetch, () => undefined);
  for (let window = 0; window < 200; window++) {
    cache.show(window * ROWS, window * ROWS + 10);
    await source.give();
  }
  assert.equal(cache.row(0), undefined);
  assert.equal(cache.row(199 * ROWS), 199 * ROWS);
  assert.equal(cache.row(190 * ROWS), 190 * ROWS);
});

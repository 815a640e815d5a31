// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { LazyRows, type LazyRow } from "../src/ui/lazyrows.ts";
import { formatOpen, parseOpen } from "../src/ui/lazytree.tsx";

/** Rows by number: the rows in row r are r * 1000 + 1, ..., and have no rows of their own. */
class Source {
  readonly asked: string[] = [];
  readonly #sizes: Readonly<Record<string, number>>;

  /** sizes: the number of rows in each row; "top": in the first level. */
  constructor(sizes: Readonly<Record<string, number>>) {
    this.#sizes = sizes;
  }

  ask = (of: number | undefined, first: number, count: number): Promise<{ n: number; rows: LazyRow[] }> => {
    this.asked.push(`${of ?? "top"} ${first}`);
    const n = this.#sizes[of ?? "top"] ?? 0;
    const rows = Array.from({ length: Math.max(0, Math.min(count, n - first)) }, (_, i) => {
      const id = (of ?? 0) * 1000 + first + i + 1;
      return { id, n: this.#sizes[id] ?? 0 };
    });
    return Promise.resolve({ n, rows });
  };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function shown(rows: LazyRows<LazyRow>, first: number, end: number): Promise<string[]> {
  rows.show(first, end);
  await settled();
  rows.show(first, end);
  await settled();
  return Array.from({ length: Math.min(end, rows.total) - first }, (_, i) => {
    const line = rows.line(first + i);
    return `${line?.level}:${line?.row?.id} ${(line?.place ?? 0) + 1}/${line?.siblings} in ${line?.parent ?? "none"}${line?.hasRows === true ? (line.isOpen ? " open" : " closed") : ""}`;
  });
}

test("lazy rows: an open row has its part below it, and the rows after it follow", async () => {
  const rows = new LazyRows(new Source({ top: 3, 2: 2, 2001: 1 }).ask, () => undefined);
  rows.open(new Set());
  assert.equal(rows.isKnown, false);
  rows.show(0, 1);
  assert.equal(rows.total, 0);
  assert.deepEqual(await shown(rows, 0, 9), ["0:1 1/3 in none", "0:2 2/3 in none closed", "0:3 3/3 in none"]);
  assert.equal(rows.isKnown, true);
  rows.open(new Set([2, 2001]));
  assert.deepEqual(await shown(rows, 0, 9),
    ["0:1 1/3 in none", "0:2 2/3 in none open", "1:2001 1/2 in 1 open", "2:2001001 1/1 in 2", "1:2002 2/2 in 1", "0:3 3/3 in none"]);
  rows.open(new Set([2001]));
  assert.deepEqual(await shown(rows, 0, 9), ["0:1 1/3 in none", "0:2 2/3 in none closed", "0:3 3/3 in none"]);
  assert.equal(rows.line(3), undefined);
  assert.equal(rows.line(-1), undefined);
});

test("lazy rows: a page with a million rows requests only those in sight", async () => {
  const source = new Source({ top: 1_000_000, 500: 1_000_000 });
  const rows = new LazyRows(source.ask, () => undefined);
  rows.open(new Set([500]));
  await shown(rows, 0, 1);
  assert.equal(rows.total, 1_000_000);
  await shown(rows, 490, 510);
  assert.equal(rows.total, 2_000_000);
  assert.deepEqual(await shown(rows, 999_999, 1_000_001), ["1:1499500 999500/1000000 in 499", "1:1499501 999501/1000000 in 499"]);
  assert.deepEqual(await shown(rows, 1_000_499, 1_000_501), ["1:1500000 1000000/1000000 in 499", "0:501 501/1000000 in none"]);
  assert.equal(source.asked.length, 5, source.asked.join());
});

test("lazy rows: a request that fails shows its error", async () => {
  const wrong: unknown[] = [];
  const rows = new LazyRows(() => Promise.reject(new Error("no")), (error) => wrong.push(error));
  rows.open(new Set());
  rows.show(0, 1);
  await settled();
  assert.deepEqual(wrong.map(String), ["Error: no"]);
});

test("lazy tree: what is open is a key of the link", () => {
  assert.deepEqual(parseOpen(formatOpen(new Set([3, 1]))), new Set([3, 1]));
  assert.deepEqual(parseOpen("1,x,,-2,4"), new Set([1, 4]));
});

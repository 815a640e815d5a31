// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { lifetimesView, sentenceOf } from "../src/views/lifetimes.tsx";

test("lifetimes: what was allocated in all, in a sentence", () => {
  const all = { bytes: 9531, allocations: 14, temporary: 7, short: 8, left: 5, most: 9000, lifetime: 101 };
  assert.equal(
    sentenceOf({ all, n: 4, first: 0, stacks: [] }),
    "9,531 bytes in 14 allocations: 7 (50.00%) temporary, 8 (57.14%) short-lived, 5 (35.71%) still there; " +
      "on average 101 bytes were allocated in the life of a block. From 4 stacks.",
  );
  assert.match(sentenceOf({ all, n: 3, first: 0, stacks: [], inInstructions: true }), /; on average a block lived for 101 instructions\./);
  const none = { bytes: 0, allocations: 0, temporary: 0, short: 0, left: 0, most: 0, lifetime: 0 };
  assert.equal(sentenceOf({ all: none, n: 0, first: 0, stacks: [] }), "0 bytes in 0 allocations: 0 (0.00%) temporary, 0 (0.00%) short-lived, 0 (0.00%) still there. From 0 stacks.");
});

test("lifetimes: the view is there for files that have them", () => {
  const plain = { name: "a.json", kind: "profile" as const };
  assert.equal(lifetimesView.applies?.([plain]), false);
  assert.equal(lifetimesView.applies?.([plain, { ...plain, lifetimes: true }]), true);
  assert.equal(lifetimesView.shows?.(plain), false);
});

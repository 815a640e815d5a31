// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToString } from "preact-render-to-string";
import type { FileInfo } from "../src/core/answers.ts";
import { WasteBody } from "../src/views/waste.tsx";
import type { WasteAnswer, WasteFinding } from "../src/views/wasteanswers.ts";

const FINDING: WasteFinding = {
  kind: "slop", bytes: 320000, counted: 300000, blocks: 20000, share: "9.07%", what: "char[], read (a.c:3) from main", function: "read", type: "char[]",
  evidence: "pointer", allocatedAt: ["malloc (m.c:1)", "read (a.c:3)"], example: "0x4c3a040", advice: "Each requests 1,017 bytes and gets 1,032.",
};

const ANSWER: WasteAnswer = {
  total: { bytes: 300000, blocks: 20000 }, share: "8.50%", kinds: { lost: 0, slop: 300000 }, comparesContents: true, least: 4096, smaller: 2, n: 1, first: 0, findings: [FINDING],
};

const nothing = (): void => undefined;

function shown(answer: WasteAnswer, file: FileInfo = { name: "a.json", kind: "profile" }, keys = {}): string {
  return renderToString(<WasteBody answer={answer} files={[file]} keys={keys} set={nothing} goTo={nothing} />).replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

test("waste: says what could be saved, and of each finding how much, where and what to do", () => {
  const text = shown(ANSWER);
  for (const part of ["300,000 bytes in 20,000 blocks could be saved, 8.50% of the heap", "320,000 bytes (9.07%) in 20,000 blocks: slop", FINDING.what, FINDING.advice,
    "20,000 of these bytes count in other findings", "A block, and what holds it", "Records of read", "malloc (m.c:1)", "2 smaller findings", "slop: the allocator’s rounding (300,000 bytes)"])
    assert.ok(text.includes(part), part);
  assert.ok(!text.includes("--waste=yes"));
});

test("waste: names from a heap are text", () => {
  const html = renderToString(<WasteBody answer={{ ...ANSWER, findings: [{ ...FINDING, what: "<img src=x>", advice: "<b>" }] }} files={[]} keys={{}} set={nothing} goTo={nothing} />);
  assert.ok(html.includes("&lt;img") && html.includes("&lt;b>") && !html.includes("<img"));
});

test("waste: without findings, contents or records it says so, or has no link", () => {
  const none = shown({ ...ANSWER, total: { bytes: 0, blocks: 0 }, n: 0, findings: [], comparesContents: false });
  assert.ok(none.includes("No finding saves 4,096 bytes or more") && none.includes("runs with --waste=yes"));
  assert.ok(!shown(ANSWER, { name: "a.graph.gz", kind: "graph" }).includes("Records of"));
});

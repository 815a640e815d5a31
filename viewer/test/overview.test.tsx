// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToString } from "preact-render-to-string";
import overview from "./answers/overview.json" with { type: "json" };
import type { FileInfo } from "../src/core/answers.ts";
import { OverviewBody } from "../src/views/overview.tsx";
import type { OverviewAnswer } from "../src/views/overviewanswers.ts";

function shown(answer: OverviewAnswer, old?: FileInfo): string {
  const html = renderToString(<OverviewBody answer={answer} file={{ name: "a.json", kind: "profile", reduced: { records: 1, bytes: 64 } }} old={old} goTo={() => undefined} />);
  return html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

const EXAMPLE: OverviewAnswer = overview;

test("overview: says each figure and each sentence that the core says", () => {
  const text = shown(EXAMPLE);
  for (const section of EXAMPLE.sections) assert.ok(text.includes(`${section.name} ${section.bytes.toLocaleString("en")} ${section.share}`), section.name);
  for (const row of EXAMPLE.worst) for (const part of [row.name, ...row.frames, ...row.whose, row.share]) assert.ok(text.includes(part), part);
  for (const row of [...EXAMPLE.reporters.rows, ...EXAMPLE.tags.rows]) assert.ok(text.includes(`${row.name} ${row.bytes.toLocaleString("en")} ${row.share}`), row.name);
  assert.ok(text.includes("26,056,480 bytes in 213,142 blocks"));
  assert.ok(text.includes("1 stack of 64 bytes, the smallest, as (smaller records): the file was too large"));
  assert.ok(text.includes(EXAMPLE.waste));
  assert.ok(!text.includes("faults"), "there are none");
});

test("overview: faults come before records; changes are told", () => {
  const fault = { kindText: "k", isMisreport: true, sentence: "Report of a freed block" };
  const text = shown({
    ...EXAMPLE,
    faults: { total: 7, misreports: 7, faults: [fault] },
    changed: { sentence: "It grew by 5 bytes", total: 1, places: [{ what: "new here", before: { bytes: 0, blocks: 0 }, now: { bytes: 5, blocks: 1 }, frames: ["f", "main"] }] },
  });
  for (const part of ["7 faults", fault.sentence, "All 7 faults", "It grew by 5 bytes", "new here", "f ← main"]) assert.ok(text.includes(part), part);
  assert.ok(text.indexOf(fault.sentence) < text.indexOf("The largest unreported records"));
});

test("overview: a comparison begins with what changed, which is said once", () => {
  const sentence = "The heap went from 7 to 12 bytes (+5).";
  const text = shown({ ...EXAMPLE, waste: "", heap: { bytes: 5, blocks: -1 }, changed: { sentence, total: 0, places: [] } }, { name: "old.json", kind: "profile" });
  assert.ok(text.trim().startsWith(`+5 bytes in -1 blocks since old.json ${sentence} The tables below show differences: what a.json has more than old.json,`), text.slice(0, 300));
  assert.equal(text.split(sentence).length, 2);
});

test("overview: what could be saved is said if there is a heap graph, also at the peak", () => {
  assert.ok(!shown({ ...EXAMPLE, waste: "" }).includes("What could be saved"));
  assert.ok(shown({ ...EXAMPLE, moment: "peak" }).includes(`At the end: ${EXAMPLE.waste} What could be saved`));
});

test("overview: other modes have one section, and no state", () => {
  const text = shown({ ...EXAMPLE, mode: "live", sections: [{ name: "live", bytes: 1, blocks: 1, records: 1, share: "100.00%" }], all: [] });
  assert.ok(text.includes("The largest records"));
  assert.ok(!text.includes("unreported records"));
});

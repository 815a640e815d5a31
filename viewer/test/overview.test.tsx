// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToString } from "preact-render-to-string";
import overview from "./answers/overview.json" with { type: "json" };
import type { FileInfo } from "../src/core/answers.ts";
import { chosen, Findings, viewOf } from "../src/views/findings.tsx";
import { OverviewBody } from "../src/views/overview.tsx";
import type { Finding, OverviewAnswer } from "../src/views/overviewanswers.ts";

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

test("overview: faults come before records; changes have a list", () => {
  const fault = { kindText: "k", isMisreport: true, sentence: "Report of a freed block" };
  const text = shown({
    ...EXAMPLE,
    faults: { total: 7, misreports: 7, faults: [fault] },
    changed: { sentence: "It grew by 5 bytes", total: 1, places: [{ what: "new here", before: { bytes: 0, blocks: 0 }, now: { bytes: 5, blocks: 1 }, frames: ["f", "main"] }] },
  });
  for (const part of ["7 faults", fault.sentence, "All 7 faults", "It grew by 5 bytes", "new here", "f ← main"]) assert.ok(text.includes(part), part);
  assert.ok(text.indexOf(fault.sentence) < text.indexOf("The largest unreported records"));
});

test("overview: a comparison begins with the change, in one sentence", () => {
  const sentence = "The heap went from 7 to 12 bytes (+5).";
  const text = shown({ ...EXAMPLE, waste: "", heap: { bytes: 5, blocks: -1 }, changed: { sentence, total: 0, places: [] } }, { name: "old.json", kind: "profile" });
  assert.ok(text.trim().startsWith(`+5 bytes in -1 blocks since old.json ${sentence} The tables below show differences: what a.json has more than old.json,`), text.slice(0, 300));
  assert.equal(text.split(sentence).length, 2);
});

test("overview: with a heap graph it names the possible saving, also at the peak", () => {
  assert.ok(!shown({ ...EXAMPLE, waste: "" }).includes("What could be saved"));
  assert.ok(shown({ ...EXAMPLE, moment: "peak" }).includes(`At the end: ${EXAMPLE.waste} What could be saved`));
});

test("overview: each line about the peak is a sentence", () => {
  const peak = "peak: 9 bytes in 2 blocks, after 1 ms\nnever measured: 4 bytes in 1 block of the peak";
  assert.ok(shown({ ...EXAMPLE, peak }).includes("Peak: 9 bytes in 2 blocks, after 1 ms. Never measured: 4 bytes in 1 block of the peak."));
  assert.ok(shown({ ...EXAMPLE, peak, moment: "peak" }).includes("Never measured: 4 bytes in 1 block of the peak."));
});

test("overview: other modes have one section, and no state", () => {
  const text = shown({ ...EXAMPLE, mode: "live", sections: [{ name: "live", bytes: 1, blocks: 1, records: 1, share: "100.00%" }], all: [] });
  assert.ok(text.includes("The largest records"));
  assert.ok(!text.includes("unreported records"));
});

const PLACE: Finding = { kind: "place", bytes: 60, blocks: 2, share: "60.00%", place: "f (a.c:1)", sentence: "", showMore: "print" };
const WASTE: Finding = { ...PLACE, kind: "waste", place: "char[], f (a.c:1)", sentence: "untouched: half of it", showMore: "waste" };

test("findings: each card says what the core says, with the command", () => {
  const text = shown(EXAMPLE);
  for (const { place, sentence, share, showMore } of EXAMPLE.findings)
    for (const part of [place, sentence, share, `dmdv ${showMore}`]) assert.ok(text.includes(part), part);
  assert.ok(text.indexOf("What matters most") < text.indexOf("The largest unreported records"));
});

test("findings: places come first, and what says what to do is not crowded out", () => {
  const many = Array.from({ length: 9 }, (_, i) => ({ ...PLACE, place: `p${i}` }));
  assert.deepEqual(chosen([WASTE, ...many, WASTE]).map(({ kind }) => kind), [...Array<string>(5).fill("place"), "waste", "waste"]);
  assert.deepEqual(chosen(Array<Finding>(9).fill(WASTE)).length, 4);
});

test("findings: each leads to the view that shows it", () => {
  assert.deepEqual(viewOf(PLACE), ["records", { by: "line", line: "f (a.c:1)" }]);
  assert.deepEqual(viewOf({ ...PLACE, kind: "twice", record: 7 }), ["records", { section: "twice", id: "7" }]);
  assert.deepEqual(viewOf({ ...PLACE, kind: "growth" }), ["timeline", {}]);
  assert.deepEqual(viewOf(WASTE), ["waste", {}]);
  assert.deepEqual(viewOf({ ...PLACE, kind: "claim", place: "size_of" }), ["claims", { function: "size_of" }]);
});

test("findings: the bar has the places and the rest, in words too; without findings there is nothing", () => {
  const html = renderToString(<Findings answer={{ findings: [PLACE, WASTE], heap: { bytes: 100, blocks: 3 } }} goTo={() => undefined} />);
  assert.ok(html.includes('aria-label="The heap: f (a.c:1) 60.00%, others 40 bytes"'), html);
  assert.equal(renderToString(<Findings answer={{ findings: [], heap: { bytes: 100, blocks: 3 } }} goTo={() => undefined} />), "");
});

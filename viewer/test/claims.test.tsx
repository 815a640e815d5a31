// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToString } from "preact-render-to-string";
import { ClaimsBody, claimsView, headline } from "../src/views/claims.tsx";
import { answerOf, type ClaimedFunction, type ClaimFinding, type ClaimsAnswer } from "../src/views/claimsanswers.ts";
import { Findings, wrongSizes } from "../src/views/findings.tsx";

const FINDING: ClaimFinding = {
  calls: 6, bytes: 192, difference: "32 bytes too few", sentence: "Returns 32 bytes too few in 6 calls: leaves out a title.",
  defects: [{ kind: "missing", part: "title: char[]", path: "title", sentence: "leaves out a title" }],
  example: { parts: [{ part: "list", blocks: 1, requested: 24, usable: 24, shared: false }, { part: "name: char[]", path: "name", blocks: 2, requested: 10, usable: 48, shared: true }] },
  outliers: [
    { address: "0x4a040", object: "list", calls: 4, claimed: 1000, true: 1032, elements: 4, askedAt: ["size (a.c:3)", "main (a.c:9)"] },
    { address: "0x4b040", object: "list", calls: 2, claimed: 500, true: 532, askedAt: ["size (a.c:3)", "other (a.c:8)"] },
  ],
};
const WRONG: ClaimedFunction = { function: "size_of_list", calls: 8, right: 2, returns: "all of it", sentences: ["returns all that the object retains: right in 2 calls", "1 call not judged: why"], findings: [FINDING] };
const RIGHT: ClaimedFunction = { ...WRONG, function: "size_right", right: 8, findings: [] };
const ANSWER: ClaimsAnswer = { functions: [RIGHT, WRONG] };

function shown(answer: ClaimsAnswer, chosen?: string): string {
  return renderToString(<ClaimsBody answer={answer} chosen={chosen} onChoose={() => undefined} />).replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

test("claims: the first function that is wrong, with both numbers, what is wrong, objects and stacks", () => {
  const text = shown(ANSWER);
  for (const part of ["Wrong sizes from 1 of 2 functions", "size_of_list 8 6 1,000 1,032 -32 all of it", "size_right 8 0 all of it", "Returns all that the object retains: right in 2 calls.",
    "1 call not judged: why.", "6 calls: 32 bytes too few", "Leaves out a title.", "0x4a040 list 4 1,000 1,032 -32 4 stack 1", "0x4b040 list 2 500 532 -32", "stack 2",
    "main (a.c:9)", "other (a.c:8)", "name: char[] ->name (also belongs to others) 2 10 48"])
    assert.ok(text.includes(part), `${part} in ${text}`);
});

test("claims: another function may be chosen; a wrong name is none", () => {
  assert.ok(!shown(ANSWER, "size_right").includes("Leaves out"));
  assert.ok(shown(ANSWER, "no such").includes("Leaves out"));
  assert.equal(headline([RIGHT]), "No wrong size from 1 function");
});

test("claims: without any, the page says how to get them; names are text", () => {
  assert.ok(shown({ functions: [] }).includes("--claim-fn=PATTERN"));
  assert.ok(!renderToString(<ClaimsBody answer={{ functions: [{ ...WRONG, function: "<img src=x>" }] }} onChoose={() => undefined} />).includes("<img"));
});

test("claims: there for files with claims or graphs; dmdv's text is read", () => {
  const file = { name: "a.json", kind: "profile" } as const;
  assert.deepEqual([{}, { claims: true }, { graph: 0 }].map((has) => claimsView.applies?.([{ ...file, ...has }])), [false, true, true]);
  assert.deepEqual(answerOf({ known: JSON.stringify(ANSWER) }), ANSWER);
  assert.equal(answerOf(ANSWER), ANSWER);
  assert.equal(answerOf({ known: '{"functions": [' }), undefined);
});

test("claims: wrong sizes are cards, of no share of the heap", () => {
  assert.deepEqual(wrongSizes(ANSWER).map(({ place, bytes, blocks }) => [place, bytes, blocks]), [["size_of_list", 192, 6]]);
  const html = renderToString(<Findings answer={{ findings: [], heap: { bytes: 100, blocks: 3 } }} claims={ANSWER} goTo={() => undefined} />);
  const text = html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  for (const part of ["Says a wrong size", "192 bytes wrong in 6 calls", "size_of_list", FINDING.sentence, "dmdv claims"]) assert.ok(text.includes(part), `${part} in ${text}`);
});

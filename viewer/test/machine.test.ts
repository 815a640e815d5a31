// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FileInfo } from "../src/core/answers.ts";
import { filesOf, FIRST_STATE, nextState, type PageEvent, type PageState } from "../src/state/machine.ts";

const OLD: readonly FileInfo[] = [{ name: "old.json", kind: "profile" }];
const NEW: readonly FileInfo[] = [{ name: "new.json", kind: "graph" }];
const failure = { message: "broken", hint: "get it again" };
const progress = { step: "inflate", done: 1, total: 2 };

const EVENTS: readonly PageEvent[] = [
  { type: "complete", size: 10 },
  { type: "read" },
  { type: "import", what: "new.json" },
  { type: "imported" },
  { type: "progress", progress },
  { type: "done", files: NEW },
  { type: "fail", failure },
  { type: "cancel" },
  { type: "dismiss" },
];

const STATES: readonly PageState[] = [
  { name: "SAVING" },
  { name: "SAVED", size: 10 },
  { name: "IMPORTING", what: "new.json", before: OLD, progress },
  { name: "READING", what: "new.json", before: OLD, progress },
  { name: "READ", files: OLD },
  { name: "ERROR", failure, before: OLD },
];

// The event that leads from one state to another; all other events leave the state unchanged.
const ARROWS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  SAVING: { complete: "SAVED", fail: "ERROR" },
  SAVED: { read: "READING", import: "IMPORTING", fail: "ERROR" },
  IMPORTING: { imported: "READING", progress: "IMPORTING", cancel: "READ", fail: "ERROR" },
  READING: { progress: "READING", done: "READ", cancel: "READ", fail: "ERROR" },
  READ: { import: "IMPORTING", done: "READ", fail: "ERROR" },
  ERROR: { import: "IMPORTING", dismiss: "READ", fail: "ERROR" },
};

test("machine: every event in every state", () => {
  for (const state of STATES)
    for (const event of EVENTS) {
      const next = nextState(state, event);
      const arrow = ARROWS[state.name]?.[event.type];
      if (arrow === undefined) assert.equal(next, state, `${state.name} knows ${event.type}`);
      else assert.equal(next.name, arrow, `${event.type} in ${state.name}`);
    }
});

test("machine: a page with data is read, and an empty one waits", () => {
  const saved = nextState(FIRST_STATE, { type: "complete", size: 0 });
  assert.equal(nextState(saved, { type: "read" }), saved);
  let state = nextState(FIRST_STATE, { type: "complete", size: 1 });
  for (const event of [{ type: "read" }, { type: "progress", progress }, { type: "done", files: NEW }] as const) state = nextState(state, event);
  assert.deepEqual(state, { name: "READ", files: NEW });
});

test("machine: what fails or is cancelled leaves the files of before", () => {
  const reading = nextState(nextState({ name: "READ", files: OLD }, { type: "import", what: "x" }), { type: "imported" });
  const failed = nextState(reading, { type: "fail", failure });
  assert.deepEqual(failed, { name: "ERROR", failure, before: OLD });
  assert.equal(filesOf(failed), OLD);
  assert.deepEqual(nextState(failed, { type: "dismiss" }), { name: "READ", files: OLD });
  assert.deepEqual(nextState(reading, { type: "cancel" }), { name: "READ", files: OLD });
  const first: PageState = { name: "READING", what: "", before: [], progress };
  assert.deepEqual(nextState(first, { type: "cancel" }), { name: "SAVED", size: 0 });
});

// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToString } from "preact-render-to-string";
import { BarCell, sectionKey, StateBar, stateName, statesOf, stateVariable, STATES, type BarPart } from "../src/ui/state.tsx";

test("state: answers may call states for short", () => {
  assert.deepEqual(statesOf({ unreported: 1, once: 2, "twice-reported": 3 }), { unreported: 1, "once-reported": 2, "twice-reported": 3 });
  assert.deepEqual(["once", "twice", "unreported", "live", "__proto__"].map(stateName), ["once-reported", "twice-reported", "unreported", "live", "__proto__"]);
  assert.deepEqual(["twice", "once-reported", "live", "constructor"].map(stateVariable), ["--twice-reported", "--once-reported", undefined, undefined]);
});

test("state: each state has a key that selects it, and what is none has none", () => {
  assert.deepEqual(STATES.map(sectionKey), ["unreported", "once", "twice"]);
  assert.equal(sectionKey("live"), undefined);
});

test("state: a part without bytes is neither drawn nor said", () => {
  const part = (section: string, value: number): BarPart => ({ section, value, title: `${section} ${value}` });
  const html = renderToString(<StateBar label="all" parts={[part("unreported", 0), part("once-reported", 5), part("twice-reported", -3)]} />);
  assert.deepEqual([...html.matchAll(/class="(state-[a-z]+-?[a-z]*)" title/g)].map((match) => match[1]), ["state-once-reported"]);
  assert.match(html, /aria-label="all: once-reported 5, twice-reported -3"/);
});

test("state: a bar is as long as its bytes are many, and says them", () => {
  const bar = (whole: number, states: Parameters<typeof BarCell>[0]["states"]): string => renderToString(<BarCell label="jar" whole={whole} most={400} states={states} />);
  const html = bar(100, { unreported: 60, "once-reported": 40, "twice-reported": 0 });
  assert.match(html, /width:\s*25%/);
  assert.match(html, /aria-label="jar: unreported 60 bytes, once-reported 40 bytes"/);
  assert.ok(!html.includes("twice"), "nothing is not shown");
  assert.match(bar(-5, undefined), /width:\s*0%/);
});

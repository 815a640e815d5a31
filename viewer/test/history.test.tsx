// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToString } from "preact-render-to-string";
import type { FileInfo } from "../src/core/answers.ts";
import { afterChoosing } from "../src/ui/buildchoice.tsx";
import { worstState } from "../src/views/alarms.tsx";
import { buildAt, levelPath, namedBuilds, scaleOf, ticks } from "../src/views/curvemodel.ts";
import { buildAfter } from "../src/views/curvepicture.tsx";
import { Events, Tile } from "../src/views/history.tsx";
import type { Alarm, CurveStep, HistoryAnswer } from "../src/views/historyanswers.ts";
import { VIEWS } from "../src/views/index.ts";

const AREA = { left: 50, top: 10, width: 200, height: 100 };
const ALARM: Alarm = {
  series: "heap", state: "new", slow: false, first_build: "b7", after_build: "b6", delta: 5, before: 10,
  records: [{ delta: 5, frames: ["malloc", "<b>f"] }, { delta: 1, frames: ["g"] }], text: "heap: +5 bytes",
};

function step(first: number, before: number, after: number, more: Partial<CurveStep> = {}): CurveStep {
  return { ...ALARM, headline: "More", before, after, at: { since: 0, first, earliest: first, latest: first }, ...more };
}

test("curve: builds and values have their places, and places their builds", () => {
  const { x, y } = scaleOf(AREA, 5, -10, 30);
  assert.deepEqual([x(0), x(2), x(4)], [50, 150, 250]);
  assert.deepEqual([y(30), y(10), y(-10)], [10, 60, 110]);
  for (let build = 0; build < 5; build++) assert.equal(buildAt(AREA, 5, x(build) + 20), build);
  assert.deepEqual([buildAt(AREA, 5, -1000), buildAt(AREA, 5, 1000)], [0, 4]);
  const one = scaleOf(AREA, 1, 7, 7);
  assert.deepEqual([one.x(0), one.y(7)], [150, 60], "in the middle");
});

test("curve: ticks are round numbers within the range", () => {
  assert.deepEqual(ticks(0, 100, 5), [0, 20, 40, 60, 80, 100]);
  assert.deepEqual(ticks(1395016, 1422205, 5), [1400000, 1410000, 1420000]);
  assert.deepEqual(ticks(3, 3, 5), [3]);
  for (const [least, most] of [[0, 1], [-5, 5], [0, 3], [1e15, 1e15 + 7]] as const)
    for (const tick of ticks(least, most, 4)) assert.ok(Number.isInteger(tick) && tick >= least && tick <= most, `${least} to ${most}: ${tick}`);
  assert.deepEqual(namedBuilds(9, 3), [0, 4, 8]);
  assert.deepEqual(namedBuilds(1, 5), [0]);
  assert.deepEqual(namedBuilds(3, 0), [2]);
});

test("curve: levels go from step to step", () => {
  const scale = { x: (build: number) => build, y: (value: number) => value };
  assert.equal(levelPath([step(4, 10, 20), step(7, 20, 5, { at: { since: 4, first: 7, earliest: 7, latest: 7 } })], 10, scale),
    "M0.0 10.0H3.0M4.0 20.0H6.0M4.0 20.0H6.0M7.0 5.0H9.0");
  assert.equal(levelPath([step(9, 10, 20, { slow: true })], 10, scale), "M0.0 10.0L9.0 20.0M9.0 20.0H9.0");
});

test("curve: keys lead to builds and steps, and not beyond", () => {
  const steps = [step(3, 0, 1), step(8, 1, 2)];
  const to = (key: string, at: number) => buildAfter(key, at, 10, steps);
  assert.deepEqual([to("n", 0), to("n", 3), to("n", 8), to("p", 9), to("p", 8), to("p", 3)], [3, 8, 8, 8, 3, 3]);
  assert.deepEqual([to("ArrowRight", 9), to("ArrowLeft", 0), to("PageDown", 1), to("Home", 5), to("End", 5)], [9, 0, 9, 0, 9]);
  assert.equal(to("x", 1), undefined);
});

function shown(html: string): string {
  return html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

test("history: says each event with its series and stacks, as text", () => {
  const history: HistoryAnswer = {
    name: "h.db", builds: 1234, measured: 2000, kept: 5, curves: 3, verdict: "refused: 1 new alarm in 3 series", new: 1, branches: ["main"], moments: ["exit"], environments: [""],
    total: 1, events: [{ headline: "More since build b7", bracket: "The first build may be any", line: { branch: "main", moment: "exit", environment: 0 }, of: 1, old: 2, alarms: [ALARM] }],
  };
  const html = renderToString(<Events history={history} set={() => undefined} goTo={() => undefined} />);
  assert.ok(!html.includes("<b>f"), "no markup of a stranger's");
  const text = shown(html);
  for (const part of ["refused: 1 new alarm", "1,234 builds", "for 5 of them", "new More since build b7", "The first build may be any", "heap: +5 bytes", "&lt;b>f", "Further stacks: +1"])
    assert.ok(text.includes(part), `${part}: ${text}`);
});

test("history: without a new alarm, the curves come before the cards of old ones", () => {
  const history: HistoryAnswer = {
    name: "h.db", builds: 60, measured: 60, kept: 60, curves: 1, verdict: "", new: 0, branches: ["main"], moments: ["exit"], environments: [""],
    total: 1, events: [{ headline: "More since build b7", line: { branch: "main", moment: "exit", environment: 0 }, of: 1, old: 2, alarms: [{ ...ALARM, state: "fixed" }] }],
  };
  const html = (more: Partial<HistoryAnswer>): string => renderToString(<Events history={{ ...history, ...more }} set={() => undefined} goTo={() => undefined} />);
  assert.match(html({}), /<details[^>]*><summary>1 change of level, acknowledged, fixed or for the better<\/summary><div class="events">/);
  assert.equal(html({}).split("<article").length - 1, 1, "each once");
  assert.match(html({ new: 1 }), /<\/p><div class="events">/);
  assert.ok(!html({ total: 0, events: [] }).includes("<details"));
});

test("history: says how often builds were measured, and names moments and environments only if there are several", () => {
  const history: HistoryAnswer = { name: "h.db", builds: 60, measured: 60, kept: 60, curves: 1, verdict: "", new: 0, branches: ["main"], moments: ["exit"], environments: [""], total: 0, events: [] };
  const text = (more: Partial<HistoryAnswer>): string => shown(renderToString(<Events history={{ ...history, ...more }} set={() => undefined} goTo={() => undefined} />));
  assert.ok(text({}).includes("60 builds, measured 60 times. What"), text({}));
  assert.ok(text({ moments: ["exit", "full"] }).includes("measured 60 times at 2 moments. What"));
  assert.ok(text({ moments: ["exit", "full"], environments: ["", "a=b", "a=c"] }).includes("times at 2 moments and in 3 environments. What"));
});

test("history: a small curve says its name, its last value and its state", () => {
  const row = { series: "faults", unit: "faults", builds: 2, last: 12345, least: 1, most: 12345, new: 0, columns: [[0, 1, 1], [1, 12345, 12345]] as const, steps: [{ first: 1, state: "improved" as const }] };
  assert.match(shown(renderToString(<Tile row={row} onOpen={() => undefined} />)), /faults 12,345 faults improvement/);
  assert.equal(worstState([{ state: "improved" }, { state: "fixed" }, { state: "new" }, { state: "acknowledged" }]), "new");
  assert.equal(worstState([{ state: "improved" }]), "improved");
});

const BUILD: FileInfo = { name: "b", kind: "build", branch: "main", moment: "exit", environment: 0 };

test("history: another build keeps to the one before it, where that was looked at", () => {
  const files: FileInfo[] = [{ ...BUILD, old: 1 }, { ...BUILD, old: 2 }, BUILD];
  assert.deepEqual(afterChoosing(files, { of: "0", old: "1" }, "1"), { of: "1", old: "2", id: undefined });
  assert.deepEqual(afterChoosing(files, { old: "1" }, "2"), { of: "2", old: undefined, id: undefined });
  assert.deepEqual(afterChoosing(files, { of: "0", old: "2" }, "1"), { of: "1", old: "2", id: undefined });
});

test("history: its files have the views that show something of them", () => {
  const views = (files: readonly FileInfo[]) => VIEWS.filter((view) => view.applies?.(files) ?? true).map((view) => view.id);
  const history: FileInfo = { name: "h.db", kind: "history" };
  assert.deepEqual(views([BUILD, BUILD, history]), ["history", "curve", "overview", "records", "flame", "treemap", "diff"]);
  assert.deepEqual(views([history]), ["history", "curve"], "without records");
  assert.ok(!views([{ name: "a", kind: "profile" }]).includes("history"));
});

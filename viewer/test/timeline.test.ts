// SPDX-License-Identifier: GPL-2.0-or-later

import assert from "node:assert/strict";
import { test } from "node:test";
import { elapsed, instructions } from "../src/format.ts";
import { isReported } from "../src/views/overview.tsx";
import type { TimelineAnswer } from "../src/views/timelineanswers.ts";
import { AREAS, hasResident, heapArea, heapLine, momentsOf, placeKey, placeName, residentLine, sizeTicks, stackedAreas, timeAfter, timeScale, whenOf } from "../src/views/timelinemodel.ts";

const AREA = { left: 10, top: 0, width: 100, height: 100 };
const moment = (milliseconds: number, bytes: number): { milliseconds: number; bytes: number; blocks: number; allocated: number } =>
  ({ milliseconds, bytes, blocks: 1, allocated: milliseconds });

const ANSWER: TimelineAnswer = {
  start: moment(0, 0),
  peak: moment(500, 100),
  end: moment(1000, 50),
  points: [moment(250, 80), moment(1000, 50)],
  marks: [{ ...moment(750, 60), text: "noon" }],
  stacks: Array.from({ length: 9 }, (_, i) => ({ name: `f${i}` })),
  tags: [],
  breakdowns: [{ ...moment(0, 0), stacks: Array<number>(9).fill(0), tags: [] }, { ...moment(1000, 50), stacks: [30, 40, 0, 0, 0, 0, 0, 0, 0], tags: [] }],
  from: moment(0, 0),
  to: moment(1000, 50),
  change: { bytes: 50, blocks: 1, allocated: 1000 },
};

test("times are as in dmdv", () => {
  assert.deepEqual([0, 99, 100, 949, 950, 1000, 12345678].map(elapsed), ["0 ms", "99 ms", "0.1 s", "0.9 s", "1.0 s", "1.0 s", "12,345.7 s"]);
});

test("numbers of instructions are as in dmdv", () => {
  assert.deepEqual([0, 999, 1000, 999994, 999995, 12345678, 2e9, 7.25e15].map(instructions),
    ["0 i", "999 i", "1.00 ki", "999.99 ki", "1.00 Mi", "12.35 Mi", "2.00 Gi", "7250.00 Ti"]);
});

test("instructions are the axis if they were counted", () => {
  const counted = (instructions: number, bytes: number): { milliseconds: number; bytes: number; blocks: number; allocated: number; instructions: number } =>
    ({ ...moment(instructions < 100 ? 0 : 900, bytes), instructions });
  const answer: TimelineAnswer = { ...ANSWER, start: counted(0, 0), peak: counted(4000, 100), end: counted(8000, 50), points: [counted(8000, 50)], marks: [], breakdowns: [] };
  assert.equal(heapLine(momentsOf(answer), timeScale(AREA, 0, 8000, 100)), "M10.0 100.0L60.0 100.0L60.0 0.0L110.0 0.0L110.0 50.0");
  assert.deepEqual([placeKey(answer, 4000), placeName(answer, 4000), whenOf(answer.peak)], ["4000i", "4.00 ki", "4.00 ki (0.9 s)"]);
  assert.deepEqual([placeKey(ANSWER, 4000), placeName(ANSWER, 4000), whenOf(ANSWER.peak)], ["4000ms", "4.0 s", "0.5 s"]);
});

test("a place is a time, and back", () => {
  const scale = timeScale(AREA, 1000, 2000, 50);
  assert.deepEqual([scale.x(1000), scale.x(1500), scale.x(5000)], [10, 60, 110]);
  assert.deepEqual([scale.place(10), scale.place(60), scale.place(-5), scale.place(999)], [1000, 1500, 1000, 2000]);
  assert.deepEqual([scale.y(0), scale.y(50), scale.y(25)], [100, 0, 50]);
  assert.equal(timeScale(AREA, 5, 5, 0).place(60), 6, "an empty timeline has a scale, too");
});

test("all moments are in the line, in order", () => {
  assert.deepEqual(momentsOf(ANSWER).map((at) => at.milliseconds), [0, 250, 500, 750, 1000]);
  const scale = timeScale(AREA, 0, 1000, 100);
  assert.equal(heapLine([moment(0, 0), moment(500, 100)], scale), "M10.0 100.0L60.0 100.0L60.0 0.0");
  assert.equal(heapArea([moment(0, 50)], scale), "M10.0 100.0L10.0 50.0L10.0 100.0Z");
  assert.equal(heapArea([], scale), "");
});

test("physical memory is a line through the moments of which it is known", () => {
  const scale = timeScale(AREA, 0, 1000, 200);
  const moments = [moment(0, 10), { ...moment(250, 10), resident: 100 }, moment(500, 10), { ...moment(1000, 10), resident: 200 }];
  assert.equal(residentLine(moments, scale), "M35.0 50.0L110.0 0.0");
  assert.equal(residentLine(moments.slice(0, 2), scale), "");
  assert.equal(hasResident({ ...ANSWER, points: moments }), true);
  assert.equal(hasResident(ANSWER), false);
});

test("areas are stacked, and not higher than the heap", () => {
  const areas = stackedAreas(ANSWER, "stacks", timeScale(AREA, 0, 1000, 100));
  assert.equal(areas.length, AREAS);
  assert.equal(areas[0]?.path, "M10.0 100.0L110.0 100.0L110.0 70.0L110.0 100.0L110.0 100.0L10.0 100.0Z");
  assert.equal(areas[1]?.path, "M10.0 100.0L110.0 100.0L110.0 50.0L110.0 70.0L110.0 100.0L10.0 100.0Z");
});

test("a moment with the totals of a breakdown consists of the same blocks", () => {
  const full = { ...moment(500, 100), allocated: 7 };
  const answer: TimelineAnswer = {
    ...ANSWER, start: { ...full, milliseconds: 0 }, peak: { ...full, milliseconds: 0 }, marks: [], points: [full], end: moment(1000, 0), stacks: [{ name: "all" }],
    breakdowns: [{ ...full, stacks: [100], tags: [] }, { ...moment(1000, 0), stacks: [0], tags: [] }],
  };
  const [area] = stackedAreas({ ...answer, points: [full, moment(1000, 0)] }, "stacks", timeScale(AREA, 0, 1000, 100));
  assert.equal(area?.path, "M10.0 0.0L10.0 0.0L10.0 0.0L60.0 0.0L60.0 0.0L110.0 0.0L110.0 100.0" + "L110.0 100.0L110.0 100.0L60.0 100.0L60.0 100.0L10.0 100.0L10.0 100.0L10.0 100.0Z");
});

test("the axis has round sizes", () => {
  assert.deepEqual(sizeTicks(60 * 1048576, 4).map(([, name]) => name), ["0", "20 MB", "40 MB", "60 MB"]);
  assert.deepEqual(sizeTicks(5000, 4).map(([, name]) => name), ["0", "2 KB", "4 KB"]);
  assert.deepEqual(sizeTicks(0, 4).map(([, name]) => name), ["0"]);
  assert.ok(sizeTicks(2 ** 53, 6).length < 12);
});

test("keys move among the moments", () => {
  const times = [0, 10, 20, 30];
  assert.deepEqual(["ArrowRight", "ArrowLeft", "Home", "End", "x"].map((key) => timeAfter(key, 10, times)), [20, 0, 0, 30, undefined]);
  assert.deepEqual([timeAfter("ArrowRight", 30, times), timeAfter("ArrowLeft", 0, times)], [30, 0]);
});

test("the overview begins with the heap over time if no reporters ran", () => {
  const row = (name: string, blocks: number): { name: string; bytes: number; blocks: number; records: number; share: string } => ({ name, bytes: 0, blocks, records: 1, share: "" });
  assert.equal(isReported({ mode: "live", sections: [row("live", 5)] }), false);
  assert.equal(isReported({ mode: "dark-matter", sections: [row("unreported", 5), row("twice-reported", 0)] }), false);
  assert.equal(isReported({ mode: "dark-matter", sections: [row("unreported", 5), row("once-reported", 1)] }), true);
});

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Coordinates in the picture of a timeline. This computes only places; all values come from the core.

import { elapsed, instructions } from "../format.ts";
import { lineThrough, type Area } from "./curvemodel.ts";
import type { Breakdown, Moment, TimelineAnswer } from "./timelineanswers.ts";

export const AREAS = 7; // stacks or tags with a colour of their own

/** Where a moment is on the axis: instructions, or milliseconds. */
export function placeOf({ instructions, milliseconds }: Moment): number {
  return instructions ?? milliseconds;
}

/** A place, as keys of the page and as text. */
export function placeKey({ start }: TimelineAnswer, place: number): string {
  return `${place}${start.instructions === undefined ? "ms" : "i"}`;
}

export function placeName({ start }: TimelineAnswer, place: number): string {
  return start.instructions === undefined ? elapsed(place) : instructions(place);
}

/** `0.8 s`, `12.34 Mi (0.8 s)` */
export function whenOf({ instructions: n, milliseconds }: Moment): string {
  return n === undefined ? elapsed(milliseconds) : `${instructions(n)} (${elapsed(milliseconds)})`;
}

export interface TimeScale {
  readonly x: (place: number) => number;
  readonly y: (bytes: number) => number;
  readonly place: (x: number) => number;
}

export function timeScale(area: Area, from: number, to: number, most: number): TimeScale {
  const range = Math.max(1, to - from);
  return {
    x: (place) => area.left + (Math.max(0, Math.min(range, place - from)) / range) * area.width,
    y: (bytes) => area.top + (1 - Math.min(1, bytes / Math.max(1, most))) * area.height,
    place: (x) => Math.round(from + (Math.max(0, Math.min(area.width, x - area.left)) / Math.max(1, area.width)) * range),
  };
}

type Place = readonly [number, number];

/** The heap keeps its size until the next moment. */
function stairs(moments: readonly Moment[], scale: TimeScale): Place[] {
  return moments.flatMap((moment, i) => {
    const before = moments[i - 1];
    const x = scale.x(placeOf(moment));
    const at: Place = [x, scale.y(moment.bytes)];
    return before === undefined ? [at] : [[x, scale.y(before.bytes)] as const, at];
  });
}

/** Start, points, marks and the peak, in order of time. */
export function momentsOf({ start, points, marks, peak }: TimelineAnswer): readonly Moment[] {
  return [start, ...points, ...marks, peak].sort((a, b) => placeOf(a) - placeOf(b) || a.allocated - b.allocated);
}

export function heapLine(moments: readonly Moment[], scale: TimeScale): string {
  return lineThrough(stairs(moments, scale));
}

/** Physical memory at the moments of which it is known; "": of none or one. */
export function residentLine(moments: readonly Moment[], scale: TimeScale): string {
  const places = moments.flatMap((at) => (at.resident === undefined ? [] : [[scale.x(placeOf(at)), scale.y(at.resident)] as const]));
  return places.length < 2 ? "" : lineThrough(places);
}

export function hasResident({ points }: TimelineAnswer): boolean {
  return points.filter((point) => point.resident !== undefined).length > 1;
}

export function heapArea(moments: readonly Moment[], scale: TimeScale): string {
  const places = stairs(moments, scale);
  const [first, last] = [places[0], places.at(-1)];
  if (first === undefined || last === undefined) return "";
  return `${lineThrough([[first[0], scale.y(0)], ...places, [last[0], scale.y(0)]])}Z`;
}

export interface Stacked {
  readonly name: string;
  readonly path: string;
}

const totalsOf = ({ allocated, bytes, blocks }: Moment): string => `${allocated} ${bytes} ${blocks}`;

/** The breakdowns, and the other moments with the totals of one: they consist of the same blocks. */
function knownMoments(answer: TimelineAnswer): readonly Breakdown[] {
  const known = new Map(answer.breakdowns.map((breakdown) => [totalsOf(breakdown), breakdown]));
  return momentsOf(answer).flatMap((moment) => {
    const breakdown = known.get(totalsOf(moment));
    return breakdown === undefined ? [] : [{ ...breakdown, ...moment }];
  });
}

/** The areas of those that have a colour of their own, on top of each other, the first one at the bottom. */
export function stackedAreas(answer: TimelineAnswer, by: "stacks" | "tags", scale: TimeScale): readonly Stacked[] {
  const names = by === "stacks" ? answer.stacks.map(({ name }) => name) : answer.tags;
  const known = knownMoments(answer);
  let tops: readonly Moment[] = known.map((moment) => ({ ...moment, bytes: 0 }));
  return names.slice(0, AREAS).map((name, i) => {
    const below = stairs(tops, scale).reverse();
    tops = tops.map((top, k) => ({ ...top, bytes: Math.min(known[k]?.bytes ?? 0, top.bytes + (known[k]?.[by][i] ?? 0)) }));
    return { name, path: known.length === 0 ? "" : `${lineThrough([...stairs(tops, scale), ...below])}Z` };
  });
}

const MB = 1 << 20;
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

/** Sizes for the axis: round ones in MB or KB, with their names. */
export function sizeTicks(most: number, wanted: number): readonly (readonly [number, string])[] {
  const [unit, name] = most >= 2 * MB ? [MB, "MB"] : most >= 2048 ? [1024, "KB"] : [1, "B"];
  const rough = most / unit / Math.max(1, wanted);
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, rough))) - 2);
  const step = (STEPS.find((candidate) => candidate * power >= rough) ?? 1000) * power;
  return Array.from({ length: Math.floor(most / unit / step) + 1 }, (_, i) => [i * step * unit, i === 0 ? "0" : `${(i * step).toLocaleString("en")} ${name}`] as const);
}

/** The moment that a key moves to, of moments in order of time. */
export function timeAfter(key: string, at: number, times: readonly number[]): number | undefined {
  const later = times.filter((time) => time > at);
  const earlier = times.filter((time) => time < at);
  const page = Math.max(1, Math.floor(times.length / 10));
  return {
    ArrowRight: later[0] ?? at,
    ArrowLeft: earlier.at(-1) ?? at,
    PageDown: later[page] ?? times.at(-1) ?? at,
    PageUp: earlier.at(-page) ?? times[0] ?? at,
    Home: times[0] ?? at,
    End: times.at(-1) ?? at,
  }[key];
}

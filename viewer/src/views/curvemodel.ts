// SPDX-License-Identifier: GPL-2.0-or-later
//
// Coordinates in the picture of a curve. This computes only places; all values come from the core.

import type { CurveStep } from "./historyanswers.ts";

export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Maps build numbers and values to places. Builds have equal distances. */
export interface Scale {
  readonly x: (build: number) => number;
  readonly y: (value: number) => number;
}

/** A scale for n builds and values from least to most; a constant value is in the middle. */
export function scaleOf(area: Area, n: number, least: number, most: number): Scale {
  const across = Math.max(1, n - 1);
  const range = most - least;
  return {
    x: (build) => area.left + (n === 1 ? area.width / 2 : (build / across) * area.width),
    y: (value) => area.top + (range === 0 ? area.height / 2 : (1 - (value - least) / range) * area.height),
  };
}

/** The build nearest to a place. */
export function buildAt(area: Area, n: number, x: number): number {
  const at = Math.round(((x - area.left) / Math.max(1, area.width)) * Math.max(1, n - 1));
  return Math.max(0, Math.min(n - 1, at));
}

/** About `wanted` round values from least to most, in ascending order. */
export function ticks(least: number, most: number, wanted: number): readonly number[] {
  const range = most - least;
  if (!(range > 0)) return [least];
  const rough = range / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, (rough > 5 * power ? 10 : rough > 2 * power ? 5 : rough > power ? 2 : 1) * power);
  const marks = [];
  for (let mark = Math.ceil(least / step) * step; mark <= most; mark += step) marks.push(mark);
  return marks;
}

/** The builds to name below the picture: the first, the last, and some in between. */
export function namedBuilds(n: number, room: number): readonly number[] {
  const count = Math.max(1, Math.min(n, room));
  if (count === 1) return [n - 1];
  return [...new Set(Array.from({ length: count }, (_, i) => Math.round((i * (n - 1)) / (count - 1))))];
}

const place = (x: number, y: number): string => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** A path through these places. */
export function lineThrough(places: readonly (readonly [number, number])[]): string {
  return places.map(([x, y], i) => `${i === 0 ? "M" : "L"}${place(x, y)}`).join("");
}

/** Dots: lines of length zero, which round ends make visible. */
export function dotsAt(places: readonly (readonly [number, number])[]): string {
  return places.map(([x, y]) => `M${place(x, y)}h0`).join("");
}

/** The path of a curve's levels before and after each change point, in order; a slow change is a slope. */
export function levelPath(steps: readonly CurveStep[], n: number, { x, y }: Scale): string {
  return steps
    .map((step, i) => {
      const end = Math.max(step.at.first, (steps[i + 1]?.at.first ?? n) - 1);
      const before = step.slow
        ? `M${place(x(step.at.since), y(step.before))}L${place(x(step.at.first), y(step.after))}`
        : `M${place(x(step.at.since), y(step.before))}H${x(step.at.first - 1).toFixed(1)}`;
      return `${before}M${place(x(step.at.first), y(step.after))}H${x(end).toFixed(1)}`;
    })
    .join("");
}

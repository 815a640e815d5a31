// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the boxes of a flame graph are: pure, so that it can be tested.

/** The answer to ask=flame (dmd/page/ask_flame.c): columns, the i-th entry of each is of call i. */
export interface FlameAnswer {
  readonly names: readonly string[];
  readonly name: readonly number[];
  /** A call before it; -1: none. */
  readonly parent: readonly number[];
  readonly id: readonly number[];
  readonly total: readonly number[];
  readonly blocks: readonly number[];
  /** By section; in modes without reports there is one. */
  readonly bytes: Readonly<Record<string, readonly number[]>>;
  /** What was left out: so many calls, each of less than `least` bytes. */
  readonly cut: { readonly calls: number; readonly least: number };
}

export interface FlameLayout {
  readonly depth: readonly number[];
  /** Left edge and width, as parts of the whole picture. */
  readonly left: readonly number[];
  readonly width: readonly number[];
  /** By depth, its calls from left to right. */
  readonly rows: readonly (readonly number[])[];
}

/** A difference has negative sums: a box is as wide as its amount is large. */
function weight(bytes: number | undefined): number {
  return Math.abs(bytes ?? 0);
}

export function layoutFlame(answer: FlameAnswer): FlameLayout {
  const n = answer.parent.length;
  const depth = new Array<number>(n).fill(0);
  const left = new Array<number>(n).fill(0);
  const width = new Array<number>(n).fill(0);
  const used = new Array<number>(n).fill(0); // of a call's width, by its children so far
  const children = new Array<number>(n).fill(0); // the sum of their weights
  for (let i = 1; i < n; i++) {
    const parent = answer.parent[i] ?? 0;
    children[parent] = (children[parent] ?? 0) + weight(answer.total[i]);
  }
  const rows: number[][] = [];
  for (let i = 0; i < n; i++) {
    const parent = answer.parent[i] ?? -1;
    if (parent < 0) width[i] = 1;
    else {
      depth[i] = (depth[parent] ?? 0) + 1;
      // In a difference the children of a call may be larger than it.
      const whole = Math.max(weight(answer.total[parent]), children[parent] ?? 0);
      width[i] = whole === 0 ? 0 : ((width[parent] ?? 0) * weight(answer.total[i])) / whole;
      left[i] = (left[parent] ?? 0) + (used[parent] ?? 0);
      used[parent] = (used[parent] ?? 0) + (width[i] ?? 0);
    }
    const row = depth[i] ?? 0;
    (rows[row] ??= []).push(i);
  }
  for (const row of rows) row.sort((a, b) => (left[a] ?? 0) - (left[b] ?? 0));
  return { depth, left, width, rows };
}

/** The call that is drawn at x (a part of the width) in a row; undefined: there is none. */
export function callAt(layout: FlameLayout, row: number, x: number): number | undefined {
  const calls = layout.rows[row] ?? [];
  let low = 0;
  let high = calls.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((layout.left[calls[middle] ?? 0] ?? 0) <= x) low = middle + 1;
    else high = middle;
  }
  const call = calls[low - 1];
  return call !== undefined && x < (layout.left[call] ?? 0) + (layout.width[call] ?? 0) ? call : undefined;
}

/** Where an arrow key leads from a call: into its first child, out of it, or to its neighbours in the row. */
export function callAfter(key: string, layout: FlameLayout, answer: FlameAnswer, at: number): number | undefined {
  const row = layout.rows[layout.depth[at] ?? 0] ?? [];
  const place = row.indexOf(at);
  switch (key) {
    case "ArrowDown":
      return (layout.rows[(layout.depth[at] ?? 0) + 1] ?? []).find((call) => answer.parent[call] === at) ?? at;
    case "ArrowUp":
      return Math.max(0, answer.parent[at] ?? 0);
    case "ArrowLeft":
      return row[place - 1] ?? at;
    case "ArrowRight":
      return row[place + 1] ?? at;
    case "Home":
      return 0;
    default:
      return undefined;
  }
}

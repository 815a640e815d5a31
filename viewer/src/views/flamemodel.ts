// SPDX-License-Identifier: GPL-2.0-or-later
//
// The layout of a flame graph, without side effects, so that it can be tested.

/** The answer to ask=flame (dmd/show/page/ask_flame.c): columns; the i-th entry of each belongs to call i. */
export interface FlameAnswer {
  readonly names: readonly string[];
  readonly name: readonly number[];
  /** An earlier call; -1: none. */
  readonly parent: readonly number[];
  readonly id: readonly number[];
  readonly total: readonly number[];
  readonly blocks: readonly number[];
  /** By section; modes without reports have only one. */
  readonly bytes: Readonly<Record<string, readonly number[]>>;
  /** The number of calls left out, each with less than `least` bytes. */
  readonly cut: { readonly calls: number; readonly least: number };
}

export interface FlameLayout {
  readonly depth: readonly number[];
  /** Left edge and width, as fractions of the picture's width. */
  readonly left: readonly number[];
  readonly width: readonly number[];
  /** For each depth, its calls from left to right. */
  readonly rows: readonly (readonly number[])[];
  /** The shade of each call (0, 1 or 2): another one than those of its caller and of the call to its left. */
  readonly shade: readonly number[];
}

/** The width of a box is the magnitude of its amount, which may be negative in a difference. */
function weight(bytes: number | undefined): number {
  return Math.abs(bytes ?? 0);
}

export function layoutFlame(answer: FlameAnswer): FlameLayout {
  const n = answer.parent.length;
  const depth = new Array<number>(n).fill(0);
  const left = new Array<number>(n).fill(0);
  const width = new Array<number>(n).fill(0);
  const used = new Array<number>(n).fill(0); // the width of each call already used by its children
  const children = new Array<number>(n).fill(0); // sum of the children's weights
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
      // In a difference, the children of a call may add up to more than the call.
      const whole = Math.max(weight(answer.total[parent]), children[parent] ?? 0);
      width[i] = whole === 0 ? 0 : ((width[parent] ?? 0) * weight(answer.total[i])) / whole;
      left[i] = (left[parent] ?? 0) + (used[parent] ?? 0);
      used[parent] = (used[parent] ?? 0) + (width[i] ?? 0);
    }
    const row = depth[i] ?? 0;
    (rows[row] ??= []).push(i);
  }
  for (const row of rows) row.sort((a, b) => (left[a] ?? 0) - (left[b] ?? 0));
  return { depth, left, width, rows, shade: shadesOf(answer, rows) };
}

function shadesOf(answer: FlameAnswer, rows: FlameLayout["rows"]): number[] {
  const shade = new Array<number>(answer.parent.length).fill(0);
  for (const row of rows)
    row.forEach((call, place) => {
      const taken = [shade[answer.parent[call] ?? -1], shade[row[place - 1] ?? -1]];
      shade[call] = [0, 1, 2].find((free) => !taken.includes(free)) ?? 0;
    });
  return shade;
}

/** The call drawn at x (a fraction of the width) in a row, or undefined. */
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

/** The call that an arrow key moves to: the first child, the caller, or a neighbour in the row. */
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

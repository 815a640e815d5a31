// SPDX-License-Identifier: GPL-2.0-or-later
//
// The layout of the heap map, without side effects, so that it can be tested.

export const CELL = 9; // pixels from one square to the next
const ZOOM = 32; // zoom factor

export function columnsOf(width: number): number {
  return Math.max(1, Math.floor(width / CELL));
}

/** The square at a point, or undefined. */
export function cellAt(x: number, y: number, columns: number, n: number): number | undefined {
  const [column, row] = [Math.floor(x / CELL), Math.floor(y / CELL)];
  const cell = row * columns + column;
  return x >= 0 && y >= 0 && column < columns && cell < n ? cell : undefined;
}

/** The square that an arrow key moves to. */
export function cellAfter(key: string, at: number, columns: number, n: number): number | undefined {
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: at - columns, ArrowDown: at + columns, Home: 0, End: n - 1 }[key];
  if (to === undefined) return undefined;
  return to < 0 || to >= n ? at : to;
}

/** The range around a square that is shown when it is chosen, in bytes of the map. */
export function partAround(answer: { bytes: number; from: number; to: number; cell: number }, cell: number): { from: number; to: number } {
  const size = Math.max(answer.cell, Math.ceil((answer.to - answer.from) / ZOOM));
  const middle = answer.from + (cell + 0.5) * answer.cell;
  const from = Math.max(0, Math.min(Math.round(middle - size / 2), answer.bytes - size));
  return { from, to: Math.min(answer.bytes, from + size) };
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Caches the rows of a table in windows of ROWS rows. Windows that are no longer visible when their turn comes are not
// fetched, and the KEPT most recently seen ones are kept.

export const ROWS = 128;
const KEPT = 64;

export type Fetch<Row> = (first: number, count: number, signal: AbortSignal) => Promise<readonly Row[]>;

interface Window<Row> {
  readonly abort: AbortController;
  rows: readonly Row[] | null;
}

export class RowCache<Row> {
  readonly #fetch: Fetch<Row>;
  readonly #changed: (error?: unknown) => void;
  readonly #windows = new Map<number, Window<Row>>();

  /** changed: called when rows arrived or could not be fetched. */
  constructor(fetch: Fetch<Row>, changed: (error?: unknown) => void) {
    this.#fetch = fetch;
    this.#changed = changed;
  }

  row(index: number): Row | undefined {
    return this.#windows.get(Math.floor(index / ROWS))?.rows?.[index % ROWS];
  }

  has(index: number): boolean {
    return this.row(index) !== undefined;
  }

  /** Fetches a row that is not visible yet. */
  prefetch(index: number): void {
    this.#want(Math.floor(index / ROWS));
  }

  /** The loaded rows, each with its place. */
  *known(): Generator<[number, Row]> {
    for (const [number, { rows }] of this.#windows) for (const [i, row] of (rows ?? []).entries()) yield [number * ROWS + i, row];
  }

  /** Call when rows [first, end) are visible. */
  show(first: number, end: number): void {
    const low = Math.floor(first / ROWS);
    const high = Math.floor(Math.max(first, end - 1) / ROWS);
    this.#cancel((number) => number < low || number > high);
    for (let number = low; number <= high; number++) this.#want(number);
    for (const [number, window] of this.#windows) {
      if (this.#windows.size <= KEPT) break;
      if (window.rows !== null && (number < low || number > high)) this.#windows.delete(number);
    }
  }

  /** Call when none of its rows is visible. */
  hide(): void {
    this.#cancel(() => true);
  }

  close(): void {
    for (const window of this.#windows.values()) window.abort.abort();
    this.#windows.clear();
  }

  #cancel(isOut: (number: number) => boolean): void {
    for (const [number, window] of this.#windows)
      if (window.rows === null && isOut(number)) {
        window.abort.abort();
        this.#windows.delete(number);
      }
  }

  #want(number: number): void {
    const known = this.#windows.get(number);
    if (known !== undefined) {
      this.#windows.delete(number); // move to the end: most recently seen
      this.#windows.set(number, known);
      return;
    }
    const window: Window<Row> = { abort: new AbortController(), rows: null };
    this.#windows.set(number, window);
    this.#fetch(number * ROWS, ROWS, window.abort.signal).then(
      (rows) => {
        window.rows = rows;
        if (this.#windows.get(number) === window) this.#changed();
      },
      (error: unknown) => {
        if (this.#windows.get(number) !== window) return;
        this.#changed(error);
      },
    );
  }
}

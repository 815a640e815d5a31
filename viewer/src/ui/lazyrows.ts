// SPDX-License-Identifier: GPL-2.0-or-later
//
// The rows of a lazily loaded tree, whose levels are fetched in windows when they become visible. Has no side effects,
// so that it can be tested. A level may have any number of rows: each row has the number of its children before they
// are loaded.
//
// Lines are the rows that scrolling can reach, from 0. Consecutive lines of one level are a run; at an open row, a run
// ends and the run of a deeper level begins.

import { RowCache } from "./rowcache.ts";
import type { TreeRowLine } from "./treerows.tsx";

/** The common part of rows: the id for fetching a row's children, and their number. */
export interface LazyRow {
  readonly id: number;
  readonly n: number;
}

export interface LazyAnswer<Row> {
  /** Number of all rows of this level. */
  readonly n: number;
  readonly rows: readonly Row[];
}

/** Fetches rows. of: the parent row; undefined: the first level. */
export type AskRows<Row> = (of: number | undefined, first: number, count: number, signal: AbortSignal) => Promise<LazyAnswer<Row>>;

export interface LazyLine<Row> extends TreeRowLine {
  /** undefined: not loaded yet. */
  readonly row: Row | undefined;
}

interface Level<Row> {
  n: number;
  readonly cache: RowCache<Row>;
  /** The open rows, by place. */
  readonly opened: Map<number, Row>;
}

interface Run {
  readonly start: number;
  readonly count: number;
  readonly of: number | undefined;
  readonly place: number;
  readonly level: number;
  readonly parent: number | undefined;
}

export class LazyRows<Row extends LazyRow> {
  readonly #ask: AskRows<Row>;
  readonly #changed: (error?: unknown) => void;
  readonly #levels = new Map<number | undefined, Level<Row>>();
  #open: ReadonlySet<number> = new Set();
  #runs: Run[] = [];
  #total = 0;
  #isKnown = false;

  /** changed: called when rows arrived or could not be fetched. */
  constructor(ask: AskRows<Row>, changed: (error?: unknown) => void) {
    this.#ask = ask;
    this.#changed = changed;
  }

  /** Number of lines. */
  get total(): number {
    return this.#total;
  }

  /** Whether the first rows arrived, so that `total` is known. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Opens these rows (and no others), whether they are loaded yet or not. */
  open(ids: ReadonlySet<number>): void {
    this.#open = ids;
    for (const level of this.#levels.values()) for (const [place, row] of level.cache.known()) this.#note(level, place, row);
    this.#lay();
  }

  line(index: number): LazyLine<Row> | undefined {
    const run = this.#runAt(index);
    const level = run && this.#levels.get(run.of);
    if (run === undefined || level === undefined) return undefined;
    const place = run.place + index - run.start;
    const row = level.cache.row(place) ?? level.opened.get(place);
    return { row, level: run.level, place, siblings: level.n, parent: run.parent, hasRows: (row?.n ?? 0) > 0, isOpen: row !== undefined && row.n > 0 && this.#open.has(row.id) };
  }

  has(index: number): boolean {
    return this.line(index)?.row !== undefined;
  }

  /** Fetches a line that is not visible yet. */
  prefetch(index: number): void {
    const run = this.#runAt(index);
    if (run !== undefined) this.#levels.get(run.of)?.cache.prefetch(run.place + index - run.start);
  }

  /** Call when lines [first, end) are visible. */
  show(first: number, end: number): void {
    const seen = new Map<number | undefined, { first: number; end: number }>();
    for (const run of this.#runs) {
      const [from, to] = [Math.max(first, run.start), Math.min(end, run.start + run.count)];
      if (from >= to) continue;
      const places = { first: run.place + from - run.start, end: run.place + to - run.start };
      seen.set(run.of, { first: Math.min(places.first, seen.get(run.of)?.first ?? places.first), end: places.end });
    }
    if (!this.#isKnown) seen.set(undefined, { first: 0, end: 1 });
    for (const [of, level] of this.#levels) if (!seen.has(of)) level.cache.hide();
    for (const [of, { first: from, end: to }] of seen) this.#level(of, 0).cache.show(from, to);
  }

  close(): void {
    for (const level of this.#levels.values()) level.cache.close();
  }

  #level(of: number | undefined, n: number): Level<Row> {
    const known = this.#levels.get(of);
    if (known !== undefined) return known;
    const fetch = async (first: number, count: number, signal: AbortSignal): Promise<readonly Row[]> => {
      const answer = await this.#ask(of, first, count, signal);
      level.n = answer.n;
      answer.rows.forEach((row, i) => this.#note(level, first + i, row));
      if (of === undefined) this.#isKnown = true;
      return answer.rows;
    };
    const came = (error?: unknown): void => {
      this.#lay();
      this.#changed(error);
    };
    const level: Level<Row> = { n, cache: new RowCache(fetch, came), opened: new Map() };
    this.#levels.set(of, level);
    return level;
  }

  #note(level: Level<Row>, place: number, row: Row): void {
    if (row.n > 0 && this.#open.has(row.id)) level.opened.set(place, row);
  }

  #lay(): void {
    this.#runs = [];
    this.#total = 0;
    this.#add(undefined, this.#level(undefined, 0), 0, undefined);
  }

  #add(of: number | undefined, level: Level<Row>, depth: number, parent: number | undefined): void {
    let place = 0;
    const run = (end: number): void => {
      if (end > place) this.#runs.push({ start: this.#total, count: end - place, of, place, level: depth, parent });
      this.#total += end - place;
      place = end;
    };
    for (const [at, row] of [...level.opened].sort(([a], [b]) => a - b)) {
      if (!this.#open.has(row.id)) {
        level.opened.delete(at);
        continue;
      }
      run(at + 1);
      this.#add(row.id, this.#level(row.id, row.n), depth + 1, this.#total - 1);
    }
    run(level.n);
  }

  #runAt(index: number): Run | undefined {
    let low = 0;
    let high = this.#runs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#runs[middle]?.start ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    const run = this.#runs[low - 1];
    return run !== undefined && index < run.start + run.count ? run : undefined;
  }
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// A list of any number of rows of one height. Only the rows that are seen exist: a few elements show them, each one row after
// another. What is taller than any element may be, scrollmap.ts folds. Tables and trees are such lists.
//
// The caller draws an element `scroller`, which scrolls, in it one of `height` pixels, and in that, for each entry of `slots`
// that is set, an element with this row, at `start + row * ROW_HEIGHT` pixels.

import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { keepPlace, placeOf } from "../state/places.ts";
import { printable, usePrefetch, usePrinting, type RowStore } from "./print.ts";
import { ScrollMap } from "./scrollmap.ts";

export const ROW_HEIGHT = 24;
const MORE_ROWS = 4;
const SETTLED_MS = 160;

interface Seen {
  readonly first: number;
  readonly end: number;
}

interface Reference<T> {
  current: T | null;
}

export interface RowList {
  readonly scroller: Reference<HTMLDivElement>;
  readonly onScroll: () => void;
  /** Of the scroller. */
  readonly width: number;
  /** Rows that fit into it. */
  readonly page: number;
  readonly height: number;
  /** Where row 0 would be. */
  readonly start: number;
  readonly seen: Seen;
  readonly slots: readonly (number | undefined)[];
  /** Slots are all rows that are printed, one after another. */
  readonly isPrinting: boolean;
  /** The row that keys act on. */
  readonly current: number;
  /** Goes to a row, and scrolls as far as it takes to see it. */
  readonly goTo: (row: number) => void;
}

/** source says what the rows are: when it changes, the list begins anew, at its first row. store: where they come from; undefined:
 * all are there. */
export function useRowList(source: string, total: number, store?: RowStore): RowList {
  const scroller = useRef<HTMLDivElement>(null);
  const map = useMemo(() => new ScrollMap(), [source]);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const [{ width, height: viewport }, setSize] = useState({ width: 1000, height: 480 });
  const [current, setCurrent] = useState(() => placeOf(source)?.row ?? 0);
  map.resize(total * ROW_HEIGHT, viewport);
  useSize(scroller, setSize);
  // Where one was is reached once there are enough rows.
  const wanted = useRef(0);
  const led = useRef(0);
  useLayoutEffect(() => {
    const place = placeOf(source);
    setCurrent(place?.row ?? 0);
    wanted.current = place?.top ?? 0;
    if (scroller.current !== null) scroller.current.scrollTop = map.moveTo(0);
  }, [source]);
  useLayoutEffect(() => {
    if (wanted.current === 0 || scroller.current === null) return;
    scroller.current.scrollTop = led.current = map.moveTo(wanted.current);
    if (map.top === wanted.current) wanted.current = 0;
  }, [source, total, viewport]);
  // Each entry of the browser's history knows where one is, also one that came while the list stayed.
  useEffect(() => {
    if (total > 0 && wanted.current === 0) keepPlace(source, () => ({ top: map.settled, row: current }));
  });
  const followScroll = useScrolling(scroller, map, redraw);
  const onScroll = (): void => {
    if (scroller.current !== null && Math.abs(scroller.current.scrollTop - led.current) > 1) wanted.current = 0; // by hand
    followScroll();
  };
  const goTo = (row: number): void => {
    wanted.current = 0;
    setCurrent(row);
    const top = row * ROW_HEIGHT;
    const element = scroller.current;
    if (element === null) return;
    if (top < map.top) element.scrollTop = map.moveTo(top);
    else if (top + ROW_HEIGHT > map.top + viewport) element.scrollTop = map.moveTo(top + ROW_HEIGHT - viewport);
  };
  usePrefetch(store, total);
  const isPrinting = usePrinting();
  const seen = seenRows(map.top, viewport, total);
  return {
    scroller, onScroll, goTo, seen, isPrinting,
    width: isPrinting ? Infinity : width,
    page: Math.floor(viewport / ROW_HEIGHT),
    height: map.height,
    start: (scroller.current?.scrollTop ?? 0) - map.top,
    slots: isPrinting ? Array.from({ length: printable(store, total) }, (_, row) => row) : slots(seen, poolSize(viewport)),
    current: Math.max(0, Math.min(current, total - 1)),
  };
}

/** Takes the focus where nothing has it, so that the keys are this element's. */
export function useFocus(element: Reference<HTMLElement>): void {
  useEffect(() => {
    if (document.activeElement === document.body) element.current?.focus({ preventScroll: true });
  }, []);
}

/** The rows to draw: those that are seen and a few more on both sides. */
export function seenRows(top: number, viewport: number, total: number): Seen {
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - MORE_ROWS);
  return { first, end: Math.min(total, Math.ceil((top + viewport) / ROW_HEIGHT) + MORE_ROWS) };
}

/** So many rows are seen at most. */
function poolSize(viewport: number): number {
  return Math.ceil(viewport / ROW_HEIGHT) + 1 + 2 * MORE_ROWS;
}

/** Which row each of the pool's elements shows. A row keeps its element while it is seen, so that scrolling changes only the
 * elements of rows that come and go. */
export function slots(seen: Seen, pool: number): (number | undefined)[] {
  const indices: (number | undefined)[] = Array.from({ length: pool });
  for (let index = seen.first; index < seen.end; index++) indices[index % pool] = index;
  return indices;
}

/** The name of a row's element, for aria-activedescendant. */
export function rowId(label: string, row: number): string {
  return `${label.replace(/\W+/g, "-")}-row-${row}`;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function useSize(scroller: Reference<HTMLElement>, set: (size: Size) => void): void {
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const measure = (): void => set({ width: element.clientWidth, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
}

function useScrolling(scroller: Reference<HTMLElement>, map: ScrollMap, redraw: (n: number) => void): () => void {
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    const element = scroller.current;
    if (element === null) return;
    map.scrolled(element.scrollTop);
    redraw(0);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      const settled = map.settle();
      if (Math.abs(settled - element.scrollTop) > 1) element.scrollTop = settled;
      redraw(0);
    }, SETTLED_MS);
  };
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// A virtual list of any number of rows of equal height. Only visible rows exist as elements, which are reused.
// scrollmap.ts handles lists taller than the maximum height of an element. Tables and trees are such lists.
//
// The caller renders a scrolling element `scroller`, in it an element of `height` pixels, and in that, for each defined
// entry of `slots`, an element with this row at `start + row * ROW_HEIGHT` pixels. A head of HEAD_HEIGHT pixels may stay above
// them in the scroller, which has the focus and the keys: browsers scroll what has the focus.

import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { keepPlace, placeOf } from "../state/places.ts";
import { printable, usePrefetch, usePrinting, type RowStore } from "./print.ts";
import { ScrollMap } from "./scrollmap.ts";

export const ROW_HEIGHT = 24;
export const HEAD_HEIGHT = 26; // as in page.css
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
  /** Width of the scroller. */
  readonly width: number;
  /** Number of rows that fit into it. */
  readonly page: number;
  readonly height: number;
  /** The position of row 0. */
  readonly start: number;
  readonly seen: Seen;
  readonly slots: readonly (number | undefined)[];
  /** While printing, `slots` has all rows to print, in order. */
  readonly isPrinting: boolean;
  /** The row that keys act on. */
  readonly current: number;
  /** Goes to a row and scrolls it into view. */
  readonly goTo: (row: number) => void;
}

/** source: identifies the rows; if it changes, the list restarts at its first row. head: the height of the head. store: where
 * rows are fetched from; undefined: all are loaded. */
export function useRowList(source: string, total: number, head: number, store?: RowStore): RowList {
  const scroller = useRef<HTMLDivElement>(null);
  const map = useMemo(() => new ScrollMap(), [source]);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const [{ width, height }, setSize] = useState({ width: 1000, height: 480 });
  const viewport = Math.max(0, height - head);
  const [current, setCurrent] = useState(() => placeOf(source)?.row ?? 0);
  map.resize(total * ROW_HEIGHT, viewport);
  useSize(scroller, setSize);
  // The position to restore once there are enough rows.
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
  // Each entry of the browser's history stores the position, even if it was added while the list stayed.
  useEffect(() => {
    if (total > 0 && wanted.current === 0) keepPlace(source, () => ({ top: map.settled, row: current }));
  });
  const followScroll = useScrolling(scroller, map, redraw);
  const onScroll = (): void => {
    if (scroller.current !== null && Math.abs(scroller.current.scrollTop - led.current) > 1) wanted.current = 0; // the user scrolled
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

/** Takes the focus if nothing has it, so that this element gets the keys. */
export function useFocus(element: Reference<HTMLElement>): void {
  useEffect(() => {
    if (document.activeElement === document.body) element.current?.focus({ preventScroll: true });
  }, []);
}

/** The rows to draw: the visible ones and a few more on both sides. */
export function seenRows(top: number, viewport: number, total: number): Seen {
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - MORE_ROWS);
  return { first, end: Math.min(total, Math.ceil((top + viewport) / ROW_HEIGHT) + MORE_ROWS) };
}

/** The maximum number of drawn rows. */
function poolSize(viewport: number): number {
  return Math.ceil(viewport / ROW_HEIGHT) + 1 + 2 * MORE_ROWS;
}

/** The row of each element in the pool. A row keeps its element while it is visible, so that scrolling changes only
 * elements of rows that come and go. */
export function slots(seen: Seen, pool: number): (number | undefined)[] {
  const indices: (number | undefined)[] = Array.from({ length: pool });
  for (let index = seen.first; index < seen.end; index++) indices[index % pool] = index;
  return indices;
}

/** The id of a row's element, for aria-activedescendant. */
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

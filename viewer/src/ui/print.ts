// SPDX-License-Identifier: GPL-2.0-or-later
//
// Printing. A list has rows that are not there, and a canvas shows a part of its picture, so before it is printed the page draws
// more of them: up to so much that paper is not wasted, and it says so. Browsers wait for nothing meanwhile; what they print is
// what is there, so lists ask early for the rows that would be printed.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Rows of a list that are printed, at most. */
export const PRINTED_ROWS = 1000;
/** Pixels of a picture that are printed, at most. */
export const PRINTED_HEIGHT = 3000;
const IDLE_MS = 150;

/** Whether the page is being printed. */
export function usePrinting(): boolean {
  const [isPrinting, set] = useState(false);
  useLayoutEffect(() => {
    const begin = (): void => set(true);
    const end = (): void => set(false);
    window.addEventListener("beforeprint", begin);
    window.addEventListener("afterprint", end);
    return () => {
      window.removeEventListener("beforeprint", begin);
      window.removeEventListener("afterprint", end);
    };
  }, []);
  return isPrinting;
}

/** Colours on paper are those of light (page.css), also before the browser says that it prints. */
export function watchPrinting(window: Window): void {
  const root = window.document.documentElement;
  window.addEventListener("beforeprint", () => root.setAttribute("data-printing", "true"));
  window.addEventListener("afterprint", () => root.removeAttribute("data-printing"));
}

/** Rows that are there or can be asked for. */
export interface RowStore {
  has(row: number): boolean;
  prefetch(row: number): void;
}

/** How many of the first rows are there. */
export function printable(store: RowStore | undefined, total: number): number {
  const most = Math.min(total, PRINTED_ROWS);
  if (store === undefined) return most;
  for (let row = 0; row < most; row++) if (!store.has(row)) return row;
  return most;
}

/** Asks for the rows that would be printed, one window of them after another, while nobody waits for it. */
export function usePrefetch(store: RowStore | undefined, total: number): void {
  const latest = useRef({ store, total });
  latest.current = { store, total };
  const timer = useRef(0);
  useEffect(() => {
    if (store === undefined || timer.current !== 0) return;
    timer.current = window.setTimeout(() => {
      timer.current = 0;
      const { store: rows, total: all } = latest.current;
      const row = printable(rows, all);
      if (row < Math.min(all, PRINTED_ROWS)) rows?.prefetch(row);
    }, IDLE_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Printing. Lists do not load all their rows, and a canvas shows only part of its picture. So the page draws more of
// both before printing, up to a limit to save paper, and says so. Browsers do not wait before printing, so lists
// prefetch the rows that would be printed.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Maximum number of rows of a list in print. */
export const PRINTED_ROWS = 1000;
/** Maximum height of a picture in print, in pixels. */
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

/** Prints with the colours of the light theme (page.css), even before the browser reports printing. */
export function watchPrinting(window: Window): void {
  const root = window.document.documentElement;
  window.addEventListener("beforeprint", () => root.setAttribute("data-printing", "true"));
  window.addEventListener("afterprint", () => root.removeAttribute("data-printing"));
}

/** Rows that are loaded or can be fetched. */
export interface RowStore {
  has(row: number): boolean;
  prefetch(row: number): void;
}

/** How many rows at the start can be printed. */
export function printable(store: RowStore | undefined, total: number): number {
  const most = Math.min(total, PRINTED_ROWS);
  if (store === undefined) return most;
  for (let row = 0; row < most; row++) if (!store.has(row)) return row;
  return most;
}

/** Fetches the rows that would be printed, window by window, in idle time. */
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

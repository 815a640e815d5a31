// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where one was: how far a list or a page is scrolled, and on which row. That is no part of a link, since it says nothing about
// what is shown, but of the browser's entry for it, so that back and forward lead there again, and a reload does.

import { useLayoutEffect, useRef } from "preact/hooks";

export interface Place {
  readonly top: number;
  readonly row: number;
}

type Places = Readonly<Record<string, Place>>;

function places(): Places {
  const { state } = window.history as { state: unknown };
  return typeof state === "object" && state !== null && "places" in state ? (state.places as Places) : {};
}

/** name: what is scrolled, among what this entry shows. */
export function placeOf(name: string): Place | undefined {
  return places()[name];
}

const PAUSE_MS = 160;
let written = 0;
const waits = new Map<string, number>(); // timers, by name

/** Browsers refuse too many changes of an entry: a key that is held down makes one now and then. */
export function keepPlace(name: string, place: Place): void {
  const { hash } = window.location;
  clearTimeout(waits.get(name));
  const write = (): void => {
    const kept = placeOf(name);
    if (window.location.hash !== hash || ((kept?.top ?? 0) === place.top && (kept?.row ?? 0) === place.row)) return;
    written = Date.now();
    window.history.replaceState({ places: { ...places(), [name]: place } }, "");
  };
  const left = written + PAUSE_MS - Date.now();
  if (left <= 0) write();
  else waits.set(name, window.setTimeout(write, left));
}

/** Of an element that scrolls; it is there when what it shows is. */
export function useScrollPlace(name: string): { ref: { current: HTMLDivElement | null }; onScroll: () => void } {
  const ref = useRef<HTMLDivElement>(null);
  const timer = useRef(0);
  useLayoutEffect(() => {
    if (ref.current !== null) ref.current.scrollTop = placeOf(name)?.top ?? 0;
    return () => clearTimeout(timer.current);
  }, [name]);
  const onScroll = (): void => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => keepPlace(name, { top: ref.current?.scrollTop ?? 0, row: 0 }), PAUSE_MS);
  };
  return { ref, onScroll };
}

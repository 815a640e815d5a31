// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where one was: how far a list or a page is scrolled, and on which row. That is no part of a link, since it says nothing about
// what is shown, but of the browser's entry for it, so that back and forward lead there again, and a reload does.

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

export const PAUSE_MS = 160;
let written = 0;

interface Waiting {
  readonly timer: number;
  readonly write: () => void;
}
const waits = new Map<string, Waiting>(); // by name

/** Browsers refuse too many changes of an entry: a key that is held down makes one now and then. read: asked when it is written,
 * not before `least` milliseconds are over. */
export function keepPlace(name: string, read: () => Place, least = 0): void {
  const { hash } = window.location;
  forgetPlace(name);
  const write = (): void => {
    waits.delete(name);
    const [place, kept] = [read(), placeOf(name)];
    if (window.location.hash !== hash || ((kept?.top ?? 0) === place.top && (kept?.row ?? 0) === place.row)) return;
    written = Date.now();
    window.history.replaceState({ places: { ...places(), [name]: place } }, "");
  };
  const left = Math.max(least, written + PAUSE_MS - Date.now());
  if (left <= 0) write();
  else waits.set(name, { write, timer: window.setTimeout(write, left) });
}

/** What is scrolled is gone. */
export function forgetPlace(name: string): void {
  clearTimeout(waits.get(name)?.timer);
  waits.delete(name);
}

/** Before the page goes elsewhere: whoever goes back comes to where they were, also if they left at once. */
export function keepPlacesNow(): void {
  for (const { timer, write } of [...waits.values()]) {
    clearTimeout(timer);
    write();
  }
}

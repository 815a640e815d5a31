// SPDX-License-Identifier: GPL-2.0-or-later
//
// Remembers how far a list or page is scrolled, and the current row. This is stored in the browser's history entry
// instead of the link, because it does not change what is shown. Back, forward and reload restore it.

export interface Place {
  readonly top: number;
  readonly row: number;
}

type Places = Readonly<Record<string, Place>>;

function places(): Places {
  const { state } = window.history as { state: unknown };
  return typeof state === "object" && state !== null && "places" in state ? (state.places as Places) : {};
}

/** name: the scrolled element, unique within this entry. */
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

/** Stores a place. Browsers limit the rate of changes to an entry, so writes are delayed, for example while a key is
 * held down. read: called when writing, after at least `least` milliseconds. */
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

/** Call when the scrolled element is gone. */
export function forgetPlace(name: string): void {
  clearTimeout(waits.get(name)?.timer);
  waits.delete(name);
}

/** Call before navigating away: writes delayed places, so that going back works even after leaving at once. */
export function keepPlacesNow(): void {
  for (const { timer, write } of [...waits.values()]) {
    clearTimeout(timer);
    write();
  }
}

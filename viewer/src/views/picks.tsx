// SPDX-License-Identifier: GPL-2.0-or-later
//
// What to sum records by, and the rows that a link is restricted to: `tag=lib` (dmd/show/page/picks.h).

import type { JSX } from "preact";
import type { KeyChanges, Keys } from "../state/link.ts";
import type { Choice } from "../ui/toolbar.tsx";

export const SUMS_BY = ["function", "line", "file", "library", "reporter", "tag", "thread", "type"] as const;

/** The choices of the key `by`; the first one is empty. */
export function sumChoices(first: string): Choice[] {
  return [{ value: "", title: first }, ...SUMS_BY.map((by) => ({ value: by, title: by }))];
}

export function picksOf(keys: Keys): KeyChanges {
  return Object.fromEntries(SUMS_BY.map((by) => [by, keys[by]]));
}

/** The restriction in words; "": everything is shown. */
export function describePicks(keys: Keys): string {
  return SUMS_BY.flatMap((by) => (keys[by] === undefined ? [] : [`${by} ${keys[by]}`])).join(", ");
}

/** The restrictions, each with a button to remove it, except `except`, which is shown elsewhere. */
export function Picks({ keys, except, set }: { keys: Keys; except: string; set: (changes: KeyChanges) => void }): JSX.Element {
  return (
    <>
      {SUMS_BY.filter((by) => by !== except && keys[by] !== undefined).map((by) => (
        <button type="button" class="pick" key={by} title={`Not only this ${by}`} onClick={() => set({ [by]: undefined, id: undefined })}>
          <span class="quiet">{by}</span> <span class="frame">{keys[by]}</span> ×
        </button>
      ))}
    </>
  );
}

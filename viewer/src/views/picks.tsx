// SPDX-License-Identifier: GPL-2.0-or-later
//
// By what records are added up, and the rows of such sums that a link is about alone: `tag=lib` (dmd/page/picks.h).

import type { JSX } from "preact";
import type { KeyChanges, Keys } from "../state/link.ts";
import type { Choice } from "../ui/toolbar.tsx";

export const SUMS_BY = ["function", "file", "library", "reporter", "tag", "thread", "type"] as const;

/** The choices of the key `by`, of which the empty one is the first. */
export function sumChoices(first: string, others: readonly string[] = SUMS_BY): Choice[] {
  return [{ value: "", title: first }, ...others.filter((by) => by !== first).map((by) => ({ value: by, title: by }))];
}

export function picksOf(keys: Keys): KeyChanges {
  return Object.fromEntries(SUMS_BY.map((by) => [by, keys[by]]));
}

/** What is shown alone, in words; "": everything is shown. */
export function describePicks(keys: Keys): string {
  return SUMS_BY.flatMap((by) => (keys[by] === undefined ? [] : [`${by} ${keys[by]}`])).join(", ");
}

/** What is shown alone, each with a button that takes it back. `except` is shown in another way. */
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

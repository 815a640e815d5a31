// SPDX-License-Identifier: GPL-2.0-or-later
//
// The largest changes between two files, from the overview's answer: used in the overview and below the time line.

import type { ComponentChildren, JSX } from "preact";
import { blocks, bytes, number, signed } from "../format.ts";
import type { OverviewAnswer } from "./overviewanswers.ts";

/** alone: what the sentence about the whole heap says is not said elsewhere. children: further text. */
export function Changed({ changed, alone = true, children }: { changed: NonNullable<OverviewAnswer["changed"]>; alone?: boolean; children?: ComponentChildren }): JSX.Element {
  return (
    <section>
      <h2>What changed</h2>
      {alone && <p>{changed.sentence}</p>}
      <ol class="list">
        {changed.places.map((place, i) => (
          <li key={i}>
            <p class="worst-size">{place.what}</p>
            <p class="frame quiet">{place.frames.join(" ← ")}</p>
            <p>
              {number(place.before.bytes)} to {bytes(place.now.bytes)} ({signed(place.now.bytes - place.before.bytes)}), {number(place.before.blocks)} to {blocks(place.now.blocks)}
            </p>
          </li>
        ))}
      </ol>
      {children}
    </section>
  );
}

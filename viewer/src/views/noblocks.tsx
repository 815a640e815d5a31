// SPDX-License-Identifier: GPL-2.0-or-later
//
// In place of a view of blocks, if there are none.

import type { JSX } from "preact";
import type { Keys } from "../state/link.ts";
import { EmptyPanel } from "../ui/panels.tsx";

export function NoBlocks({ keys, title }: { keys: Keys; title?: string | undefined }): JSX.Element {
  const chosen = keys["section"] === undefined ? "There was no block at this moment." : "There are no blocks in this section.";
  return (
    <EmptyPanel title={title ?? chosen} does="To record another moment, while the program runs" command="dmdv --pid=PID">
      {title === undefined && <p>If the heap was freed at the end, choose Peak above.</p>}
    </EmptyPanel>
  );
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Pages through a list that is shown `size` rows at a time. The position is a key of the link.

import type { JSX } from "preact";
import { number } from "../format.ts";

export function Pager(props: { total: number; first: number; size: number; onChange: (first: number) => void }): JSX.Element | null {
  const { total, first, size, onChange } = props;
  if (total <= size && first === 0) return null;
  return (
    <span class="field pager">
      <button type="button" disabled={first === 0} onClick={() => onChange(Math.max(0, first - size))}>
        Previous
      </button>
      <span>
        {number(Math.min(first + 1, total))} to {number(Math.min(total, first + size))} of {number(total)}
      </span>
      <button type="button" disabled={first + size >= total} onClick={() => onChange(first + size)}>
        Next
      </button>
    </span>
  );
}

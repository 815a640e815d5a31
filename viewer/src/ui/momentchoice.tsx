// SPDX-License-Identifier: GPL-2.0-or-later
//
// Chooses the moment that is shown: when the heap was largest, or the end. A view that cannot show the peak says so.

import type { JSX } from "preact";
import type { FileInfo } from "../core/answers.ts";
import type { KeyChanges, Keys } from "../state/link.ts";
import type { View } from "../views/view.ts";
import { Segments } from "./toolbar.tsx";

const MOMENTS = [
  { value: "1", title: "Peak", hint: "The blocks of the moment when the heap was largest" },
  { value: "0", title: "End", hint: "The blocks that were there when the file was written" },
];

/** Whether the link shows the peak, as the core decides it (dmd_session_peak_of). */
export function isAtPeak(files: readonly FileInfo[], keys: Keys): boolean {
  if (keys["peak"] !== undefined) return keys["peak"] === "1";
  const shown = [keys["of"] ?? "0", ...(keys["old"] === undefined ? [] : [keys["old"]])];
  return shown.every((file) => files[Number(file)]?.opensPeak === true);
}

interface MomentProps {
  readonly view: View | undefined;
  readonly files: readonly FileInfo[];
  readonly keys: Keys;
}

/** Nothing if no file has a peak. */
export function MomentChoice({ view, files, keys, onChange }: MomentProps & { onChange: (changes: KeyChanges) => void }): JSX.Element | null {
  const known = keys["peak"] !== undefined || [keys["of"] ?? "0", keys["old"] ?? ""].some((file) => files[Number(file)]?.peak !== undefined && file !== "");
  if (view?.showsPeak !== "yes" || !known) return null;
  // Rows and records have other numbers in the other moment.
  const choose = (peak: string): void => onChange({ peak, id: undefined, under: undefined, path: undefined, open: undefined });
  return <Segments label="Moment" value={isAtPeak(files, keys) ? "1" : "0"} choices={MOMENTS} onChange={choose} />;
}

export function OnlyTheEnd({ view, files, keys }: MomentProps): JSX.Element | null {
  if (view?.showsPeak !== "not" || !isAtPeak(files, keys)) return null;
  return (
    <p class="only-the-end" role="note">
      This is the heap at the end: pointers and addresses are not known of its peak.
    </p>
  );
}

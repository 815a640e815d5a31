// SPDX-License-Identifier: GPL-2.0-or-later
//
// Chooses the moment that is shown: when the heap was largest, of all times or since the previous dump, or the end. A view that cannot show the peak says so.

import type { JSX } from "preact";
import type { FileInfo } from "../core/answers.ts";
import type { KeyChanges, Keys } from "../state/link.ts";
import type { View } from "../views/view.ts";
import { Segments } from "./toolbar.tsx";

const PEAK = { value: "1", title: "Peak", hint: "The blocks of the moment when the heap was largest" };
const RECENT = { value: "2", title: "Recent peak", hint: "The blocks of the moment when the heap was largest since the previous dump" };
const END = { value: "0", title: "End", hint: "The blocks that were there when the file was written" };

/** The files of a link that exist. */
function shownFiles(files: readonly FileInfo[], { of = "0", old }: Keys): readonly FileInfo[] {
  return [of, ...(old === undefined ? [] : [old])].flatMap((file) => files[Number(file)] ?? []);
}

/** Whether the link shows a peak, as the core decides it (dmd_session_moment_of). */
export function isAtPeak(files: readonly FileInfo[], keys: Keys): boolean {
  if (keys["peak"] !== undefined) return keys["peak"] !== "0";
  const shown = shownFiles(files, keys);
  return shown.length > 0 && shown.every((file) => file.opensPeak === true);
}

interface MomentProps {
  readonly view: View | undefined;
  readonly files: readonly FileInfo[];
  readonly keys: Keys;
}

/** Nothing if no file has a peak. */
export function MomentChoice({ view, files, keys, onChange }: MomentProps & { onChange: (changes: KeyChanges) => void }): JSX.Element | null {
  const shown = shownFiles(files, keys);
  const known = keys["peak"] !== undefined || shown.some((file) => file.peak !== undefined);
  if (view?.showsPeak !== "yes" || !known) return null;
  // Rows and records have other numbers in the other moment.
  const choose = (peak: string): void => onChange({ peak, id: undefined, under: undefined, path: undefined, open: undefined });
  const hasRecent = shown.some((file) => file.recentPeak !== undefined);
  const value = !isAtPeak(files, keys) ? END.value : keys["peak"] === RECENT.value && hasRecent ? RECENT.value : PEAK.value;
  return <Segments label="Moment" value={value} choices={hasRecent ? [PEAK, RECENT, END] : [PEAK, END]} onChange={choose} />;
}

export function OnlyTheEnd({ view, files, keys }: MomentProps): JSX.Element | null {
  if (view?.showsPeak !== "not" || !isAtPeak(files, keys)) return null;
  return (
    <p class="only-the-end" role="note">
      This is the heap at the end: pointers and addresses are not known of its peak.
    </p>
  );
}

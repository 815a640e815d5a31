// SPDX-License-Identifier: GPL-2.0-or-later
//
// Chooses the build of a history to show, and the build to subtract from it. Both must have the same branch, moment and
// environment, since others cannot be compared.

import type { JSX } from "preact";
import type { FileInfo } from "../core/answers.ts";
import type { KeyChanges, Keys } from "../state/link.ts";
import { Select } from "./toolbar.tsx";

/** Whether two builds may be compared. */
function isAlong(a: FileInfo, b: FileInfo): boolean {
  return a.kind === "build" && a.branch === b.branch && a.moment === b.moment && a.environment === b.environment;
}

/** The changes of a link when another build is chosen. If the link compared a build with the one before, so does the new
 * link. */
export function afterChoosing(files: readonly FileInfo[], keys: Keys, of: string): KeyChanges {
  const now = files[Number(keys["of"] ?? 0)];
  const next = files[Number(of)];
  const followed = keys["old"] !== undefined && keys["old"] === String(now?.old);
  return { of, old: followed ? (next?.old === undefined ? undefined : String(next.old)) : keys["old"], id: undefined };
}

export function BuildChoice(props: { files: readonly FileInfo[]; keys: Keys; onChange: (changes: KeyChanges) => void }): JSX.Element | null {
  const { files, keys, onChange } = props;
  const now = files[Number(keys["of"] ?? 0)];
  if (now === undefined || now.kind !== "build") return null;
  const choices = files.flatMap((file, i) => (isAlong(file, now) ? [{ value: String(i), title: file.name }] : []));
  return (
    <div class="files">
      <Select label="Build" value={keys["of"] ?? "0"} choices={choices} onChange={(of) => onChange(afterChoosing(files, keys, of))} />
      <Select label="compared with" value={keys["old"] ?? ""} choices={[{ value: "", title: "nothing" }, ...choices]} onChange={(old) => onChange({ old, id: undefined })} />
    </div>
  );
}

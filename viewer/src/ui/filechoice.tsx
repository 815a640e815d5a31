// SPDX-License-Identifier: GPL-2.0-or-later
//
// Chooses the file to show and the file to subtract from it: keys `of` and `old`.

import type { JSX } from "preact";
import type { FileInfo } from "../core/answers.ts";
import { baseName } from "../format.ts";
import type { KeyChanges, Keys } from "../state/link.ts";
import { Select } from "./toolbar.tsx";

export function FileChoice(props: {
  files: readonly FileInfo[];
  /** Which files the view can show; undefined: all. */
  shows: ((file: FileInfo) => boolean) | undefined;
  keys: Keys;
  onChange: (changes: KeyChanges) => void;
}): JSX.Element | null {
  const { files, keys, shows } = props;
  if (files.length === 0) return null;
  if (files.length === 1) return <span class="file" title={fileTitle(files[0])}>{fileTitle(files[0])}</span>;
  const choices = files
    .map((file, i) => ({ value: String(i), title: `${i + 1}. ${fileTitle(file)}` }))
    .filter(({ value }) => value === keys["of"] || value === keys["old"] || (shows?.(files[Number(value)] as FileInfo) ?? true));
  // Of two files that nobody ordered, the one that was given first is the old one, as for dmdv diff.
  const compare = (old: string): void => props.onChange(keys["of"] === undefined && keys["old"] === undefined && old !== "" ? { of: old, old: "0" } : { old });
  return (
    <div class="files">
      <Select label="File" value={keys["of"] ?? "0"} choices={choices} onChange={(of) => props.onChange({ of })} />
      <Select label="compared with" value={keys["old"] ?? ""} choices={[{ value: "", title: "nothing" }, ...choices]} onChange={compare} />
    </div>
  );
}

/** Without its folder, to save space. The files' view shows the full name. */
export function fileTitle(file: FileInfo | undefined): string {
  if (file === undefined) return "";
  if (file.kind === "build") return file.name;
  const name = baseName(file.name);
  return file.label ? `${name} (${file.label})` : name;
}

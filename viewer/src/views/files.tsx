// SPDX-License-Identifier: GPL-2.0-or-later
//
// The open files and their contents.

import type { JSX } from "preact";
import type { FileInfo } from "../core/answers.ts";
import { number } from "../format.ts";
import { TABLE_KEYS } from "../ui/keys.ts";
import { Table, type Column } from "../ui/table.tsx";
import { Others } from "./others.tsx";
import { hasHistory, type View, type ViewProps } from "./view.ts";

const figure = (n: number | undefined): string => (n === undefined ? "" : number(n));

const COLUMNS: readonly Column<FileInfo>[] = [
  { id: "name", title: "File", width: "minmax(10em, 3fr)", cell: (file) => file.name },
  { id: "kind", title: "Kind", width: "6em", minor: "slightly", cell: (file) => file.kind },
  { id: "label", title: "Label", width: "minmax(6em, 1fr)", minor: true, cell: (file) => file.label ?? "" },
  { id: "process", title: "Process", width: "minmax(6em, 1fr)", minor: true, cell: (file) => file.process ?? "" },
  { id: "pid", title: "Pid", width: "6em", numeric: true, minor: true, cell: (file) => file.pid ?? "" },
  { id: "blocks", title: "Blocks", width: "9em", numeric: true, minor: "slightly", cell: (file) => figure(file.blocks) },
  { id: "bytes", title: "Bytes", width: "10em", numeric: true, cell: (file) => figure(file.bytes) },
  { id: "peak", title: "Peak bytes", width: "10em", numeric: true, minor: "slightly", cell: (file) => figure(file.peak?.bytes) },
  { id: "unreported", title: "Unreported bytes", width: "11em", numeric: true, minor: "slightly", cell: (file) => figure(file.unreported?.bytes) },
];

function Files({ files, set, others }: ViewProps): JSX.Element {
  return (
    <>
      <Table label="Files" source={`files ${files.length}`} total={files.length} columns={COLUMNS}
        fetch={(first, count) => Promise.resolve(files.slice(first, first + count))}
        onOpen={(_, index) => set({ of: index === 0 ? undefined : String(index) })} />
      {others.length > 0 && <Others others={others} />}
    </>
  );
}

export const filesView: View = {
  id: "files",
  title: "Files",
  question: "Which files are open, and what is in them?",
  component: Files,
  keys: TABLE_KEYS,
  applies: (files) => !hasHistory(files),
  missing: { sentence: "A history is one file: its builds are in the view History.", does: "To show a profile", command: "dmdv view PROFILE" },
};

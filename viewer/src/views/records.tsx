// SPDX-License-Identifier: GPL-2.0-or-later
//
// All records, or their sums by what they have in common. A record opens all that is known of it.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { failureOf } from "../core/protocol.ts";
import { blocks, bytes, count, number } from "../format.ts";
import { query, type KeyChanges } from "../state/link.ts";
import type { Failure } from "../state/machine.ts";
import { useAsk } from "../ui/ask.ts";
import { CopyButtons } from "../ui/copy.tsx";
import { TABLE_KEYS } from "../ui/keys.ts";
import { EmptyPanel, ErrorPanel, ProgressPanel } from "../ui/panels.tsx";
import { ROWS } from "../ui/rowcache.ts";
import { SECTIONS, StateName, STATES } from "../ui/state.tsx";
import { Table, type Column, type Sorting } from "../ui/table.tsx";
import { FilterBox, Segments, Select, Toolbar, type Choice } from "../ui/toolbar.tsx";
import { RecordDetails } from "./record.tsx";
import type { RecordRow, RecordsAnswer, SumRow } from "./recordanswers.ts";
import { hasProfile, type View, type ViewProps } from "./view.ts";

const GROUPS: readonly Choice[] = [
  { value: "", title: "stack" },
  ...["function", "file", "library", "reporter", "tag", "thread"].map((by) => ({ value: by, title: by })),
];

/** What the filter of a sum's records finds by the sum's name. */
const IN_STACKS = ["function", "file", "library"];

export const RECORD_COLUMNS: readonly Column<RecordRow>[] = [
  { id: "bytes", title: "Bytes", width: "9.5em", numeric: true, sort: "usable", cell: (row) => `${row.sampled === true ? "~" : ""}${number(row.bytes)}` },
  { id: "share", title: "Share", width: "5.5em", numeric: true, cell: (row) => row.share },
  { id: "blocks", title: "Blocks", width: "7.5em", numeric: true, sort: "num", cell: (row) => number(row.blocks) },
  { id: "req", title: "Requested", width: "9.5em", numeric: true, sort: "req", minor: true, cell: (row) => number(row.req) },
  { id: "slop", title: "Slop", width: "8em", numeric: true, sort: "slop", minor: true, cell: (row) => number(row.slop) },
  { id: "section", title: "State", width: "9.5em", minor: true, cell: (row) => <StateName section={row.section} /> },
  { id: "name", title: "Allocated at", width: "minmax(14em, 3fr)", sort: "name", cell: (row) => <Where row={row} /> },
  { id: "reporter", title: "Reporter", width: "minmax(8em, 1fr)", minor: true, cell: (row) => row.reporter ?? "" },
  { id: "tag", title: "Tag", width: "minmax(5em, 0.5fr)", minor: true, cell: (row) => row.tag ?? "" },
];

function Where({ row }: { row: RecordRow }): JSX.Element {
  return (
    <span class="frame" title={[row.name, ...row.frames].join("\n")}>
      {row.name}
      {row.frames.length > 0 && <span class="quiet"> ← {row.frames.join(" ← ")}</span>}
    </span>
  );
}

const SUM_COLUMNS: readonly Column<SumRow>[] = [
  { id: "bytes", title: "Bytes", width: "9.5em", numeric: true, sort: "usable", cell: (row) => number(row.bytes) },
  { id: "share", title: "Share", width: "5.5em", numeric: true, cell: (row) => row.share },
  { id: "blocks", title: "Blocks", width: "7.5em", numeric: true, sort: "num", cell: (row) => number(row.blocks) },
];

const STATE_COLUMNS: readonly Column<SumRow>[] = STATES.map((section) => ({
  id: section,
  title: section,
  width: "10em",
  numeric: true,
  minor: true,
  cell: (row) => number(row[section] ?? 0),
}));

const NAME_COLUMN: Column<SumRow> = { id: "name", title: "Name", width: "minmax(14em, 1fr)", sort: "name", cell: (row) => <span class="frame">{row.name}</span> };

/** The keys of the link that select records; `first` and `count` come with each window. */
export function selectionOf(keys: Readonly<Record<string, string>>): KeyChanges {
  const { of, old, section, by, sort, desc, q, regex, name } = keys;
  return { of, old, section, by, sort, desc, q, regex, name, "max-frames": keys["max-frames"] };
}

/** How a link's keys sort: by size unless they say otherwise, the largest first; names from A on. */
export function sortingOf(keys: Readonly<Record<string, string>>): Sorting {
  const by = keys["sort"] ?? "usable";
  return { by, descending: (keys["desc"] ?? (by === "name" ? "0" : "1")) === "1" };
}

export function keysOfSorting({ by, descending }: Sorting): KeyChanges {
  const usual = by !== "name";
  return { sort: by === "usable" ? undefined : by, desc: descending === usual ? undefined : descending ? "1" : "0" };
}

function Records(props: ViewProps): JSX.Element {
  const { client, keys, set } = props;
  const selection = selectionOf(keys);
  const by = keys["by"] ?? "";
  const [failure, fail] = useState<Failure | null>(null);
  const asked = useAsk<RecordsAnswer<RecordRow | SumRow>>(client, query("records", { ...selection, first: "0", count: String(ROWS) }));
  const answer = asked.answer;
  const wrong = asked.failure ?? failure;
  const window = async (first: number, rows: number, signal: AbortSignal): Promise<readonly (RecordRow | SumRow)[]> =>
    (await client.ask<RecordsAnswer<RecordRow | SumRow>>(query("records", { ...selection, first: String(first), count: String(rows) }), signal)).rows;
  const common = {
    source: query("records", selection),
    total: answer?.shown.total ?? 0,
    sorting: sortingOf(keys),
    onSort: (sorting: Sorting) => set(keysOfSorting(sorting)),
    onError: (error: unknown) => fail(failureOf(error)),
  };
  return (
    <>
      <RecordsToolbar {...props} answer={answer} />
      {wrong !== null && <ErrorPanel failure={wrong} />}
      {answer === null && wrong === null && <ProgressPanel title="Sorting records" />}
      {answer !== null && wrong === null && answer.shown.total === 0 && (
        <EmptyPanel title="No records">
          <p>{keys["q"] === undefined ? "There are no blocks in this section." : "No stack has what the filter asks for."}</p>
        </EmptyPanel>
      )}
      {answer !== null && wrong === null && answer.shown.total > 0 && (
        <div class="split"
          onKeyDown={(event) => {
            if (event.key === "Escape") set({ id: undefined });
          }}>
          {by === "" ? (
            <Table<RecordRow> {...common} label="Records" columns={RECORD_COLUMNS} fetch={window as never}
              isOpen={(row) => String(row.id) === keys["id"]} onOpen={(row) => set({ id: String(row.id) })} />
          ) : (
            <Table<SumRow> {...common} label={`Sums by ${by}`} columns={sumColumns(answer.mode)} fetch={window as never}
              onOpen={(row) => {
                if (IN_STACKS.includes(by)) set({ by: undefined, sort: undefined, desc: undefined, regex: undefined, q: row.name });
              }} />
          )}
          {by === "" && keys["id"] !== undefined && <RecordDetails {...props} id={keys["id"]} onClose={() => set({ id: undefined })} />}
        </div>
      )}
    </>
  );
}

function sumColumns(mode: string): readonly Column<SumRow>[] {
  return [...SUM_COLUMNS, ...(mode === "dark-matter" ? STATE_COLUMNS : []), NAME_COLUMN];
}

function RecordsToolbar({ client, keys, set, answer }: ViewProps & { answer: RecordsAnswer<unknown> | null }): JSX.Element {
  const shown = answer?.shown;
  const noun = (keys["by"] ?? "") === "" ? "record" : "sum";
  return (
    <Toolbar label="What is shown">
      {answer?.mode === "dark-matter" && (
        <Segments label="State" value={keys["section"] ?? ""} choices={SECTIONS} onChange={(section) => set({ section, id: undefined })} />
      )}
      <Select label="by" value={keys["by"] ?? ""} choices={GROUPS} onChange={(by) => set({ by, sort: undefined, desc: undefined, id: undefined })} />
      <FilterBox value={{ q: keys["q"] ?? "", regex: keys["regex"] === "1" }} placeholder="Filter stacks"
        onChange={({ q, regex }) => set({ q, regex: regex ? "1" : undefined, id: undefined }, true)} />
      {answer !== null && shown !== undefined && (
        <span class="quiet" role="status">
          {count(shown.total, noun, `${noun}s`)}
          {shown.total === answer.total ? "" : ` of ${number(answer.total)}`}: {bytes(shown.bytes)} in {blocks(shown.blocks)}
        </span>
      )}
      <CopyButtons client={client} view="records" keys={selectionOf(keys)} />
    </Toolbar>
  );
}

export const recordsView: View = {
  id: "records",
  title: "Records",
  question: "Which stacks allocated what is there, and which of it did nobody report?",
  component: Records,
  keys: TABLE_KEYS,
  applies: hasProfile,
};

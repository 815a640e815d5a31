// SPDX-License-Identifier: GPL-2.0-or-later
//
// Shared by tables of records and of their sums: columns, the keys that select rows, and how rows are fetched.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Client } from "../core/client.ts";
import { failureOf } from "../core/protocol.ts";
import { number } from "../format.ts";
import { query, type KeyChanges, type Keys } from "../state/link.ts";
import type { Failure } from "../state/machine.ts";
import { useAsk } from "../ui/ask.ts";
import { ROWS } from "../ui/rowcache.ts";
import { StateName } from "../ui/state.tsx";
import type { Column, Sorting, TableProps } from "../ui/table.tsx";
import { picksOf } from "./picks.tsx";
import type { RecordRow, RecordsAnswer } from "./recordanswers.ts";
import { blocksOf } from "./view.ts";

export const RECORD_COLUMNS: readonly Column<RecordRow>[] = [
  { id: "bytes", title: "Bytes", width: "9.5em", numeric: true, sort: "usable", cell: (row) => `${row.sampled === true ? "~" : ""}${number(row.bytes)}` },
  { id: "share", title: "Share", width: "5.5em", numeric: true, minor: "slightly", cell: (row) => row.share },
  { id: "blocks", title: "Blocks", width: "7.5em", numeric: true, sort: "num", minor: "slightly", cell: (row) => number(row.blocks) },
  { id: "req", title: "Requested", width: "9.5em", numeric: true, sort: "req", minor: true, cell: (row) => number(row.req) },
  { id: "slop", title: "Slop", width: "8em", numeric: true, sort: "slop", minor: true, cell: (row) => number(row.slop) },
  { id: "section", title: "State", width: "9.5em", minor: true, cell: (row) => <StateName section={row.section} /> },
  { id: "name", title: "Allocated at", width: "minmax(14em, 3fr)", sort: "name", cell: (row) => <Where row={row} /> },
  { id: "reporter", title: "Reporter", width: "minmax(8em, 1fr)", minor: true, cell: (row) => row.reporter ?? "" },
  { id: "tag", title: "Tag", width: "minmax(5em, 0.5fr)", minor: true, cell: (row) => row.tag ?? "" },
];

/** Without the columns that are empty in all rows. */
export function columnsOf({ hasReporters, hasTags }: Pick<RecordsAnswer<unknown>, "hasReporters" | "hasTags">): readonly Column<RecordRow>[] {
  return RECORD_COLUMNS.filter(({ id }) => (id !== "reporter" || hasReporters) && (id !== "tag" || hasTags));
}

function Where({ row }: { row: RecordRow }): JSX.Element {
  return (
    <span class="frame" title={[row.name, ...row.frames].join("\n")}>
      {row.name}
      {row.frames.length > 0 && <span class="quiet"> ← {row.frames.join(" ← ")}</span>}
    </span>
  );
}

/** The keys of the link that select records; each window adds `first` and `count`. */
export function selectionOf(keys: Keys): KeyChanges {
  const { section, by, sort, desc, q, regex, name } = keys;
  return { ...blocksOf(keys), section, by, sort, desc, q, regex, name, "max-frames": keys["max-frames"], ...picksOf(keys) };
}

/** The sorting of a link: by size by default, the largest first; names in ascending order. */
export function sortingOf(keys: Keys): Sorting {
  const by = keys["sort"] ?? "usable";
  return { by, descending: (keys["desc"] ?? (by === "name" ? "0" : "1")) === "1" };
}

export function keysOfSorting({ by, descending }: Sorting): KeyChanges {
  const usual = by !== "name";
  return { sort: by === "usable" ? undefined : by, desc: descending === usual ? undefined : descending ? "1" : "0" };
}

export interface AskedRows<Row> {
  /** The answer for the first rows; null: not there yet, or failed. */
  readonly answer: RecordsAnswer<Row> | null;
  readonly failure: Failure | null;
  /** For a table of them. */
  readonly table: Pick<TableProps<Row>, "source" | "total" | "fetch" | "onError">;
}

/** The rows of a selection. */
export function useRows<Row>(client: Client, selection: KeyChanges): AskedRows<Row> {
  const [failure, fail] = useState<Failure | null>(null);
  const windowOf = (first: number, count: number): string => query("records", { ...selection, first: String(first), count: String(count) });
  const asked = useAsk<RecordsAnswer<Row>>(client, windowOf(0, ROWS));
  return {
    answer: asked.answer,
    failure: asked.failure ?? failure,
    table: {
      source: query("records", selection),
      total: asked.answer?.shown.total ?? 0,
      fetch: async (first, count, signal) => (await client.ask<RecordsAnswer<Row>>(windowOf(first, count), signal)).rows,
      onError: (error) => fail(failureOf(error)),
    },
  };
}

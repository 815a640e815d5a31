// SPDX-License-Identifier: GPL-2.0-or-later
//
// A table of nested rows, which are fetched when they become visible (lazyrows.ts). The caller keeps the list of open
// rows (in a key of the link).

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import type { Client } from "../core/client.ts";
import { failureOf } from "../core/protocol.ts";
import type { Failure } from "../state/machine.ts";
import { LazyRows, type LazyAnswer, type LazyLine, type LazyRow } from "./lazyrows.ts";
import { ErrorPanel, NothingAtTheEnd } from "./panels.tsx";
import { HEAD_HEIGHT, useRowList } from "./rowlist.ts";
import { columnsFor, type Minor } from "./table.tsx";
import { TREE_KEYS, TreeMark, TreeRows } from "./treerows.tsx";

export interface LazyColumn<Row> {
  readonly title: string;
  /** A track of a CSS grid. */
  readonly width: string;
  readonly minor?: Minor;
  readonly cell: (row: Row) => ComponentChildren;
}

export interface LazyTreeProps<Row extends LazyRow> {
  readonly label: string;
  readonly client: Client;
  /** The query for a window of the rows in `row` (undefined: the first level). If it changes, the tree starts over. */
  readonly queryOf: (row: number | undefined, first: number, count: number) => string;
  readonly columns: readonly LazyColumn<Row>[];
  readonly name: (row: Row) => ComponentChildren;
  readonly titleOf: (row: Row) => string;
  readonly open: ReadonlySet<number>;
  readonly onOpen: (open: ReadonlySet<number>) => void;
  readonly onChoose?: (row: Row) => void;
}

export function LazyTree<Row extends LazyRow>(props: LazyTreeProps<Row>): JSX.Element {
  const { client, open } = props;
  const [failure, fail] = useState<Failure | null>(null);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const latest = useRef(props);
  latest.current = props;
  const source = props.queryOf(undefined, 0, 1);
  const rows = useMemo(
    () =>
      new LazyRows<Row>(
        (of, first, count, signal) => client.ask<LazyAnswer<Row>>(latest.current.queryOf(of, first, count), signal),
        (error) => (error === undefined ? redraw(0) : fail(failureOf(error))),
      ),
    [client, source],
  );
  useEffect(() => () => rows.close(), [rows]);
  useMemo(() => rows.open(open), [rows, formatOpen(open)]);
  const list = useRowList(source, rows.total, HEAD_HEIGHT, rows);
  useEffect(() => rows.show(list.seen.first, list.seen.end));
  const columns = columnsFor(props.columns, list.width);

  const rowAt = (index: number): Row | undefined => rows.line(index)?.row;
  const toggle = (index: number): void => {
    const row = rowAt(index);
    if (row === undefined) return;
    const now = new Set(open);
    if (!now.delete(row.id)) now.add(row.id);
    props.onOpen(now);
  };
  const { onChoose } = props;
  const choose =
    onChoose &&
    ((index: number): void => {
      const row = rowAt(index);
      if (row !== undefined) onChoose(row);
    });
  if (failure !== null) return <ErrorPanel failure={failure} />;
  if (rows.isKnown && rows.total === 0) return <NothingAtTheEnd title="No block is of this kind." />;
  return (
    <TreeRows label={props.label} list={list} total={rows.total} lineAt={(index) => rows.line(index)} onToggle={toggle} onChoose={choose}
      tracks={[...columns.map((column) => column.width), "minmax(16em, 1fr)"].join(" ")} head={<Head columns={columns} />}
      titleOf={(index) => {
        const row = rowAt(index);
        return row && props.titleOf(row);
      }}
      row={(index) => {
        const line = rows.line(index);
        return line && <Cells line={line} columns={columns} name={props.name} onChoose={onChoose} />;
      }} />
  );
}

function Head<Row>({ columns }: { columns: readonly LazyColumn<Row>[] }): JSX.Element {
  return (
    <>
      {columns.map((column) => (
        <span role="columnheader" class="cell numeric lazy-figure" key={column.title}>
          {column.title}
        </span>
      ))}
      <span role="columnheader" class="cell">
        Name
      </span>
    </>
  );
}

interface CellsProps<Row> {
  readonly line: LazyLine<Row>;
  readonly columns: readonly LazyColumn<Row>[];
  readonly name: (row: Row) => ComponentChildren;
  readonly onChoose: ((row: Row) => void) | undefined;
}

function Cells<Row>({ line, columns, name, onChoose }: CellsProps<Row>): JSX.Element {
  const { row } = line;
  return (
    <>
      {columns.map((column) => (
        <span role="gridcell" class="cell numeric lazy-figure" key={column.title}>
          {row === undefined ? <span class="waits">…</span> : column.cell(row)}
        </span>
      ))}
      <span role="gridcell" class="cell lazy-name">
        <TreeMark line={line} />
        {row !== undefined && name(row)}
        {row !== undefined && onChoose !== undefined && (
          <button type="button" class="link lazy-choose" tabIndex={-1} title="All about it (Enter)"
            onClick={(event) => {
              event.stopPropagation();
              onChoose(row);
            }}>
            details
          </button>
        )}
      </span>
    </>
  );
}

/** Parses comma-separated numbers from a key of the link. */
export function parseOpen(text: string | undefined): Set<number> {
  return new Set((text ?? "").split(",").filter((id) => /^\d+$/.test(id)).map(Number));
}

export function formatOpen(open: ReadonlySet<number>): string {
  return [...open].join(",");
}

export const LAZY_KEYS = [...TREE_KEYS, { keys: "Enter", does: "all about it, or open it" }] as const;

// SPDX-License-Identifier: GPL-2.0-or-later
//
// A table of rows within rows, each level of which is asked for when somebody opens it, a window at a time. Which rows are
// open is the caller's (a key of the link).

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Client } from "../core/client.ts";
import { isAborted } from "../core/client.ts";
import { failureOf } from "../core/protocol.ts";
import { number } from "../format.ts";
import type { Failure } from "../state/machine.ts";
import { isPlain, treeKey } from "./keys.ts";
import { ErrorPanel } from "./panels.tsx";

export const LAZY_ROWS = 100; // that a level has at first, and more each time
const PAGE = 20; // rows that Page Down goes

/** What every row of such an answer has: its number, by which its own rows are asked for, and how many these are. */
export interface LazyRow {
  readonly id: number;
  readonly n: number;
}

export interface LazyAnswer<Row> {
  /** All rows of this level. */
  readonly n: number;
  readonly rows: readonly Row[];
}

export interface LazyColumn<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
}

export interface LazyTreeProps<Row extends LazyRow> {
  readonly label: string;
  readonly client: Client;
  /** The query for a window of the rows in a row; undefined: of the first level. */
  readonly queryOf: (row: number | undefined, first: number, count: number) => string;
  readonly columns: readonly LazyColumn<Row>[];
  readonly name: (row: Row) => ComponentChildren;
  readonly open: ReadonlySet<number>;
  readonly onOpen: (open: ReadonlySet<number>) => void;
  readonly onChoose?: (row: Row) => void;
}

interface Level<Row> {
  readonly n: number;
  readonly rows: readonly Row[];
}

interface Line<Row> {
  readonly level: number;
  readonly row: Row | null; // null: the line that has more of `of`
  readonly of: number | undefined;
  readonly left: number;
}

/** The lines that are seen: rows, what is open in them, and where there are more. */
export function linesOf<Row extends LazyRow>(levels: ReadonlyMap<number, Level<Row>>, open: ReadonlySet<number>): Line<Row>[] {
  const lines: Line<Row>[] = [];
  const add = (of: number | undefined, level: number): void => {
    const known = levels.get(of ?? -1);
    if (known === undefined) return;
    for (const row of known.rows) {
      lines.push({ level, row, of, left: 0 });
      if (row.n > 0 && open.has(row.id)) add(row.id, level + 1);
    }
    if (known.rows.length < known.n) lines.push({ level, row: null, of, left: known.n - known.rows.length });
  };
  add(undefined, 0);
  return lines;
}

/** A line that has more is one to be opened. */
function openness<Row extends LazyRow>({ row }: Line<Row>, open: ReadonlySet<number>): { isOpen: boolean; hasRows: boolean } {
  return row === null ? { isOpen: false, hasRows: true } : { isOpen: open.has(row.id), hasRows: row.n > 0 };
}

export function LazyTree<Row extends LazyRow>(props: LazyTreeProps<Row>): JSX.Element {
  const { client, open, onOpen } = props;
  const [levels, setLevels] = useState<ReadonlyMap<number, Level<Row>>>(new Map());
  const [failure, fail] = useState<Failure | null>(null);
  const [current, setCurrent] = useState(0);
  const element = useRef<HTMLDivElement>(null);
  const moved = useRef(false);
  const asked = useRef(new Set<number>());

  const load = (of: number | undefined, first: number): void => {
    client.ask<LazyAnswer<Row>>(props.queryOf(of, first, LAZY_ROWS)).then(
      (answer) =>
        setLevels((before) => {
          const rows = [...(before.get(of ?? -1)?.rows.slice(0, first) ?? []), ...answer.rows];
          return new Map(before).set(of ?? -1, { n: answer.n, rows });
        }),
      (error: unknown) => {
        if (!isAborted(error)) fail(failureOf(error));
      },
    );
  };
  useEffect(() => {
    for (const id of [-1, ...open])
      if (!asked.current.has(id)) {
        asked.current.add(id);
        load(id < 0 ? undefined : id, 0);
      }
  }, [open]);
  const lines = linesOf(levels, open);
  const at = Math.min(current, Math.max(0, lines.length - 1));
  useEffect(() => {
    const line = moved.current ? element.current?.querySelector<HTMLElement>('[tabindex="0"]') : null;
    moved.current = false;
    line?.scrollIntoView({ block: "nearest" });
    line?.focus({ preventScroll: true });
  });

  const toggle = (row: Row): void => {
    if (row.n === 0) return;
    const now = new Set(open);
    if (!now.delete(row.id)) now.add(row.id);
    onOpen(now);
  };
  const act = (line: Line<Row>): void => {
    if (line.row === null) load(line.of, levels.get(line.of ?? -1)?.rows.length ?? 0);
    else toggle(line.row);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const line = lines[at];
    if (!isPlain(event) || line === undefined) return;
    if (event.key === "Enter" && line.row !== null && props.onChoose !== undefined) {
      event.preventDefault();
      props.onChoose(line.row);
      return;
    }
    const does = treeKey(event.key, lines.length, at, PAGE, (i) => lines[i] && { level: lines[i].level, ...openness(lines[i], open) });
    if (does === undefined) return;
    if ("toggle" in does) act(line);
    const to = "row" in does ? does.row : at;
    event.preventDefault();
    moved.current = true;
    setCurrent(to);
  };

  if (failure !== null) return <ErrorPanel failure={failure} />;
  return (
    <div class="page lazy">
      <div role="treegrid" aria-label={props.label} class="lazy-grid" ref={element} onKeyDown={onKeyDown} style={{ "--columns": String(props.columns.length) }}>
        <div role="row" class="lazy-row lazy-head">
          {props.columns.map((column) => (
            <span role="columnheader" class="lazy-figure" key={column.title}>
              {column.title}
            </span>
          ))}
          <span role="columnheader">Name</span>
        </div>
        {lines.map((line, i) => (
          <LazyLine key={line.row === null ? `more ${line.of ?? ""}` : line.row.id} line={line} isCurrent={i === at} isOpen={line.row !== null && open.has(line.row.id)}
            columns={props.columns} name={props.name}
            onClick={() => {
              setCurrent(i);
              act(line);
            }}
            onChoose={props.onChoose} />
        ))}
      </div>
    </div>
  );
}

interface LazyLineProps<Row extends LazyRow> {
  readonly line: Line<Row>;
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  readonly columns: readonly LazyColumn<Row>[];
  readonly name: (row: Row) => ComponentChildren;
  readonly onClick: () => void;
  readonly onChoose: ((row: Row) => void) | undefined;
}

function LazyLine<Row extends LazyRow>({ line, isCurrent, isOpen, columns, name, onClick, onChoose }: LazyLineProps<Row>): JSX.Element {
  const { row } = line;
  return (
    <div role="row" class="lazy-row" aria-level={line.level + 1} aria-expanded={row !== null && row.n > 0 ? isOpen : undefined} tabIndex={isCurrent ? 0 : -1} onClick={onClick}>
      {columns.map((column) => (
        <span role="gridcell" class="lazy-figure" key={column.title}>
          {row === null ? "" : column.cell(row)}
        </span>
      ))}
      <span role="gridcell" class="lazy-name" style={{ paddingLeft: `${line.level * 1.3}em` }}>
        <span class="tree-mark" aria-hidden="true">
          {row !== null && row.n > 0 ? (isOpen ? "▾" : "▸") : ""}
        </span>
        {row === null ? <span class="quiet">{number(line.left)} more…</span> : name(row)}
        {row !== null && onChoose !== undefined && (
          <button type="button" class="link lazy-choose" tabIndex={-1} title="All about it (Enter)"
            onClick={(event) => {
              event.stopPropagation();
              onChoose(row);
            }}>
            …
          </button>
        )}
      </span>
    </div>
  );
}

/** Numbers with commas between them, as a key of the link. */
export function parseOpen(text: string | undefined): Set<number> {
  return new Set((text ?? "").split(",").filter((id) => /^\d+$/.test(id)).map(Number));
}

export function formatOpen(open: ReadonlySet<number>): string {
  return [...open].join(",");
}

export const LAZY_KEYS = [
  { keys: "Up, Down, Home, End", does: "to another row" },
  { keys: "Right, Left, Space", does: "open or close a row" },
  { keys: "Enter", does: "all about it" },
] as const;

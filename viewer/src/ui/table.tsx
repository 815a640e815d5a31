// SPDX-License-Identifier: GPL-2.0-or-later
//
// A table of any number of rows. Only visible rows exist as elements (rowlist.ts); rows are fetched from the core in
// windows (rowcache.ts).
//
// `source` identifies the rows: if it changes, the table restarts at its first row.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useReducer, useRef } from "preact/hooks";
import { isPlain, rowAfter } from "./keys.ts";
import { RowCache, type Fetch } from "./rowcache.ts";
import { PrintedRows } from "./panels.tsx";
import { HEAD_HEIGHT, ROW_HEIGHT, rowId, useFocus, useRowList } from "./rowlist.ts";

const NARROW = 900;
const VERY_NARROW = 520;

/** Whether to hide a column in narrow ("slightly": only in very narrow) tables. */
export type Minor = boolean | "slightly";

/** The columns that fit. */
export function columnsFor<C extends { readonly minor?: Minor }>(columns: readonly C[], width: number): readonly C[] {
  return columns.filter(({ minor = false }) => minor === false || width >= (minor === "slightly" ? VERY_NARROW : NARROW));
}

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** A track of a CSS grid: `9em`, `minmax(12em, 1fr)`. */
  readonly width: string;
  readonly numeric?: boolean;
  /** The sort key for clicks on the title. */
  readonly sort?: string;
  readonly minor?: Minor;
  readonly cell: (row: Row) => ComponentChildren;
}

export interface Sorting {
  readonly by: string;
  readonly descending: boolean;
}

export interface TableProps<Row> {
  readonly label: string;
  readonly source: string;
  readonly total: number;
  readonly columns: readonly Column<Row>[];
  readonly fetch: Fetch<Row>;
  readonly sorting?: Sorting;
  readonly onSort?: (sorting: Sorting) => void;
  /** Whether the row is open beside the table. */
  readonly isOpen?: (row: Row) => boolean;
  readonly onOpen?: (row: Row, index: number) => void;
  readonly onError?: (error: unknown) => void;
}

export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { total } = props;
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const callbacks = useRef(props);
  callbacks.current = props;
  const cache = useMemo(
    () =>
      new RowCache<Row>(
        (first, count, signal) => callbacks.current.fetch(first, count, signal),
        (error) => (error === undefined ? redraw(0) : callbacks.current.onError?.(error)),
      ),
    [props.source],
  );
  useEffect(() => () => cache.close(), [cache]);
  const list = useRowList(props.source, total, HEAD_HEIGHT, cache);
  const { current } = list;
  const columns = columnsFor(props.columns, list.width);
  useEffect(() => {
    if (total > 0) cache.show(list.seen.first, list.seen.end);
  });
  useFocus(list.scroller);

  const openRow = (index: number): void => {
    const row = cache.row(index);
    if (row !== undefined) props.onOpen?.(row, index);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isPlain(event) || total === 0) return;
    const to = rowAfter(event.key, current, total, list.page);
    if (to !== undefined) list.goTo(to);
    else if (event.key === "Enter") openRow(current);
    else return;
    event.preventDefault();
  };
  const tracks = columns.map((column) => column.width).join(" ");
  return (
    <div class="table" style={{ "--tracks": tracks }}>
      {list.isPrinting && <PrintedRows rows={list.slots.length} total={total} />}
      <div class="table-scroller" ref={list.scroller} onScroll={list.onScroll} role="grid" aria-label={props.label} aria-rowcount={total + 1} aria-colcount={columns.length}
        tabIndex={0} aria-activedescendant={total > 0 ? rowId(props.label, current) : undefined} onKeyDown={onKeyDown}>
        <Head columns={columns} sorting={props.sorting} onSort={props.onSort} />
        <div class="table-space" role="rowgroup" style={{ height: `${list.height}px` }}>
          {list.slots.map((index, slot) => {
            if (index === undefined) return null;
            const row = cache.row(index);
            return (
              <Row key={slot} id={rowId(props.label, index)} index={index} row={row} columns={columns} top={list.start + index * ROW_HEIGHT}
                current={index === current} open={row !== undefined && props.isOpen?.(row) === true}
                onClick={() => {
                  list.goTo(index);
                  openRow(index);
                }} />
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface HeadProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly sorting: Sorting | undefined;
  readonly onSort: ((sorting: Sorting) => void) | undefined;
}

function Head<Row>({ columns, sorting, onSort }: HeadProps<Row>): JSX.Element {
  return (
    <div class="table-head" role="row" aria-rowindex={1}>
      {columns.map((column, i) => {
        const by = column.sort;
        const sorted = by !== undefined && sorting?.by === by;
        const order = sorted ? (sorting.descending ? "descending" : "ascending") : "none";
        return (
          <div class={cellClass(column)} role="columnheader" aria-colindex={i + 1} aria-sort={by === undefined ? undefined : order} key={column.id}>
            {by === undefined || onSort === undefined ? (
              column.title
            ) : (
              <button type="button" class="table-sort" data-order={order}
                onClick={() => onSort({ by, descending: sorted ? !sorting.descending : column.numeric === true })}>
                {column.title}
              </button>
            )}
          </div>
        );
      })}
    </div>
  );
}

interface RowProps<Row> {
  readonly id: string;
  readonly index: number;
  readonly row: Row | undefined;
  readonly columns: readonly Column<Row>[];
  readonly top: number;
  readonly current: boolean;
  readonly open: boolean;
  readonly onClick: () => void;
}

function Row<Row>({ id, index, row, columns, top, current, open, onClick }: RowProps<Row>): JSX.Element {
  return (
    <div class="table-row" role="row" id={id} aria-rowindex={index + 2} aria-selected={open} data-current={current} data-odd={index % 2 === 1} style={{ top: `${top}px` }}
      onClick={onClick}>
      {columns.map((column, i) => (
        <div class={cellClass(column)} role="gridcell" aria-colindex={i + 1} key={column.id}>
          {row === undefined ? <span class="waits">…</span> : column.cell(row)}
        </div>
      ))}
    </div>
  );
}

function cellClass<Row>(column: Column<Row>): string {
  return column.numeric === true ? "cell numeric" : "cell";
}

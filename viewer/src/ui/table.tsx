// SPDX-License-Identifier: GPL-2.0-or-later
//
// A table of any number of rows. Only the rows that are seen exist; the core is asked for them in windows (rowcache.ts).
// A few elements show them, each one row after another. What is taller than any element may be, scrollmap.ts folds.
//
// `source` says what the rows are: when it changes, the table begins anew, at its first row.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { isPlain, rowAfter } from "./keys.ts";
import { RowCache, type Fetch } from "./rowcache.ts";
import { ScrollMap } from "./scrollmap.ts";

export const ROW_HEIGHT = 24;
const MORE_ROWS = 4;
const SETTLED_MS = 160;
const NARROW = 900;

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** A track of a CSS grid: `9em`, `minmax(12em, 1fr)`. */
  readonly width: string;
  readonly numeric?: boolean;
  /** Sorted by this when its title is chosen. */
  readonly sort?: string;
  /** Left out where the table is narrow. */
  readonly minor?: boolean;
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
  /** Whether the row is open, beside the table. */
  readonly isOpen?: (row: Row) => boolean;
  readonly onOpen?: (row: Row, index: number) => void;
  readonly onError?: (error: unknown) => void;
}

interface Seen {
  readonly first: number;
  readonly end: number;
}

export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { total } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const map = useMemo(() => new ScrollMap(), [props.source]);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const [{ width, height: viewport }, setSize] = useState({ width: 1000, height: 480 });
  const columns = width < NARROW ? props.columns.filter((column) => column.minor !== true) : props.columns;
  const [current, setCurrent] = useState(0);
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

  map.resize(total * ROW_HEIGHT, viewport);
  const seen = seenRows(map.top, viewport, total);
  useEffect(() => {
    if (total > 0) cache.show(seen.first, seen.end);
  });
  useSize(scroller, setSize);
  useLayoutEffect(() => {
    setCurrent(0);
    const element = scroller.current;
    if (element !== null) element.scrollTop = map.moveTo(0);
  }, [props.source]);
  const table = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) table.current?.focus({ preventScroll: true }); // so that the keys are its
  }, []);
  const onScroll = useScrolling(scroller, map, redraw);

  const goTo = (index: number): void => {
    setCurrent(index);
    const top = index * ROW_HEIGHT;
    const element = scroller.current;
    if (element === null) return;
    if (top < map.top) element.scrollTop = map.moveTo(top);
    else if (top + ROW_HEIGHT > map.top + viewport) element.scrollTop = map.moveTo(top + ROW_HEIGHT - viewport);
  };
  const openRow = (index: number): void => {
    const row = cache.row(index);
    if (row !== undefined) props.onOpen?.(row, index);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isPlain(event) || total === 0) return;
    const to = rowAfter(event.key, current, total, Math.floor(viewport / ROW_HEIGHT));
    if (to !== undefined) goTo(to);
    else if (event.key === "Enter") openRow(current);
    else return;
    event.preventDefault();
  };

  const pool = poolSize(viewport);
  const start = offset(scroller.current, map);
  const tracks = columns.map((column) => column.width).join(" ");
  return (
    <div class="table" ref={table} role="grid" aria-label={props.label} aria-rowcount={total + 1} aria-colcount={columns.length} tabIndex={0}
      aria-activedescendant={total > 0 ? rowId(props.label, current) : undefined} onKeyDown={onKeyDown} style={{ "--tracks": tracks }}>
      <Head columns={columns} sorting={props.sorting} onSort={props.onSort} />
      <div class="table-scroller" role="rowgroup" ref={scroller} onScroll={onScroll}>
        <div class="table-space" role="presentation" style={{ height: `${map.height}px` }}>
          {slots(seen, pool).map((index, slot) => {
            if (index === undefined) return null;
            const row = cache.row(index);
            return (
              <Row key={slot} id={rowId(props.label, index)} index={index} row={row} columns={columns} top={start + index * ROW_HEIGHT}
                current={index === current} open={row !== undefined && props.isOpen?.(row) === true}
                onClick={() => {
                  setCurrent(index);
                  openRow(index);
                }} />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The rows to draw: those that are seen and a few more on both sides. */
export function seenRows(top: number, viewport: number, total: number): Seen {
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - MORE_ROWS);
  return { first, end: Math.min(total, Math.ceil((top + viewport) / ROW_HEIGHT) + MORE_ROWS) };
}

/** So many rows are seen at most. */
function poolSize(viewport: number): number {
  return Math.ceil(viewport / ROW_HEIGHT) + 1 + 2 * MORE_ROWS;
}

/** Which row each of the pool's elements shows. A row keeps its element while it is seen, so that scrolling changes only the
 * elements of rows that come and go. */
export function slots(seen: Seen, pool: number): (number | undefined)[] {
  const indices: (number | undefined)[] = Array.from({ length: pool });
  for (let index = seen.first; index < seen.end; index++) indices[index % pool] = index;
  return indices;
}

/** Where row 0 would be in the element. */
function offset(element: HTMLElement | null, map: ScrollMap): number {
  return (element?.scrollTop ?? 0) - map.top;
}

function rowId(label: string, index: number): string {
  return `${label.replace(/\W+/g, "-")}-row-${index}`;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function useSize(scroller: { current: HTMLElement | null }, set: (size: Size) => void): void {
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const measure = (): void => set({ width: element.clientWidth, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
}

function useScrolling(scroller: { current: HTMLElement | null }, map: ScrollMap, redraw: (n: number) => void): () => void {
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    const element = scroller.current;
    if (element === null) return;
    map.scrolled(element.scrollTop);
    redraw(0);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      const settled = map.settle();
      if (Math.abs(settled - element.scrollTop) > 1) element.scrollTop = settled;
    }, SETTLED_MS);
  };
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

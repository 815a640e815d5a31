// SPDX-License-Identifier: GPL-2.0-or-later
//
// Any number of nested rows: a list (rowlist.ts) whose rows open and close, with the keys and roles of a tree. The
// caller decides which rows are open and what they show.

import type { ComponentChildren, JSX } from "preact";
import { isPlain, treeKey, type KeyHelp, type TreeLine } from "./keys.ts";
import { PrintedRows } from "./panels.tsx";
import { ROW_HEIGHT, rowId, useFocus, type RowList } from "./rowlist.ts";

export interface TreeRowLine extends TreeLine {
  /** Depth, from 0. */
  readonly level: number;
  /** Its place among its siblings, from 0, and their number. */
  readonly place: number;
  readonly siblings: number;
}

export interface TreeRowsProps {
  readonly label: string;
  readonly list: RowList;
  readonly total: number;
  readonly lineAt: (row: number) => TreeRowLine | undefined;
  readonly row: (row: number) => ComponentChildren;
  readonly titleOf?: (row: number) => string | undefined;
  /** A row of column titles; makes it a treegrid. */
  readonly head?: ComponentChildren;
  /** The columns of a grid. */
  readonly tracks?: string;
  readonly onToggle: (row: number) => void;
  /** Called instead of opening and closing: for Enter, and for rows without children. */
  readonly onChoose?: ((row: number) => void) | undefined;
}

export function TreeRows(props: TreeRowsProps): JSX.Element {
  const { list, total, lineAt, onToggle, onChoose } = props;
  const { current } = list;
  useFocus(list.scroller);
  const isGrid = props.head !== undefined;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isPlain(event)) return;
    const does = treeKey(event.key, total, current, list.page, lineAt(current));
    if (event.key === "Enter" && onChoose !== undefined) onChoose(current);
    else if (does === "toggle") onToggle(current);
    else if (does !== undefined) list.goTo(does);
    else return;
    event.preventDefault();
  };
  const onClick = (row: number, line: TreeRowLine): void => {
    list.goTo(row);
    if (line.hasRows) onToggle(row);
    else onChoose?.(row);
  };
  return (
    <div class={isGrid ? "table rows" : "table rows tree"} style={{ "--tracks": props.tracks ?? "1fr" }}>
      {list.isPrinting && <PrintedRows rows={list.slots.length} total={total} />}
      <div class="table-scroller" ref={list.scroller} onScroll={list.onScroll} role={isGrid ? "treegrid" : "tree"} aria-label={props.label} tabIndex={0} onKeyDown={onKeyDown}
        aria-rowcount={isGrid ? total + 1 : undefined} aria-activedescendant={total > 0 ? rowId(props.label, current) : undefined}>
        {isGrid && (
          <div class="table-head lazy-row lazy-head" role="row" aria-rowindex={1}>
            {props.head}
          </div>
        )}
        <div class="table-space" role={isGrid ? "rowgroup" : "presentation"} style={{ height: `${list.height}px` }}>
          {list.slots.map((row, slot) => {
            const line = row === undefined ? undefined : lineAt(row);
            if (row === undefined || line === undefined) return null;
            return (
              <div class={isGrid ? "table-row lazy-row" : "table-row tree-row"} key={slot} id={rowId(props.label, row)} role={isGrid ? "row" : "treeitem"}
                aria-rowindex={isGrid ? row + 2 : undefined} aria-level={line.level + 1} aria-posinset={line.place + 1} aria-setsize={line.siblings}
                aria-expanded={line.hasRows ? line.isOpen : undefined} data-current={row === current} title={props.titleOf?.(row)}
                style={{ top: `${list.start + row * ROW_HEIGHT}px` }} onClick={() => onClick(row, line)}>
                {props.row(row)}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The part before a row's name: indentation, and whether it is open. */
export function TreeMark({ line }: { line: TreeRowLine }): JSX.Element {
  return (
    <span class="tree-mark" aria-hidden="true" style={{ marginLeft: `${line.level * 1.3}em` }}>
      {line.hasRows ? (line.isOpen ? "▾" : "▸") : ""}
    </span>
  );
}

export const TREE_KEYS: readonly KeyHelp[] = [
  { keys: "Up, Down, Page Up, Page Down, Home, End", does: "to another row" },
  { keys: "Right, Left", does: "open or close a row, or go into or out of it" },
  { keys: "Space", does: "open or close a row" },
];

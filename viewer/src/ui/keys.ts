// SPDX-License-Identifier: GPL-2.0-or-later
//
// Keyboard handling. Keys with a modifier are left to the browser.

/** The row that a key moves to from row `at` in a list of `total` rows, `page` of which are visible; undefined: not a
 * key of lists. */
export function rowAfter(key: string, at: number, total: number, page: number): number | undefined {
  const to = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + Math.max(1, page - 1),
    PageUp: at - Math.max(1, page - 1),
    Home: 0,
    End: total - 1,
  }[key];
  return to === undefined ? undefined : Math.max(0, Math.min(to, total - 1));
}

/** A row of a tree, for key handling. */
export interface TreeLine {
  readonly isOpen: boolean;
  /** Whether it has child rows, which are shown while it is open. */
  readonly hasRows: boolean;
  /** The parent row. */
  readonly parent: number | undefined;
}

/** The effect of a key at a row of a tree, with the usual keys of trees: a row to go to, or "toggle" to open or close
 * this one. undefined: not a key of trees. */
export function treeKey(key: string, total: number, at: number, page: number, line: TreeLine | undefined): number | "toggle" | undefined {
  if (line === undefined) return undefined;
  const to = rowAfter(key, at, total, page);
  if (to !== undefined) return to;
  switch (key) {
    case "ArrowRight":
      if (!line.hasRows) return at;
      return line.isOpen ? Math.min(at + 1, total - 1) : "toggle";
    case "ArrowLeft":
      return line.hasRows && line.isOpen ? "toggle" : (line.parent ?? at);
    case "Enter":
    case " ":
      return line.hasRows ? "toggle" : at;
    default:
      return undefined;
  }
}

/** Whether the element takes typed text, so that letters are not commands. */
export function takesText(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);
}

export function isPlain(event: KeyboardEvent): boolean {
  return !event.ctrlKey && !event.altKey && !event.metaKey;
}

export interface KeyHelp {
  readonly keys: string;
  readonly does: string;
}

export const PAGE_KEYS: readonly KeyHelp[] = [
  { keys: "?", does: "this help" },
  { keys: "1 to 9", does: "the first to ninth view" },
  { keys: "/", does: "to the filter" },
  { keys: "o", does: "open files" },
  { keys: "Esc", does: "close what is open" },
];

export const TABLE_KEYS: readonly KeyHelp[] = [
  { keys: "Up, Down, Page Up, Page Down, Home, End", does: "to another row" },
  { keys: "Enter", does: "open the row" },
];

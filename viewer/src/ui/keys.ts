// SPDX-License-Identifier: GPL-2.0-or-later
//
// What keys do. Keys with a modifier are the browser's.

/** Of a list of `total` rows, `page` of which are seen, the row that a key leads to from `at`; undefined: not its key. */
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

/** Whether what is typed there belongs to the element, so that no letter may be taken as a command. */
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

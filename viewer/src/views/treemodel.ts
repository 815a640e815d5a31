// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tree of memory reports as the rows that are seen: which nodes are open is a key of the link, so that a link shows
// what its sender saw.

/** The answer to ask=tree (dmd/text/tree_json.h). */
export interface TreeNode {
  readonly name: string;
  readonly path?: string;
  readonly tiny?: number;
  readonly amount: number;
  readonly units: string;
  readonly value: string;
  readonly share?: string;
  readonly invalid?: boolean;
  readonly hidden?: boolean;
  readonly children?: readonly TreeNode[];
  readonly kind?: string;
  readonly description?: string;
  readonly n?: number;
  readonly whole?: string;
  readonly only?: "new" | "old";
}

export interface TreeAnswer {
  readonly processes: readonly { readonly name: string; readonly notes?: string; readonly trees: readonly TreeNode[] }[];
}

export interface TreeRow {
  /** Names the node among all rows: its place in the tree. */
  readonly id: string;
  readonly node: TreeNode;
  readonly level: number;
  readonly isOpen: boolean;
  /** Its place among its siblings, from 1, and how many these are. */
  readonly place: number;
  readonly siblings: number;
}

/** Open at first: all but what dmdv tree does not show either. */
export function isOpenAtFirst(node: TreeNode): boolean {
  return node.hidden !== true;
}

/** The rows of a process, in the order in which they are drawn. toggled: ids of nodes that are not as they were at first. */
export function rowsOf(trees: readonly TreeNode[], toggled: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (nodes: readonly TreeNode[], level: number, above: string): void => {
    nodes.forEach((node, i) => {
      const id = `${above}${i}`;
      const isOpen = node.children !== undefined && isOpenAtFirst(node) !== toggled.has(id);
      rows.push({ id, node, level, isOpen, place: i + 1, siblings: nodes.length });
      if (isOpen && node.children !== undefined) add(node.children, level + 1, `${id}.`);
    });
  };
  add(trees, 0, "");
  return rows;
}

export function toggle(toggled: ReadonlySet<string>, id: string): Set<string> {
  const now = new Set(toggled);
  if (!now.delete(id)) now.add(id);
  return now;
}

/** As a key of the link: ids with commas between them. */
export function parseToggled(text: string | undefined): Set<string> {
  return new Set((text ?? "").split(",").filter((id) => /^\d+(\.\d+)*$/.test(id)));
}

/**
 * What a key does at a row, as trees do everywhere: another row to go to, or a node to open or close. undefined: not a key
 * of trees.
 */
export function treeKey(key: string, rows: readonly TreeRow[], at: number): { row: number } | { toggle: string } | undefined {
  const row = rows[at];
  if (row === undefined) return undefined;
  const hasChildren = row.node.children !== undefined;
  switch (key) {
    case "ArrowDown":
      return { row: Math.min(at + 1, rows.length - 1) };
    case "ArrowUp":
      return { row: Math.max(at - 1, 0) };
    case "Home":
      return { row: 0 };
    case "End":
      return { row: rows.length - 1 };
    case "ArrowRight":
      if (!hasChildren) return { row: at };
      return row.isOpen ? { row: at + 1 } : { toggle: row.id };
    case "ArrowLeft": {
      if (hasChildren && row.isOpen) return { toggle: row.id };
      let parent = at;
      while (parent > 0 && (rows[parent]?.level ?? 0) >= row.level) parent--;
      return { row: (rows[parent]?.level ?? 0) < row.level ? parent : at };
    }
    case "Enter":
    case " ":
      return hasChildren ? { toggle: row.id } : { row: at };
    default:
      return undefined;
  }
}

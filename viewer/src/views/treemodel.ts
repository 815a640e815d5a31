// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tree of memory reports as the rows that are seen: which nodes are open is a key of the link, so that a link shows
// what its sender saw.

import type { TreeLine } from "../ui/keys.ts";

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

export interface TreeRow extends TreeLine {
  /** Names the node among all rows: its place in the tree. */
  readonly id: string;
  readonly node: TreeNode;
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
      rows.push({ id, node, level, isOpen, hasRows: node.children !== undefined, place: i + 1, siblings: nodes.length });
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

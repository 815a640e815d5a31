// SPDX-License-Identifier: GPL-2.0-or-later
//
// The visible rows of the tree of memory reports. The open nodes are in a key of the link, so that a link shows what
// its sender saw.

import type { TreeRowLine } from "../ui/treerows.tsx";

/** The answer to ask=tree (dmd/show/text/tree_json.h). */
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
  readonly processes: readonly TreeProcess[];
}

export interface TreeProcess {
  readonly name: string;
  readonly notes?: string;
  readonly trees: readonly TreeNode[];
}

/** A node as it is drawn. */
export type Drawn = Pick<TreeNode, "name" | "hidden"> & Partial<TreeNode>;

export interface TreeRow extends TreeRowLine {
  /** Identifies the node among all rows by its place in the tree. */
  readonly id: string;
  readonly node: Drawn;
}

/** The nodes to draw: the trees of a process or, for several processes, one tree each with its name at the top. */
export function nodesOf(processes: readonly TreeProcess[]): readonly Drawn[] {
  const [first] = processes;
  return first !== undefined && processes.length === 1 ? first.trees : processes.map(({ name, trees }) => ({ name, children: trees, hidden: false }));
}

/**
 * The nodes whose path, kind or description contains the text, with everything above and below them; all of them open.
 * An empty text leaves the nodes as they are.
 */
export function filtered(nodes: readonly Drawn[], text: string): readonly Drawn[] {
  const wanted = text.toLowerCase();
  const keep = (node: Drawn): Drawn[] => {
    const has = [node.name, node.path, node.kind, node.description].some((word) => word?.toLowerCase().includes(wanted));
    if (has) return [node];
    const children = node.children?.flatMap((child) => keep(child)) as readonly TreeNode[] | undefined;
    return children === undefined || children.length === 0 ? [] : [{ ...node, children, hidden: false }];
  };
  return wanted === "" ? nodes : nodes.flatMap((node) => keep(node));
}

/** The nodes in the order of their names, on each level. */
export function byName(nodes: readonly Drawn[]): readonly Drawn[] {
  const order = new Intl.Collator("en", { numeric: true });
  return [...nodes].sort((a, b) => order.compare(a.name, b.name))
    .map((node) => (node.children === undefined ? node : { ...node, children: byName(node.children) as readonly TreeNode[] }));
}

/** Initially open: everything that dmdv tree shows, too. */
export function isOpenAtFirst(node: Drawn): boolean {
  return node.hidden !== true;
}

/** The rows in drawing order. toggled: ids of nodes that are not in their initial state. */
export function rowsOf(top: readonly Drawn[], toggled: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (nodes: readonly Drawn[], level: number, above: string, parent: number | undefined): void => {
    nodes.forEach((node, place) => {
      const id = `${above}${place}`;
      const hasRows = node.children !== undefined;
      const isOpen = hasRows && isOpenAtFirst(node) !== toggled.has(id);
      const at = rows.push({ id, node, level, isOpen, hasRows, place, siblings: nodes.length, parent }) - 1;
      if (isOpen && node.children !== undefined) add(node.children, level + 1, `${id}.`, at);
    });
  };
  add(top, 0, "", undefined);
  return rows;
}

export function toggle(toggled: ReadonlySet<string>, id: string): Set<string> {
  const now = new Set(toggled);
  if (!now.delete(id)) now.add(id);
  return now;
}

/** Parses comma-separated ids from a key of the link. */
export function parseToggled(text: string | undefined): Set<string> {
  return new Set((text ?? "").split(",").filter((id) => /^\d+(\.\d+)*$/.test(id)));
}

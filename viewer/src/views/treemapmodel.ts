// SPDX-License-Identifier: GPL-2.0-or-later
//
// The layout of a treemap, computed with d3-hierarchy, without side effects, so that it can be tested.

import { hierarchy, treemap, type HierarchyRectangularNode } from "d3-hierarchy";

/** The answer to ask=treemap (dmd/show/page/ask_treemap.c). In dark-matter mode a node also has the bytes of the three
 * sections. */
export interface MapNode {
  readonly name: string;
  readonly bytes: number;
  readonly blocks: number;
  /** For the whole map. */
  readonly share: string;
  readonly unreported?: number;
  readonly "once-reported"?: number;
  readonly "twice-reported"?: number;
  readonly children?: readonly MapNode[];
}

export interface TreemapAnswer extends MapNode {
  /** What the areas are: the core chooses if the query does not say it. */
  readonly by: string;
  /** By how many bytes the map is larger than the blocks, since a block is in the areas of all its reporters. */
  readonly again: number;
  /** Number of small nodes left out. */
  readonly left: number;
}

export type Area = HierarchyRectangularNode<MapNode>;

export const HEAD = 18; // pixels above a node's children

/** A node's own bytes: without those of its children. */
function own(node: MapNode): number {
  const children = (node.children ?? []).reduce((sum, child) => sum + Math.abs(child.bytes), 0);
  return Math.max(0, Math.abs(node.bytes) - children);
}

/** The node at a path of child indices from the top, or the last one that exists. */
export function nodeAt(top: MapNode, path: readonly number[]): MapNode {
  let node = top;
  for (const place of path) node = node.children?.[place] ?? node;
  return node;
}

/** All areas, parents before their children. */
export function layoutTreemap(top: MapNode, width: number, height: number): Area[] {
  const root = hierarchy<MapNode>(top, (node) => node.children).sum(own);
  return treemap<MapNode>().size([width, height]).paddingTop(HEAD).paddingInner(2).paddingRight(2).paddingBottom(2).paddingLeft(2).round(true)(root).descendants();
}

/** The innermost area at a point. */
export function areaAt(areas: readonly Area[], x: number, y: number): Area | undefined {
  return [...areas].reverse().find((area) => x >= area.x0 && x < area.x1 && y >= area.y0 && y < area.y1);
}

/** The child indices that lead from the top to an area. */
export function pathOf(area: Area): number[] {
  const path: number[] = [];
  for (let at: Area | null = area; at?.parent != null; at = at.parent) path.unshift(at.parent.children?.indexOf(at) ?? 0);
  return path;
}

/** The area that an arrow key moves to: the largest child, the parent, or a sibling. */
export function areaAfter(key: string, area: Area): Area | undefined {
  const siblings = area.parent?.children ?? [area];
  const at = siblings.indexOf(area);
  switch (key) {
    case "ArrowDown":
      return area.children?.[0] ?? area;
    case "ArrowUp":
      return area.parent ?? area;
    case "ArrowLeft":
      return siblings[at - 1] ?? area;
    case "ArrowRight":
      return siblings[at + 1] ?? area;
    default:
      return undefined;
  }
}

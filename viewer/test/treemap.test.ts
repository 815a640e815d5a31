// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { areaAfter, areaAt, layoutTreemap, nodeAt, pathOf, type MapNode } from "../src/views/treemapmodel.ts";

const leaf = (name: string, bytes: number): MapNode => ({ name, bytes, blocks: 1, share: "" });
const TOP: MapNode = { name: "(all)", bytes: 100, blocks: 4, share: "", children: [{ ...leaf("a", 60), children: [leaf("a1", 40), leaf("a2", 20)] }, leaf("b", 40)] };

test("treemap: leaves have areas by their bytes, and lie in their parents", () => {
  const areas = layoutTreemap(TOP, 1000, 800);
  const size = (name: string): number => {
    const area = areas.find(({ data }) => data.name === name);
    assert.ok(area);
    if (area.parent !== null) assert.ok(area.x0 >= area.parent.x0 && area.x1 <= area.parent.x1 && area.y0 >= area.parent.y0 && area.y1 <= area.parent.y1);
    return (area.x1 - area.x0) * (area.y1 - area.y0);
  };
  // Heads and gaps take some of it.
  assert.ok(Math.abs(size("a1") / size("a2") - 2) < 0.2);
  assert.ok(Math.abs(size("a") / size("b") - 1.5) < 0.2);
});

test("treemap: the innermost area is what is pointed at", () => {
  const areas = layoutTreemap(TOP, 1000, 800);
  for (const area of areas.filter(({ children }) => children === undefined))
    assert.equal(areaAt(areas, (area.x0 + area.x1) / 2, (area.y0 + area.y1) / 2), area);
  assert.equal(areaAt(areas, -1, 5), undefined);
});

test("treemap: a path leads back to its node, and a link to what is not there ends above it", () => {
  for (const area of layoutTreemap(TOP, 1000, 800)) assert.equal(nodeAt(TOP, pathOf(area)), area.data);
  assert.equal(nodeAt(TOP, [0, 7]).name, "a");
});

test("treemap: keys lead from area to area", () => {
  const areas = layoutTreemap(TOP, 1000, 800);
  const named = (name: string) => areas.find(({ data }) => data.name === name);
  const a = named("a");
  assert.ok(a);
  assert.equal(areaAfter("ArrowDown", a), named("a1"));
  assert.equal(areaAfter("ArrowUp", a), named("(all)"));
  assert.equal(areaAfter("ArrowRight", a), named("b"));
  assert.equal(areaAfter("ArrowLeft", a), a);
  assert.equal(areaAfter("x", a), undefined);
});

// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { treeKey } from "../src/ui/keys.ts";
import { byName, filtered, nodesOf, parseToggled, rowsOf, toggle, type TreeNode } from "../src/views/treemodel.ts";

function node(name: string, children?: readonly TreeNode[], hidden = false): TreeNode {
  const bare = { name, amount: 1, units: "bytes", value: "1 B" };
  return children === undefined ? bare : { ...bare, children, ...(hidden ? { hidden } : {}) };
}

const TREES = [node("explicit", [node("a", [node("a1"), node("a2")]), node("b", [node("b1")], true), node("c")]), node("single")];
const names = (toggled: ReadonlySet<string>): string => rowsOf(TREES, toggled).map((row) => "  ".repeat(row.level) + row.node.name).join("\n");

test("tree: what dmdv hides is closed at first", () => {
  assert.equal(names(new Set()), "explicit\n  a\n    a1\n    a2\n  b\n  c\nsingle");
});

test("tree: a toggled node is closed, or open with what is in it", () => {
  assert.equal(names(new Set(["0.0", "0.1"])), "explicit\n  a\n  b\n    b1\n  c\nsingle");
  assert.equal(names(new Set(["0"])), "explicit\nsingle");
});

test("tree: places among siblings are for those who hear the page", () => {
  assert.deepEqual(rowsOf(TREES, new Set()).map((row) => [row.level, row.place, row.siblings, row.parent]),
    [[0, 0, 2, undefined], [1, 0, 3, 0], [2, 0, 2, 1], [2, 1, 2, 1], [1, 1, 3, 0], [1, 2, 3, 0], [0, 1, 2, undefined]]);
});

test("tree: toggling twice changes nothing, and strange links are left out", () => {
  assert.deepEqual(toggle(toggle(new Set(["1"]), "0.1"), "0.1"), new Set(["1"]));
  assert.deepEqual(parseToggled("0.1,x,,2.,3"), new Set(["0.1", "3"]));
  assert.deepEqual(parseToggled(undefined), new Set());
});

test("tree: keys do what they do in every tree", () => {
  const rows = rowsOf(TREES, new Set());
  const does = (key: string, at: number): unknown => treeKey(key, rows.length, at, 5, rows[at]);
  assert.equal(does("ArrowRight", 0), 1);
  assert.equal(does("ArrowRight", 4), "toggle");
  assert.equal(does("ArrowRight", 2), 2);
  assert.equal(does("ArrowLeft", 3), 1);
  assert.equal(does("ArrowLeft", 1), "toggle");
  assert.equal(does("ArrowLeft", 6), 6);
  assert.equal(does("End", 0), 6);
  assert.equal(does("ArrowDown", 6), 6);
  assert.equal(does("PageDown", 1), 5);
  assert.equal(does("Enter", 5), 5);
  assert.equal(does(" ", 0), "toggle");
  assert.equal(does("x", 0), undefined);
  assert.equal(treeKey("ArrowDown", 0, 0, 5, undefined), undefined);
});

test("tree: several processes are a tree of each", () => {
  const one = { name: "jar, pid 1", trees: TREES };
  assert.equal(nodesOf([one]), TREES);
  const rows = rowsOf(nodesOf([one, { name: "jar, pid 2", trees: [] }]), new Set(["0.0"]));
  assert.deepEqual(rows.map((row) => [row.id, row.node.name]), [["0", "jar, pid 1"], ["0.0", "explicit"], ["0.1", "single"], ["1", "jar, pid 2"]]);
});

test("tree: a filter keeps what has the text, with what is above and below it", () => {
  const shown = (text: string): string => rowsOf(filtered(TREES, text), new Set()).map((row) => "  ".repeat(row.level) + row.node.name).join("\n");
  assert.equal(shown("A2"), "explicit\n  a\n    a2");
  assert.equal(shown("b1"), "explicit\n  b\n    b1");
  assert.equal(shown("single"), "single");
  assert.equal(shown("nothing"), "");
  assert.equal(filtered(TREES, ""), TREES);
  const said = [{ ...node("x"), description: "All shelves", kind: "heap" }, node("y")];
  assert.deepEqual([filtered(said, "shelves"), filtered(said, "HEAP")].map((nodes) => nodes.map(({ name }) => name)), [["x"], ["x"]]);
});

test("tree: by name, on each level, with numbers in their order", () => {
  const nodes = [node("z", [node("10"), node("9")]), node("a")];
  assert.deepEqual(rowsOf(byName(nodes), new Set()).map((row) => row.node.name), ["a", "z", "9", "10"]);
});

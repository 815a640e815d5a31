// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the reporters measured, as about:memory shows it: a tree for each process.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { query, type KeyChanges, type Keys } from "../state/link.ts";
import { Answered } from "../ui/answered.tsx";
import { useAsk } from "../ui/ask.ts";
import { CopyButtons } from "../ui/copy.tsx";
import { isPlain, treeKey } from "../ui/keys.ts";
import { EmptyPanel } from "../ui/panels.tsx";
import { Toolbar } from "../ui/toolbar.tsx";
import { parseToggled, rowsOf, toggle, type TreeAnswer, type TreeNode, type TreeRow } from "./treemodel.ts";
import type { View, ViewProps } from "./view.ts";

function Tree({ client, keys, set }: ViewProps): JSX.Element {
  const of = { of: keys["of"], old: keys["old"], verbose: keys["verbose"] };
  const asked = useAsk<TreeAnswer>(client, query("tree", of));
  return (
    <Answered asked={asked} what="Adding up memory reports">
      {({ processes }) =>
        processes.every((process) => process.trees.length === 0) ? (
          <EmptyPanel title="No memory reports">
            <p>{keys["old"] === undefined ? "The program published no values, and no reporter has a path." : "Nothing that is reported changed."}</p>
          </EmptyPanel>
        ) : (
          <>
            <Toolbar label="How much is shown">
              <label class="field">
                <input type="checkbox" checked={keys["verbose"] === "1"}
                  onChange={(event) => set({ verbose: event.currentTarget.checked ? "1" : undefined, ...closedAgain(keys) })} />
                exact amounts, and small ones
              </label>
              <CopyButtons client={client} view="tree" keys={of} />
            </Toolbar>
            <div class="page" tabIndex={-1}>
              {processes.map((process, i) => (
                <section key={i}>
                  <h2>{process.name}</h2>
                  {process.notes !== undefined && <p class="notes quiet">{process.notes}</p>}
                  <Trees name={process.name} trees={process.trees} toggled={parseToggled(keys[`toggled${i}`])}
                    onToggle={(toggled) => set({ [`toggled${i}`]: [...toggled].join(",") }, true)} />
                </section>
              ))}
            </div>
          </>
        )
      }
    </Answered>
  );
}

const PAGE = 20; // rows that Page Down goes

/** Ids are places, and other nodes stand there now. */
function closedAgain(keys: Keys): KeyChanges {
  return Object.fromEntries(Object.keys(keys).filter((key) => key.startsWith("toggled")).map((key) => [key, undefined]));
}

interface TreesProps {
  readonly name: string;
  readonly trees: readonly TreeNode[];
  readonly toggled: ReadonlySet<string>;
  readonly onToggle: (toggled: ReadonlySet<string>) => void;
}

export function Trees({ name, trees, toggled, onToggle }: TreesProps): JSX.Element {
  const rows = rowsOf(trees, toggled);
  const [current, setCurrent] = useState("0");
  const at = Math.max(0, rows.findIndex((row) => row.id === current));
  const element = useRef<HTMLDivElement>(null);
  const moved = useRef(false);
  useEffect(() => {
    if (moved.current) element.current?.querySelector('[tabindex="0"]')?.scrollIntoView({ block: "nearest" });
    if (moved.current) element.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
    moved.current = false;
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isPlain(event)) return;
    const does = treeKey(event.key, rows.length, at, PAGE, (row) => rows[row]);
    if (does === undefined) return;
    event.preventDefault();
    moved.current = true;
    const row = rows["row" in does ? does.row : does.toggle];
    if (row === undefined) return;
    if ("row" in does) setCurrent(row.id);
    else onToggle(toggle(toggled, row.id));
  };
  return (
    <div class="tree" role="tree" aria-label={name} ref={element} onKeyDown={onKeyDown}>
      {rows.map((row, i) => (
        <Row key={row.id} row={row} isCurrent={i === at}
          onClick={() => {
            setCurrent(row.id);
            if (row.node.children !== undefined) onToggle(toggle(toggled, row.id));
          }} />
      ))}
    </div>
  );
}

function Row({ row, isCurrent, onClick }: { row: TreeRow; isCurrent: boolean; onClick: () => void }): JSX.Element {
  const { node } = row;
  const isParent = node.children !== undefined;
  return (
    <div class="tree-row" role="treeitem" aria-level={row.level + 1} aria-posinset={row.place} aria-setsize={row.siblings}
      aria-expanded={isParent ? row.isOpen : undefined} tabIndex={isCurrent ? 0 : -1} title={titleOf(node)} onClick={onClick}
      style={{ paddingLeft: `${row.level * 1.4}em` }}>
      <span class="tree-mark" aria-hidden="true">
        {isParent ? (row.isOpen ? "▾" : "▸") : ""}
      </span>
      <span class="tree-value">{node.value}</span>
      <span class="tree-share quiet">{node.share === undefined ? "" : `(${node.share})`}</span>
      <span class="tree-name">{node.name}</span>
      {node.invalid === true && <span class="tree-sign error">[?!]</span>}
      {node.n !== undefined && <span class="tree-sign quiet">[{node.n}]</span>}
      {node.only !== undefined && <span class="tree-sign quiet">[{node.only === "new" ? "+" : "-"}]</span>}
      {node.whole !== undefined && <span class="tree-sign quiet">{node.whole} if shared blocks counted whole</span>}
    </div>
  );
}

function titleOf(node: TreeNode): string {
  return [node.path ?? node.name, node.kind === undefined ? "" : `kind: ${node.kind}`, node.description ?? ""].filter((line) => line !== "").join("\n");
}

export const treeView: View = {
  id: "tree",
  title: "Tree",
  question: "What did the reporters measure?",
  component: Tree,
  keys: [
    { keys: "Up, Down, Home, End", does: "to another node" },
    { keys: "Right, Left", does: "open or close a node, or go into or out of it" },
    { keys: "Enter", does: "open or close a node" },
  ],
};

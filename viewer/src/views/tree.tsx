// SPDX-License-Identifier: GPL-2.0-or-later
//
// The reporters' measurements as in about:memory: a tree for each process.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { query } from "../state/link.ts";
import { Answered } from "../ui/answered.tsx";
import { useAsk } from "../ui/ask.ts";
import { CopyButtons } from "../ui/copy.tsx";
import { EmptyPanel } from "../ui/panels.tsx";
import { useRowList } from "../ui/rowlist.ts";
import { Segments, TextBox, Toolbar } from "../ui/toolbar.tsx";
import { TREE_KEYS, TreeMark, TreeRows } from "../ui/treerows.tsx";
import { byName, filtered, nodesOf, parseToggled, rowsOf, toggle, type Drawn, type TreeAnswer, type TreeProcess, type TreeRow } from "./treemodel.ts";
import { blocksOf, hasReports, type View, type ViewProps } from "./view.ts";

const ORDERS = [{ value: "", title: "by amount" }, { value: "name", title: "by name" }];

function Tree({ client, keys, set }: ViewProps): JSX.Element {
  const of = { ...blocksOf(keys), verbose: keys["verbose"] };
  const asked = useAsk<TreeAnswer>(client, query("tree", of));
  return (
    <Answered asked={asked} what="Adding up memory reports">
      {({ processes }) =>
        processes.every((process) => process.trees.length === 0) ? (
          <EmptyPanel title="No memory reports" does="Which blocks a reporter should measure first, says" command="dmdv print FILE">
            <p>{keys["old"] === undefined ? "The program published no values, and no reporter has a path: it does not measure its own memory." : "Nothing that is reported changed."}</p>
          </EmptyPanel>
        ) : (
          <>
            <Toolbar label="How much is shown">
              <label class="field">
                <input type="checkbox" checked={keys["verbose"] === "1"}
                  onChange={(event) => set({ verbose: event.currentTarget.checked ? "1" : undefined, toggled: undefined })} />
                exact amounts, and small ones
              </label>
              <Segments label="Order" value={keys["order"] ?? ""} choices={ORDERS} onChange={(order) => set({ order, toggled: undefined })} />
              <div class="field filter">
                <TextBox label="Filter" value={keys["q"] ?? ""} placeholder="path, kind or description" onChange={(q) => set({ q, toggled: undefined }, true)} />
              </div>
              <CopyButtons client={client} view="tree" keys={of} />
            </Toolbar>
            <Notes processes={processes} />
            <Trees source={query("tree", of)} processes={processes} q={keys["q"] ?? ""} order={keys["order"] ?? ""} toggled={keys["toggled"] ?? ""} onToggle={(toggled) => set({ toggled: [...toggled].join(",") }, true)} />
          </>
        )
      }
    </Answered>
  );
}

function Notes({ processes }: { processes: readonly TreeProcess[] }): JSX.Element {
  const isAlone = processes.length === 1;
  return (
    <div class="notes" tabIndex={0}>
      {processes.map(({ name, notes }, i) => (
        <>
          {isAlone && <h2>{name}</h2>}
          {notes !== undefined && (
            <p class="quiet" key={i}>
              {isAlone ? notes : `${name}: ${notes}`}
            </p>
          )}
        </>
      ))}
    </div>
  );
}

export interface TreesProps {
  /** The query for the trees. */
  readonly source: string;
  readonly processes: readonly TreeProcess[];
  /** Text that shown nodes have; and "name", or the order of the answer. */
  readonly q?: string;
  readonly order?: string;
  /** A key of the link. */
  readonly toggled: string;
  readonly onToggle: (toggled: ReadonlySet<string>) => void;
}

export function Trees({ source, processes, q = "", order = "", toggled, onToggle }: TreesProps): JSX.Element {
  const rows = useMemo(() => {
    const nodes = filtered(nodesOf(processes), q);
    return rowsOf(order === "name" ? byName(nodes) : nodes, parseToggled(toggled));
  }, [processes, q, order, toggled]);
  const list = useRowList(`${source}&q=${q}&order=${order}`, rows.length, 0);
  const current = rows[list.current];
  return (
    <>
      <p class="quiet tree-said" role="status">{current === undefined ? (q === "" ? "" : "No row has this text.") : titleOf(current.node).replaceAll("\n", " - ")}</p>
      <TreeRows label={processes.length === 1 ? (processes[0]?.name ?? "") : "Processes"} list={list} total={rows.length} lineAt={(row) => rows[row]}
      onToggle={(row) => onToggle(toggle(parseToggled(toggled), rows[row]?.id ?? ""))}
      titleOf={(row) => rows[row] && titleOf(rows[row].node)}
      row={(row) => rows[row] && <Row row={rows[row]} />} />
    </>
  );
}

function Row({ row }: { row: TreeRow }): JSX.Element {
  const { node } = row;
  return (
    <>
      <TreeMark line={row} />
      {node.value !== undefined && <span class="tree-value">{node.value}</span>}
      <span class="tree-share quiet">{node.share === undefined ? "" : `(${node.share})`}</span>
      <span class="tree-name">{node.name}</span>
      {node.invalid === true && <span class="tree-sign error">[?!]</span>}
      {node.n !== undefined && <span class="tree-sign quiet">[{node.n}]</span>}
      {node.only !== undefined && <span class="tree-sign quiet">[{node.only === "new" ? "+" : "-"}]</span>}
      {node.whole !== undefined && <span class="tree-sign quiet">{node.whole} if shared blocks counted whole</span>}
    </>
  );
}

function titleOf(node: Drawn): string {
  return [node.path ?? node.name, node.kind === undefined ? "" : `kind: ${node.kind}`, node.description ?? ""].filter((line) => line !== "").join("\n");
}

export const treeView: View = {
  id: "tree",
  title: "Tree",
  question: "What did the reporters measure?",
  component: Tree,
  showsPeak: "yes",
  applies: hasReports,
  missing: { sentence: "These files have no memory reports, which the reporters of a program write.", command: "dmdv run ./app" },
  keys: TREE_KEYS,
};

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The heap as a graph: census, retained sizes, paths, owners, lost blocks, and single blocks.

import type { JSX } from "preact";
import { number } from "../format.ts";
import { query } from "../state/link.ts";
import { formatOpen, LAZY_KEYS, LazyTree, parseOpen } from "../ui/lazytree.tsx";
import { Segments, Select, TextBox, Toolbar, type Choice } from "../ui/toolbar.tsx";
import { CensusTree } from "./census.tsx";
import type { RetainedRow } from "./graphanswers.ts";
import { Block, Leaks, Owners, Paths } from "./graphparts.tsx";
import { hasGraph, isGraph, NO_GRAPH, type View, type ViewProps } from "./view.ts";

const SHOWN: readonly Choice[] = [
  { value: "", title: "Census", hint: "What the heap is made of" },
  { value: "retained", title: "Retained", hint: "What keeps how much of the heap alive" },
  { value: "paths", title: "Paths", hint: "How variables lead to blocks" },
  { value: "owners", title: "Owners", hint: "Who should have measured what nobody reported" },
  { value: "leaks", title: "Lost", hint: "What no variable leads to" },
  { value: "block", title: "Block", hint: "One block, what points to it, and what it points to" },
];

const BREAKDOWNS: readonly Choice[] = [
  { value: "", title: "type, function" },
  ...["type,stack", "type,state", "state,type", "reporter,type", "function", "file", "library,type", "tag,type", "thread,type", "size", "root,type"].map((by) => ({
    value: by,
    title: by.replaceAll(",", ", "),
  })),
];

const NO_TYPES =
  "No types are known: blocks are named by the functions that allocated them. Types stand in the program’s debug information, " +
  "which a page does not have. Where the program is, dmdv view makes a page with them of this file.";

function Graph(props: ViewProps): JSX.Element {
  const { keys, set } = props;
  const show = keys["show"] ?? "";
  const again = { open: undefined, first: undefined };
  return (
    <>
      <Toolbar label="What is shown">
        <Segments label="Analysis" value={show} choices={SHOWN} onChange={(to) => set({ show: to, ...again })} />
        {show === "" && <Select label="by" value={keys["by"] ?? ""} choices={BREAKDOWNS} onChange={(by) => set({ by, ...again })} />}
        {show === "paths" && (
          <TextBox label="To" value={keys["to"] ?? ""} placeholder="To: a type, an address, unreported" onChange={(to) => set({ to }, true)} />
        )}
        {show === "block" && (
          <TextBox label="Address" value={keys["at"] ?? ""} placeholder="An address, such as 0x4c3a040" onChange={(at) => set({ at, node: undefined }, true)} />
        )}
      </Toolbar>
      {props.files[Number(keys["of"] ?? 0)]?.types === 0 && <p class="quiet">{NO_TYPES}</p>}
      <Shown {...props} />
    </>
  );
}

function Shown(props: ViewProps): JSX.Element {
  switch (props.keys["show"]) {
    case undefined:
      return <CensusTree {...props} label="Census" by={props.keys["by"] ?? "type,function"} />;
    case "retained":
      return <Retained {...props} />;
    case "paths":
      return <Paths {...props} />;
    case "owners":
      return <Owners {...props} />;
    case "leaks":
      return <Leaks {...props} />;
    default:
      return <Block {...props} />;
  }
}

function Retained({ client, keys, set }: ViewProps): JSX.Element {
  const asked = { of: keys["of"], what: keys["what"], filter: keys["filter"] };
  return (
    <LazyTree<RetainedRow> key={query("retained", asked)} label="What keeps the heap alive" client={client} open={parseOpen(keys["open"])}
      onOpen={(open) => set({ open: formatOpen(open) }, true)} onChoose={(row) => row.node !== undefined && set({ show: "block", node: String(row.node), open: undefined })}
      queryOf={(row, first, count) => query("retained", { ...asked, row: row === undefined ? undefined : String(row), first: String(first), count: String(count) })}
      columns={[
        { title: "Retained", width: "9.5em", cell: (row) => number(row.retained) },
        { title: "At least", width: "9.5em", minor: true, cell: (row) => (row.retainedAtLeast === undefined ? "" : number(row.retainedAtLeast)) },
        { title: "Share", width: "5.5em", minor: "slightly", cell: (row) => row.share },
        { title: "Own bytes", width: "9.5em", minor: true, cell: (row) => number(row.bytes) },
        { title: "Blocks", width: "7.5em", minor: true, cell: (row) => number(row.blocks) },
      ]}
      titleOf={(row) => [row.name, row.type ?? "", row.address ?? "", row.evidence === undefined ? "" : `the type rests on: ${row.evidence}`].filter((text) => text !== "").join("\n")}
      name={(row) => (
        <>
          <span class="frame">{row.name}</span>
          {row.type !== undefined && <span class={row.name === "" ? "frame" : "frame quiet"}> {row.type}</span>}
          {row.blocks > 1 && <span class="quiet"> × {number(row.blocks)}</span>}
        </>
      )} />
  );
}

export const graphView: View = {
  id: "graph",
  title: "Graph",
  question: "What is the heap made of, what holds it, and how does one get there?",
  component: Graph,
  showsPeak: "not",
  keys: LAZY_KEYS,
  applies: hasGraph,
  missing: NO_GRAPH,
  shows: isGraph,
};

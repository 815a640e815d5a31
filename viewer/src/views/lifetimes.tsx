// SPDX-License-Identifier: GPL-2.0-or-later
//
// What each stack allocated in the whole run, and how long its blocks lived: a table, whose rows open their stacks.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { FileInfo } from "../core/answers.ts";
import { bytes, count, number, percent } from "../format.ts";
import { query } from "../state/link.ts";
import { Answered } from "../ui/answered.tsx";
import { useAsk } from "../ui/ask.ts";
import { Details, Stack } from "../ui/details.tsx";
import { TABLE_KEYS } from "../ui/keys.ts";
import { Table, type Column } from "../ui/table.tsx";
import { Toolbar } from "../ui/toolbar.tsx";
import type { View, ViewProps } from "./view.ts";

/** Figures of a stack, or of all (dmd/show/page/ask_lifetimes.c). */
export interface Figures {
  readonly bytes: number;
  readonly allocations: number;
  readonly temporary: number;
  readonly short: number;
  /** Blocks that are still there. */
  readonly left: number;
  /** The most bytes that were live at once; of all: the sum of these. */
  readonly most: number;
  /** The mean, in bytes that were allocated meanwhile, or in instructions; 0 if no block was freed. */
  readonly lifetime: number;
}

export interface StackRow extends Figures {
  readonly name: string;
  /** From the function that allocated on. */
  readonly frames: readonly string[];
}

export interface LifetimesAnswer {
  readonly inInstructions?: boolean;
  readonly all: Figures;
  readonly n: number;
  readonly first: number;
  readonly stacks: readonly StackRow[];
}

const WINDOW = 128;

const COLUMNS: readonly Column<StackRow>[] = [
  { id: "bytes", title: "Allocated", width: "9.5em", numeric: true, sort: "bytes", cell: (row) => number(row.bytes) },
  { id: "allocations", title: "Allocations", width: "8em", numeric: true, sort: "allocations", minor: "slightly", cell: (row) => number(row.allocations) },
  { id: "temporary", title: "Temporary", width: "7.5em", numeric: true, sort: "temporary", cell: (row) => number(row.temporary) },
  { id: "short", title: "Short-lived", width: "7.5em", numeric: true, sort: "short", minor: true, cell: (row) => number(row.short) },
  { id: "left", title: "Still there", width: "7.5em", numeric: true, sort: "left", minor: true, cell: (row) => number(row.left) },
  { id: "most", title: "Most at once", width: "8.5em", numeric: true, sort: "most", minor: true, cell: (row) => number(row.most) },
  { id: "lifetime", title: "Mean lifetime", width: "8.5em", numeric: true, sort: "lifetime", minor: "slightly", cell: (row) => (wasFreed(row) ? number(row.lifetime) : "") },
  { id: "name", title: "Allocated at", width: "minmax(10em, 3fr)", cell: (row) => <span class="frame">{nameOf(row)}</span> },
];

function wasFreed(of: Figures): boolean {
  return of.left < of.allocations;
}

function nameOf(row: StackRow): string {
  return row.name === "" ? "(no stack recorded)" : row.name;
}

function hasLifetimes(file: FileInfo): boolean {
  return file.lifetimes === true;
}

function Lifetimes({ client, keys, set }: ViewProps): JSX.Element {
  const sort = keys["sort"] ?? "bytes";
  const rowsFrom = (first: number, n: number): string => query("lifetimes", { of: keys["of"], sort, first: String(first), count: String(n) });
  const asked = useAsk<LifetimesAnswer>(client, rowsFrom(0, WINDOW));
  const [opened, open] = useState<StackRow | undefined>(undefined);
  return (
    <Answered asked={asked} what="Sorting stacks">
      {(answer) => (
        <>
          <Toolbar label="All allocations">
            <span class="quiet" role="status">
              {sentenceOf(answer)}
            </span>
          </Toolbar>
          <div class="split">
            <Table<StackRow> label="Stacks" source={query("lifetimes", { of: keys["of"], sort })} total={answer.n} columns={COLUMNS}
              fetch={async (first, n, signal) => (await client.ask<LifetimesAnswer>(rowsFrom(first, n), signal)).stacks} sorting={{ by: sort, descending: true }}
              onSort={({ by }) => set({ sort: by === "bytes" ? undefined : by })} isOpen={(row) => row === opened} onOpen={open} />
            {opened !== undefined && (
              <Details title={nameOf(opened)} onClose={() => open(undefined)}>
                <p>
                  {factsOf(opened, answer.inInstructions)} {opened.most > 0 && `At most ${bytes(opened.most)} of them were live at once.`}
                </p>
                <Stack title="Allocated at" frames={opened.frames} />
              </Details>
            )}
          </div>
        </>
      )}
    </Answered>
  );
}

export function sentenceOf({ all, n, inInstructions }: LifetimesAnswer): string {
  return `${factsOf(all, inInstructions)} From ${count(n, "stack", "stacks")}.`;
}

/** `1,000 bytes in 3 allocations: 1 (33.33%) temporary, ...` */
function factsOf(of: Figures, inInstructions = false): string {
  const share = (n: number): string => `${number(n)} (${percent(of.allocations === 0 ? 0 : (100 * n) / of.allocations)})`;
  const life = inInstructions ? `a block lived for ${count(of.lifetime, "instruction", "instructions")}` : `${bytes(of.lifetime)} were allocated in the life of a block`;
  const lived = wasFreed(of) ? `; on average ${life}` : "";
  return `${bytes(of.bytes)} in ${count(of.allocations, "allocation", "allocations")}: ${share(of.temporary)} temporary, ${share(of.short)} short-lived, ${share(of.left)} still there${lived}.`;
}

export const lifetimesView: View = {
  id: "lifetimes",
  title: "Allocations",
  question: "What did each stack allocate in the whole run, and how long did its blocks live?",
  component: Lifetimes,
  keys: TABLE_KEYS,
  applies: (files) => files.some(hasLifetimes),
  missing: { sentence: "These files have no lifetimes: what each stack allocated, and when it was freed.", command: "dmdv run --lifetimes=yes ./app" },
  shows: hasLifetimes,
};

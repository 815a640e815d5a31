// SPDX-License-Identifier: GPL-2.0-or-later
//
// Blocks of a heap graph, counted by nested keys, or the difference of two graphs.

import type { JSX } from "preact";
import type { Client } from "../core/client.ts";
import { count, number, signed } from "../format.ts";
import { query, type KeyChanges, type Keys } from "../state/link.ts";
import { Answered } from "../ui/answered.tsx";
import { useAsk } from "../ui/ask.ts";
import { formatOpen, LazyTree, parseOpen } from "../ui/lazytree.tsx";
import type { CensusAnswer, CensusRow } from "./graphanswers.ts";
import type { ViewProps } from "./view.ts";

interface CensusProps extends Pick<ViewProps, "client" | "keys" | "set"> {
  readonly label: string;
  readonly by: string;
}

export function CensusTree({ client, keys, set, label, by }: CensusProps): JSX.Element {
  const asked = censusOf(keys, by);
  return (
    <LazyTree<CensusRow> key={query("census", asked)} label={label} client={client} open={parseOpen(keys["open"])} onOpen={(open) => set({ open: formatOpen(open) }, true)}
      queryOf={(row, first, rows) => query("census", { ...asked, row: row === undefined ? undefined : String(row), first: String(first), count: String(rows) })}
      columns={[
        { title: "Bytes", width: "9.5em", cell: (row) => figure(keys, row.bytes) },
        { title: "Share", width: "5.5em", minor: "slightly", cell: (row) => row.share },
        { title: "Blocks", width: "7.5em", minor: "slightly", cell: (row) => figure(keys, row.blocks) },
        { title: "Slop", width: "8em", minor: true, cell: (row) => figure(keys, row.slop) },
      ]}
      titleOf={titleOf}
      name={(row) => <Name row={row} />} />
  );
}

/** The types that changed most, for an overview. */
export function ChangedTypes({ client, keys, onAll }: { client: Client; keys: Keys; onAll: () => void }): JSX.Element {
  const ROWS = 5;
  const asked = useAsk<CensusAnswer>(client, query("census", { ...censusOf(keys, "type"), count: String(ROWS) }));
  return (
    <section>
      <h3>By type</h3>
      <Answered asked={asked} what="Counting blocks by type">
        {({ rows, n }) => (
          <>
            <ul class="list types">
              {rows.map((row) => (
                <li key={row.id}>
                  <span class="frame">{keyOf(row).frames[0] ?? ""}</span>: {signed(row.bytes)} bytes in {signed(row.blocks)} blocks
                </li>
              ))}
            </ul>
            <p>
              <button type="button" class="link" onClick={onAll}>
                {n > rows.length ? `All ${count(n, "type", "types")}, and what they hang on` : "What they hang on"}
              </button>
            </p>
          </>
        )}
      </Answered>
    </section>
  );
}

function censusOf(keys: Keys, by: string): KeyChanges {
  return { of: keys["of"], old: keys["old"], by };
}

function figure(keys: Keys, n: number): string {
  return keys["old"] === undefined ? number(n) : signed(n);
}

function keyOf(row: CensusRow): { key: string; frames: readonly string[] } {
  const [[key, value] = ["", ""]] = Object.entries(row.key);
  return { key, frames: typeof value === "string" ? [value] : value };
}

function titleOf(row: CensusRow): string {
  const { key, frames } = keyOf(row);
  return [`${key}: ${frames.join("\n")}`, row.evidence === undefined ? "" : `it rests on: ${row.evidence}`].filter((line) => line !== "").join("\n");
}

function Name({ row }: { row: CensusRow }): JSX.Element {
  const { frames } = keyOf(row);
  return (
    <>
      <span class="frame">{frames[0] ?? ""}</span>
      {frames.length > 1 && <span class="frame quiet"> ← {frames.slice(1).join(" ← ")}</span>}
    </>
  );
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Several dumps: a time line for each process, and the changes between two dumps.

import type { JSX } from "preact";
import type { Amount, FileInfo } from "../core/answers.ts";
import { number } from "../format.ts";
import { query } from "../state/link.ts";
import { AnsweredPage } from "../ui/answered.tsx";
import { useAsk } from "../ui/ask.ts";
import { CopyButtons } from "../ui/copy.tsx";
import { LAZY_KEYS } from "../ui/lazytree.tsx";
import { EmptyPanel, ErrorPanel } from "../ui/panels.tsx";
import { BarCell, BarHead, STATES, StateName, type StateBytes } from "../ui/state.tsx";
import { Segments, Toolbar, type Choice } from "../ui/toolbar.tsx";
import { CensusTree } from "./census.tsx";
import { Changed } from "./changed.tsx";
import type { OverviewAnswer } from "./overviewanswers.ts";
import { isGraph, isProfile, type Pair, type View, type ViewProps } from "./view.ts";

/** The answer to ask=series (dmd/show/page/ask_series.c). */
export interface Dump {
  readonly of: number;
  readonly mode: string;
  readonly label?: string;
  readonly n?: number;
  readonly time?: string;
  readonly heap: Amount;
  readonly sections?: Readonly<Record<string, Amount>>;
  readonly resident?: number;
}

export interface SeriesAnswer {
  readonly processes: readonly { readonly name: string; readonly dumps: readonly Dump[] }[];
}

/** The name of a dump: its label, or else its number, or else its time. */
export function nameOf(dump: Dump): string {
  if (dump.label !== undefined && dump.label !== "") return dump.label;
  return dump.n === undefined ? (dump.time ?? `file ${dump.of + 1}`) : `dump ${dump.n}`;
}

/** Its name, with its number if others have the same name. */
export function nameAmong(dump: Dump, dumps: readonly Dump[]): string {
  const name = nameOf(dump);
  return dumps.some((other) => other !== dump && nameOf(other) === name) ? `${name}, ${nameOf({ ...dump, label: "" })}` : name;
}

const SHOWN: readonly Choice[] = [
  { value: "", title: "Places" },
  { value: "types", title: "Types" },
];

function Diff(props: ViewProps): JSX.Element {
  const { files, keys, set } = props;
  const of = files[Number(keys["of"] ?? 0)];
  const old = keys["old"] === undefined ? undefined : files[Number(keys["old"])];
  const haveGraphs = of?.graph !== undefined && old?.graph !== undefined;
  const haveRecords = of !== undefined && isProfile(of) && (old === undefined || isProfile(old));
  const byType = haveGraphs && (keys["show"] === "types" || !haveRecords);
  return (
    <>
      {haveGraphs && (
        <Toolbar label="What is shown">
          {haveRecords && <Segments label="Changes" value={keys["show"] ?? ""} choices={SHOWN} onChange={(show) => set({ show, open: undefined })} />}
          {byType && <span class="quiet">What changed by type, and what the blocks hang on or hung on</span>}
        </Toolbar>
      )}
      {byType ? <CensusTree {...props} label="Changed types" by="type,holder" /> : haveRecords ? <Places {...props} /> : <NothingToCompare old={old} />}
    </>
  );
}

function NothingToCompare({ old }: { old: FileInfo | undefined }): JSX.Element {
  return old === undefined ? (
    <EmptyPanel title="Choose the file to compare with, above.">
      <p>What it has is subtracted from the one that is chosen.</p>
    </EmptyPanel>
  ) : (
    <EmptyPanel title="A profile cannot be compared with a heap graph.">
      <p>Choose two profiles or two heap graphs.</p>
    </EmptyPanel>
  );
}

/** Places of the program that allocate more or less. */
function Places({ client, keys, set, goTo }: ViewProps): JSX.Element {
  const series = useAsk<SeriesAnswer>(client, query("series", { peak: keys["peak"] }));
  const of = keys["of"] ?? "0";
  const { old } = keys;
  const changed = useAsk<OverviewAnswer>(client, old === undefined ? null : query("overview", { of, old, peak: keys["peak"] }));
  const choose = (at: string): void => {
    if (at !== of) set(old === undefined || at === old ? { old: at === old ? undefined : at } : { of: at });
  };
  return (
    <AnsweredPage asked={series} what="Adding up">
      {({ processes }) => (
        <>
          {processes.map((process, i) => (
            <TimeLine key={i} name={process.name} dumps={process.dumps} most={largestOf(processes)} of={of} old={old} onChoose={choose} />
          ))}
          {old === undefined && (
            <EmptyPanel title="Choose the dump to compare with">
              <p>What it has is subtracted from the one that is chosen.</p>
            </EmptyPanel>
          )}
          {changed.failure !== null && <ErrorPanel failure={changed.failure} />}
          {changed.answer?.changed !== undefined && (
            <>
              <Changed changed={changed.answer.changed} />
              <p>
                <button type="button" class="link" onClick={() => goTo("records")}>
                  All records that changed
                </button>{" "}
                <button type="button" class="link" onClick={() => goTo("tree")}>
                  What reporters measured
                </button>{" "}
                <CopyButtons client={client} view="records" keys={{ of, old, peak: keys["peak"] }} />
              </p>
            </>
          )}
        </>
      )}
    </AnsweredPage>
  );
}

/** The heap whose bar fills its cell: one for all processes, so that their bars can be compared. */
export function largestOf(processes: SeriesAnswer["processes"]): number {
  return Math.max(1, ...processes.flatMap(({ dumps }) => dumps.map((dump) => dump.heap.bytes)));
}

interface TimeLineProps {
  readonly name: string;
  readonly dumps: readonly Dump[];
  /** The bytes of a bar that fills its cell. */
  readonly most: number;
  readonly of: string;
  readonly old: string | undefined;
  readonly onChoose: (of: string) => void;
}

/** A bar for each dump, in proportion to its heap, with the numbers beside it. */
export function TimeLine({ name, dumps, most, of, old, onChoose }: TimeLineProps): JSX.Element {
  return (
    <section>
      <h2>{name}</h2>
      <table class="figures series">
        <thead>
          <tr>
            <th scope="col">Dump</th>
            <th scope="col">Bytes</th>
            <th scope="col">Blocks</th>
            {STATES.map((state) => (
              <th scope="col" key={state}>
                <StateName section={state} />
              </th>
            ))}
            <th scope="col">Resident</th>
            <BarHead />
          </tr>
        </thead>
        <tbody>
          {dumps.map((dump) => {
            const at = String(dump.of);
            return (
              <tr key={at} aria-current={at === of ? "true" : undefined}>
                <th scope="row">
                  <button type="button" class="link" aria-pressed={at === of || at === old} onClick={() => onChoose(at)}>
                    {nameAmong(dump, dumps)}
                  </button>
                  {at === of && <span class="quiet"> shown</span>}
                  {at === old && <span class="quiet"> subtracted</span>}
                </th>
                <td>{number(dump.heap.bytes)}</td>
                <td>{number(dump.heap.blocks)}</td>
                {STATES.map((state) => (
                  <td key={state}>{dump.sections === undefined ? "" : number(dump.sections[state]?.bytes ?? 0)}</td>
                ))}
                <td>{dump.resident === undefined ? "" : number(dump.resident)}</td>
                <BarCell label={nameOf(dump)} whole={dump.heap.bytes} most={most} states={statesOf(dump)} />
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function statesOf({ sections }: Dump): StateBytes | undefined {
  return sections === undefined ? undefined : Object.fromEntries(Object.entries(sections).map(([state, amount]) => [state, amount.bytes]));
}

/** The last file is compared with the first one of the same kind. Builds are chosen by their history. */
export function firstAndLast(files: readonly FileInfo[]): Pair | undefined {
  const indices = (kind: (file: FileInfo) => boolean): number[] => files.flatMap((file, i) => (kind(file) ? [i] : []));
  if (files.some((file) => file.kind === "build")) return undefined;
  const [old, of] = [indices(isProfile), indices(isGraph)].map((found) => [found[0], found.at(-1)]).find(([first, last]) => first !== last) ?? [];
  return old === undefined || of === undefined ? undefined : { of, old };
}

export const diffView: View = {
  id: "diff",
  title: "Changes",
  question: "How did the heap change from dump to dump?",
  component: Diff,
  showsPeak: "yes",
  keys: LAZY_KEYS,
  pair: firstAndLast,
  applies: (files) => files.filter(isProfile).length > 1 || files.filter((file) => file.graph !== undefined).length > 1,
  missing: { sentence: "There is only one moment: it takes two dumps of a program to compare.", does: "To compare two", command: "dmdv view OLD NEW" },
};

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The details of one record.

import type { ComponentChildren, JSX } from "preact";
import { blocks, bytes, number } from "../format.ts";
import { query } from "../state/link.ts";
import { useAsk } from "../ui/ask.ts";
import { CopyButtons } from "../ui/copy.tsx";
import { Details, Facts, Stack } from "../ui/details.tsx";
import { ErrorPanel } from "../ui/panels.tsx";
import { StateName } from "../ui/state.tsx";
import { describePicks, picksOf } from "./picks.tsx";
import type { RecordAnswer, SourceLines } from "./recordanswers.ts";
import { blocksOf, type ViewProps } from "./view.ts";

export function RecordDetails({ client, keys, id, onClose }: ViewProps & { id: string; onClose: () => void }): JSX.Element {
  const of = { ...blocksOf(keys), "max-frames": keys["max-frames"], ...picksOf(keys), id };
  const picked = describePicks(keys);
  const { answer, failure, waits } = useAsk<RecordAnswer>(client, query("record", of));
  return (
    <Details title={answer?.name ?? (waits ? "…" : "Record")} onClose={onClose} actions={<CopyButtons client={client} view="record" keys={of} />}>
      {failure !== null && <ErrorPanel failure={failure} />}
      {answer !== null && picked !== "" && <p class="quiet">Of its blocks those of {picked} are counted here.</p>}
      {answer !== null && <RecordBody record={answer} />}
    </Details>
  );
}

export function RecordBody({ record }: { record: RecordAnswer }): JSX.Element {
  return (
    <>
      <Facts facts={factsOf(record)} />
      {record.whose.length > 0 && (
        <section class="whose">
          <h3>Whose is it?</h3>
          {record.whose.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </section>
      )}
      <Stack title="Allocated at" frames={record.allocatedAt ?? null} />
      {record.source !== undefined && record.source.length > 0 && <Source source={record.source} />}
      {record.reportedAt !== undefined && <Stack title={`Reported by ${record.reporter ?? "no reporter"} at`} frames={record.reportedAt} />}
      {record.reportedAgainAt !== undefined && (
        <Stack title={`Reported again by ${record.reporterAgain ?? "no reporter"} at`} frames={record.reportedAgainAt} />
      )}
      {record.stacks.total > 1 && <WholeStacks stacks={record.stacks} />}
    </>
  );
}

/** The size; for samples with standard errors, as in dmdv print. */
function sizeOf({ bytes: n, blocks: num, bytesError, blocksError }: RecordAnswer): string {
  if (bytesError === undefined || blocksError === undefined) return `${bytes(n)} in ${blocks(num)}`;
  return `~${number(n)} ± ${bytes(bytesError)} in ~${number(num)} ± ${blocks(blocksError)}`;
}

function factsOf(record: RecordAnswer): (readonly [string, ComponentChildren])[] {
  const facts: (readonly [string, ComponentChildren])[] = [
    ["State", <StateName section={record.section} />],
    ["Size", sizeOf(record)],
    ["Requested", `${bytes(record.requested)}, and ${number(record.slop)} of slop`],
    ["Share", `${record.share} of the heap, ${record.shareOfSection} of its section`],
  ];
  if (record.rank > 0) facts.push(["Rank", `${number(record.rank)}${record.of === undefined ? "" : ` of ${number(record.of)}`}; ${record.cumulative} with those before it`]);
  if (record.mostReports !== undefined) facts.push(["Reports", `up to ${number(record.mostReports)} of a block`]);
  if (record.sizes !== undefined && record.sizes.length > 0) facts.push(["Sizes", record.sizes.map(([size, n]) => `${number(size)} × ${number(n)}`).join(", ")]);
  if (record.reporter !== undefined) facts.push(["Reporter", record.reporter]);
  if (record.reporterAgain !== undefined) facts.push(["Again by", record.reporterAgain]);
  if (record.tag !== undefined) facts.push(["Tag", record.tag]);
  return facts;
}

function Source({ source }: { source: readonly SourceLines[] }): JSX.Element {
  return (
    <section class="source">
      <h3>Source</h3>
      {source.map((place, i) => (
        <details key={i} open={i === 0}>
          <summary class="frame">{place.frame}</summary>
          <ol class="frame" tabIndex={0}>
            {place.lines.map(({ line, text }) => (
              <li value={line} key={line} aria-current={line === place.line ? "location" : undefined}>
                {text === "" ? " " : text}
              </li>
            ))}
          </ol>
        </details>
      ))}
    </section>
  );
}

function WholeStacks({ stacks }: { stacks: RecordAnswer["stacks"] }): JSX.Element {
  return (
    <section class="whole-stacks">
      <h3>
        {stacks.rows.length < stacks.total ? `The ${number(stacks.rows.length)} largest of ${number(stacks.total)} whole stacks` : `${number(stacks.total)} whole stacks`}
      </h3>
      {stacks.rows.map((row, i) => (
        <details key={i}>
          <summary>
            {bytes(row.bytes)} in {blocks(row.blocks)}
          </summary>
          <Stack title="" frames={row.frames} />
        </details>
      ))}
    </section>
  );
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The heap over time. Selecting an interval shows what grew in it, by stack and tag. The overview has the picture, too,
// if no reporters ran.

import type { JSX } from "preact";
import type { FileInfo } from "../core/answers.ts";
import type { Client } from "../core/client.ts";
import { blocks, bytes, number, signed } from "../format.ts";
import { query, type KeyChanges } from "../state/link.ts";
import { AnsweredPage } from "../ui/answered.tsx";
import { useAsk } from "../ui/ask.ts";
import { EmptyPanel } from "../ui/panels.tsx";
import { Segments, Select, Toolbar, type Choice } from "../ui/toolbar.tsx";
import type { Grown, Mark, Moment, NoTimeline, TimelineAnswer, TimeRow } from "./timelineanswers.ts";
import { AREAS, hasResident, placeKey, whenOf } from "./timelinemodel.ts";
import { TimelinePicture, type Interval } from "./timelinepicture.tsx";
import type { View, ViewProps } from "./view.ts";

type Answer = TimelineAnswer | NoTimeline;

const LINES: readonly Choice[] = [
  { value: "", title: "Heap" },
  { value: "1", title: "Physical memory, too", hint: "A line of the program’s pages in memory, which may be more or less than its heap" },
];

function hasTimeline(file: FileInfo): boolean {
  return file.timeline === true;
}

function isKnown(answer: Answer): answer is TimelineAnswer {
  return answer.points !== undefined;
}

function Timeline({ client, keys, set }: ViewProps): JSX.Element {
  const { of, from, to } = keys;
  const asked = useAsk<Answer>(client, query("timeline", { of, from, to }));
  const { answer } = asked;
  const by = keys["by"] === "tag" ? "tags" : "stacks";
  return (
    <>
      {answer !== null && isKnown(answer) && (
        <Toolbar label="What to compare">
          <Select label="From" value={from ?? "start"} choices={choices(answer)} onChange={(value) => set({ from: value })} />
          <Select label="To" value={to ?? "end"} choices={choices(answer)} onChange={(value) => set({ to: value })} />
          {hasResident(answer) && (
            <Segments label="Lines" value={keys["resident"] ?? ""} choices={LINES} onChange={(value) => set({ resident: value })} />
          )}
          {answer.tags.length > 0 && (
            <Segments label="Areas by" value={by} choices={[{ value: "stacks", title: "Stack" }, { value: "tags", title: "Tag" }]}
              onChange={(value) => set({ by: value === "tags" ? "tag" : undefined })} />
          )}
        </Toolbar>
      )}
      <AnsweredPage asked={asked} what="Reading the timeline">
        {(timeline) => isKnown(timeline) ? <TimelineBody answer={timeline} by={by} withResident={keys["resident"] === "1" && hasResident(timeline)} onSelect={(chosen) => set(keysOf(timeline, chosen), true)} /> : <None />}
      </AnsweredPage>
    </>
  );
}

function None(): JSX.Element {
  return (
    <EmptyPanel title="This file has no timeline." command="dmdv run ./app">
      <p>An older dmd wrote it, or a run with --timeline=no, --peak=no or --mode=cumulative, or it is merged.</p>
    </EmptyPanel>
  );
}

function keysOf(answer: TimelineAnswer, { from, to }: Interval): KeyChanges {
  return { from: placeKey(answer, from), to: placeKey(answer, to) };
}

function nameOf(mark: Mark, i: number): string {
  return `#${i + 1}${mark.dump === undefined ? "" : ` dump ${mark.dump}`}${mark.text === undefined ? "" : ` ${mark.text}`}`;
}

function choices({ marks }: TimelineAnswer): readonly Choice[] {
  return [
    { value: "start", title: "start" },
    ...marks.map((mark, i) => ({ value: `#${i + 1}`, title: nameOf(mark, i) })),
    { value: "peak", title: "peak" },
    { value: "end", title: "end" },
  ];
}

interface BodyProps {
  readonly answer: TimelineAnswer;
  readonly by: "stacks" | "tags";
  readonly withResident?: boolean;
  readonly onSelect: (interval: Interval) => void;
}

export function TimelineBody({ answer, by, withResident = false, onSelect }: BodyProps): JSX.Element {
  const { from, to, change, growth, grown, marks } = answer;
  return (
    <>
      {growth !== undefined && <h2 class="headline">The heap {growth.text}</h2>}
      <TimelinePicture answer={answer} by={by} withResident={withResident} onSelect={onSelect} />
      <Legend answer={answer} by={by} />
      {withResident && <p class="quiet">The dashed line is the program’s physical memory.</p>}
      <section>
        <h2>From {whenOf(from)} to {whenOf(to)}</h2>
        <p role="status">
          {signed(change.bytes)} bytes in {signed(change.blocks)} blocks; {bytes(change.allocated)} were allocated in between
        </p>
        <p class="quiet">To compare other moments, drag in the picture, or choose them above.</p>
        {grown !== undefined && <GrownTables grown={grown} />}
      </section>
      <Moments answer={answer} marks={marks} />
    </>
  );
}

function Legend({ answer, by }: { answer: TimelineAnswer; by: "stacks" | "tags" }): JSX.Element | null {
  const names = by === "stacks" ? answer.stacks.map(({ name }) => name) : answer.tags;
  if (answer.breakdowns.length === 0 || names.length === 0) return null;
  return (
    <ul class="timeline-legend" aria-label="Areas">
      {names.slice(0, AREAS).map((name, i) => (
        <li key={i}>
          <svg width="12" height="12" aria-hidden="true"><rect class={`area-${i}`} width="12" height="12" /></svg> {name}
        </li>
      ))}
      <li>
        <svg width="12" height="12" aria-hidden="true"><rect class="area-others" width="12" height="12" /></svg> others or unknown
      </li>
    </ul>
  );
}

function GrownTables({ grown }: { grown: Grown }): JSX.Element {
  const others = grown.others === 0 ? [] : [{ bytes: grown.others, name: "other stacks" }];
  return (
    <>
      <p class="quiet">
        By stack and tag, from {whenOf(grown.from)} to {whenOf(grown.to)}: the nearest moments at which dmd added them up
      </p>
      {grown.stacks.length > 0 && <GrownTable title="Stack" rows={[...grown.stacks, ...others]} />}
      {grown.tags.length > 0 && <GrownTable title="Tag" rows={grown.tags} />}
    </>
  );
}

function GrownTable({ title, rows }: { title: string; rows: readonly TimeRow[] }): JSX.Element {
  return (
    <table class="figures">
      <thead>
        <tr>
          <th scope="col">{title}</th>
          <th scope="col">Change in bytes</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <tr key={i}>
            <th scope="row">{row.name}</th>
            <td>{signed(row.bytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Moments({ answer, marks }: { answer: TimelineAnswer; marks: readonly Mark[] }): JSX.Element {
  const rows: (readonly [string, Moment])[] = [["peak", answer.peak], ["end", answer.end], ...marks.map((mark, i) => [nameOf(mark, i), mark] as const)];
  return (
    <section>
      <h2>Moments</h2>
      <ul class="list">
        {rows.map(([name, at], i) => (
          <li key={i}>
            {name}: after {whenOf(at)}, {bytes(at.bytes)} in {blocks(at.blocks)}
            {at.resident === undefined ? "" : `; ${number(at.resident)} bytes resident`}
          </li>
        ))}
        {answer.residentPeak !== undefined && <li>physical memory: at most {bytes(answer.residentPeak)}</li>}
      </ul>
    </section>
  );
}

/** For the overview: the picture, which opens the view. */
export function TimelineSummary({ client, of, goTo }: { client: Client; of: KeyChanges; goTo: ViewProps["goTo"] }): JSX.Element | null {
  const { answer } = useAsk<Answer>(client, query("timeline", { of: of["of"] }));
  if (answer === null || !isKnown(answer)) return null;
  return (
    <section>
      <h2>{answer.growth === undefined ? "The heap over time" : `The heap ${answer.growth.text}`}</h2>
      <TimelinePicture answer={answer} by="stacks" onSelect={(chosen) => goTo("timeline", keysOf(answer, chosen))} />
      <Legend answer={answer} by="stacks" />
      <p>
        <button type="button" class="link" onClick={() => goTo("timeline")}>
          What grew between two moments
        </button>
      </p>
    </section>
  );
}

export const timelineView: View = {
  id: "timeline",
  title: "Timeline",
  question: "How did the heap grow and shrink, and what grew?",
  component: Timeline,
  keys: [
    { keys: "Left, Right, Page Up, Page Down, Home, End", does: "move the end of the interval; with Shift its beginning" },
  ],
  showsPeak: "yes",
  applies: (files) => files.some(hasTimeline),
  missing: { sentence: "These files have no timeline, which has the size of the heap over time.", command: "dmdv run ./app" },
  shows: hasTimeline,
};

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The overview: how much of the heap is unreported, faults of reports, the largest records, and who should have
// reported them. Everything links to a view with more details.

import type { ComponentChildren, JSX } from "preact";
import type { FileInfo } from "../core/answers.ts";
import { blocks, bytes, count, number, signed } from "../format.ts";
import { query } from "../state/link.ts";
import { AnsweredPage } from "../ui/answered.tsx";
import { useAsk } from "../ui/ask.ts";
import { CopyButtons } from "../ui/copy.tsx";
import { Facts } from "../ui/details.tsx";
import { fileTitle } from "../ui/filechoice.tsx";
import { EmptyPanel, sentence } from "../ui/panels.tsx";
import { BarCell, BarHead, sectionKey, StateBar, StateName } from "../ui/state.tsx";
import { ChangedTypes } from "./census.tsx";
import { Changed } from "./changed.tsx";
import { answerOf, type ClaimsAnswer, type ClaimsReply } from "./claimsanswers.ts";
import { Findings } from "./findings.tsx";
import type { OverviewAnswer, Sums, WorstRow } from "./overviewanswers.ts";
import { Others } from "./others.tsx";
import { TimelineSummary } from "./timeline.tsx";
import { Twice } from "./twice.tsx";
import { blocksOf, hasProfile, NO_PROFILE, oldAndNew, type View, type ViewProps } from "./view.ts";

type GoTo = ViewProps["goTo"];

function Overview({ client, files, keys, goTo, others }: ViewProps): JSX.Element {
  const of = blocksOf(keys);
  const asked = useAsk<OverviewAnswer>(client, query("overview", of));
  const file = files[Number(keys["of"] ?? 0)];
  const claims = useAsk<ClaimsReply>(client, file?.claims === true && keys["old"] === undefined ? query("claims", { of: keys["of"] }) : null).answer;
  const hasTypes = keys["old"] !== undefined && file?.graph !== undefined && files[Number(keys["old"])]?.graph !== undefined;
  return (
    <AnsweredPage asked={asked} what="Adding up">
      {(answer) => (
        <>
          {keys["old"] === undefined && !isReported(answer) && file?.timeline === true && <TimelineSummary client={client} of={of} goTo={goTo} />}
          <OverviewBody answer={answer} file={file} old={keys["old"] === undefined ? undefined : files[Number(keys["old"])]} goTo={goTo}
            claims={claims === null ? undefined : answerOf(claims)}
            types={hasTypes && <ChangedTypes client={client} keys={keys} onAll={() => goTo("diff", { show: "types" })} />}
            twice={answer.mode === "dark-matter" && <Twice client={client} of={of} goTo={goTo} />} />
          <CopyButtons client={client} view="overview" keys={of} />
          {others.length > 0 && file?.kind !== "build" && <Others others={others} />}
        </>
      )}
    </AnsweredPage>
  );
}

/** Whether reporters ran: then the overview begins with what they did, else with the heap over time. */
export function isReported({ mode, sections }: Pick<OverviewAnswer, "mode" | "sections">): boolean {
  return mode === "dark-matter" && sections.some((row) => row.name !== "unreported" && row.blocks > 0);
}

interface BodyProps {
  readonly answer: OverviewAnswer;
  readonly file: FileInfo | undefined;
  /** The file to subtract. */
  readonly old?: FileInfo | undefined;
  readonly goTo: GoTo;
  /** What functions said about sizes. */
  readonly claims?: ClaimsAnswer | undefined;
  /** Changes by type. */
  readonly types?: ComponentChildren;
  /** Blocks that were reported twice, from another answer. */
  readonly twice?: ComponentChildren;
}

export function OverviewBody({ answer, file, old, goTo, claims, types, twice }: BodyProps): JSX.Element {
  return (
    <>
      <Heap answer={answer} file={file} old={old} goTo={goTo} />
      {isReported(answer) && <Sections answer={answer} old={old} goTo={goTo} />}
      <Findings answer={answer} claims={claims} goTo={goTo} />
      {!isReported(answer) && <Sections answer={answer} old={old} goTo={goTo} />}
      {answer.changed !== undefined && <Changed changed={answer.changed} alone={false}>{types}</Changed>}
      <Faults answer={answer} goTo={goTo} />
      <Worst answer={answer} goTo={goTo} />
      {twice}
      <div class="columns">
        {answer.moment !== "peak" && <SumsTable title="Reporters" by="reporter" sums={answer.reporters} goTo={goTo} />}
        <SumsTable title="Tags" by="tag" sums={answer.tags} goTo={goTo} />
      </div>
    </>
  );
}

function Link({ onClick, children }: { onClick: () => void; children: ComponentChildren }): JSX.Element {
  return (
    <button type="button" class="link" onClick={onClick}>
      {children}
    </button>
  );
}

/** The lines of what the core says of the peak. */
function peakLines({ peak }: OverviewAnswer): readonly string[] {
  return peak === "" ? [] : peak.split("\n");
}

function headline(answer: OverviewAnswer, old: FileInfo | undefined, atPeak: boolean): string {
  const { heap, sampled } = answer;
  if (old !== undefined) return `${sampled ? "About " : ""}${signed(heap.bytes)} bytes in ${signed(heap.blocks)} blocks since ${fileTitle(old)}`;
  const [first] = peakLines(answer);
  if (atPeak && first !== undefined) return first;
  // The peak, which the next line tells, is of requested bytes.
  const rounding = first === undefined || sampled ? "" : ", with the allocator's rounding";
  return `${sampled ? "About " : ""}${bytes(heap.bytes)} in ${blocks(heap.blocks)}${rounding}`;
}

function Heap({ answer, file, old, goTo }: Pick<BodyProps, "answer" | "file" | "old" | "goTo">): JSX.Element {
  const atPeak = answer.moment === "peak";
  return (
    <section>
      <h2 class="headline">{headline(answer, old, atPeak)}</h2>
      {answer.changed !== undefined && <p>{answer.changed.sentence}</p>}
      {old === undefined &&
        peakLines(answer)
          .slice(atPeak ? 1 : 0)
          .map((line) => <p key={line}>{sentence(line)}</p>)}
      {answer.waste !== "" && (
        <p>
          {atPeak ? "At the end: " : ""}
          {answer.waste} <Link onClick={() => goTo("waste")}>What could be saved</Link>
        </p>
      )}
      {answer.sampled && (
        <p>
          Blocks were sampled: all figures of blocks are estimates
          {answer.bytesError !== undefined && answer.blocksError !== undefined
            ? `, here with a standard error of ${bytes(answer.bytesError)} and ${blocks(answer.blocksError)}`
            : ""}
          .
        </p>
      )}
      {old !== undefined && (
        <p>
          The tables below show differences: what {fileTitle(file)} has more than {fileTitle(old)}, or less where there is a minus sign.
        </p>
      )}
      {file !== undefined && <Facts facts={factsOf(file, atPeak ? `${answer.mode}, at the peak` : answer.mode)} />}
    </section>
  );
}

/** The heap by what reporters did with it: as a bar, if they ran, and as a table. */
function Sections({ answer, old, goTo }: Pick<BodyProps, "answer" | "old" | "goTo">): JSX.Element {
  const { sections } = answer;
  const isDark = answer.mode === "dark-matter";
  const atPeak = answer.moment === "peak";
  return (
    <section>
      {isReported(answer) && old === undefined && (
        <StateBar label="The heap" parts={sections.map((row) => ({ section: row.name, value: row.bytes, title: `${row.name} ${bytes(row.bytes)}, ${row.share}` }))} />
      )}
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">{isDark ? "State" : atPeak ? "Moment" : "Mode"}</th>
            <th scope="col">Bytes</th>
            <th scope="col">Share</th>
            <th scope="col">Blocks</th>
            <th scope="col">Records</th>
          </tr>
        </thead>
        <tbody>
          {sections.map((row) => (
            <tr key={row.name}>
              <th scope="row">
                <Link onClick={() => goTo("records", { section: sectionKey(row.name) })}>
                  <StateName section={row.name} />
                </Link>
              </th>
              <td>{number(row.bytes)}</td>
              <td>{row.share}</td>
              <td>{number(row.blocks)}</td>
              <td>{number(row.records)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function factsOf(file: FileInfo, mode: string): (readonly [string, string])[] {
  if (file.kind === "build") return buildFacts(file, mode);
  const facts: (readonly [string, string])[] = [["File", file.name]];
  if (file.process !== undefined) facts.push(["Program", file.pid === undefined ? file.process : `${file.process}, process ${file.pid}`]);
  if (file.label) facts.push(["Label", file.label]);
  if (file.time !== undefined) facts.push(["Time", file.time]);
  facts.push(["Mode", mode]);
  if (file.reduced !== undefined)
    facts.push(["Put together", `${count(file.reduced.records, "stack", "stacks")} of ${bytes(file.reduced.bytes)}, the smallest, as (smaller records): the file was too large`]);
  return facts;
}

/** Facts about a build, of which a history keeps only little. */
function buildFacts(file: FileInfo, mode: string): (readonly [string, string])[] {
  return [
    ["Build", file.name],
    ["Branch", file.branch ?? ""],
    ["Moment", file.moment ?? ""],
    ["Time", file.time ?? ""],
    ["Mode", mode === "dark-matter" ? mode : "others"],
    ["Kept", "what each stack held in the first run, and whether it was reported; by whom, tags, threads and faults are not kept. Lines are those of the build in which the stack’s figures changed last."],
  ];
}

function Faults({ answer, goTo }: { answer: OverviewAnswer; goTo: GoTo }): JSX.Element | null {
  const { total, faults } = answer.faults;
  if (total === 0) return null;
  return (
    <section>
      <h2>{count(total, "fault", "faults")} of the program’s heap and reports</h2>
      <ul class="list">
        {faults.map((fault, i) => (
          <li key={i}>{fault.sentence}</li>
        ))}
      </ul>
      <p>
        <Link onClick={() => goTo("faults")}>{total > faults.length ? `All ${number(total)} faults` : "With their stacks"}</Link>
      </p>
    </section>
  );
}

function Worst({ answer, goTo }: { answer: OverviewAnswer; goTo: GoTo }): JSX.Element | null {
  if (answer.worst.length === 0) return null;
  const isDark = answer.mode === "dark-matter";
  const section = isDark ? "unreported" : undefined;
  return (
    <section>
      <h2>{isDark ? "The largest unreported records" : "The largest records"}</h2>
      {answer.all.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <ol class="worst">
        {answer.worst.map((row) => (
          <Record key={row.id} row={row} onOpen={() => goTo("records", { section, id: String(row.id) })} />
        ))}
      </ol>
      <p>
        <Link onClick={() => goTo("records", { section })}>All records</Link>
      </p>
    </section>
  );
}

function Record({ row, onOpen }: { row: WorstRow; onOpen: () => void }): JSX.Element {
  return (
    <li>
      <p class="worst-size">
        {bytes(row.bytes)} <span class="quiet">({row.share}) in {blocks(row.blocks)}</span>
      </p>
      <p class="frame">
        <Link onClick={onOpen}>{row.name}</Link>
        {row.frames.length > 0 && <span class="quiet"> ← {row.frames.join(" ← ")}</span>}
      </p>
      {row.whose.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </li>
  );
}

function SumsTable({ title, by, sums, goTo }: { title: string; by: string; sums: Sums; goTo: GoTo }): JSX.Element | null {
  const most = Math.max(1, ...sums.rows.map((row) => row.bytes));
  if (sums.rows.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Bytes</th>
            <th scope="col">Share</th>
            <BarHead />
          </tr>
        </thead>
        <tbody>
          {sums.rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">
                <Link onClick={() => goTo("records", { by, [by]: row.name })}>{row.name}</Link>
              </th>
              <td>{number(row.bytes)}</td>
              <td>{row.share}</td>
              <BarCell label={row.name} whole={row.bytes} most={most} states={row.unreported === undefined ? undefined : row} />
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <Link onClick={() => goTo("records", { by })}>{sums.total > sums.rows.length ? `All ${number(sums.total)}` : "As a table"}</Link>
      </p>
    </section>
  );
}

function OverviewOrNone(props: ViewProps): JSX.Element {
  const file = props.files[Number(props.keys["of"] ?? 0)];
  if (file === undefined) return <EmptyPanel title="There is no such file.">
      <p>Choose another one above.</p>
    </EmptyPanel>;
  return <Overview {...props} />;
}

export const overviewView: View = {
  id: "overview",
  title: "Overview",
  question: "How large is the heap, what matters most in it, and what did the reporters miss?",
  component: OverviewOrNone,
  keys: [],
  pair: oldAndNew,
  showsPeak: "yes",
  applies: hasProfile,
  missing: NO_PROFILE,
};

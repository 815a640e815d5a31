// SPDX-License-Identifier: GPL-2.0-or-later
//
// Parts of the view of heap graphs: paths, a block and its neighbours, owners, and lost blocks.

import type { ComponentChildren, JSX } from "preact";
import { blocks, bytes, number } from "../format.ts";
import { query } from "../state/link.ts";
import { AnsweredPage } from "../ui/answered.tsx";
import { useAsk } from "../ui/ask.ts";
import { Facts, Stack } from "../ui/details.tsx";
import { Pager } from "../ui/pager.tsx";
import { EmptyPanel } from "../ui/panels.tsx";
import type { LeaksAnswer, Neighbours, NeighboursAnswer, OwnersAnswer, PathsAnswer, PathStep } from "./graphanswers.ts";
import type { ViewProps } from "./view.ts";

const NEIGHBOURS = 50;

export function Paths({ client, keys }: ViewProps): JSX.Element {
  const asked = useAsk<PathsAnswer>(client, query("paths", { of: keys["of"], to: keys["to"] ?? "unreported" }));
  if (asked.failure !== null && keys["to"] === undefined)
    return <EmptyPanel title="No block is unreported. Say above where paths shall lead." does="To see what holds most" command="dmdv retained FILE" />;
  return (
    <AnsweredPage asked={asked} what="Looking for paths">
      {(answer) => (
        <>
          <p>
            {bytes(answer.bytes)} in {blocks(answer.blocks)}
            {answer.lost.blocks > 0 && `; lost: ${bytes(answer.lost.bytes)} in ${blocks(answer.lost.blocks)}`}
          </p>
          {answer.paths.length === 0 && <EmptyPanel title="No variable leads to such a block." does="To see what no variable leads to" command="dmdv leaks FILE" />}
          {answer.paths.map((path, i) => (
            <section class="path" key={i}>
              <h2>
                {bytes(path.bytes)} in {blocks(path.count)}
              </h2>
              <ol class="steps">
                {path.steps.map((step, j) => (
                  <Step step={step} key={j} />
                ))}
              </ol>
            </section>
          ))}
          {answer.total > answer.paths.length && <p class="quiet">and {number(answer.total - answer.paths.length)} other shapes of paths</p>}
        </>
      )}
    </AnsweredPage>
  );
}

/** A box for a root or a block, preceded by the member that leads there. */
function Step({ step }: { step: PathStep }): JSX.Element {
  if (step.root !== undefined)
    return (
      <li class="step step-root">
        <span class="step-box frame">{step.root}</span>
      </li>
    );
  const way = step.member ?? `+0x${(step.offset ?? 0).toString(16)}`;
  return (
    <li class="step">
      <span class="step-way frame">
        {way} {step.doubtful === true && <span class="quiet">(perhaps)</span>} →
      </span>
      <span class="step-box frame" title={step.evidence === undefined ? undefined : `evidence: ${step.evidence}`}>
        {step.type ?? "?"}
        {step.through !== undefined && <span class="quiet"> then more through {step.through.join(", ")}</span>}
      </span>
    </li>
  );
}

/** A block, chosen in another list or by its address. */
export function Block(props: ViewProps): JSX.Element {
  const { keys, set } = props;
  if (keys["node"] !== undefined || keys["at"] !== undefined) return <Neighbourhood {...props} />;
  return (
    <EmptyPanel title="Which block?" does="To list blocks with their addresses" command="dmdv paths --to=TYPE FILE">
      <p>
        Type its address above, or choose “details” of a row in{" "}
        <button type="button" class="link" onClick={() => set({ show: "retained" })}>
          Retained
        </button>
        .
      </p>
    </EmptyPanel>
  );
}

function Neighbourhood({ client, keys, set }: ViewProps): JSX.Element {
  const first = keys["first"];
  const asked = useAsk<NeighboursAnswer>(client, query("neighbours", { of: keys["of"], node: keys["node"], at: keys["at"], first, count: String(NEIGHBOURS) }));
  const goTo = (node: number): void => set({ node: String(node), at: undefined, first: undefined });
  return (
    <AnsweredPage asked={asked} what="Looking for what points to it">
      {({ node, out, in: into }) => (
        <>
          <section>
            <h1>{node.name}</h1>
            <Facts facts={factsOf(node)} />
          </section>
          <div class="columns">
            <Edges title="What points to it" edges={into} onGo={goTo} />
            <Edges title="What it points to" edges={out} onGo={goTo} />
          </div>
          <Pager total={Math.max(out.total, into.total)} first={Number(first ?? 0)} size={NEIGHBOURS} onChange={(at) => set({ first: at === 0 ? undefined : String(at) })} />
          {node.allocatedAt !== undefined && node.allocatedAt.length > 0 && <Stack title="Allocated at" frames={node.allocatedAt} />}
        </>
      )}
    </AnsweredPage>
  );
}

function factsOf(node: NeighboursAnswer["node"]): (readonly [string, ComponentChildren])[] {
  const facts: (readonly [string, ComponentChildren])[] = [["Size", node.slop === undefined ? bytes(node.bytes) : `${bytes(node.bytes)}, ${number(node.slop)} of which are slop`]];
  const least = node.retainedAtLeast;
  facts.push(["Retained", `${bytes(node.retained)}${least === undefined ? "" : `, at least ${number(least)} without doubtful pointers`}`]);
  for (const key of ["address", "evidence", "state", "reporter", "function", "file", "library", "tag", "thread"] as const) {
    const value = node[key];
    if (value !== undefined && value !== "") facts.push([key === "evidence" ? "Type rests on" : key.replace(/^./, (letter) => letter.toUpperCase()), value]);
  }
  return facts;
}

function Edges({ title, edges, onGo }: { title: string; edges: Neighbours; onGo: (node: number) => void }): JSX.Element {
  return (
    <section>
      <h2>
        {title}: {number(edges.total)}
      </h2>
      <table class="figures" tabIndex={0}>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">through</th>
            <th scope="col">Bytes</th>
          </tr>
        </thead>
        <tbody>
          {edges.rows.map((edge, i) => (
            <tr key={i}>
              <th scope="row">
                <button type="button" class="link" onClick={() => onGo(edge.node)} title={edge.address}>
                  {edge.name}
                </button>
              </th>
              <td class="frame">{edge.way}</td>
              <td>{edge.isRoot ? "" : number(edge.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function Owners({ client, keys }: ViewProps): JSX.Element {
  const asked = useAsk<OwnersAnswer>(client, query("owners", { of: keys["of"] }));
  return (
    <AnsweredPage asked={asked} what="Looking for owners">
      {(answer) => (
        <>
          <p>
            Nobody reports {bytes(answer.unreported.bytes)} in {blocks(answer.unreported.blocks)}.
          </p>
          {answer.rows.map((row) => (
            <section class="owner" key={row.record}>
              <h2>
                {bytes(row.bytes)} in {blocks(row.blocks)}: {row.type ?? "of unknown type"}
              </h2>
              {row.owner?.reporter !== undefined && (
                <p>
                  {bytes(row.owner.bytes)} of it are held by {row.owner.type ?? "blocks"}
                  {row.owner.member === undefined ? "" : `.${row.owner.member}`}, which {row.owner.reporter} reports.
                </p>
              )}
              {row.owner !== undefined && row.owner.reporter === undefined && <p>{unownedOf(row.owner)}</p>}
              {row.proposal !== undefined && (
                <p>
                  Perhaps missing in {row.proposal.function ?? "its reporter"}
                  {row.proposal.file !== undefined && ` (${row.proposal.file}:${row.proposal.at ?? 0})`}: <code class="frame">{row.proposal.line}</code>
                </p>
              )}
              <details>
                <summary>Stacks</summary>
                <div class="columns">
                  <Stack title="Allocated at" frames={row.allocatedAt} />
                  {row.owner?.reportedAt !== undefined && <Stack title="Its owner is reported at" frames={row.owner.reportedAt} />}
                </div>
              </details>
            </section>
          ))}
          {answer.total > answer.rows.length && <p class="quiet">and {number(answer.total - answer.rows.length)} smaller records</p>}
        </>
      )}
    </AnsweredPage>
  );
}

/** Describes blocks that no reported block leads to. */
function unownedOf(owner: NonNullable<OwnersAnswer["rows"][number]["owner"]>): string {
  const much = `${bytes(owner.bytes)} of it`;
  if (owner.owned === "root") return `${much} hang on ${owner.root ?? "a root"}${owner.member === undefined ? "" : `, ${owner.member}`}.`;
  if (owner.owned === "possibly-lost") return `Possibly lost: only pointers into the middle of blocks lead to ${much}, from ${owner.root ?? "a root"}.`;
  return owner.owned === "lost" ? `Lost: no variable leads to ${much}.` : `Several hold ${much}.`;
}

const LOSSES = [
  ["definitely", "definitely lost"],
  ["indirectly", "indirectly lost"],
  ["possibly", "possibly lost"],
  ["reachable", "still reachable"],
] as const;

export function Leaks({ client, keys }: ViewProps): JSX.Element {
  const asked = useAsk<LeaksAnswer>(client, query("leaks", { of: keys["of"] }));
  return (
    <AnsweredPage asked={asked} what="Looking for what no variable leads to">
      {(answer) => (
        <>
          <table class="figures" tabIndex={0}>
            <tbody>
              {LOSSES.map(([key, words]) => (
                <tr key={key}>
                  <th scope="row">{words}</th>
                  <td>{bytes(answer[key].bytes)}</td>
                  <td>{blocks(answer[key].blocks)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {answer.rows.length === 0 && (
            <p>
              Nothing is lost: variables lead to all blocks. To keep it so: <code>dmdv check --max-leaked=0 FILE</code>
            </p>
          )}
          {answer.rows.map((row, i) => (
            <section key={i}>
              <h2>
                {bytes(row.bytes)} in {blocks(row.blocks)} {LOSSES.find(([key]) => key === row.state)?.[1] ?? row.state}: {row.type ?? ""}
              </h2>
              <Stack title="Allocated at" frames={row.allocatedAt} />
            </section>
          ))}
          {answer.total > answer.rows.length && <p class="quiet">and {number(answer.total - answer.rows.length)} smaller ones</p>}
        </>
      )}
    </AnsweredPage>
  );
}

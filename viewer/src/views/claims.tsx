// SPDX-License-Identifier: GPL-2.0-or-later
//
// What functions said about the sizes of objects: a table of the functions, and of the chosen one the wrong calls, each
// kind with what is left out or counted too much, the objects, who asked, and what the objects consist of.

import type { JSX } from "preact";
import type { FileInfo } from "../core/answers.ts";
import { count, number, signed } from "../format.ts";
import { query } from "../state/link.ts";
import { AnsweredPage } from "../ui/answered.tsx";
import { useAsk } from "../ui/ask.ts";
import { Stack } from "../ui/details.tsx";
import { EmptyPanel, ErrorPanel } from "../ui/panels.tsx";
import { answerOf, type ClaimedFunction, type ClaimFinding, type ClaimsAnswer, type ClaimsReply, type Outlier } from "./claimsanswers.ts";
import { hasGraph, isGraph, type View, type ViewProps } from "./view.ts";

function hasClaims(file: FileInfo): boolean {
  return file.claims === true;
}

function Claims({ client, keys, set }: ViewProps): JSX.Element {
  const asked = useAsk<ClaimsReply>(client, query("claims", { of: keys["of"] }));
  return (
    <AnsweredPage asked={asked} what="Comparing sizes">
      {(reply) => <ClaimsOrFailure reply={reply} chosen={keys["function"]} onChoose={(name) => set({ function: name })} />}
    </AnsweredPage>
  );
}

function ClaimsOrFailure({ reply, ...rest }: Omit<BodyProps, "answer"> & { readonly reply: ClaimsReply }): JSX.Element {
  const answer = answerOf(reply);
  if (answer === undefined) return <ErrorPanel failure={{ message: "The claims in this page are damaged", hint: "write it again with dmdv view" }} />;
  return <ClaimsBody answer={answer} {...rest} />;
}

interface BodyProps {
  readonly answer: ClaimsAnswer;
  /** Name of a function; undefined: the first that is wrong. */
  readonly chosen?: string | undefined;
  readonly onChoose: (name: string) => void;
}

export function ClaimsBody({ answer: { functions }, chosen, onChoose }: BodyProps): JSX.Element {
  const shown = functions.find((one) => one.function === chosen) ?? functions.find((one) => one.findings.length > 0) ?? functions[0];
  if (shown === undefined) return <NoClaims />;
  return (
    <>
      <section>
        <h2 class="headline">{headline(functions)}</h2>
        <Functions functions={functions} shown={shown} onChoose={onChoose} />
      </section>
      <FunctionSection of={shown} />
    </>
  );
}

function NoClaims(): JSX.Element {
  return (
    <EmptyPanel title="No function was asked for a size" command="dmdv run --claim-fn=PATTERN ./app">
      <p>
        Functions such as <code>ZSTD_sizeof_DCtx</code> say how much memory an object takes. What they say can be checked, if a run keeps it.
      </p>
      <p>
        <code>dmdv claims --suggest PROGRAM</code> lists functions whose names say that they return a size.
      </p>
    </EmptyPanel>
  );
}

export function headline(functions: readonly ClaimedFunction[]): string {
  const wrong = functions.filter((one) => one.findings.length > 0).length;
  const of = count(functions.length, "function", "functions");
  return wrong === 0 ? `No wrong size from ${of}` : `Wrong sizes from ${number(wrong)} of ${of}`;
}

function wrongFirst(functions: readonly ClaimedFunction[]): ClaimedFunction[] {
  return [...functions.filter((one) => one.findings.length > 0), ...functions.filter((one) => one.findings.length === 0)];
}

/** The largest difference of a function. */
function worst({ findings }: ClaimedFunction): Outlier | undefined {
  const first = findings.flatMap((finding) => finding.outliers.slice(0, 1));
  return first.sort((a, b) => Math.abs(b.claimed - b.true) - Math.abs(a.claimed - a.true))[0];
}

function Functions({ functions, shown, onChoose }: { functions: readonly ClaimedFunction[]; shown: ClaimedFunction; onChoose: BodyProps["onChoose"] }): JSX.Element {
  return (
    <table class="figures claims-functions" tabIndex={0}>
      <thead>
        <tr>
          <th scope="col">Function</th>
          <th scope="col">Calls</th>
          <th scope="col">Wrong</th>
          <th scope="col">Worst: claimed</th>
          <th scope="col">True</th>
          <th scope="col">Difference</th>
          <th scope="col" class="words">
            Returns
          </th>
        </tr>
      </thead>
      <tbody>
        {wrongFirst(functions).map((one) => {
          const outlier = worst(one);
          return (
            <tr key={one.function} aria-current={one === shown}>
              <th scope="row">
                <button type="button" class="link" onClick={() => onChoose(one.function)}>
                  {one.function}
                </button>
              </th>
              <td>{number(one.calls)}</td>
              <td>{number(one.calls - one.right)}</td>
              <td>{outlier === undefined ? "" : number(outlier.claimed)}</td>
              <td>{outlier === undefined ? "" : number(outlier.true)}</td>
              <td>{outlier === undefined ? "" : signed(outlier.claimed - outlier.true)}</td>
              <td class="words">{one.right > 0 ? one.returns : "(no rule explains a call)"}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function FunctionSection({ of }: { of: ClaimedFunction }): JSX.Element {
  return (
    <section class="claims">
      <h2 class="frame">{of.function}</h2>
      {of.sentences.map((sentence) => (
        <p key={sentence}>{capital(sentence)}.</p>
      ))}
      {of.findings.map((finding, i) => (
        <Finding finding={finding} key={`${of.function} ${i}`} />
      ))}
    </section>
  );
}

function Finding({ finding }: { finding: ClaimFinding }): JSX.Element {
  return (
    <section class="claim">
      <h3>
        {count(finding.calls, "call", "calls")}: {finding.difference}
      </h3>
      <ul class="list">
        {finding.defects.map(({ sentence }, i) => (
          <li key={i}>{capital(sentence)}.</li>
        ))}
      </ul>
      <Outliers outliers={finding.outliers} />
      {finding.example.parts.length > 0 && <Parts finding={finding} />}
    </section>
  );
}

/** A line of dmdv as the begin of a sentence. */
function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function Outliers({ outliers }: { outliers: readonly Outlier[] }): JSX.Element {
  const grows = outliers.some(({ elements }) => elements !== undefined);
  const stacks = [...new Map(outliers.map(({ askedAt }) => [askedAt.join("\n"), askedAt])).values()];
  return (
    <>
      <table class="figures outliers" tabIndex={0}>
        <thead>
          <tr>
            <th scope="col">Object</th>
            <th scope="col">Calls</th>
            <th scope="col">Claimed</th>
            <th scope="col">True</th>
            <th scope="col">Difference</th>
            {grows && <th scope="col">Blocks that it grows with</th>}
            {stacks.length > 1 && <th scope="col">Asked by</th>}
          </tr>
        </thead>
        <tbody>
          {outliers.map((one, i) => (
            <tr key={i}>
              <th scope="row" class="frame">{one.address === undefined ? "the set" : `${one.address} ${one.object ?? ""}`}</th>
              <td>{number(one.calls)}</td>
              <td>{number(one.claimed)}</td>
              <td>{number(one.true)}</td>
              <td>{signed(one.claimed - one.true)}</td>
              {grows && <td>{one.elements === undefined ? "" : number(one.elements)}</td>}
              {stacks.length > 1 && <td>stack {number(1 + stacks.findIndex((frames) => frames.join("\n") === one.askedAt.join("\n")))}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      <details>
        <summary>Who asked</summary>
        <div class="columns">
          {stacks.map((frames, i) => (
            <Stack key={i} title={stacks.length > 1 ? `Stack ${number(i + 1)}` : "Asked at"} frames={frames} />
          ))}
        </div>
      </details>
    </>
  );
}

function Parts({ finding }: { finding: ClaimFinding }): JSX.Element {
  return (
    <details>
      <summary>What the first of them consists of</summary>
      <table class="figures" tabIndex={0}>
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col">Blocks</th>
            <th scope="col">Requested</th>
            <th scope="col">Usable</th>
          </tr>
        </thead>
        <tbody>
          {finding.example.parts.map((part, i) => (
            <tr key={i}>
              <th scope="row" class="frame">
                {part.part}
                {part.path !== undefined && <span class="quiet"> {`->${part.path ?? ""}`}</span>}
                {part.shared && <span class="quiet"> (also belongs to others)</span>}
              </th>
              <td>{number(part.blocks)}</td>
              <td>{number(part.requested)}</td>
              <td>{number(part.usable)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

export const claimsView: View = {
  id: "claims",
  title: "Claims",
  question: "Which functions say a wrong size of an object, and what do they leave out or count too much?",
  component: Claims,
  showsPeak: "not",
  keys: [],
  applies: (files) => hasGraph(files) || files.some(hasClaims),
  missing: { sentence: "No function was asked for a size in the run of these files.", command: "dmdv run --claim-fn=PATTERN ./app" },
  shows: (file) => isGraph(file) || hasClaims(file),
};

// SPDX-License-Identifier: GPL-2.0-or-later
//
// What could be saved: findings of waste, each with what to do, its stack, and links to its records and holders.

import type { ComponentChildren, JSX } from "preact";
import { blocks, bytes, count, number } from "../format.ts";
import { query } from "../state/link.ts";
import { AnsweredPage } from "../ui/answered.tsx";
import { useAsk } from "../ui/ask.ts";
import { Stack } from "../ui/details.tsx";
import { Pager } from "../ui/pager.tsx";
import { Select, Toolbar, type Choice } from "../ui/toolbar.tsx";
import { hasGraph, isGraph, isProfile, NO_GRAPH, type View, type ViewProps } from "./view.ts";
import type { WasteAnswer, WasteFinding } from "./wasteanswers.ts";

const PAGE = 50;

const WORDS: Readonly<Record<string, string>> = {
  lost: "no variable leads to the block",
  constant: "all bytes of the block are equal",
  duplicate: "another block has the same type and contents",
  container: "capacity of a container that is not in use",
  untouched: "the end of the block is zero, perhaps never written",
  padding: "holes in a struct that another order of its members avoids",
  small: "small blocks that cost the allocator a third more",
  slop: "the allocator’s rounding",
  pinned: "pages in memory are mostly free, but stay in memory for the block",
};

const NOT_COMPARED = "Constant, duplicate and untouched blocks are found if the program runs with --waste=yes, too.";

function Waste(props: ViewProps): JSX.Element {
  const { client, keys, set } = props;
  const first = keys["first"];
  const asked = useAsk<WasteAnswer>(client, query("waste", { of: keys["of"], kind: keys["kind"], least: keys["least"], first, count: String(PAGE) }));
  return (
    <AnsweredPage asked={asked} what="Looking for what could be saved">
      {(answer) => (
        <WasteBody {...props} answer={answer}
          pager={<Pager total={answer.n} first={Number(first ?? 0)} size={PAGE} onChange={(at) => set({ first: at === 0 ? undefined : String(at) })} />} />
      )}
    </AnsweredPage>
  );
}

type BodyProps = Pick<ViewProps, "files" | "keys" | "set" | "goTo"> & { readonly answer: WasteAnswer; readonly pager?: JSX.Element };

export function WasteBody({ answer, files, keys, set, goTo, pager }: BodyProps): JSX.Element {
  const file = files[Number(keys["of"] ?? 0)];
  return (
    <>
      <Toolbar label="What is shown">
        <Select label="Kind" value={keys["kind"] ?? ""} choices={choicesOf(answer)} onChange={(kind) => set({ kind: kind === "" ? undefined : kind, first: undefined })} />
        {pager}
      </Toolbar>
      <section>
        <h2 class="headline">{headline(answer)}</h2>
        {!answer.comparesContents && <p class="quiet">{NOT_COMPARED}</p>}
        {answer.findings.length > 0 && (
          <ol class="worst" start={answer.first + 1}>
            {answer.findings.map((finding, i) => (
              <Finding key={answer.first + i} finding={finding} hasRecords={file !== undefined && isProfile(file)} goTo={goTo} />
            ))}
          </ol>
        )}
        {answer.findings.length === 0 && (
          <p class="quiet">
            The heap graph shows one moment. To record the heap near its peak: <code>dmdv run --graph=yes --dump-at-peak=yes --dump-at-exit=no ./app</code>
          </p>
        )}
        {answer.smaller > 0 && (
          <p>
            <Link onClick={() => set({ least: "1", first: undefined })}>{count(answer.smaller, "smaller finding", "smaller findings")}</Link>
          </p>
        )}
      </section>
    </>
  );
}

function choicesOf({ kinds }: WasteAnswer): readonly Choice[] {
  const all = { value: "", title: "all kinds, each block once" };
  return [all, ...Object.entries(kinds).map(([kind, counted]) => ({ value: kind, title: `${kind}: ${WORDS[kind] ?? ""}${counted > 0 ? ` (${bytes(counted)})` : ""}` }))];
}

function headline({ total, share, least }: WasteAnswer): string {
  return total.blocks === 0 ? `No finding saves ${bytes(least)} or more` : `${bytes(total.bytes)} in ${blocks(total.blocks)} could be saved, ${share} of the heap`;
}

function Finding({ finding, hasRecords, goTo }: { finding: WasteFinding; hasRecords: boolean; goTo: ViewProps["goTo"] }): JSX.Element {
  const elsewhere = finding.bytes - finding.counted;
  return (
    <li>
      <p class="worst-size">
        {bytes(finding.bytes)}{" "}
        <span class="quiet">
          ({finding.share}) in {blocks(finding.blocks)}: {finding.kind}
        </span>
      </p>
      <p class="frame">{finding.what}</p>
      <p>{finding.advice}</p>
      {elsewhere > 0 && <p class="quiet">{number(elsewhere)} of these bytes count in other findings.</p>}
      <p class="links">
        <Link onClick={() => goTo("graph", { show: "block", at: finding.example, node: undefined })}>A block, and what holds it</Link>
        {hasRecords && finding.function !== "" && <Link onClick={() => goTo("records", { function: finding.function })}>Records of {finding.function}</Link>}
      </p>
      <details>
        <summary>Stack</summary>
        <Stack title="Allocated at" frames={finding.allocatedAt} />
      </details>
    </li>
  );
}

function Link({ onClick, children }: { onClick: () => void; children: ComponentChildren }): JSX.Element {
  return (
    <button type="button" class="link" onClick={onClick}>
      {children}
    </button>
  );
}

export const wasteView: View = {
  id: "waste",
  title: "Waste",
  question: "What could be saved, how much of it, and what is to be done?",
  component: Waste,
  showsPeak: "not",
  keys: [],
  applies: hasGraph,
  missing: NO_GRAPH,
  shows: isGraph,
};

// SPDX-License-Identifier: GPL-2.0-or-later
//
// What matters most: the findings that the screen of dmdv has, each as a card with what to do, the view that shows it and
// the command; wrong sizes that functions returned; and the heap as one bar of the places that allocated most.

import type { JSX } from "preact";
import { blocks, bytes, count } from "../format.ts";
import type { ClaimsAnswer } from "./claimsanswers.ts";
import type { Finding, OverviewAnswer } from "./overviewanswers.ts";
import type { ViewProps } from "./view.ts";

type GoTo = ViewProps["goTo"];

/** As many places or records as the screen of dmdv has at most, and as many findings that say what to do. */
const PLACES = 5;
const LOOKS = 4;

const TITLES: Readonly<Record<string, string>> = {
  place: "Allocated here",
  unreported: "Measured by no reporter",
  twice: "Measured twice",
  growth: "Grows",
  waste: "Could be saved",
  claim: "Says a wrong size",
};

/** The findings to show: places or records first, then what says what to do. */
export function chosen(findings: readonly Finding[]): Finding[] {
  const isPlace = ({ kind }: Finding): boolean => kind === "place" || kind === "unreported" || kind === "twice";
  return [...findings.filter(isPlace).slice(0, PLACES), ...findings.filter((finding) => !isPlace(finding)).slice(0, LOOKS)];
}

/** Where a finding's details are; undefined if no view has them. */
export function viewOf(finding: Finding): readonly [string, Record<string, string>] | undefined {
  switch (finding.kind) {
    case "place":
      return ["records", { by: "line", line: finding.place }];
    case "unreported":
    case "twice":
      return ["records", { section: finding.kind, id: String(finding.record) }];
    case "growth":
      return ["timeline", {}];
    case "waste":
      return ["waste", {}];
    case "claim":
      return ["claims", { function: finding.place }];
    default:
      return undefined;
  }
}

/** The commonest wrong size of each function. */
export function wrongSizes({ functions }: ClaimsAnswer): Finding[] {
  return functions.flatMap(({ function: name, findings: [finding] }) =>
    finding === undefined ? [] : [{ kind: "claim", bytes: finding.bytes, blocks: finding.calls, share: "", place: name, sentence: finding.sentence, showMore: "claims" }],
  );
}

interface FindingsProps {
  readonly answer: Pick<OverviewAnswer, "findings" | "heap">;
  readonly claims?: ClaimsAnswer | undefined;
  readonly goTo: GoTo;
}

export function Findings({ answer, claims, goTo }: FindingsProps): JSX.Element | null {
  const wrong = claims === undefined ? [] : wrongSizes(claims);
  const shown = [...chosen(answer.findings), ...wrong.slice(0, LOOKS)];
  if (shown.length === 0) return null;
  const places = shown.filter(({ kind }) => kind === "place");
  return (
    <section>
      <h2>What matters most</h2>
      {places.length > 0 && <PlacesBar places={places} whole={answer.heap.bytes} />}
      <ol class="cards">
        {shown.map((finding, i) => (
          <Card key={i} finding={finding} area={finding.kind === "place" ? places.indexOf(finding) : undefined} goTo={goTo} />
        ))}
      </ol>
    </section>
  );
}

/** The heap as one bar. Each part has the colour of its card's mark. */
function PlacesBar({ places, whole }: { places: readonly Finding[]; whole: number }): JSX.Element {
  const rest = whole - places.reduce((sum, place) => sum + place.bytes, 0);
  const said = places.map(({ place, share }) => `${place} ${share}`);
  return (
    <div class="state-bar" role="img" aria-label={`The heap: ${[...said, ...(rest > 0 ? [`others ${bytes(rest)}`] : [])].join(", ")}`}>
      {places.map(({ place, bytes: own, share }, i) => (
        <div class={`area-${i}`} key={i} title={`${place} ${share}`} style={{ flexGrow: String(own), flexBasis: "0" }} />
      ))}
      {rest > 0 && <div class="state-other" title={`others ${bytes(rest)}`} style={{ flexGrow: String(rest), flexBasis: "0" }} />}
    </div>
  );
}

/** What the bytes are a part of; those of claims are no part of the heap. */
function partOf({ kind, share, blocks: n }: Finding): string {
  if (kind === "claim") return `wrong in ${count(n, "call", "calls")}`;
  return `(${share})${n > 0 ? ` in ${blocks(n)}` : ""}`;
}

function Card({ finding, area, goTo }: { finding: Finding; area: number | undefined; goTo: GoTo }): JSX.Element {
  const view = viewOf(finding);
  const place = finding.place === "" ? "the whole heap" : finding.place;
  return (
    <li>
      <p class="quiet">
        {area !== undefined && <span class={`swatch area-${area}`} aria-hidden="true" />} {TITLES[finding.kind]}
      </p>
      <p class="worst-size">
        {bytes(finding.bytes)} <span class="quiet">{partOf(finding)}</span>
      </p>
      <p class="frame">
        {view === undefined ? (
          place
        ) : (
          <button type="button" class="link" onClick={() => goTo(view[0], view[1])}>
            {place}
          </button>
        )}
      </p>
      {finding.sentence !== "" && <p class="says">{finding.sentence}</p>}
      <p class="quiet">
        <code>dmdv {finding.showMore}</code>
      </p>
    </li>
  );
}

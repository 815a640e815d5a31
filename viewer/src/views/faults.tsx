// SPDX-License-Identifier: GPL-2.0-or-later
//
// The program's faults with its heap, scopes and reports: one sentence each, with the stacks side by side.

import type { JSX } from "preact";
import { count, number } from "../format.ts";
import { query } from "../state/link.ts";
import { Answered, Page } from "../ui/answered.tsx";
import { useAsk } from "../ui/ask.ts";
import { CopyButtons } from "../ui/copy.tsx";
import { Facts, Stack } from "../ui/details.tsx";
import { Pager } from "../ui/pager.tsx";
import { EmptyPanel } from "../ui/panels.tsx";
import { Toolbar } from "../ui/toolbar.tsx";
import { hasWhole, NO_PROFILE, type View, type ViewProps } from "./view.ts";

const FAULTS = 50;

/** The answer to ask=faults (dmd/show/page/ask_faults.c). A fault's other members are its fields in the profile's format. */
export interface Fault {
  readonly kind: string;
  readonly kindText: string;
  readonly isMisreport: boolean;
  readonly sentence: string;
  readonly num: number;
  readonly text: string;
  readonly [field: string]: unknown;
}

export interface FaultsAnswer {
  readonly total: number;
  readonly misreports: number;
  readonly first: number;
  readonly faults: readonly Fault[];
}

/** The fields with stacks, in reading order, and their titles. */
const STACKS: readonly (readonly [string, string])[] = [
  ["at", "Where it happened"],
  ["begunAt", "Where the scope began"],
  ["allocatedAt", "Where the block was allocated"],
  ["reportedAt", "Where the block was reported"],
  ["freedAt", "Where the block was freed"],
];
/** Fields that the sentence already contains, or that are of no use to people. */
const SAID = ["kind", "kindText", "isMisreport", "sentence", "text", "num"];

export function stacksOf(fault: Fault): { title: string; frames: readonly string[] }[] {
  const known = STACKS.map(([key]) => key);
  const others = Object.keys(fault).filter((key) => !known.includes(key) && isStack(key, fault[key]));
  return [...STACKS, ...others.map((key) => [key, key] as const)]
    .filter(([key]) => isStack(key, fault[key]))
    .map(([key, title]) => ({ title, frames: fault[key] as string[] }));
}

function isStack(key: string, value: unknown): boolean {
  return /(^at|At)$/.test(key) && Array.isArray(value) && value.length > 0;
}

export function fieldsOf(fault: Fault): [string, string][] {
  return Object.entries(fault)
    .filter(([key, value]) => !SAID.includes(key) && (typeof value === "number" || typeof value === "string"))
    .map(([key, value]) => [wordsOf(key), typeof value === "number" ? number(value) : String(value)]);
}

/** `someNames` as `some names`. */
function wordsOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function Faults({ client, keys, set, goTo }: ViewProps): JSX.Element {
  const first = Number(keys["first"] ?? 0);
  const of = { of: keys["of"], old: keys["old"] };
  const asked = useAsk<FaultsAnswer>(client, query("faults", { ...of, first: String(first), count: String(FAULTS) }));
  return (
    <Answered asked={asked} what="Reading faults">
      {(answer) =>
        answer.total === 0 ? (
          <EmptyPanel title="No faults" does="To keep it so" command="dmdv check FILE">
            <p>Nothing was reported that is not a block, every claim adds up, and every scope was closed.</p>
            <p>
              Blocks that were reported twice are{" "}
              <button type="button" class="link" onClick={() => goTo("records", { section: "twice" })}>
                records
              </button>
              .
            </p>
          </EmptyPanel>
        ) : (
          <>
            <Toolbar label="Which faults">
              <span class="quiet" role="status">
                {count(answer.total, "fault", "faults")}, {number(answer.misreports)} of reports
              </span>
              <Pager total={answer.total} first={first} size={FAULTS} onChange={(at) => set({ first: at === 0 ? undefined : String(at) })} />
              <CopyButtons client={client} view="faults" keys={of} />
            </Toolbar>
            <Page name={`faults ${first}`}>
              {answer.faults.map((fault, i) => (
                <FaultSection fault={fault} key={first + i} />
              ))}
            </Page>
          </>
        )
      }
    </Answered>
  );
}

export function FaultSection({ fault }: { fault: Fault }): JSX.Element {
  return (
    <section class="fault">
      <h2>{fault.sentence}</h2>
      <p class="quiet">
        {fault.kindText}, {count(fault.num, "time", "times")}
      </p>
      <Facts facts={fieldsOf(fault)} />
      <div class="columns">
        {stacksOf(fault).map((stack) => (
          <Stack key={stack.title} title={stack.title} frames={stack.frames} />
        ))}
      </div>
    </section>
  );
}

export const faultsView: View = {
  id: "faults",
  title: "Faults",
  question: "What did the program do wrong with its heap and its reports?",
  component: Faults,
  keys: [],
  applies: hasWhole,
  missing: NO_PROFILE,
};

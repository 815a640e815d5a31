// SPDX-License-Identifier: GPL-2.0-or-later
//
// The answer to ask=overview (dmd/show/page/ask_overview.c).

import type { Amount } from "../core/answers.ts";
import type { RecordRow, SumRow } from "./recordanswers.ts";

export interface SectionRow extends Amount {
  readonly name: string;
  readonly records: number;
  readonly share: string;
}

export interface FaultRow {
  readonly kindText: string;
  readonly isMisreport: boolean;
  readonly sentence: string;
}

export interface WorstRow extends RecordRow {
  /** The likely owners of an unreported record, in sentences. */
  readonly whose: readonly string[];
}

export interface Sums {
  readonly total: number;
  readonly rows: readonly Omit<SumRow, "id">[];
}

/** What the screen of dmdv says, in the same words. */
export interface Finding extends Amount {
  /** place, unreported, twice, growth, waste or claim (from another answer). */
  readonly kind: string;
  readonly share: string;
  readonly place: string;
  /** What else is known, such as what to do; "" if nothing is. */
  readonly sentence: string;
  /** The command of dmdv that shows more. */
  readonly showMore: string;
  readonly record?: number | undefined; // of `unreported` and `twice`
}

export interface OverviewAnswer {
  readonly mode: string;
  readonly moment: string;
  /** Lines about the peak, and about the attach of a process that ran already; "" if there are none. */
  readonly peak: string;
  readonly heap: Amount;
  readonly sampled: boolean;
  readonly bytesError?: number; // of `heap`, if it is an estimate
  readonly blocksError?: number;
  readonly sections: readonly SectionRow[];
  readonly faults: { readonly total: number; readonly misreports: number; readonly faults: readonly FaultRow[] };
  readonly worst: readonly WorstRow[];
  /** Sentences about all unreported blocks. */
  readonly all: readonly string[];
  /** What could be saved, in sentences; "" without a heap graph. */
  readonly waste: string;
  readonly reporters: Sums;
  readonly tags: Sums;
  /** Most bytes first; none for a difference. */
  readonly findings: readonly Finding[];
  /** For a difference. */
  readonly changed?: {
    readonly sentence: string;
    readonly total: number;
    readonly places: readonly { readonly what: string; readonly before: Amount; readonly now: Amount; readonly frames: readonly string[] }[];
  };
}

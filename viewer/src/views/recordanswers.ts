// SPDX-License-Identifier: GPL-2.0-or-later
//
// The answers to ask=records and ask=record (dmd/page/ask_records.c, ask_record.c).

import type { Amount } from "../core/answers.ts";

export interface RecordRow {
  readonly id: number;
  /** What people call it: the function that allocated for itself. */
  readonly name: string;
  /** The frames further out, a few. */
  readonly frames: readonly string[];
  readonly bytes: number;
  readonly blocks: number;
  readonly req: number;
  readonly slop: number;
  readonly share: string;
  readonly section: string;
  readonly reporter?: string;
  readonly tag?: string;
  readonly sampled?: boolean;
}

/** With `by`: a sum of records. In dark-matter mode it has the bytes of the three sections, too. */
export interface SumRow {
  readonly id: number;
  readonly name: string;
  readonly bytes: number;
  readonly blocks: number;
  readonly share: string;
  readonly unreported?: number;
  readonly "once-reported"?: number;
  readonly "twice-reported"?: number;
}

export interface RecordsAnswer<Row> {
  readonly mode: string;
  /** Of the sections, without filters. */
  readonly total: number;
  readonly bytes: number;
  readonly blocks: number;
  readonly heap: Amount;
  readonly shown: Amount & { readonly total: number };
  readonly sampled?: boolean;
  readonly first: number;
  readonly rows: readonly Row[];
}

/** The lines of source around a frame's. */
export interface SourceLines {
  readonly frame: string;
  readonly file: string;
  readonly line: number;
  readonly lines: readonly { readonly line: number; readonly text: string }[];
}

export interface RecordAnswer {
  readonly id: number;
  readonly section: string;
  readonly rank: number;
  readonly of?: number;
  readonly name: string;
  readonly frames: readonly string[];
  readonly blocks: number;
  readonly bytes: number;
  /** The standard errors of estimates. */
  readonly bytesError?: number;
  readonly blocksError?: number;
  readonly requested: number;
  readonly slop: number;
  /** Usable size and number of blocks. */
  readonly sizes?: readonly (readonly [number, number])[];
  readonly allocatedAt?: readonly string[] | null;
  readonly tag?: string;
  readonly reporter?: string;
  readonly reportedAt?: readonly string[];
  readonly reporterAgain?: string;
  readonly reportedAgainAt?: readonly string[];
  readonly share: string;
  readonly shareOfSection: string;
  readonly cumulative: string;
  readonly mostReports?: number;
  /** Who should have reported it, in sentences. */
  readonly whose: readonly string[];
  readonly stacks: {
    readonly total: number;
    readonly rows: readonly (Amount & { readonly frames: readonly string[] })[];
  };
  /** Where the page was made with --source. */
  readonly source?: readonly SourceLines[];
  /** As dmdv prints it. */
  readonly text: string;
}

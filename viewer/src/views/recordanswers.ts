// SPDX-License-Identifier: GPL-2.0-or-later
//
// The answers to ask=records and ask=record (dmd/show/page/ask_records.c, ask_record.c).

import type { Amount } from "../core/answers.ts";

export interface RecordRow {
  readonly id: number;
  /** Its name for people: the function that allocated for its own use. */
  readonly name: string;
  /** A few of the frames that called it. */
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

/** With `by`: a sum of records. In dark-matter mode it also has the bytes of the three sections. */
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
  /** Number of records in the sections, without filters. */
  readonly total: number;
  readonly bytes: number;
  readonly blocks: number;
  readonly heap: Amount;
  readonly shown: Amount & { readonly total: number };
  readonly sampled?: boolean;
  /** Whether any record of the sections has one. */
  readonly hasReporters: boolean;
  readonly hasTags: boolean;
  readonly first: number;
  readonly rows: readonly Row[];
}

/** The source lines around a frame's line. */
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
  /** The likely owners of an unreported record, in sentences. */
  readonly whose: readonly string[];
  readonly stacks: {
    readonly total: number;
    readonly rows: readonly (Amount & { readonly frames: readonly string[] })[];
  };
  /** If the page was made with --source. */
  readonly source?: readonly SourceLines[];
  /** The text of dmdv print. */
  readonly text: string;
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The answer to ask=waste (dmd/show/page/ask_waste.c).

import type { Amount } from "../core/answers.ts";

export interface WasteFinding extends Amount {
  readonly kind: string;
  /** The bytes that the total counts. */
  readonly counted: number;
  readonly share: string;
  /** The type of its blocks, and the line that allocated them. */
  readonly what: string;
  readonly function: string;
  readonly type: string;
  readonly evidence: string;
  readonly allocatedAt: readonly string[] | null;
  /** The address of a block. */
  readonly example: string;
  /** What to do, in sentences. */
  readonly advice: string;
}

export interface WasteAnswer {
  readonly total: Amount;
  readonly share: string;
  /** By kind what the total counts of it. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly comparesContents: boolean;
  /** Findings of fewer bytes are left out; so many. */
  readonly least: number;
  readonly smaller: number;
  readonly n: number;
  readonly first: number;
  readonly findings: readonly WasteFinding[];
}

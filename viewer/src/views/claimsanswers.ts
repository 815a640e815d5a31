// SPDX-License-Identifier: GPL-2.0-or-later
//
// The answer to ask=claims (dmd/show/page/ask_claims.c): what dmdv claims --json writes.

export interface Defect {
  readonly kind: string;
  readonly part?: string;
  /** The members that lead to the part. */
  readonly path?: string;
  readonly sentence: string;
}

/** A wrong claim. */
export interface Outlier {
  readonly address?: string; // of an object
  readonly object?: string; // its type
  readonly calls: number;
  readonly claimed: number;
  readonly true: number;
  /** The blocks with whose number the difference grows. */
  readonly elements?: number;
  readonly askedAt: readonly string[];
}

export interface Part {
  readonly part: string;
  readonly path?: string;
  readonly blocks: number;
  readonly requested: number;
  readonly usable: number;
  readonly shared: boolean;
}

export interface ClaimFinding {
  readonly calls: number;
  /** By which all calls together are wrong. */
  readonly bytes: number;
  /** `32 bytes too few` */
  readonly difference: string;
  readonly sentence: string;
  readonly defects: readonly Defect[];
  readonly example: { readonly parts: readonly Part[] };
  /** The largest differences first. */
  readonly outliers: readonly Outlier[];
}

export interface ClaimedFunction {
  readonly function: string;
  readonly calls: number;
  readonly right: number;
  /** The rule that explains most calls; undefined: none was judged. */
  readonly returns?: string;
  /** And how many calls it explains, and which calls were not judged. */
  readonly sentences: readonly string[];
  readonly findings: readonly ClaimFinding[];
}

export interface ClaimsAnswer {
  readonly functions: readonly ClaimedFunction[];
}

/** What the core answers: a text if dmdv found the claims, in all heap graphs of the run. */
export type ClaimsReply = ClaimsAnswer | { readonly known: string };

/** undefined: the text is damaged. */
export function answerOf(reply: ClaimsReply): ClaimsAnswer | undefined {
  if (!("known" in reply)) return reply;
  try {
    return JSON.parse(reply.known) as ClaimsAnswer;
  } catch {
    return undefined;
  }
}

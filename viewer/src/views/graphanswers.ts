// SPDX-License-Identifier: GPL-2.0-or-later
//
// The answers about heap graphs (dmd/show/page/ask_census.c and similar files).

import type { Amount } from "../core/answers.ts";
import type { LazyAnswer, LazyRow } from "../ui/lazyrows.ts";

export interface CensusRow extends LazyRow, Amount {
  /** One key and its value; a stack is a list of frames. */
  readonly key: Readonly<Record<string, string | readonly string[]>>;
  readonly evidence?: string;
  readonly slop: number;
  readonly share: string;
}

export type CensusAnswer = LazyAnswer<CensusRow>;

export interface RetainedRow extends LazyRow, Amount {
  /** How the parent row holds it: a root, a member, an element. */
  readonly held?: string;
  readonly name: string;
  readonly type?: string;
  readonly evidence?: string;
  readonly address?: string;
  readonly node?: number;
  readonly retained: number;
  readonly retainedAtLeast?: number;
  readonly share: string;
  readonly leftOut: number;
}

export interface PathStep {
  readonly root?: string;
  readonly type?: string;
  readonly evidence?: string;
  readonly member?: string;
  readonly offset?: number;
  /** The members that lead from one such block to the next. */
  readonly through?: readonly string[];
  readonly doubtful?: boolean;
}

export interface PathsAnswer extends Amount {
  readonly lost: Amount;
  readonly total: number;
  readonly paths: readonly { readonly count: number; readonly bytes: number; readonly steps: readonly PathStep[] }[];
}

export interface Neighbour {
  readonly node: number;
  readonly name: string;
  readonly isRoot: boolean;
  readonly address?: string;
  readonly bytes: number;
  readonly way: string;
  readonly offset: number;
}

export interface Neighbours {
  readonly total: number;
  readonly first: number;
  readonly rows: readonly Neighbour[];
}

export interface NeighboursAnswer {
  readonly node: {
    readonly node: number;
    readonly name: string;
    readonly isRoot: boolean;
    readonly address?: string;
    readonly bytes: number;
    readonly slop?: number;
    readonly evidence?: string;
    readonly function?: string;
    readonly file?: string;
    readonly library?: string;
    readonly reporter?: string;
    readonly state?: string;
    readonly tag?: string;
    readonly thread?: string;
    readonly allocatedAt?: readonly string[];
    readonly retained: number;
    readonly retainedAtLeast?: number;
  };
  readonly out: Neighbours;
  readonly in: Neighbours;
}

export interface OwnersAnswer {
  readonly unreported: Amount;
  readonly total: number;
  readonly rows: readonly (Amount & {
    readonly record: number;
    readonly type?: string;
    readonly evidence?: string;
    readonly allocatedAt: readonly string[] | null;
    readonly owner?: Amount & { readonly owned: string; readonly root?: string; readonly reporter?: string; readonly reportedAt?: readonly string[]; readonly type?: string; readonly member?: string };
    readonly proposal?: { readonly line: string; readonly function?: string; readonly file?: string; readonly at?: number };
  })[];
}

export interface LeaksAnswer {
  readonly definitely: Amount;
  readonly indirectly: Amount;
  readonly possibly: Amount;
  readonly reachable: Amount;
  readonly total: number;
  readonly rows: readonly (Amount & { readonly state: string; readonly type?: string; readonly evidence?: string; readonly allocatedAt: readonly string[] | null })[];
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The answer to ask=timeline (dmd/show/page/ask_timeline.c).

export interface Moment {
  readonly milliseconds: number;
  readonly bytes: number;
  readonly blocks: number;
  readonly allocated: number;
  readonly resident?: number;
  /** Of the program by then, in all moments or none: they are the axis. */
  readonly instructions?: number;
}

export interface Mark extends Moment {
  readonly text?: string;
  readonly dump?: number;
}

export interface Breakdown extends Moment {
  /** Live bytes of each of the answer's stacks and tags. */
  readonly stacks: readonly number[];
  readonly tags: readonly number[];
}

export interface TimeRow {
  readonly bytes: number;
  readonly name: string;
}

export interface Grown {
  readonly from: Moment;
  readonly to: Moment;
  readonly stacks: readonly TimeRow[];
  readonly others: number;
  readonly tags: readonly TimeRow[];
}

export interface TimelineAnswer {
  readonly start: Moment;
  readonly peak: Moment;
  readonly end: Moment;
  /** The most physical memory up to the end. */
  readonly residentPeak?: number;
  readonly points: readonly Moment[];
  readonly marks: readonly Mark[];
  readonly stacks: readonly { readonly name: string }[];
  readonly tags: readonly string[];
  readonly breakdowns: readonly Breakdown[];
  readonly growth?: { readonly text: string };
  readonly from: Moment;
  readonly to: Moment;
  readonly change: { readonly bytes: number; readonly blocks: number; readonly allocated: number };
  readonly grown?: Grown;
}

/** A file without a timeline. */
export interface NoTimeline {
  readonly points?: undefined;
}

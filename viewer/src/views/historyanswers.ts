// SPDX-License-Identifier: GPL-2.0-or-later
//
// The answers to ask=history, ask=curves and ask=curve (dmd/page/ask_history.c and so on).

/** As dmd/analysis/alarm.h has them. */
export type AlarmState = "new" | "acknowledged" | "fixed" | "improved";

/** Which curves are shown: keys of links and queries. `environment` numbers those of the history. */
export interface Line {
  readonly branch: string;
  readonly moment: string;
  readonly environment: number;
}

/** What a stack held more, or less. */
export interface ChangedRecord {
  readonly delta: number;
  readonly frames: readonly string[];
}

/** The members of `dmdv history check --json`, and the text that it prints. */
export interface Alarm {
  readonly series: string;
  readonly state: AlarmState;
  readonly slow: boolean;
  readonly first_build: string;
  readonly after_build: string;
  readonly delta: number;
  readonly before: number;
  readonly reason?: string;
  readonly records: readonly ChangedRecord[];
  readonly text: string;
}

/** The files of a step's first build and of the one before, where the page has both. */
interface StepFiles {
  readonly of?: number;
  readonly old?: number;
}

interface Headline {
  readonly headline: string;
  /** Which builds it may be, where that is not certain. */
  readonly bracket?: string;
  /** What to try to find out more. */
  readonly next?: string;
}

/** What happened at one build. */
export interface HistoryEvent extends Headline, StepFiles {
  readonly line: Line;
  readonly alarms: readonly Alarm[];
}

export interface HistoryAnswer {
  readonly name: string;
  readonly builds: number;
  /** Each build at each moment and in each environment, and of how many of them there are records. */
  readonly measured: number;
  readonly kept: number;
  readonly curves: number;
  readonly verdict: string;
  readonly new: number;
  readonly branches: readonly string[];
  readonly moments: readonly string[];
  readonly environments: readonly string[];
  readonly line?: Line;
  readonly total: number;
  readonly events: readonly HistoryEvent[];
}

/** Some builds in a row, from the curve's number `first` on, and their least and largest value. */
export type PictureColumn = readonly [first: number, least: number, most: number];

export interface CurveRow {
  readonly series: string;
  readonly unit: string;
  readonly builds: number;
  readonly last: number;
  readonly least: number;
  readonly most: number;
  readonly new: number;
  readonly columns: readonly PictureColumn[];
  readonly steps: readonly { readonly first: number; readonly state: AlarmState }[];
}

export interface CurvesAnswer extends Partial<Line> {
  readonly total: number;
  readonly rows: readonly CurveRow[];
}

export interface CurvePoint {
  readonly build: string;
  readonly time: string;
  readonly value: number;
  readonly runs: number;
  /** Of each run, where there are several. */
  readonly values?: readonly number[];
  /** The file that has the build's records. */
  readonly of?: number;
}

export interface CurveStep extends Alarm, Headline, StepFiles {
  readonly after: number;
  /** Numbers of points. */
  readonly at: { readonly since: number; readonly first: number; readonly earliest: number; readonly latest: number };
}

export interface CurveAnswer extends Line {
  readonly series: string;
  readonly lines: string;
  readonly unit: string;
  readonly least: number;
  readonly most: number;
  readonly points: readonly CurvePoint[];
  readonly steps: readonly CurveStep[];
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The answers to ask=history, ask=curves and ask=curve (dmd/show/page/ask_history.c and so on).

/** As in dmd/analyse/history/changepoints.h. */
export type AlarmState = "new" | "acknowledged" | "fixed" | "improved";

/** The curves to show: keys of links and queries. `environment` is an index into the history's environments. */
export interface Line {
  readonly branch: string;
  readonly moment: string;
  readonly environment: number;
}

/** The change of a stack. */
export interface ChangedRecord {
  readonly delta: number;
  readonly frames: readonly string[];
}

/** The members of an alarm in `dmdv history check --json`, and the text that it prints. */
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

/** The files of a change point's first build and the build before, if the page has both. */
interface StepFiles {
  readonly of?: number;
  readonly old?: number;
}

interface Headline {
  readonly headline: string;
  /** The builds that it may be, if that is not certain. */
  readonly bracket?: string;
  /** What to try next to find out more. */
  readonly next?: string;
}

/** The changes at one build. */
export interface HistoryEvent extends Headline, StepFiles {
  readonly line: Line;
  readonly alarms: readonly Alarm[];
}

export interface HistoryAnswer {
  readonly name: string;
  readonly builds: number;
  /** Counts each build once per moment and environment; `kept` counts those with records. */
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

/** A range of consecutive builds, from number `first` of the curve on, with their least and largest value. */
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
  /** The value of each run, if there are several. */
  readonly values?: readonly number[];
  /** The file that has the build's records. */
  readonly of?: number;
}

export interface CurveStep extends Alarm, Headline, StepFiles {
  readonly after: number;
  /** Indices of points. */
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

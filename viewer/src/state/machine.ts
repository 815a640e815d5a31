// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page's state machine, independent of views, workers and elements. States are named as in Firefox's Memory panel.
//
//   SAVING     the document still arrives, its data among it
//   SAVED      the document is here, with so many characters of data (0: an empty page, which waits for a file)
//   IMPORTING  a file that was dropped, picked, pasted or named in the address is taken in
//   READING    the worker inflates and maps what came
//   READ       there are files to look at, which newer ones at the same addresses may replace
//   ERROR      what went wrong, and what to do about it
//
// A state ignores unexpected events: they came too late, such as progress of something that was cancelled.

import type { FileInfo } from "../core/answers.ts";

export interface Failure {
  readonly message: string;
  readonly hint: string;
}

/** Units done, of a total that is 0 while it is unknown. */
export interface Progress {
  readonly step: string;
  readonly done: number;
  readonly total: number;
}

export type PageState =
  | { readonly name: "SAVING" }
  | { readonly name: "SAVED"; readonly size: number }
  | { readonly name: "IMPORTING"; readonly what: string; readonly before: Files; readonly progress: Progress }
  | { readonly name: "READING"; readonly what: string; readonly before: Files; readonly progress: Progress }
  | { readonly name: "READ"; readonly files: Files }
  | { readonly name: "ERROR"; readonly failure: Failure; readonly before: Files };

type Files = readonly FileInfo[];

export type PageEvent =
  | { readonly type: "complete"; readonly size: number }
  | { readonly type: "read" }
  | { readonly type: "import"; readonly what: string }
  | { readonly type: "imported" }
  | { readonly type: "progress"; readonly progress: Progress }
  | { readonly type: "done"; readonly files: Files }
  | { readonly type: "fail"; readonly failure: Failure }
  | { readonly type: "cancel" }
  | { readonly type: "dismiss" };

const NO_PROGRESS: Progress = { step: "", done: 0, total: 0 };

export const FIRST_STATE: PageState = { name: "SAVING" };

/** The files that can be viewed in this state, including those that were read before. */
export function filesOf(state: PageState): Files {
  switch (state.name) {
    case "READ":
      return state.files;
    case "IMPORTING":
    case "READING":
    case "ERROR":
      return state.before;
    default:
      return [];
  }
}

function settled(files: Files): PageState {
  return files.length > 0 ? { name: "READ", files } : { name: "SAVED", size: 0 };
}

export function nextState(state: PageState, event: PageEvent): PageState {
  if (event.type === "fail") return { name: "ERROR", failure: event.failure, before: filesOf(state) };
  switch (state.name) {
    case "SAVING":
      return event.type === "complete" ? { name: "SAVED", size: event.size } : state;
    case "SAVED":
      if (event.type === "read" && state.size > 0)
        return { name: "READING", what: "", before: [], progress: NO_PROGRESS };
      return event.type === "import" ? imported(event.what, []) : state;
    case "READ":
      if (event.type === "done") return { name: "READ", files: event.files };
      return event.type === "import" ? imported(event.what, state.files) : state;
    case "ERROR":
      if (event.type === "import") return imported(event.what, state.before);
      return event.type === "dismiss" ? settled(state.before) : state;
    case "IMPORTING":
    case "READING":
      return busy(state, event);
  }
}

function imported(what: string, before: Files): PageState {
  return { name: "IMPORTING", what, before, progress: NO_PROGRESS };
}

function busy(state: PageState & { name: "IMPORTING" | "READING" }, event: PageEvent): PageState {
  switch (event.type) {
    case "progress":
      return { ...state, progress: event.progress };
    case "cancel":
      return settled(state.before);
    case "imported":
      return state.name === "IMPORTING" ? { ...state, name: "READING", progress: NO_PROGRESS } : state;
    case "done":
      return state.name === "READING" ? { name: "READ", files: event.files } : state;
    default:
      return state;
  }
}

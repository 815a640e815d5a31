// SPDX-License-Identifier: GPL-2.0-or-later
//
// The messages between the page and its worker. An answer has the number of its request.
//
// The document's data is sent in pieces: `open`, `piece` (each answered by `more`, so that the messages do not queue up
// a second copy of the data), `close`. Answers to queries are the core's JSON text, parsed where they are used.

import type { Failure, Progress } from "../state/machine.ts";

export type Request =
  | { readonly type: "core"; readonly id: number; readonly wasm: string }
  | { readonly type: "open"; readonly id: number; readonly size: number }
  | { readonly type: "piece"; readonly id: number; readonly base64: string }
  | { readonly type: "close"; readonly id: number }
  | { readonly type: "file"; readonly id: number; readonly name: string; readonly blob: Blob }
  | { readonly type: "ask"; readonly id: number; readonly query: string }
  | { readonly type: "cancel"; readonly id: number };

export type Response =
  | { readonly type: "more"; readonly id: number }
  | { readonly type: "progress"; readonly id: number; readonly progress: Progress }
  | { readonly type: "answer"; readonly id: number; readonly json: string }
  | { readonly type: "failed"; readonly id: number; readonly failure: Failure };

/** A failure with a hint for the user. Any other exception is a defect of the page. */
export class PageError extends Error {
  readonly hint: string;

  constructor(message: string, hint = "") {
    super(message);
    this.name = "PageError";
    this.hint = hint;
  }
}

export function failureOf(error: unknown): Failure {
  if (error instanceof PageError) return { message: error.message, hint: error.hint };
  const text = error instanceof Error ? error.message : String(error);
  return { message: `The page failed: ${text}`, hint: "This is a defect of dmd. Please report it with these words." };
}

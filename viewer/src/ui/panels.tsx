// SPDX-License-Identifier: GPL-2.0-or-later
//
// What stands where a view would, or above it: a failure, work that goes on, nothing to show.

import type { ComponentChildren, JSX } from "preact";
import type { Failure, Progress } from "../state/machine.ts";
import { count, number } from "../format.ts";

export function ErrorPanel(props: { failure: Failure; onDismiss?: () => void }): JSX.Element {
  return (
    <div class="panel panel-error" role="alert">
      <p class="panel-title">{props.failure.message}</p>
      {props.failure.hint !== "" && <p>{sentence(props.failure.hint)}</p>}
      {props.onDismiss !== undefined && (
        <button type="button" onClick={props.onDismiss}>
          Close
        </button>
      )}
    </div>
  );
}

/** Hints of the core are parts of sentences. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

/** Without progress: nobody knows how long it takes. */
export function ProgressPanel(props: { title: string; progress?: Progress; onCancel?: () => void }): JSX.Element {
  const { done, total } = props.progress ?? { done: 0, total: 0 };
  return (
    <div class="panel" role="status">
      <p class="panel-title">{props.title}</p>
      {total > 0 ? <progress value={done} max={total} aria-label={props.title} /> : <progress aria-label={props.title} />}
      {total > 0 && (
        <p class="quiet">
          {number(done)} of {number(total)} bytes
        </p>
      )}
      {props.onCancel !== undefined && (
        <button type="button" onClick={props.onCancel}>
          Cancel
        </button>
      )}
    </div>
  );
}

/** On paper, above the rows of a list. */
export function PrintedRows({ rows, total }: { rows: number; total: number }): JSX.Element {
  return (
    <p class="printed-rows">{rows === total ? count(total, "row", "rows") : `The first ${number(rows)} of ${number(total)} rows; the others are in the page that was printed.`}</p>
  );
}

export function EmptyPanel(props: { title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="panel panel-empty">
      <p class="panel-title">{props.title}</p>
      {props.children}
    </div>
  );
}

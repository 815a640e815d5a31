// SPDX-License-Identifier: GPL-2.0-or-later
//
// Panels in place of a view or above it: a failure, progress, or nothing to show.

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

/** Makes a sentence of a hint of the core, which has no capital and full stop. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

/** Without `progress`, the duration is unknown. */
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

/** A note above the rows of a list in print. */
export function PrintedRows({ rows, total }: { rows: number; total: number }): JSX.Element {
  return (
    <p class="printed-rows">{rows === total ? count(total, "row", "rows") : `The first ${number(rows)} of ${number(total)} rows; the others are in the page that was printed.`}</p>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  /** The command that fills the view, and what it does, such as "To record it". */
  readonly command?: string;
  readonly does?: string | undefined;
}

export function EmptyPanel({ title, children, command, does = "To record it" }: EmptyProps): JSX.Element {
  return (
    <div class="panel panel-empty">
      <p class="panel-title">{title}</p>
      {children}
      {command !== undefined && (
        <p>
          {does}: <code>{command}</code>
        </p>
      )}
    </div>
  );
}

/** For views of a heap graph, which no profile has of the peak. */
export function NothingAtTheEnd({ title }: { title: string }): JSX.Element {
  return <EmptyPanel title={title} does="To record the heap near its peak" command="dmdv run --graph=yes --dump-at-peak=yes --dump-at-exit=no ./app" />;
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The state of blocks, told in words and by colour, and shares of it as a bar.

import type { JSX } from "preact";

/** What a state is called, and what answers call it for short. */
const STATES: Readonly<Record<string, string>> = {
  unreported: "unreported",
  "once-reported": "once-reported",
  "twice-reported": "twice-reported",
  once: "once-reported",
  twice: "twice-reported",
};

function stateOf(section: string): string | undefined {
  return Object.hasOwn(STATES, section) ? STATES[section] : undefined;
}

/** The class that has the state's colour; "" for what is no state, as in other modes. */
export function stateClass(section: string): string {
  return `state-${stateOf(section) ?? "other"}`;
}

/** The variable that has the state's colour, for ui/canvas.tsx; undefined for what is no state. */
export function stateVariable(section: string): string | undefined {
  const state = stateOf(section);
  return state === undefined ? undefined : `--${state}`;
}

export function StateName({ section }: { section: string }): JSX.Element {
  return (
    <span class="state-name">
      <span class={`swatch ${stateClass(section)}`} aria-hidden="true" />
      {stateOf(section) ?? section}
    </span>
  );
}

export interface BarPart {
  readonly section: string;
  readonly value: number;
  readonly title: string;
}

/** One bar of parts; how wide is drawn from the values, what is said is in the titles. */
export function StateBar({ label, parts }: { label: string; parts: readonly BarPart[] }): JSX.Element {
  return (
    <div class="state-bar" role="img" aria-label={`${label}: ${parts.map((part) => part.title).join(", ")}`}>
      {parts.map((part) => (
        <div class={stateClass(part.section)} key={part.section} title={part.title} style={{ flexGrow: String(Math.max(0, part.value)), flexBasis: "0" }} />
      ))}
    </div>
  );
}

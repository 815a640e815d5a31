// SPDX-License-Identifier: GPL-2.0-or-later
//
// The state of blocks: what it is called, its colour, and shares of it as a bar.

import type { JSX } from "preact";
import { bytes } from "../format.ts";

/** The states, in the order in which they are shown. */
export const STATES = ["unreported", "once-reported", "twice-reported"] as const;
export type State = (typeof STATES)[number];

/** Bytes of a sum by their state, as the core says them: in dark-matter mode. */
export type StateBytes = Readonly<Partial<Record<State, number>>>;

/** What a key `section` and some answers call them for short. */
const SHORT: Readonly<Record<string, State>> = { once: "once-reported", twice: "twice-reported" };

/** The choices of the key `section`. */
export const SECTIONS = [
  { value: "", title: "All" },
  { value: "unreported", title: "Unreported" },
  { value: "once", title: "Once-reported" },
  { value: "twice", title: "Twice-reported" },
] as const;

function stateOf(section: string): State | undefined {
  return STATES.find((state) => state === section) ?? (Object.hasOwn(SHORT, section) ? SHORT[section] : undefined);
}

/** Bytes that an answer has by state, whatever it calls these for short. */
export function statesOf(bytesBy: Readonly<Record<string, number>>): StateBytes {
  return Object.fromEntries(Object.entries(bytesBy).map(([section, n]) => [stateOf(section) ?? section, n]));
}

/** What a state is called; what is none stays as it is. */
export function stateName(section: string): string {
  return stateOf(section) ?? section;
}

/** The key `section` of a state; undefined for what is no state: all. */
export function sectionKey(state: string): string | undefined {
  return SECTIONS.find(({ value }) => value !== "" && stateOf(value) === state)?.value;
}

/** The class that has the state's colour, or that of what is no state, as in other modes. */
function stateClass(section: string): string {
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
      {stateName(section)}
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

export interface BarCellProps {
  readonly label: string;
  readonly whole: number;
  /** Of a bar that is as long as its cell is wide. */
  readonly most: number;
  /** undefined: there are no states. */
  readonly states: StateBytes | undefined;
}

/** A table's cell with a bar as long as a row's bytes are many. */
export function BarCell({ label, whole, most, states }: BarCellProps): JSX.Element {
  const parts =
    states === undefined
      ? [{ section: "", value: whole, title: bytes(whole) }]
      : STATES.map((section) => ({ section, value: states[section] ?? 0, title: `${section} ${bytes(states[section] ?? 0)}` })).filter((part) => part.value !== 0);
  return (
    <td class="bars">
      <div style={{ width: `${(100 * Math.max(0, whole)) / Math.max(1, most)}%` }}>
        <StateBar label={label} parts={parts} />
      </div>
    </td>
  );
}

export function BarHead(): JSX.Element {
  return (
    <th scope="col" class="bars">
      <span class="off-screen">by state</span>
    </th>
  );
}

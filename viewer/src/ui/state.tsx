// SPDX-License-Identifier: GPL-2.0-or-later
//
// The states of blocks: names, colours, and bars of their shares.

import type { JSX } from "preact";
import { bytes } from "../format.ts";

/** The states, in display order. */
export const STATES = ["unreported", "once-reported", "twice-reported"] as const;
export type State = (typeof STATES)[number];

/** Bytes of a sum by state, as in the core's answers in dark-matter mode. */
export type StateBytes = Readonly<Partial<Record<State, number>>>;

/** Short names in the key `section` and some answers. */
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

/** Bytes by state from an answer with full or short names. */
export function statesOf(bytesBy: Readonly<Record<string, number>>): StateBytes {
  return Object.fromEntries(Object.entries(bytesBy).map(([section, n]) => [stateOf(section) ?? section, n]));
}

/** The full name of a state; other texts are returned unchanged. */
export function stateName(section: string): string {
  return stateOf(section) ?? section;
}

/** The value of the key `section` for a state; undefined (all) for anything else. */
export function sectionKey(state: string): string | undefined {
  return SECTIONS.find(({ value }) => value !== "" && stateOf(value) === state)?.value;
}

/** The class with the state's colour, or with that of bytes without a state, as in other modes. */
function stateClass(section: string): string {
  return `state-${stateOf(section) ?? "other"}`;
}

/** The CSS variable with the state's colour, for ui/canvas.tsx; undefined for anything else. */
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

/** A bar of parts. Widths come from the values, text from the titles. A part without bytes is neither drawn nor said. */
export function StateBar({ label, parts }: { label: string; parts: readonly BarPart[] }): JSX.Element {
  const said = parts.filter((part) => part.value !== 0);
  return (
    <div class="state-bar" role="img" aria-label={`${label}: ${said.map((part) => part.title).join(", ")}`}>
      {said.filter((part) => part.value > 0).map((part) => (
        <div class={stateClass(part.section)} key={part.section} title={part.title} style={{ flexGrow: String(part.value), flexBasis: "0" }} />
      ))}
    </div>
  );
}

export interface BarCellProps {
  readonly label: string;
  readonly whole: number;
  /** The value of a bar that fills its cell. */
  readonly most: number;
  /** undefined: no states. */
  readonly states: StateBytes | undefined;
}

/** A table cell with a bar in proportion to a row's bytes. */
export function BarCell({ label, whole, most, states }: BarCellProps): JSX.Element {
  const parts =
    states === undefined
      ? [{ section: "", value: whole, title: bytes(whole) }]
      : STATES.map((section) => ({ section, value: states[section] ?? 0, title: `${section} ${bytes(states[section] ?? 0)}` }));
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

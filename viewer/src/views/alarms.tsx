// SPDX-License-Identifier: GPL-2.0-or-later
//
// Alarms in sentences, with the stacks that changed most, and their marks in pictures. Each state has a shape and a
// word besides its colour.

import type { JSX } from "preact";
import { bytes, count, signed } from "../format.ts";
import type { KeyChanges } from "../state/link.ts";
import { Stack } from "../ui/details.tsx";
import type { Alarm, AlarmState, ChangedRecord, HistoryEvent, Line } from "./historyanswers.ts";
import type { ViewProps } from "./view.ts";

const SHOWN = 5; // series of an event shown at first

const WORDS: Readonly<Record<AlarmState, string>> = { new: "new", acknowledged: "acknowledged", fixed: "fixed", improved: "improvement" };

/** Shapes around the origin. */
const SHAPES: Readonly<Record<AlarmState, string>> = {
  new: "M0 -7L7 5H-7Z",
  acknowledged: "M0 -7L7 0L0 7L-7 0Z",
  fixed: "M-6 -6H6V6H-6Z",
  improved: "M0 7L7 -5H-7Z",
};

export function AlarmMark({ state, x, y }: { state: AlarmState; x: number; y: number }): JSX.Element {
  return <path class={`alarm-mark alarm-${state}`} d={SHAPES[state]} transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`} />;
}

export function AlarmStateName({ state }: { state: AlarmState }): JSX.Element {
  return (
    <span class="alarm-state">
      <svg class="alarm-symbol" viewBox="-8 -8 16 16" aria-hidden="true">
        <AlarmMark state={state} x={0} y={0} />
      </svg>
      {WORDS[state]}
    </span>
  );
}

/** The most important state of several alarms. */
export function worstState(alarms: readonly { readonly state: AlarmState }[]): AlarmState {
  for (const state of ["new", "acknowledged", "fixed"] as const) if (alarms.some((alarm) => alarm.state === state)) return state;
  return "improved";
}

/** The keys of a link to a curve. */
export function curveKeys(line: Partial<Line>, series: string): KeyChanges {
  return { branch: line.branch, moment: line.moment, environment: line.environment === undefined ? undefined : String(line.environment), series };
}

export function ChangedRecords({ records }: { records: readonly ChangedRecord[] }): JSX.Element | null {
  const [first, ...others] = records;
  if (first === undefined) return null;
  return (
    <>
      <Stack title={`The stack that changed most: ${signed(first.delta)} bytes`} frames={first.frames} />
      {others.length > 0 && (
        <details class="whole-stacks">
          <summary>Further stacks: {others.map((record) => signed(record.delta)).join(", ")} bytes</summary>
          {others.map((record, i) => (
            <Stack key={i} title={`${record.delta > 0 ? "+" : ""}${bytes(record.delta)}`} frames={record.frames} />
          ))}
        </details>
      )}
    </>
  );
}

function SeriesOf({ event, alarms, goTo }: { event: HistoryEvent; alarms: readonly Alarm[]; goTo: ViewProps["goTo"] }): JSX.Element {
  return (
    <ul class="list event-series">
      {alarms.map((alarm) => (
        <li key={alarm.series}>
          <button type="button" class="link" onClick={() => goTo("curve", { ...curveKeys(event.line, alarm.series), build: alarm.first_build })}>
            {alarm.text}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The event at one build. Its series link to their curves. */
export function EventCard({ event, goTo }: { event: HistoryEvent; goTo: ViewProps["goTo"] }): JSX.Element {
  const [first] = event.alarms;
  return (
    <article class="event">
      <h3>
        <AlarmStateName state={worstState(event.alarms)} /> {event.headline}
      </h3>
      {event.bracket !== undefined && <p>{event.bracket}</p>}
      {event.next !== undefined && <p>{event.next}</p>}
      <SeriesOf event={event} alarms={event.alarms.slice(0, SHOWN)} goTo={goTo} />
      {event.alarms.length > SHOWN && (
        <details class="whole-stacks">
          <summary>{count(event.alarms.length - SHOWN, "further series", "further series")}</summary>
          <SeriesOf event={event} alarms={event.alarms.slice(SHOWN)} goTo={goTo} />
        </details>
      )}
      <ChangedRecords records={first?.records ?? []} />
      {event.of !== undefined && (
        <p>
          <button type="button" class="link" onClick={() => goTo("overview", { of: String(event.of), old: String(event.old) })}>
            All that changed with this build
          </button>
        </p>
      )}
    </article>
  );
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// A history at a glance: its alarms with the responsible stacks, and each series as a small picture.

import type { JSX } from "preact";
import { count, number } from "../format.ts";
import { query } from "../state/link.ts";
import { AnsweredPage } from "../ui/answered.tsx";
import { useAsk } from "../ui/ask.ts";
import { ErrorPanel } from "../ui/panels.tsx";
import { TextBox, Toolbar } from "../ui/toolbar.tsx";
import { AlarmMark, AlarmStateName, curveKeys, EventCard, worstState } from "./alarms.tsx";
import { lineThrough, scaleOf, type Area } from "./curvemodel.ts";
import type { CurveRow, CurvesAnswer, HistoryAnswer } from "./historyanswers.ts";
import { LineChoice, lineOf } from "./linechoice.tsx";
import { hasHistory, NO_HISTORY, type View, type ViewProps } from "./view.ts";

const EVENTS = 10;
const CURVES = 60;

function History(props: ViewProps): JSX.Element {
  const { client, keys } = props;
  const asked = useAsk<HistoryAnswer>(client, query("history", { ...lineOf(keys), count: keys["events"] ?? String(EVENTS) }));
  return (
    <AnsweredPage asked={asked} what="Reading the history">
      {(history) => (
        <>
          <Events {...props} history={history} />
          <Curves {...props} history={history} />
        </>
      )}
    </AnsweredPage>
  );
}

/** At how many moments and in how many environments, if there are several. */
function variety({ moments, environments }: HistoryAnswer): string {
  const parts = [moments.length > 1 ? `at ${number(moments.length)} moments` : "", environments.length > 1 ? `in ${number(environments.length)} environments` : ""];
  return parts.filter((part) => part !== "").map((part, i) => `${i === 0 ? " " : " and "}${part}`).join("");
}

export function Events({ history, set, goTo }: { history: HistoryAnswer } & Pick<ViewProps, "set" | "goTo">): JSX.Element {
  return (
    <section class="wide">
      <h2 class="headline">{history.verdict}</h2>
      <p class="quiet">
        {count(history.builds, "build", "builds")}, measured {count(history.measured, "time", "times")}{variety(history)}. What each
        stack held is in the page for {history.kept === history.measured ? "all of them" : `${number(history.kept)} of them (dmdv history page --records=N takes more)`}; a
        history keeps no whole profiles.
      </p>
      {history.total === 0 && <p>The level of no series changed.</p>}
      {history.new > 0 && <Cards history={history} set={set} goTo={goTo} />}
      {history.new === 0 && history.total > 0 && (
        <details class="whole-stacks">
          <summary>{count(history.total, "change", "changes")} of level, acknowledged, fixed or for the better</summary>
          <Cards history={history} set={set} goTo={goTo} />
        </details>
      )}
    </section>
  );
}

function Cards({ history, set, goTo }: { history: HistoryAnswer } & Pick<ViewProps, "set" | "goTo">): JSX.Element {
  return (
    <>
      <div class="events">
        {history.events.map((event, i) => (
          <EventCard key={i} event={event} goTo={goTo} />
        ))}
      </div>
      {history.total > history.events.length && (
        <p>
          <button type="button" onClick={() => set({ events: String(history.events.length * 4) })}>
            Older ones: {number(history.total - history.events.length)} more
          </button>
        </p>
      )}
    </>
  );
}

function Curves({ client, keys, set, goTo, history }: ViewProps & { history: HistoryAnswer }): JSX.Element {
  const most = Number(keys["count"] ?? CURVES);
  const { answer, failure } = useAsk<CurvesAnswer>(client, query("curves", { ...lineOf(keys), q: keys["q"], count: String(most) }));
  return (
    <section class="wide all-curves">
      <h2>Series</h2>
      <Toolbar label="Which series">
        <LineChoice history={history} line={answer ?? history.line ?? {}} set={set} />
        <TextBox label="Filter" value={keys["q"] ?? ""} placeholder="Filter series" onChange={(q) => set({ q }, true)} />
        <span class="quiet" role="status">
          {answer === null ? "" : `${number(answer.total)} series`}
        </span>
      </Toolbar>
      {failure !== null && <ErrorPanel failure={failure} />}
      {answer !== null && (
        <ul class="curves">
          {answer.rows.map((row) => (
            <li key={row.series}>
              <Tile row={row} onOpen={() => goTo("curve", curveKeys(answer, row.series))} />
            </li>
          ))}
        </ul>
      )}
      {answer !== null && answer.total > answer.rows.length && (
        <p>
          <button type="button" onClick={() => set({ count: String(most * 4) })}>
            {number(answer.total - answer.rows.length)} more
          </button>
        </p>
      )}
    </section>
  );
}

/** A curve's name, its last value, and its picture. */
export function Tile({ row, onOpen }: { row: CurveRow; onOpen: () => void }): JSX.Element {
  return (
    <button type="button" class="tile" onClick={onOpen}>
      <span class="tile-name">{row.series}</span>
      <span class="tile-last">
        {number(row.last)} {row.unit === "bytes" ? "" : row.unit}
        {row.steps.length > 0 && <AlarmStateName state={worstState(row.steps)} />}
      </span>
      <SmallPicture row={row} />
    </button>
  );
}

const SMALL: Area = { left: 8, top: 10, width: 224, height: 44 };

/** Draws the range of each column, connected to the next. */
function SmallPicture({ row }: { row: CurveRow }): JSX.Element {
  const { x, y } = scaleOf(SMALL, row.builds, row.least, row.most);
  const path = lineThrough(row.columns.flatMap(([first, least, most]) => [[x(first), y(least)] as const, [x(first), y(most)] as const]));
  const level = (at: number): number => row.columns.filter(([first]) => first <= at).at(-1)?.[2] ?? row.most;
  return (
    <svg class="small-picture" viewBox="0 0 240 64" preserveAspectRatio="none" aria-hidden="true">
      <path class="curve-line" d={path} />
      {row.steps.map((step) => (
        <AlarmMark key={step.first} state={step.state} x={x(step.first)} y={y(level(step.first))} />
      ))}
    </svg>
  );
}

export const historyView: View = {
  id: "history",
  title: "History",
  question: "With which build did the memory change, and which stacks did it?",
  component: History,
  keys: [],
  ofAll: true,
  applies: hasHistory,
  missing: NO_HISTORY,
};

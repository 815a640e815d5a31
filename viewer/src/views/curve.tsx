// SPDX-License-Identifier: GPL-2.0-or-later
//
// One large curve of a history, with a table of its values. A build opens beside them, compared with the previous one.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { number, signed } from "../format.ts";
import { query } from "../state/link.ts";
import { Answered } from "../ui/answered.tsx";
import { useAsk } from "../ui/ask.ts";
import { Details, Facts } from "../ui/details.tsx";
import { TABLE_KEYS } from "../ui/keys.ts";
import { ErrorPanel, ProgressPanel } from "../ui/panels.tsx";
import { Table, type Column } from "../ui/table.tsx";
import { Select, Toolbar } from "../ui/toolbar.tsx";
import { AlarmStateName, ChangedRecords } from "./alarms.tsx";
import { Changed } from "./changed.tsx";
import { CurvePicture } from "./curvepicture.tsx";
import type { CurveAnswer, CurvePoint, CurvesAnswer, CurveStep, HistoryAnswer } from "./historyanswers.ts";
import { environmentName, LineChoice, lineOf } from "./linechoice.tsx";
import type { OverviewAnswer } from "./overviewanswers.ts";
import { hasHistory, NO_HISTORY, type View, type ViewProps } from "./view.ts";

const NAMES = 2000; // in the list of series

function Curve(props: ViewProps): JSX.Element {
  const { client, keys } = props;
  const asked = useAsk<CurveAnswer>(client, query("curve", { ...lineOf(keys), series: keys["series"] }));
  return (
    <>
      <CurveToolbar {...props} curve={asked.answer} />
      <Answered asked={asked} what="Reading the curve">
        {(curve) => <CurveBody {...props} curve={curve} />}
      </Answered>
    </>
  );
}

function CurveToolbar({ client, keys, set, curve }: ViewProps & { curve: CurveAnswer | null }): JSX.Element {
  const history = useAsk<HistoryAnswer>(client, query("history", { count: "0" }));
  const names = useAsk<CurvesAnswer>(client, query("curves", { ...lineOf(keys), brief: "1", count: String(NAMES) }));
  const series = (names.answer?.rows ?? []).map((row) => ({ value: row.series, title: row.series }));
  return (
    <Toolbar label="Which curve">
      <Select label="Series" value={keys["series"] ?? "heap"} choices={series} onChange={(to) => set({ series: to })} />
      {history.answer !== null && <LineChoice history={history.answer} line={curve ?? {}} set={set} />}
      {curve !== null && (
        <span class="quiet" role="status">
          {given(history.answer, curve).join("; ")}
        </span>
      )}
    </Toolbar>
  );
}

/** Choices with only one option, as text. */
function given(history: HistoryAnswer | null, curve: CurveAnswer): readonly string[] {
  if (history === null) return [];
  const one = (names: readonly string[], name: string): string[] => (names.length === 1 ? [name] : []);
  return [...one(history.branches, curve.branch), ...one(history.moments, curve.moment), ...one(history.environments, environmentName(curve.lines))];
}

const COLUMNS: readonly Column<CurvePoint>[] = [
  { id: "build", title: "Build", width: "minmax(10em, 2fr)", cell: (point) => <span class="mono">{point.build}</span> },
  { id: "value", title: "Value", width: "10em", numeric: true, cell: (point) => number(point.value) },
  { id: "runs", title: "Runs", width: "4em", numeric: true, minor: "slightly", cell: (point) => number(point.runs) },
  { id: "values", title: "Of each run", width: "minmax(8em, 2fr)", minor: true, cell: (point) => (point.values ?? []).map(number).join("  ") },
  { id: "time", title: "Time", width: "14em", minor: "slightly", cell: (point) => point.time },
];

function CurveBody(props: ViewProps & { curve: CurveAnswer }): JSX.Element {
  const { keys, set, curve } = props;
  const { points } = curve;
  const steps = useMemo(() => [...curve.steps].sort((a, b) => a.at.first - b.at.first), [curve]);
  const chosen = keys["build"] === undefined ? -1 : points.findIndex((point) => point.build === keys["build"]);
  const [cursor, moveTo] = useState(chosen < 0 ? points.length - 1 : chosen);
  const current = Math.min(cursor, points.length - 1);
  const open = (at: number): void => {
    moveTo(at);
    set({ build: points[at]?.build });
  };
  const newestFirst = (row: number): number => points.length - 1 - row;
  return (
    <div class="split"
      onKeyDown={(event) => {
        if (event.key === "Escape") set({ build: undefined });
      }}>
      <div class="curve">
        <CurvePicture curve={curve} steps={steps} current={current} chosen={chosen} onMove={moveTo} onOpen={open} />
        <Table<CurvePoint> label="Builds, the newest first" source={`curve ${curve.series} ${lineText(curve)}`} total={points.length} columns={COLUMNS}
          fetch={(first, n) => Promise.resolve(Array.from({ length: n }, (_, i) => points[newestFirst(first + i)]).filter((point) => point !== undefined))}
          isOpen={(point) => chosen >= 0 && point === points[chosen]} onOpen={(_, row) => open(newestFirst(row))} />
      </div>
      {keys["build"] !== undefined && <Build {...props} at={chosen} steps={steps} onClose={() => set({ build: undefined })} />}
    </div>
  );
}

function lineText(curve: CurveAnswer): string {
  return JSON.stringify([curve.branch, curve.moment, curve.environment]);
}

/** A build: its value, the change points that start with it, and the changes since the previous build. */
function Build({ client, curve, at, steps, keys, goTo, onClose }: ViewProps & { curve: CurveAnswer; at: number; steps: readonly CurveStep[]; onClose: () => void }): JSX.Element {
  const point = curve.points[at];
  const before = curve.points[at - 1];
  const of = point?.of;
  const old = before?.of;
  const changed = useAsk<OverviewAnswer>(client, of === undefined || old === undefined ? null : query("overview", { of: String(of), old: String(old) }));
  if (point === undefined)
    return (
      <Details title={keys["build"] ?? ""} onClose={onClose}>
        <p>This curve has no such build.</p>
      </Details>
    );
  const both = { of: String(of), old: old === undefined ? undefined : String(old) };
  return (
    <Details title={`Build ${point.build}`} onClose={onClose}>
      <Facts facts={factsOf(point, before, curve.unit)} />
      {steps.filter((step) => step.at.first === at).map((step, i) => (
        <Step key={i} step={step} />
      ))}
      {of === undefined && <p>Records of this build are not in the page; dmdv history page --records=N takes those of more builds.</p>}
      {of !== undefined && old === undefined && before !== undefined && <p>Records of the build before are not in the page.</p>}
      {changed.failure !== null && <ErrorPanel failure={changed.failure} />}
      {changed.waits && <ProgressPanel title="Comparing" />}
      {changed.answer?.changed !== undefined && <Changed changed={changed.answer.changed} />}
      {of !== undefined && (
        <ul class="list">
          {old !== undefined && (
            <li>
              <button type="button" class="link" onClick={() => goTo("records", both)}>
                All records that changed since {before?.build}
              </button>
            </li>
          )}
          <li>
            <button type="button" class="link" onClick={() => goTo("overview", { of: both.of })}>
              All that is known of this build
            </button>
          </li>
        </ul>
      )}
    </Details>
  );
}

function factsOf(point: CurvePoint, before: CurvePoint | undefined, unit: string): (readonly [string, string])[] {
  const facts: (readonly [string, string])[] = [
    ["Time", point.time],
    [unit === "bytes" ? "Bytes" : "Faults", number(point.value)],
  ];
  if (before !== undefined) facts.push(["Build before", `${before.build}: ${number(before.value)} (${signed(point.value - before.value)})`]);
  facts.push(["Runs", point.values === undefined ? number(point.runs) : `${number(point.runs)}: ${point.values.map(number).join(", ")}`]);
  return facts;
}

function Step({ step }: { step: CurveStep }): JSX.Element {
  return (
    <section class="event">
      <h3>
        <AlarmStateName state={step.state} /> {step.headline}
      </h3>
      <p>{step.text}</p>
      {step.bracket !== undefined && <p>{step.bracket}</p>}
      {step.next !== undefined && <p>{step.next}</p>}
      <ChangedRecords records={step.records} />
    </section>
  );
}

export const curveView: View = {
  id: "curve",
  title: "Curve",
  question: "How did one figure go from build to build?",
  component: Curve,
  keys: [
    { keys: "Left, Right, Page Up, Page Down, Home, End", does: "to another build of the curve" },
    { keys: "n, p", does: "to the next or previous step of the curve" },
    { keys: "Enter", does: "open the build, compared with the one before" },
    ...TABLE_KEYS,
  ],
  ofAll: true,
  applies: hasHistory,
  missing: NO_HISTORY,
};

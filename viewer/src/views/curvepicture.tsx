// SPDX-License-Identifier: GPL-2.0-or-later
//
// The picture of a curve: values of builds and their runs, levels, change points, and the current build. The arrow keys
// and the pointer move along it. A table below has the numbers, and the values at the cursor are shown as text.

import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { number } from "../format.ts";
import { isPlain } from "../ui/keys.ts";
import { AlarmMark, AlarmStateName } from "./alarms.tsx";
import { buildAt, dotsAt, levelPath, lineThrough, namedBuilds, scaleOf, ticks, type Area, type Scale } from "./curvemodel.ts";
import type { CurveAnswer, CurvePoint, CurveStep } from "./historyanswers.ts";

const PAGE = 20; // builds
const SHORT = 12; // letters of a build's name
const LETTER = 8; // pixels, about

interface PictureProps {
  readonly curve: CurveAnswer;
  readonly steps: readonly CurveStep[];
  readonly current: number;
  /** The open build; -1: none. */
  readonly chosen: number;
  readonly onMove: (build: number) => void;
  readonly onOpen: (build: number) => void;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function areaOf({ width, height }: Size, most: number): Area {
  const left = number(most).length * LETTER + 14;
  return { left, top: 16, width: Math.max(40, width - left - 14), height: Math.max(40, height - 16 - 26) };
}

/** The build that a key moves to. */
export function buildAfter(key: string, at: number, n: number, steps: readonly CurveStep[]): number | undefined {
  const firsts = steps.map((step) => step.at.first);
  const to = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    PageDown: at + PAGE,
    PageUp: at - PAGE,
    Home: 0,
    End: n - 1,
    n: firsts.find((first) => first > at) ?? at,
    p: firsts.filter((first) => first < at).at(-1) ?? at,
  }[key];
  return to === undefined ? undefined : Math.max(0, Math.min(to, n - 1));
}

function said(point: CurvePoint | undefined, unit: string, step: CurveStep | undefined): string {
  if (point === undefined) return "";
  return `${point.build}, ${point.time}: ${number(point.value)} ${unit}${step === undefined ? "" : `. ${step.headline}. ${step.text}`}`;
}

export function CurvePicture(props: PictureProps): JSX.Element {
  const { curve, steps, current, onMove, onOpen } = props;
  const { points } = curve;
  const frame = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size>({ width: 800, height: 320 });
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const area = areaOf(size, curve.most);
  const at = (event: MouseEvent): number => buildAt(area, points.length, event.clientX - (frame.current?.getBoundingClientRect().left ?? 0));
  const step = steps.find((candidate) => candidate.at.first === current);
  return (
    <>
      <div class="curve-picture" ref={frame} tabIndex={0} role="application" aria-label={`Curve of ${curve.series}; its numbers are in the table below`}
        onMouseMove={(event) => onMove(at(event))} onClick={(event) => onOpen(at(event))}
        onKeyDown={(event) => {
          if (!isPlain(event)) return;
          const to = buildAfter(event.key, current, points.length, steps);
          if (to !== undefined) onMove(to);
          else if (event.key === "Enter") onOpen(current);
          else return;
          event.preventDefault();
        }}>
        <svg width={size.width} height={size.height} viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
          <Drawing {...props} area={area} />
        </svg>
      </div>
      <p class="chosen">
        <span role="status">{said(points[current], curve.unit, undefined)}</span>
        {step !== undefined && (
          <span>
            <AlarmStateName state={step.state} /> {step.text}
          </span>
        )}
        <span class="legend">
          <span><i class="legend-level" /> level</span>
          {points.some((point) => point.values !== undefined) && <span><i class="legend-run" /> single run</span>}
          {steps.some(({ at }) => at.earliest < at.latest) && <span><i class="legend-bracket" /> any of these may be the first build</span>}
          {[...new Set(steps.map(({ state }) => state))].map((state) => <AlarmStateName key={state} state={state} />)}
        </span>
      </p>
    </>
  );
}

function Drawing({ curve, steps, current, chosen, area }: PictureProps & { area: Area }): JSX.Element {
  const { points } = curve;
  const scale = scaleOf(area, points.length, curve.least, curve.most);
  const { x, y } = scale;
  const bottom = area.top + area.height;
  const point = points[current];
  return (
    <>
      <Axes curve={curve} area={area} scale={scale} />
      {steps.filter(({ at }) => at.earliest < at.latest).map(({ at }, i) => (
        <rect key={i} class="curve-bracket" x={x(at.earliest)} y={area.top} width={x(at.latest) - x(at.earliest)} height={area.height} />
      ))}
      {chosen >= 0 && <line class="curve-chosen" x1={x(chosen)} x2={x(chosen)} y1={area.top} y2={bottom} />}
      <path class="curve-runs" d={dotsAt(points.flatMap(({ values }, i) => (values ?? []).map((value) => [x(i), y(value)] as const)))} />
      <path class="curve-line" d={lineThrough(points.map(({ value }, i) => [x(i), y(value)]))} />
      {points.length <= area.width / 8 && <path class="curve-dots" d={dotsAt(points.map(({ value }, i) => [x(i), y(value)]))} />}
      <path class="curve-level" d={levelPath(steps, points.length, scale)} />
      {steps.map((step, i) => (
        <g key={i}>
          <line class="curve-step" x1={x(step.at.first)} x2={x(step.at.first)} y1={area.top} y2={bottom} />
          <AlarmMark state={step.state} x={x(step.at.first)} y={y(step.after)} />
        </g>
      ))}
      {point !== undefined && (
        <>
          <line class="curve-cursor" x1={x(current)} x2={x(current)} y1={area.top} y2={bottom} />
          <circle class="curve-cursor" cx={x(current)} cy={y(point.value)} r="9" />
        </>
      )}
    </>
  );
}

/** Cuts long names, such as those of commits. */
function shortName(build: string): string {
  return build.length <= SHORT ? build : `${build.slice(0, SHORT - 1)}…`;
}

function Axes({ curve, area, scale }: { curve: CurveAnswer; area: Area; scale: Scale }): JSX.Element {
  const { points, least, most } = curve;
  const named = namedBuilds(points.length, Math.floor(area.width / ((SHORT + 2) * LETTER)));
  const anchor = (build: number): "start" | "middle" | "end" => (points.length > 1 && build === 0 ? "start" : build === points.length - 1 && points.length > 1 ? "end" : "middle");
  return (
    <>
      {ticks(least, most, Math.max(2, Math.floor(area.height / 50))).map((value) => (
        <g key={value}>
          <line class="curve-grid" x1={area.left} x2={area.left + area.width} y1={scale.y(value)} y2={scale.y(value)} />
          <text class="curve-text" x={area.left - 8} y={scale.y(value) + 4} text-anchor="end">
            {number(value)}
          </text>
        </g>
      ))}
      {named.map((build) => (
        <text key={build} class="curve-text" x={scale.x(build)} y={area.top + area.height + 20} text-anchor={anchor(build)}>
          {shortName(points[build]?.build ?? "")}
        </text>
      ))}
    </>
  );
}

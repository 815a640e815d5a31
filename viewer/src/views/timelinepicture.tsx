// SPDX-License-Identifier: GPL-2.0-or-later
//
// The picture of a timeline: the heap over time, by stack or tag as stacked areas, with the peak and the marks. The
// pointer selects an interval; arrow keys move its end, with Shift its beginning.

import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { bytes } from "../format.ts";
import type { Area } from "./curvemodel.ts";
import type { TimelineAnswer } from "./timelineanswers.ts";
import { heapArea, heapLine, momentsOf, placeName, placeOf, residentLine, sizeTicks, stackedAreas, timeAfter, timeScale, type TimeScale } from "./timelinemodel.ts";

/** Places on the axis. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

interface PictureProps {
  readonly answer: TimelineAnswer;
  readonly by: "stacks" | "tags";
  /** Whether physical memory is a line, too; it may be much more than the heap, and makes that small. */
  readonly withResident?: boolean;
  readonly onSelect: (interval: Interval) => void;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const LEAST = 4; // pixels: less is a click

function areaOf({ width, height }: Size): Area {
  return { left: 68, top: 14, width: Math.max(40, width - 68 - 14), height: Math.max(40, height - 14 - 40) };
}

export function TimelinePicture({ answer, by, withResident = false, onSelect }: PictureProps): JSX.Element {
  const frame = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size>({ width: 800, height: 300 });
  const [drag, setDrag] = useState<Interval | null>(null);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const moments = useMemo(() => momentsOf(answer), [answer]);
  const area = areaOf(size);
  const most = Math.max(...moments.flatMap(({ bytes: size, resident = 0 }) => (withResident ? [size, resident] : [size])));
  const scale = timeScale(area, placeOf(answer.start), placeOf(answer.end), most);
  const placeAt = (event: MouseEvent): number => scale.place(event.clientX - (frame.current?.getBoundingClientRect().left ?? 0));
  const chosen = drag ?? { from: placeOf(answer.from), to: placeOf(answer.to) };
  const ordered = { from: Math.min(chosen.from, chosen.to), to: Math.max(chosen.from, chosen.to) };
  const times = useMemo(() => [...new Set(moments.map(placeOf))], [moments]);
  return (
    <div class="timeline-picture" ref={frame} tabIndex={0} role="application"
      aria-label={`The heap over time, ${bytes(answer.peak.bytes)} at the peak; arrow keys move the end of the interval, with Shift its beginning`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from: placeAt(event), to: placeAt(event) });
      }}
      onPointerMove={(event) => drag !== null && setDrag({ from: drag.from, to: placeAt(event) })}
      onPointerCancel={() => setDrag(null)}
      onPointerUp={() => {
        if (drag !== null && scale.x(ordered.to) - scale.x(ordered.from) >= LEAST) onSelect(ordered);
        setDrag(null);
      }}
      onKeyDown={(event) => {
        if (event.ctrlKey || event.altKey || event.metaKey) return;
        const end = event.shiftKey ? "from" : "to";
        const to = timeAfter(event.key, chosen[end], times);
        if (to === undefined) return;
        const next = { ...chosen, [end]: to };
        if (next.from <= next.to) onSelect(next);
        event.preventDefault();
      }}>
      <svg width={size.width} height={size.height} viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
        <Axes answer={answer} area={area} scale={scale} most={most} />
        <Areas answer={answer} by={by} scale={scale} heap={heapArea(moments, scale)} />
        <path class="timeline-heap" d={heapLine(moments, scale)} />
        {withResident && <path class="timeline-resident" d={residentLine(moments, scale)} />}
        <rect class="timeline-outside" x={area.left} y={area.top} width={scale.x(ordered.from) - area.left} height={area.height} />
        <rect class="timeline-outside" x={scale.x(ordered.to)} y={area.top} width={area.left + area.width - scale.x(ordered.to)} height={area.height} />
        <line class="timeline-end" x1={scale.x(ordered.from)} x2={scale.x(ordered.from)} y1={area.top} y2={area.top + area.height} />
        <line class="timeline-end" x1={scale.x(ordered.to)} x2={scale.x(ordered.to)} y1={area.top} y2={area.top + area.height} />
        <Marks answer={answer} area={area} scale={scale} />
      </svg>
    </div>
  );
}

/** Until the next breakdown only the size of the whole heap is known, which the areas do not exceed. */
function Areas({ answer, by, scale, heap }: { answer: TimelineAnswer; by: "stacks" | "tags"; scale: TimeScale; heap: string }): JSX.Element {
  if (answer.breakdowns.length === 0 || answer[by].length === 0) return <path class="area-all" d={heap} />;
  return (
    <>
      <clipPath id="timeline-heap">
        <path d={heap} />
      </clipPath>
      <path class="area-others" d={heap} />
      <g clip-path="url(#timeline-heap)">
        {stackedAreas(answer, by, scale).map(({ path, name }, i) => (
          <path key={i} class={`area-${i}`} d={path}>
            <title>{name}</title>
          </path>
        ))}
      </g>
    </>
  );
}

function Axes({ answer, area, scale, most }: { answer: TimelineAnswer; area: Area; scale: TimeScale; most: number }): JSX.Element {
  const bottom = area.top + area.height;
  const [from, to] = [placeOf(answer.start), placeOf(answer.end)];
  return (
    <>
      {sizeTicks(most, Math.max(2, Math.floor(area.height / 50))).map(([size, name]) => (
        <g key={size}>
          <line class="curve-grid" x1={area.left} x2={area.left + area.width} y1={scale.y(size)} y2={scale.y(size)} />
          <text class="curve-text" x={area.left - 8} y={scale.y(size) + 4} text-anchor="end">{name}</text>
        </g>
      ))}
      {[0, 1, 2, 3, 4].map((i) => (
        <text key={i} class="curve-text" x={area.left + (area.width * i) / 4} y={bottom + 34} text-anchor={i === 0 ? "start" : i === 4 ? "end" : "middle"}>
          {placeName(answer, from + ((to - from) * i) / 4)}
        </text>
      ))}
    </>
  );
}

/** The peak, and the marks with their numbers. */
function Marks({ answer, area, scale }: { answer: TimelineAnswer; area: Area; scale: TimeScale }): JSX.Element {
  const bottom = area.top + area.height;
  const { peak, marks } = answer;
  return (
    <>
      {marks.map((mark, i) => (
        <g key={i}>
          <line class="timeline-mark" x1={scale.x(placeOf(mark))} x2={scale.x(placeOf(mark))} y1={area.top} y2={bottom} />
          <text class="curve-text" x={scale.x(placeOf(mark))} y={bottom + 16} text-anchor="middle">
            {i + 1}
            <title>{mark.text ?? `dump ${mark.dump ?? ""}`}</title>
          </text>
        </g>
      ))}
      <circle class="timeline-peak" cx={scale.x(placeOf(peak))} cy={scale.y(peak.bytes)} r="4" />
      <text class="timeline-peak-name" x={scale.x(placeOf(peak))} y={bottom + 16} text-anchor="middle">peak</text>
    </>
  );
}

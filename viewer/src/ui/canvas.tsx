// SPDX-License-Identifier: GPL-2.0-or-later
//
// What flame graph, treemap and heap map draw on. The canvas is never larger than what is seen of it, whatever the height
// of the picture, since browsers end at some tens of thousands of pixels; it stays in place while the picture scrolls,
// and draw() is told which part to draw. It is called once a frame at most, when something of it changed.
//
// A canvas says nothing to a screen reader: `label` has to, and what is under the pointer or the keys goes to `status`.

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { PRINTED_HEIGHT, usePrinting } from "./print.ts";

/** The part of the picture that is seen, in CSS pixels. */
export interface Part {
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A place in the picture, and how wide that is. */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface CanvasProps {
  readonly label: string;
  /** Of the whole picture; undefined: as tall as there is room. */
  readonly contentHeight?: number;
  /** Draws the part. The context is scaled to CSS pixels, its origin is the picture's. */
  readonly draw: (context: CanvasRenderingContext2D, part: Part) => void;
  /** Whatever draw() depends on: a change draws anew. */
  readonly depends: readonly unknown[];
  readonly onPoint?: (point: Point | null) => void;
  readonly onClick?: (point: Point, event: MouseEvent) => void;
  readonly onKey?: (event: KeyboardEvent) => void;
  /** What is chosen or under the pointer, for people who do not see it. */
  readonly status?: string;
}

export function Canvas(props: CanvasProps): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const frame = useRef(0);
  const schedule = (): void => {
    if (frame.current === 0)
      frame.current = requestAnimationFrame(() => {
        frame.current = 0;
        if (scroller.current !== null && canvas.current !== null) paint(scroller.current, canvas.current, latest.current);
      });
  };
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(schedule);
    observer.observe(element);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", schedule);
    return () => {
      observer.disconnect();
      dark.removeEventListener("change", schedule);
      cancelAnimationFrame(frame.current);
      frame.current = 0;
    };
  }, []);
  useEffect(schedule, [...props.depends, props.contentHeight]);
  const isPrinting = usePrinting();
  const wasPrinting = useRef(false);
  useLayoutEffect(() => {
    // At once: no frame comes until it is printed.
    if (isPrinting && scroller.current !== null && canvas.current !== null) paint(scroller.current, canvas.current, props, PRINTED_HEIGHT);
    else if (wasPrinting.current) schedule();
    wasPrinting.current = isPrinting;
  }, [isPrinting]);
  const pointOf = (event: MouseEvent): Point => {
    const box = scroller.current?.getBoundingClientRect();
    const top = scroller.current?.scrollTop ?? 0;
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) + top, width: scroller.current?.clientWidth ?? 1 };
  };
  return (
    <div class="canvas-scroller" ref={scroller} onScroll={schedule} tabIndex={0} role="application" aria-label={props.label} onKeyDown={(event) => props.onKey?.(event)}
      onMouseMove={(event) => props.onPoint?.(pointOf(event))} onMouseLeave={() => props.onPoint?.(null)} onClick={(event) => props.onClick?.(pointOf(event), event)}>
      <canvas ref={canvas} class="canvas" aria-hidden="true" />
      {isPrinting && (props.contentHeight ?? 0) > PRINTED_HEIGHT && <p class="printed-rows">The upper part; what is below it is in the page that was printed.</p>}
      <div class="canvas-space" style={{ height: `${props.contentHeight ?? 0}px` }} />
      <span class="off-screen" role="status">
        {props.status ?? ""}
      </span>
    </div>
  );
}

/** most: so much of the picture's height from its top, instead of the part that is seen. */
function paint(scroller: HTMLElement, canvas: HTMLCanvasElement, props: CanvasProps, most?: number): void {
  const width = scroller.clientWidth;
  const height = most === undefined ? scroller.clientHeight : Math.min(most, props.contentHeight ?? scroller.clientHeight);
  const scale = window.devicePixelRatio || 1;
  const pixels = { width: Math.round(width * scale), height: Math.round(height * scale) };
  if (canvas.width !== pixels.width || canvas.height !== pixels.height) {
    canvas.width = pixels.width;
    canvas.height = pixels.height;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  if (context === null) return;
  const top = most === undefined ? scroller.scrollTop : 0;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  context.translate(0, -top);
  props.draw(context, { top, width, height });
}

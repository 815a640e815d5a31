// SPDX-License-Identifier: GPL-2.0-or-later
//
// The canvas of flame graph, treemap and heap map. It is only as large as the visible part of the picture, since
// browsers limit canvases to some tens of thousands of pixels. It stays in place while the picture scrolls, and draw()
// gets the part to draw. draw() is called at most once a frame, and only after changes.
//
// Screen readers cannot read a canvas, so `label` describes it, and `status` the item under the pointer or selected by
// keys.

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { PRINTED_HEIGHT, usePrinting } from "./print.ts";

/** The visible part of the picture, in CSS pixels. */
export interface Part {
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A point in the picture, and the picture's width. */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface CanvasProps {
  readonly label: string;
  /** Height of the whole picture; undefined: fills the available height. */
  readonly contentHeight?: number;
  /** Draws the part. The context is scaled to CSS pixels, with the picture's origin. */
  readonly draw: (context: CanvasRenderingContext2D, part: Part) => void;
  /** Everything that draw() depends on: a change redraws. */
  readonly depends: readonly unknown[];
  readonly onPoint?: (point: Point | null) => void;
  readonly onClick?: (point: Point, event: MouseEvent) => void;
  readonly onKey?: (event: KeyboardEvent) => void;
  /** Describes the chosen item or the one under the pointer for screen readers. */
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
    // Draws at once, since no frame comes before printing.
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

/** most: draws this height from the top of the picture instead of the visible part. */
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

// SPDX-License-Identifier: GPL-2.0-or-later
//
// What pictures on a canvas have in common: the theme's colours, texts that fit their box, and boxes whose bytes have states.

import { STATES, stateVariable, type StateBytes } from "./state.tsx";

const FONT = '11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
const MARGIN = 3; // left and right of a text
const LEAST_LETTERS = 3; // fewer say nothing

/** A colour of the page's theme (page.css), such as `--unreported`. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** For one drawing: the colours and the font as they are now. */
export class Pen {
  readonly ground = colour("--ground");
  readonly #context: CanvasRenderingContext2D;
  readonly #text = colour("--text");
  readonly #focus = colour("--focus");
  readonly #other = colour("--quiet");
  readonly #states = STATES.map((state) => colour(stateVariable(state) ?? ""));
  readonly #letter: number;

  constructor(context: CanvasRenderingContext2D) {
    this.#context = context;
    context.font = FONT;
    context.textBaseline = "middle";
    this.#letter = context.measureText("m").width;
  }

  /** The states of a box's bytes side by side, as wide as their shares. states undefined: there are none. */
  states(box: Box, states: StateBytes | undefined, strength: number): void {
    const context = this.#context;
    const parts = STATES.map((state) => Math.abs(states?.[state] ?? 0)); // a difference has negative ones
    const sum = parts.reduce((all, size) => all + size, 0);
    let { x } = box;
    context.globalAlpha = strength;
    if (sum === 0) {
      context.fillStyle = this.#other;
      context.fillRect(x, box.y, box.width, box.height);
    }
    parts.forEach((size, i) => {
      const width = sum === 0 ? 0 : (box.width * size) / sum;
      context.fillStyle = this.#states[i] ?? this.#other;
      context.fillRect(x, box.y, width, box.height);
      x += width;
    });
    context.globalAlpha = 1;
  }

  /** As many letters as fit into a width; nothing where that would say nothing. */
  text(text: string, x: number, middle: number, width: number, strength = 1): void {
    const letters = Math.floor((width - 2 * MARGIN) / this.#letter);
    if (letters < LEAST_LETTERS) return;
    this.#context.globalAlpha = strength;
    this.#context.fillStyle = this.#text;
    this.#context.fillText(text.length <= letters ? text : `${text.slice(0, letters - 1)}…`, x + MARGIN, middle);
    this.#context.globalAlpha = 1;
  }

  /** A frame around what is chosen. */
  frame(box: Box): void {
    this.#context.strokeStyle = this.#focus;
    this.#context.lineWidth = 2;
    this.#context.strokeRect(box.x + 1, box.y + 1, Math.max(1, box.width - 2), Math.max(1, box.height - 2));
  }
}

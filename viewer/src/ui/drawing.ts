// SPDX-License-Identifier: GPL-2.0-or-later
//
// Helpers for pictures on a canvas: the theme's colours, text that fits its box, and boxes coloured by state.

import { STATES, stateVariable, type StateBytes } from "./state.tsx";

const FONT = '11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
const MARGIN = 3; // left and right of a text
const LEAST_LETTERS = 3; // fewer are not readable

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

/** The current colours and font, for one drawing. */
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

  /** Draws the states of a box's bytes side by side, as wide as their shares. states undefined: the mode has no
   * states. */
  states(box: Box, states: StateBytes | undefined, strength: number): void {
    const context = this.#context;
    const parts = STATES.map((state) => Math.abs(states?.[state] ?? 0)); // may be negative in a difference
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

  /** Draws as many letters as fit the width; nothing if too few fit. */
  text(text: string, x: number, middle: number, width: number, strength = 1): void {
    const letters = Math.floor((width - 2 * MARGIN) / this.#letter);
    if (letters < LEAST_LETTERS) return;
    this.#context.globalAlpha = strength;
    this.#context.fillStyle = this.#text;
    this.#context.fillText(text.length <= letters ? text : `${text.slice(0, letters - 1)}…`, x + MARGIN, middle);
    this.#context.globalAlpha = 1;
  }

  /** Draws a frame around the chosen box. */
  frame(box: Box): void {
    this.#context.strokeStyle = this.#focus;
    this.#context.lineWidth = 2;
    this.#context.strokeRect(box.x + 1, box.y + 1, Math.max(1, box.width - 2), Math.max(1, box.height - 2));
  }
}

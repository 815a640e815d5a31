// SPDX-License-Identifier: GPL-2.0-or-later
//
// Maps the scroll position of an element to that of a taller list. Browsers limit the height of elements (Firefox near
// 17.9 million pixels), so the element is at most MAX_HEIGHT tall, and `top` is the position in the list, in pixels.
// Small steps of the element are equal steps of the list; a jump, as with the scroll bar's thumb, goes to the same
// fraction of both. Steps make the two drift apart; settle() corrects that when scrolling has stopped.

export const MAX_HEIGHT = 8_000_000;

export class ScrollMap {
  #top = 0;
  #scroll = 0;
  #full = 0;
  #viewport = 0;
  #settled = 0;

  /** Sets the list's full height and its visible height. */
  resize(full: number, viewport: number): void {
    this.#full = full;
    this.#viewport = viewport;
    this.#top = this.#clamp(this.#top);
  }

  /** The list's position at the upper edge. */
  get top(): number {
    return this.#top;
  }

  /** `top` when scrolling last stopped. */
  get settled(): number {
    return this.#settled;
  }

  /** The height of the element. */
  get height(): number {
    return Math.min(this.#full, MAX_HEIGHT);
  }

  /** Call when the element was scrolled. */
  scrolled(to: number): void {
    const step = to - this.#scroll;
    this.#scroll = to;
    if (this.#full <= MAX_HEIGHT) this.#top = this.#clamp(to);
    else if (to <= 0) this.#top = 0;
    else if (to >= this.#range()) this.#top = this.#last();
    else if (Math.abs(step) <= this.#viewport * 2) this.#top = this.#clamp(this.#top + step);
    else this.#top = this.#clamp((to / this.#range()) * this.#last());
  }

  /** Shows the list at `top`; returns the scroll position for the element. */
  moveTo(top: number): number {
    this.#top = this.#settled = this.#clamp(top);
    this.#scroll = this.#share();
    return this.#scroll;
  }

  /** Call after the last step; returns the scroll position that the element should have. */
  settle(): number {
    this.#settled = this.#top;
    this.#scroll = this.#share();
    return this.#scroll;
  }

  #share(): number {
    if (this.#full <= MAX_HEIGHT || this.#last() === 0) return this.#top;
    return Math.round((this.#top / this.#last()) * this.#range());
  }

  #range(): number {
    return Math.max(0, this.height - this.#viewport);
  }

  #last(): number {
    return Math.max(0, this.#full - this.#viewport);
  }

  #clamp(top: number): number {
    return Math.min(Math.max(0, top), this.#last());
  }
}

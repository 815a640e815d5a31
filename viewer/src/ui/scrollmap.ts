// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where a tall list stands while its element scrolls. No browser has elements of any height (Firefox ends near 17.9
// million pixels), so the element is at most MAX_HEIGHT tall, and what it shows is `top`, in pixels of the list as it
// would be. Small steps of the element are the same steps of the list; a jump, as with the scroll bar's thumb, goes to
// the same share of both. Steps let the two come apart, which settle() mends when the scrolling has stopped.

export const MAX_HEIGHT = 8_000_000;

export class ScrollMap {
  #top = 0;
  #scroll = 0;
  #full = 0;
  #viewport = 0;
  #settled = 0;

  /** The list's whole height and what is seen of it. */
  resize(full: number, viewport: number): void {
    this.#full = full;
    this.#viewport = viewport;
    this.#top = this.#clamp(this.#top);
  }

  /** What is seen at the upper edge. */
  get top(): number {
    return this.#top;
  }

  /** `top` when the scrolling had stopped for the last time. */
  get settled(): number {
    return this.#settled;
  }

  /** How tall the element is. */
  get height(): number {
    return Math.min(this.#full, MAX_HEIGHT);
  }

  /** The element was scrolled to there. */
  scrolled(to: number): void {
    const step = to - this.#scroll;
    this.#scroll = to;
    if (this.#full <= MAX_HEIGHT) this.#top = this.#clamp(to);
    else if (to <= 0) this.#top = 0;
    else if (to >= this.#range()) this.#top = this.#last();
    else if (Math.abs(step) <= this.#viewport * 2) this.#top = this.#clamp(this.#top + step);
    else this.#top = this.#clamp((to / this.#range()) * this.#last());
  }

  /** Shows the list at `top`; returns where the element has to be scrolled to. */
  moveTo(top: number): number {
    this.#top = this.#settled = this.#clamp(top);
    this.#scroll = this.#share();
    return this.#scroll;
  }

  /** After the last step: where the element should be for what it shows. */
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

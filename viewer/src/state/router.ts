// SPDX-License-Identifier: GPL-2.0-or-later
//
// Keeps the page's link in step with the browser's address. Back and forward work as usual.

import { formatLink, parseLink, type Link } from "./link.ts";
import { keepPlacesNow } from "./places.ts";

/** The part of a window that the router needs; tests implement it themselves. */
export interface AddressBar {
  hash(): string;
  /** Adds an entry to the browser's history. */
  push(hash: string): void;
  /** Replaces the current entry. */
  replace(hash: string): void;
  listen(changed: () => void): () => void;
}

export class Router {
  #link: Link;
  readonly #bar: AddressBar;
  readonly #home: string;
  readonly #listeners = new Set<(link: Link) => void>();

  constructor(bar: AddressBar, home: string) {
    this.#bar = bar;
    this.#home = home;
    this.#link = parseLink(bar.hash(), home);
    bar.listen(() => this.#set(parseLink(bar.hash(), home)));
  }

  get link(): Link {
    return this.#link;
  }

  /** Follows a link. Changes while typing replace the entry; otherwise "back" would go letter by letter. */
  go(link: Link, replace = false): void {
    const hash = formatLink(link);
    if (hash !== formatLink(this.#link)) {
      if (replace) this.#bar.replace(hash);
      else this.#bar.push(hash);
    }
    this.#set(parseLink(hash, this.#home));
  }

  /** The address of a link, for an <a> element. */
  address(link: Link): string {
    return formatLink(link);
  }

  subscribe(listener: (link: Link) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #set(link: Link): void {
    if (formatLink(link) === formatLink(this.#link)) return;
    this.#link = link;
    for (const listener of [...this.#listeners]) listener(link);
  }
}

export function addressBarOf(window: Window): AddressBar {
  return {
    hash: () => window.location.hash,
    push: (hash) => {
      keepPlacesNow();
      window.location.hash = hash;
    },
    // Takes effect at once. location.replace() is asynchronous, and its hashchange could report a link that was left
    // meanwhile.
    replace: (hash) => {
      keepPlacesNow();
      window.history.replaceState(window.history.state, "", hash);
    },
    listen: (changed) => {
      window.addEventListener("hashchange", changed);
      window.addEventListener("click", keepPlacesNow, true); // the browser follows <a> elements itself
      return () => {
        window.removeEventListener("hashchange", changed);
        window.removeEventListener("click", keepPlacesNow, true);
      };
    },
  };
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The link that the page shows, kept in step with the browser's address: back and forward are the browser's own.

import { formatLink, parseLink, type Link } from "./link.ts";
import { keepPlacesNow } from "./places.ts";

/** What of a window the router needs; tests have one of their own. */
export interface AddressBar {
  hash(): string;
  /** A new entry of the history. */
  push(hash: string): void;
  /** Instead of the current entry. */
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

  /** Goes there. What changes with each key that is typed replaces the entry, or back would go letter by letter. */
  go(link: Link, replace = false): void {
    const hash = formatLink(link);
    if (hash !== formatLink(this.#link)) {
      if (replace) this.#bar.replace(hash);
      else this.#bar.push(hash);
    }
    this.#set(parseLink(hash, this.#home));
  }

  /** The address of a link, for an element <a>. */
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
    // At once: location.replace() is done later, and hashchange then tells of a link that was left meanwhile.
    replace: (hash) => {
      keepPlacesNow();
      window.history.replaceState(window.history.state, "", hash);
    },
    listen: (changed) => {
      window.addEventListener("hashchange", changed);
      window.addEventListener("click", keepPlacesNow, true); // a link may be an element <a>, which the browser follows
      return () => {
        window.removeEventListener("hashchange", changed);
        window.removeEventListener("click", keepPlacesNow, true);
      };
    },
  };
}

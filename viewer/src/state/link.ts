// SPDX-License-Identifier: GPL-2.0-or-later
//
// Links. Every state of the page that one can return to is in the part of its address after `#`, such as
// `#view=records&section=unreported&q=main`. A query to the core has the same syntax, with `ask` instead of `view`.
// Keys are sorted by name, `view` first, so that equal links have equal text.

export type Keys = Readonly<Record<string, string>>;

export interface Link {
  readonly view: string;
  readonly keys: Keys;
}

/** Changes of keys: undefined and "" remove a key. */
export type KeyChanges = Readonly<Record<string, string | undefined>>;

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", "%20"));
  } catch {
    return text; // a literal percent sign that somebody typed
  }
}

function encode(text: string): string {
  // Like toWellFormed: encodeURIComponent throws for half of a surrogate pair.
  return encodeURIComponent(text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd"));
}

export function parseKeys(text: string): Record<string, string> {
  const keys: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const part of text.split("&")) {
    if (part === "") continue;
    const at = part.indexOf("=");
    const key = decode(at < 0 ? part : part.slice(0, at));
    const value = at < 0 ? "1" : decode(part.slice(at + 1));
    if (key !== "" && !(key in keys)) keys[key] = value; // the first one counts, as in the core
  }
  return keys;
}

export function formatKeys(keys: Keys): string {
  return Object.keys(keys)
    .sort()
    .filter((key) => keys[key] !== "")
    .map((key) => `${encode(key)}=${encode(keys[key] ?? "")}`)
    .join("&");
}

/** parseLink(location.hash): a link without a view leads to `home`. */
export function parseLink(hash: string, home: string): Link {
  const { view, ...keys } = parseKeys(hash.replace(/^#/, ""));
  return { view: view === undefined || view === "" ? home : view, keys };
}

export function formatLink(link: Link): string {
  const keys = formatKeys(link.keys);
  return `#view=${encode(link.view)}${keys === "" ? "" : `&${keys}`}`;
}

export function withKeys(link: Link, changes: KeyChanges): Link {
  const keys: Record<string, string> = { ...link.keys };
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined || value === "") delete keys[key];
    else keys[key] = value;
  }
  return { view: link.view, keys };
}

/** The text of a query, with the keys that are set. */
export function query(ask: string, keys: KeyChanges): string {
  const set = withKeys({ view: ask, keys: {} }, keys).keys;
  const text = formatKeys(set);
  return `ask=${encode(ask)}${text === "" ? "" : `&${text}`}`;
}

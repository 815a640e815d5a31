// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatLink, parseKeys, parseLink, query, withKeys, type Link } from "../src/state/link.ts";
import { Router, type AddressBar } from "../src/state/router.ts";

test("link: keys are decoded, in any order, with what people type", () => {
  assert.deepEqual(parseLink("#view=records&section=unreported&q=a%20b%26c", "overview"), { view: "records", keys: { section: "unreported", q: "a b&c" } });
  assert.deepEqual({ ...parseKeys("q=100%&x&=y&z=a=b&p=a+b&q=second") }, { q: "100%", x: "1", z: "a=b", p: "a b" });
  for (const hash of ["", "#", "#view="]) assert.deepEqual(parseLink(hash, "overview"), { view: "overview", keys: {} });
  assert.equal(parseLink("#__proto__=x&view=a", "o").keys["__proto__"], "x");
});

test("link: what is written is read back, whatever the texts are", () => {
  const texts = ["", "main", "a&b=c", "100%", "a+b", "#?/", "</script>", "\u202eabc", "😀", "\0\x01\n", "é", "constructor", "__proto__"];
  for (const text of texts) {
    const link: Link = { view: "records", keys: text === "" ? {} : { q: text, regex: "1" } };
    const back = parseLink(formatLink(link), "overview");
    assert.equal(back.view, "records");
    assert.deepEqual({ ...back.keys }, link.keys);
  }
  assert.equal(formatLink({ view: "x", keys: { q: "\ud800" } }), "#view=x&q=%EF%BF%BD");
});

test("link: equal links are equal texts, and keys without a value are not there", () => {
  assert.equal(formatLink({ view: "v", keys: { b: "2", a: "1", c: "" } }), "#view=v&a=1&b=2");
  const link = withKeys({ view: "v", keys: { a: "1", b: "2" } }, { a: undefined, b: "", c: "3" });
  assert.deepEqual(link, { view: "v", keys: { c: "3" } });
  assert.equal(query("records", { section: "unreported", q: undefined, first: "0" }), "ask=records&first=0&section=unreported");
});

/** A window's address and history. */
class History implements AddressBar {
  readonly entries: string[];
  at = 0;
  #changed: () => void = () => undefined;
  constructor(hash: string) {
    this.entries = [hash];
  }
  hash(): string {
    return this.entries[this.at] ?? "";
  }
  push(hash: string): void {
    this.entries.length = ++this.at;
    this.entries.push(hash);
    this.#changed();
  }
  replace(hash: string): void {
    this.entries[this.at] = hash;
    this.#changed();
  }
  go(step: number): void {
    this.at += step;
    this.#changed();
  }
  listen(changed: () => void): () => void {
    this.#changed = changed;
    return () => undefined;
  }
}

test("router: back and forward lead through what was shown; typing makes no entries", () => {
  const bar = new History("");
  const router = new Router(bar, "overview");
  const seen: string[] = [];
  router.subscribe((link) => seen.push(formatLink(link)));
  assert.equal(router.link.view, "overview");
  router.go({ view: "records", keys: {} });
  router.go(withKeys(router.link, { q: "m" }), true);
  router.go(withKeys(router.link, { q: "ma" }), true);
  router.go({ view: "tree", keys: {} });
  assert.deepEqual(bar.entries, ["", "#view=records&q=ma", "#view=tree"]);
  bar.go(-1);
  assert.equal(router.link.keys["q"], "ma");
  bar.go(-1);
  assert.equal(router.link.view, "overview");
  bar.go(2);
  assert.equal(router.link.view, "tree");
  assert.deepEqual(seen, ["#view=records", "#view=records&q=m", "#view=records&q=ma", "#view=tree", "#view=records&q=ma", "#view=overview", "#view=tree"]);
});

test("router: to where one is already is no step", () => {
  const bar = new History("#view=records&q=x");
  const router = new Router(bar, "overview");
  let told = 0;
  router.subscribe(() => told++);
  router.go({ view: "records", keys: { q: "x" } });
  assert.equal(told, 0);
  assert.equal(bar.entries.length, 1);
});

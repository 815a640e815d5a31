// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import type { VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import type { FileInfo } from "../src/core/answers.ts";
import type { KeyChanges, Keys } from "../src/state/link.ts";
import { FileChoice, fileTitle } from "../src/ui/filechoice.tsx";
import { graphView } from "../src/views/graph.tsx";
import { overviewView } from "../src/views/overview.tsx";
import { recordsView } from "../src/views/records.tsx";
import { withFile, withPair } from "../src/views/view.ts";

const file = (name: string, more: Partial<FileInfo>): FileInfo => ({ name, kind: "profile", ...more }) as FileInfo;
const FILES = [file("a.json", {}), file("b.json", { graph: 0 }), file("c.json", {}), file("d.graph", { kind: "graph" })];

test("file choice: a view of graphs shows the first file that has one, unless the link names a file", () => {
  assert.equal(withFile(graphView, FILES, {})["of"], "1");
  assert.equal(withFile(graphView, FILES, { of: "3" })["of"], "3");
  assert.equal(withFile(graphView, FILES.slice(1), {})["of"], undefined);
  assert.equal(withFile(recordsView, FILES, {})["of"], undefined);
});

test("file choice: the overview of two profiles of one program compares them, unless the link names a file", () => {
  const of = (...processes: (string | undefined)[]): FileInfo[] => processes.map((process, i) => file(`${i}.json`, process === undefined ? {} : { process }));
  const compared = { of: "1", old: "0" };
  assert.deepEqual(withPair(overviewView, of("/old/server", "/new/server"), {}), compared);
  assert.deepEqual(withPair(overviewView, of(undefined, undefined), {}), compared);
  for (const files of [of("server"), of("server", "server", "server"), of("server", "sh"), [file("a", { mode: "live" }), file("b", { mode: "cumulative" })]])
    assert.deepEqual(withPair(overviewView, files, {}), {});
  for (const keys of [{ of: "0" }, { of: "1" }]) assert.deepEqual(withPair(overviewView, of("server", "server"), keys), keys);
});

test("file choice: the first file can be chosen, too, where two are compared at first", () => {
  let changes: KeyChanges = {};
  const choice = FileChoice({ files: FILES, shows: undefined, keys: { of: "1" }, onChange: (made) => (changes = made) });
  const [show] = (choice?.props as { children: VNode<{ onChange: (value: string) => void }>[] }).children;
  show?.props.onChange("0");
  assert.deepEqual(changes, { of: "0" });
});

test("file choice: what a view cannot show is not offered", () => {
  const offered = (shows: typeof graphView.shows, of: string): string[] => {
    const html = renderToString(<FileChoice files={FILES} shows={shows} keys={{ of }} onChange={() => undefined} />);
    const select = html.slice(0, html.indexOf("</select>"));
    assert.match(select, new RegExp(`<option[^>]*(selected[^>]*value="${of}"|value="${of}"[^>]*selected)`));
    return [...select.matchAll(/value="(\d)"/g)].map((match) => String(match[1]));
  };
  assert.deepEqual(offered(graphView.shows, "1"), ["1", "3"]);
  assert.deepEqual(offered(recordsView.shows, "1"), ["0", "1", "2", "3"]);
});

test("file choice: the file that was given first is the old one, unless somebody chose the file to show", () => {
  const chosen = (keys: Keys, old: string): KeyChanges => {
    let changes: KeyChanges = {};
    const choice = FileChoice({ files: FILES, shows: undefined, keys, onChange: (made) => (changes = made) });
    const [, compare] = (choice?.props as { children: VNode<{ onChange: (value: string) => void }>[] }).children;
    compare?.props.onChange(old);
    return changes;
  };
  assert.deepEqual(chosen({}, "2"), { of: "2", old: "0" });
  assert.deepEqual(chosen({}, ""), { old: "" });
  assert.deepEqual(chosen({ of: "2" }, "0"), { old: "0" });
  assert.deepEqual(chosen({ old: "0" }, "2"), { old: "2" });
});

test("file choice: a file is called by its name, with the label of its dump if it has one", () => {
  assert.deepEqual([{ label: "full" }, { label: null }, { label: "" }, {}].map((more) => fileTitle(file("/x/a.json", more))), ["a.json (full)", "a.json", "a.json", "a.json"]);
});

// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToString } from "preact-render-to-string";
import type { FileInfo } from "../src/core/answers.ts";
import { diffView, largestOf, nameAmong, nameOf, TimeLine, type Dump } from "../src/views/diff.tsx";
import { withPair } from "../src/views/view.ts";

const dump = (of: number, more: Partial<Dump> = {}): Dump => ({ of, mode: "live", heap: { bytes: 1000 * of, blocks: of }, ...more });

test("diff: a dump is called by its label, its number, its time or its file", () => {
  assert.deepEqual([dump(0, { label: "full", n: 3 }), dump(0, { label: "", n: 3, time: "now" }), dump(0, { time: "now" }), dump(4, {})].map(nameOf), ["full", "dump 3", "now", "file 5"]);
});

test("diff: dumps of the same name are told apart", () => {
  const dumps = [dump(0, { label: "step", n: 1 }), dump(1, { label: "step", n: 2 }), dump(2, { label: "end", n: 3 })];
  assert.deepEqual(dumps.map((one) => nameAmong(one, dumps)), ["step, dump 1", "step, dump 2", "end"]);
});

test("diff: the time line says which dump is shown and which is subtracted", () => {
  const html = renderToString(<TimeLine name="jar" dumps={[dump(1, { label: "a" }), dump(2, { label: "b" })]} most={2000} of="2" old="1" onChoose={() => undefined} />);
  assert.match(html, /a<\/button><span class="quiet"> subtracted/);
  assert.match(html, /b<\/button><span class="quiet"> shown/);
  assert.match(html, /2,000/);
});

test("diff: bars of different processes can be compared", () => {
  const processes = [{ name: "old", dumps: [dump(1)] }, { name: "new", dumps: [dump(4)] }];
  const most = largestOf(processes);
  const bars = processes.map(({ name, dumps }) => renderToString(<TimeLine name={name} dumps={dumps} most={most} of="4" old="1" onChoose={() => undefined} />));
  assert.deepEqual(bars.map((html) => html.match(/width:([\d.]+)%/)?.[1]), ["25", "100"]);
});

test("diff: without a choice, the last file is compared with the first one", () => {
  const file = (more: Partial<FileInfo>): FileInfo => ({ name: "a", kind: "profile", ...more }) as FileInfo;
  assert.deepEqual({ ...withPair(diffView, [file({}), file({})], {}) }, { of: "1", old: "0" });
  assert.deepEqual({ ...withPair(diffView, [file({ kind: "graph" }), file({}), file({}), file({})], {}) }, { of: "3", old: "1" });
  assert.deepEqual({ ...withPair(diffView, [file({ kind: "graph" }), file({}), file({ kind: "graph" })], {}) }, { of: "2", old: "0" });
  for (const keys of [{ of: "1" }, { old: "1" }]) assert.deepEqual(withPair(diffView, [file({}), file({})], keys), keys);
  assert.deepEqual(withPair(diffView, [file({ kind: "build" }), file({ kind: "build" })], {}), {});
});

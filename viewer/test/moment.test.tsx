// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToString } from "preact-render-to-string";
import type { FileInfo } from "../src/core/answers.ts";
import { isAtPeak, MomentChoice, OnlyTheEnd } from "../src/ui/momentchoice.tsx";
import { filesView } from "../src/views/files.tsx";
import { graphView } from "../src/views/graph.tsx";
import { recordsView } from "../src/views/records.tsx";

const SUM = { bytes: 9, blocks: 1 };
const OPENS: FileInfo = { name: "a.json", kind: "profile", peak: SUM, opensPeak: true };
const HAS: FileInfo = { name: "b.json", kind: "profile", peak: SUM, opensPeak: false };
const NONE: FileInfo = { name: "c.json", kind: "profile" };
const RECENT: FileInfo = { name: "d.json", kind: "profile", peak: SUM, opensPeak: false, recentPeak: SUM };
const FILES = [OPENS, HAS, NONE, RECENT];

test("moment: as the core decides", () => {
  assert.ok(isAtPeak(FILES, {}));
  assert.ok(!isAtPeak(FILES, { peak: "0" }));
  assert.ok(!isAtPeak(FILES, { of: "1" }));
  assert.ok(isAtPeak(FILES, { of: "1", peak: "1" }));
  assert.ok(!isAtPeak(FILES, { of: "0", old: "1" }));
  assert.ok(isAtPeak([OPENS, OPENS], { of: "1", old: "0" }));
  assert.ok(isAtPeak(FILES, { of: "3", peak: "2" }));
  assert.ok(!isAtPeak(FILES, { of: "9" }), "no such file");
});

test("moment: a choice where both are known and shown; a view that needs the end says so", () => {
  const choice = (view: typeof recordsView, keys: Record<string, string>): string => renderToString(<MomentChoice view={view} files={FILES} keys={keys} onChange={() => undefined} />);
  assert.match(choice(recordsView, {}), /aria-pressed="?true"?[^>]*data-value="1"/);
  assert.match(choice(recordsView, { of: "1" }), /aria-pressed="?true"?[^>]*data-value="0"/);
  assert.notEqual(choice(recordsView, { of: "2", peak: "1" }), "", "leads back from a link");
  assert.doesNotMatch(choice(recordsView, {}), /Recent peak/);
  assert.match(choice(recordsView, { of: "3", old: "1" }), /Recent peak/);
  assert.match(choice(recordsView, { of: "3", peak: "2" }), /aria-pressed="?true"?[^>]*data-value="2"/);
  assert.match(choice(recordsView, { of: "1", peak: "2" }), /aria-pressed="?true"?[^>]*data-value="1"/, "as the core: the peak");
  for (const none of [choice(recordsView, { of: "2" }), choice(graphView, {}), choice(filesView, {})]) assert.equal(none, "");
  const says = (view: typeof recordsView, keys: Record<string, string>): string => renderToString(<OnlyTheEnd view={view} files={FILES} keys={keys} />);
  assert.match(says(graphView, {}), /heap at the end/);
  for (const none of [says(graphView, { peak: "0" }), says(recordsView, {}), says(filesView, {})]) assert.equal(none, "");
});

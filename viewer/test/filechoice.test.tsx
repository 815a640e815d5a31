// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToString } from "preact-render-to-string";
import type { FileInfo } from "../src/core/answers.ts";
import { FileChoice } from "../src/ui/filechoice.tsx";
import { graphView } from "../src/views/graph.tsx";
import { recordsView } from "../src/views/records.tsx";
import { withFile } from "../src/views/view.ts";

const file = (name: string, more: Partial<FileInfo>): FileInfo => ({ name, kind: "profile", ...more }) as FileInfo;
const FILES = [file("a.json", {}), file("b.json", { graph: 0 }), file("c.json", {}), file("d.graph", { kind: "graph" })];

test("file choice: a view of graphs shows the first file that has one, unless the link names a file", () => {
  assert.equal(withFile(graphView, FILES, {})["of"], "1");
  assert.equal(withFile(graphView, FILES, { of: "3" })["of"], "3");
  assert.equal(withFile(graphView, FILES.slice(1), {})["of"], undefined);
  assert.equal(withFile(recordsView, FILES, {})["of"], undefined);
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

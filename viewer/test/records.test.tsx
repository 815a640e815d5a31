// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToString } from "preact-render-to-string";
import { columnsOf, keysOfSorting, RECORD_COLUMNS, selectionOf, sortingOf } from "../src/views/recordtable.tsx";
import { describePicks, Picks } from "../src/views/picks.tsx";
import { RecordBody } from "../src/views/record.tsx";
import type { RecordAnswer, RecordRow } from "../src/views/recordanswers.ts";
import { withKeys } from "../src/state/link.ts";

const HOSTILE = ["</script><script>alert(1)</script>", '" onmouseover="alert(1)', "javascript:alert(1)", "<img src=x onerror=alert(1)>", "\u202egnirts", "\0\x01\x1b[31m", "😀"];

function row(name: string): RecordRow {
  return { id: 7, name, frames: [name], bytes: 1234567, blocks: 2, req: 1234000, slop: 567, share: "12.34%", section: "unreported", reporter: name, tag: name };
}

function record(name: string): RecordAnswer {
  return {
    id: 7, section: "twice-reported", rank: 2, of: 9, name, frames: [name], blocks: 1, bytes: 1, requested: 1, slop: 0, sizes: [[64, 1000], [32, 2]],
    allocatedAt: ["inner", name], reporter: name, reportedAt: [name], reporterAgain: name, reportedAgainAt: [name], tag: name, share: "1.00%", shareOfSection: "2.00%",
    cumulative: "3.00%", whose: [name], stacks: { total: 2, rows: [{ bytes: 1, blocks: 1, frames: [name] }] }, text: name,
    source: [{ frame: name, file: name, line: 12, lines: [{ line: 11, text: "" }, { line: 12, text: name }] }],
  };
}

test("records: names of strangers are text", () => {
  for (const name of HOSTILE) {
    const html = RECORD_COLUMNS.map((column) => renderToString(<p>{column.cell(row(name))}</p>)).join("") + renderToString(<RecordBody record={record(name)} />);
    const tags = new Set([...html.matchAll(/<([a-z0-9]+)/gi)].map((match) => match[1]));
    for (const tag of ["script", "img", "a"]) assert.ok(!tags.has(tag), `${tag} in ${html}`);
    for (const tag of html.match(/<(?:"[^"]*"|[^>"])*>/g) ?? []) assert.ok(!/\son[a-z]+=/.test(tag.replace(/"[^"]*"/g, "")), tag);
  }
});

test("records: figures as dmdv prints them", () => {
  const cells = RECORD_COLUMNS.map((column) => renderToString(<>{column.cell(row("f (a.c:1)"))}</>));
  assert.deepEqual(cells.slice(0, 5), ["1,234,567", "12.34%", "2", "1,234,000", "567"]);
  const body = renderToString(<RecordBody record={record("x")} />).replace(/<[^>]*>/g, "|");
  for (const text of ["1 byte in 1 block", "64 × 1,000, 32 × 2", "2 of 9; 3.00% with those before it", "The 1 largest of 2 whole stacks"]) assert.ok(body.includes(text), text);
});

test("records: columns without any value take no room", () => {
  const ids = (hasReporters: boolean, hasTags: boolean): string[] => columnsOf({ hasReporters, hasTags }).map(({ id }) => id).slice(6);
  assert.deepEqual(ids(true, true), ["name", "reporter", "tag"]);
  assert.deepEqual(ids(true, false), ["name", "reporter"]);
  assert.deepEqual(ids(false, true), ["name", "tag"]);
  assert.deepEqual(ids(false, false), ["name"]);
});

test("records: source lines have their numbers, and the frame's is marked", () => {
  const body = renderToString(<RecordBody record={record("f")} />);
  assert.match(body, /<li value="11"> <\/li><li value="12" aria-current="location">f<\/li>/);
  const { source: _, ...without } = record("f");
  assert.ok(!renderToString(<RecordBody record={without} />).includes("Source"));
});

test("records: links sort as the core does where they say nothing, and back", () => {
  assert.deepEqual(sortingOf({}), { by: "usable", descending: true });
  assert.deepEqual(sortingOf({ sort: "name" }), { by: "name", descending: false });
  for (const by of ["usable", "num", "name"])
    for (const descending of [true, false]) {
      const link = withKeys({ view: "records", keys: {} }, keysOfSorting({ by, descending }));
      assert.deepEqual(sortingOf(link.keys), { by, descending });
    }
  assert.deepEqual(withKeys({ view: "", keys: {} }, keysOfSorting({ by: "usable", descending: true })).keys, {});
});

test("records: which row is open does not change what is asked for", () => {
  assert.deepEqual(withKeys({ view: "", keys: {} }, selectionOf({ section: "once", q: "a", id: "3", view: "x" })).keys, { section: "once", q: "a" });
});

test("records: what is shown alone is asked for, said, and can be taken back", () => {
  const keys = { tag: "lib", type: "char[]", id: "3" };
  assert.deepEqual(withKeys({ view: "", keys: {} }, selectionOf(keys)).keys, { tag: "lib", type: "char[]" });
  assert.equal(describePicks(keys), "tag lib, type char[]");
  const shown = (except: string): string[] => renderToString(<Picks keys={keys} except={except} set={() => undefined} />).match(/title="[^"]*"/g) ?? [];
  assert.deepEqual(shown(""), ['title="Not only this tag"', 'title="Not only this type"']);
  assert.deepEqual(shown("type"), ['title="Not only this tag"']); // the row of the sums by type, which is open
});

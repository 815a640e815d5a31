// SPDX-License-Identifier: GPL-2.0-or-later

import assert from "node:assert/strict";
import { test } from "node:test";
import type { FileInfo } from "../src/core/answers.ts";
import { VIEWS } from "../src/views/index.ts";
import { byCommand } from "../src/views/others.tsx";

test("others: each view that does not apply stands once, with the command that records it", () => {
  const graph: FileInfo = { name: "a.graph.gz", kind: "graph" };
  const others = VIEWS.filter((view) => view.applies?.([graph]) === false);
  const groups = byCommand(others);
  assert.deepEqual([...groups.values()].flat().map(({ id }) => id).sort(), others.map(({ id }) => id).sort());
  assert.deepEqual(groups.get("dmdv run --lifetimes=yes ./app")?.map(({ id }) => id), ["lifetimes"]);
  assert.ok(groups.get("dmdv run ./app")?.some(({ id }) => id === "records"));
});

test("others: each view says what it shows and what it lacks, in a sentence, and names a command", () => {
  for (const { id, question, missing } of VIEWS) {
    assert.match(question, /^[A-Z].*\?$/, id);
    assert.match(missing.sentence, /^[A-Z].*\.$/, id);
    assert.match(missing.command, /^dmdv [a-z]+ /, id);
  }
});

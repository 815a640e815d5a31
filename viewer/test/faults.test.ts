// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldsOf, stacksOf, type Fault } from "../src/views/faults.tsx";

const FAULT: Fault = {
  kind: "freed", kindText: "Report of a freed block", isMisreport: true, sentence: "...", num: 2, text: "...",
  freedAt: ["free (a.c:3)"], at: ["measure (a.c:1)", "main (a.c:9)"], heldAt: ["hold (b.c:2)"], reporter: "explicit/jar", bytes: 1432, someNames: ["x"],
};

test("faults: stacks stand in the order in which one reads them, those of later versions too", () => {
  assert.deepEqual(stacksOf(FAULT).map(({ title, frames }) => [title, frames.length]),
    [["Where it happened", 2], ["Where the block was freed", 1], ["heldAt", 1]]);
});

test("faults: fields are told in words, without those that the sentence has", () => {
  assert.deepEqual(fieldsOf(FAULT), [["reporter", "explicit/jar"], ["bytes", "1,432"]]);
});

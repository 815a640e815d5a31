// SPDX-License-Identifier: GPL-2.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { moreAt, tabLink } from "../src/ui/tabs.tsx";

test("tabs: another view shows and compares the same files", () => {
  assert.deepEqual({ ...tabLink({ view: "overview", keys: { of: "1", old: "0", section: "unreported" } }, "records").keys }, { of: "1", old: "0" });
});

test("tabs: which ends of the strip have more than what is visible", () => {
  const more = (scrollLeft: number, clientWidth: number): string => moreAt({ scrollLeft, clientWidth, scrollWidth: 800 });
  assert.equal(more(0, 800), "");
  assert.equal(more(0, 374), "right");
  assert.equal(more(100, 374), "left right");
  assert.equal(more(426, 374), "left");
  assert.equal(more(425.6, 374), "left", "a fraction of a pixel is nothing to scroll to");
});

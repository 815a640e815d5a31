# SPDX-License-Identifier: GPL-2.0-or-later
"""The example of docs/examples: dmd finds its two mistakes, and what it publishes is what it reported."""

import os
import re

import textlog
from harness import Skip

TWICE = ["explicit/catalog/products", "explicit/catalog/index/words"]


def catalog(t):
    program = os.path.join(t.suite.builddir, "docs", "examples", "catalog")
    if not os.path.exists(program):
        raise Skip("the example was not built")
    run = t.run_command([program, "--items=2000"])
    profile = run.numbered(1)
    t.equal((len(run.profiles), profile.run["label"], profile.faults), (1, "loaded", []))
    twice = [block for block in profile.blocks if len(block.reps) == 2]
    t.equal(sum(block.num for block in twice), 2000)
    for block in twice:
        t.true("product_describe" in block.stack, "only descriptions are reported twice")
        t.equal(block.reporters, TWICE)
    dark = {block.stack[2] if block.tag is None else block.tag for block in profile.blocks if not block.reps}
    t.true({"term_add_posting", "cjson"} <= dark, "the postings are dark, and so is cJSON: %s" % dark)
    t.true(all(not block.reps for block in profile.blocks_at("term_add_posting")), "nobody reports postings")
    # And the tool says where they hang.
    largest = textlog.record_blocks(textlog.dump_lines(run.log), "unreported")[0]
    t.true("term_add_posting" in "".join(textlog.parse_record(largest).allocated), "the postings come first")
    t.equal(largest[-1], "  100% held at +0x10 of blocks reported by explicit/catalog/index/words")
    published = re.findall(r"^  (explicit/\S+)\s+(\d+)$", run.out.decode(), re.MULTILINE)
    t.equal(len(published), 5)
    for path, szB in published:
        reported = sum(b.num * (b.req + b.slop) * b.reporters.count(path) for b in profile.blocks)
        t.equal(reported, int(szB), path)

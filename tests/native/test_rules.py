# SPDX-License-Identifier: GPL-2.0-or-later
"""Tags and reports that the user requests by function or library: the engine has to find names while it
runs."""


def test_tag_by_function(t):
    run = t.run(t.program("blocks.c"), options=["--tag-fn=by_calloc=tagged", "--tag-fn=by_*align*=aligned"])
    tags = {function: {block.tag for block in run.profile.blocks_at(function)}
            for function in ("by_malloc", "by_calloc", "by_memalign", "by_posix_memalign")}
    t.equal(tags, {"by_malloc": {None}, "by_calloc": {"tagged"}, "by_memalign": {"aligned"},
                   "by_posix_memalign": {"aligned"}})
    t.contains(run.log, "dmd: wrote")


def test_tag_by_cxx_function(t):
    """A name in an unnamed namespace; the allocator's operator is skipped."""
    run = t.run(t.program("containers.cc"), options=["--tag-fn=*::left=own"])
    t.equal([(block.req, block.tag) for block in run.profile.blocks if block.tag], [(400, "own")])


def test_a_rule_that_never_matched(t):
    run = t.run(t.program("blocks.c"), options=["--tag-fn=by_nobody=tagged"])
    t.contains(run.log, "by_nobody")


def test_reports_by_function(t):
    run = t.run(t.program("blocks.c"), options=["--report-fn=by_calloc"])
    t.equal([block.reporters for block in run.profile.blocks_at("by_calloc")], [["explicit/by_calloc"]])
    t.equal([block.reporters for block in run.profile.blocks_at("by_malloc")], [[]])

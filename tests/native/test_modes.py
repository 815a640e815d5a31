# SPDX-License-Identifier: GPL-2.0-or-later
"""Every mode, and sampling: each file obeys the format, and the remaining blocks are the same."""

OPTIONS = [[], ["--mode=live"], ["--mode=cumulative"], ["--mode=scan"], ["--stacks=partial"], ["--graph=yes"],
           ["--freed-blocks=0"], ["--advice=yes"], ["--stacks=fp"], ["--check-stacks=yes"]]


def test_each_mode(t):
    totals = []
    for options in OPTIONS:
        run = t.run(t.program("containers.cc"), options=options)
        t.equal(run.profile.faults, [])
        t.check("--mode=cumulative" in options or run.profile.totals["inUseBlocks"] == sum(
            block.num for block in run.profile.blocks), options)
        totals.append(run.profile.totals)
    t.equal(totals, [totals[0]] * len(OPTIONS))


def test_graph_has_all_blocks(t):
    run = t.run(t.program("containers.cc"), options=["--graph=yes"])
    graph, = run.graphs.values()
    t.equal(len(graph.blocks), run.profile.totals["inUseBlocks"])


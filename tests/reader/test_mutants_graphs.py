# SPDX-License-Identifier: GPL-2.0-or-later
"""Heap graphs with mistakes in them: trial.py and graphtrial.py have the rules that every command must obey.

`tests/reader/mutants --graphs` tries more of them.
"""

import graphmutation
import graphtrial
import mutation

# How many mutants, and how many commands are tried on each of them: every command meets some of the files.
MUTANTS, ONE_IN = 300, 6


def tried(test):
    return graphtrial.GraphTrial(test.place.dmdv(), test.folder, graphtrial.other_graph(), graphtrial.profile_beside(),
                                 test.srcdir)


def test_original_graph(test):
    """All commands accept it; a mistake in it would hide all others."""
    trying = tried(test)
    test.equal(graphmutation.whole_file(graphmutation.parts(graphmutation.whole())), graphmutation.whole())
    test.equal(trying.of(graphmutation.whole()), [])
    for line in trying.commands():
        test.check(trying.run(line).status in (0, 1), "refused: %s" % line)


def test_all_graph_commands(test):
    graphs, trying = graphmutation.originals(test.srcdir), tried(test)
    for seed in range(MUTANTS):
        random = mutation.numbered(seed)
        wrong = trying.of(graphmutation.mutant(random, graphs), lambda lines: random.sample(lines, len(lines) // ONE_IN))
        test.check(not wrong, "mutant %d: %s" % (seed, "\n".join(wrong)))


def test_graph_work_in_proportion(test):
    trying = tried(test)
    for name, graph in graphtrial.crowded():
        wrong = trying.of(graph, lambda lines: lines[:len(graphtrial.ONE_FILE)])
        test.check(not wrong, "%s: %s" % (name, "\n".join(wrong)))

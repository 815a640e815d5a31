# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles with mistakes in them, and large ones: what must hold of every command on every file is in trial.py.

`tests/reader/mutants` tries more of them.
"""

import mutation
import trial

# How many mutants, and of how many commands one is tried on each of them: all commands meet a few hundred of the files.
MUTANTS, ONE_IN = 300, 6


def tried(test):
    return trial.Trial(test.place.dmdv(), test.folder, mutation.PROFILE)


def test_original_is_accepted(test):
    # A mistake in it would hide all others.
    test.dmdv("print", test.write("original", mutation.PROFILE))


def test_all_commands(test):
    documents, trying = mutation.originals(test.srcdir), tried(test)
    for seed in range(MUTANTS):
        random = mutation.numbered(seed)
        wrong = trying.of(mutation.mutant(random, documents), lambda lines: random.sample(lines, len(lines) // ONE_IN))
        test.check(not wrong, "mutant %d: %s" % (seed, "\n".join(wrong)))


def test_work_in_proportion(test):
    trying = tried(test)
    for name, document in trial.crowded(mutation.PROFILE):
        wrong = trying.of(document, lambda lines: lines[:len(trial.ONE_FILE)])
        test.check(not wrong, "%s: %s" % (name, "\n".join(wrong)))

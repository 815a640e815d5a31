# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles with mistakes in them, and large ones: trial.py has the rules that every command must obey on
every file.

`tests/reader/mutants` tries more of them.
"""

import mutation
import trial

# How many mutants, and how many commands are tried on each of them: every command meets a few hundred of the
# files.
MUTANTS, OF_SAMPLES, ONE_IN = 300, 40, 6


def tried(test, whole=None):
    return trial.Trial(test.place.dmdv(), test.folder, whole or mutation.PROFILE)


def try_mutants(test, n, whole=None):
    documents, trying = mutation.originals(test.srcdir, whole), tried(test, whole)
    for seed in range(n):
        random = mutation.numbered(seed)
        wrong = trying.of(mutation.mutant(random, documents), lambda lines: random.sample(lines, len(lines) // ONE_IN))
        test.check(not wrong, "mutant %d: %s" % (seed, "\n".join(wrong)))


def test_original_is_accepted(test):
    # A mistake in it would hide all others.
    test.dmdv("print", test.write("original", mutation.PROFILE))


def test_all_commands(test):
    try_mutants(test, MUTANTS)


def test_all_commands_on_samples(test):
    """Profiles with --sample-interval are compared and merged with another one of the same interval."""
    test.equal(tried(test, mutation.sampled()).of(mutation.sampled()), [])
    try_mutants(test, OF_SAMPLES, mutation.sampled())


def test_work_in_proportion(test):
    trying = tried(test)
    for name, document in trial.crowded(mutation.PROFILE):
        wrong = trying.of(document, lambda lines: lines[:len(trial.ONE_FILE)])
        test.check(not wrong, "%s: %s" % (name, "\n".join(wrong)))

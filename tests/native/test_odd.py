# SPDX-License-Identifier: GPL-2.0-or-later
"""Stacks that are not plain calls from main, and a program that goes where its files cannot."""

import os

from harness import Skip


def sums(run):
    names = ("before_main()", "after_main()", "after_the_exception(int)", "on_another_stack(int)", "between(int)")
    return {name: run.profile.count_at(name) for name in names}


EXPECTED = {"before_main()": (1, 1001), "after_main()": (1, 1002), "after_the_exception(int)": (20, 20 * 1003),
            "on_another_stack(int)": (5, 5 * 1004), "between(int)": (5, 5 * 1005)}


def test_stacks(t):
    """By whatever way stacks are walked; frames that an exception left are no longer remembered."""
    for options in ([], ["--check-stacks=yes"], ["--num-callers=4"]):
        run = t.run(t.program("odd.cc"), options=options)
        t.equal(sums(run), EXPECTED)
        t.equal(run.profile.faults, [])
        t.equal({name for block in run.profile.blocks_at("on_another_stack(int)") for name in block.reporters},
                {"explicit/away"})


def test_chroot(t):
    """The last profile is written to the program's new root; if that is impossible, a message says so."""
    if os.getuid() != 0:
        raise Skip("only root can change the root folder")
    root = t.new_folder()
    run = t.run([t.program("odd.cc"), "chroot", root], env={"DMD_OPTIONS": "--dmd-out-file=out.json"})
    t.equal(run.profiles, {})
    t.contains(run.err.decode(), "dmd: cannot write %s/out.json: no such folder" % run.folder)
    t.run([t.program("odd.cc"), "chroot", root], env={"DMD_OPTIONS": "--dmd-out-file=/dmd-odd.json"})
    t.equal(os.listdir(root), ["dmd-odd.json"])

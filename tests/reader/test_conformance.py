# SPDX-License-Identifier: GPL-2.0-or-later
"""The peer's test data: the output of Mozilla's script for its own files, byte for byte."""

import os

from harness import files


def compare(test, expected, command, *args):
    """All lines but the second, which is the program's own command line."""
    peers = test.peers()
    out, _ = test.dmdv(command, *(os.path.join(peers, a) if a.startswith("script-") else a for a in args))
    wanted = files.read(os.path.join(peers, expected)).split("\n")
    found = out.split("\n")
    test.equal(found[:1] + found[2:], wanted[:1] + wanted[2:], expected)


def test_max_frames_default(test):
    compare(test, "script-max-frames-8-expected.txt", "print", "script-max-frames.json")


def test_max_frames_3(test):
    compare(test, "script-max-frames-3-expected.txt", "print", "--max-frames=3", "--no-fix-stacks",
            "script-max-frames.json")


def test_sort_by_usable(test):
    compare(test, "script-sort-by-usable-expected.txt", "print", "--sort-by=usable", "script-sort-by.json.gz")


def test_sort_by_slop(test):
    compare(test, "script-sort-by-slop-expected.txt", "print", "--sort-by=slop", "script-sort-by.json.gz")


def test_ignore_alloc_fns(test):
    compare(test, "script-ignore-alloc-fns-expected.txt", "print", "--ignore-alloc-fns",
            "script-ignore-alloc-fns.json")


def test_diff(test):
    compare(test, "script-diff-live-expected.txt", "diff", "script-diff-live1.json", "script-diff-live2.json")

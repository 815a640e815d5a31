# SPDX-License-Identifier: GPL-2.0-or-later
"""What is known of the frames of stacks: each has its object, and by that blocks are told apart."""

import os
import shutil

from harness import commands


def _rows(t, path, by):
    """The table that dmdv prints: {name: bytes}."""
    lines = commands.run([t.place.dmdv(), "print", "--by=" + by, path]).out.splitlines()[1:]
    return {line.split(None, 5)[5]: int(line.split()[0].replace(",", "")) for line in lines}


def program_without_symbols(t):
    """What it allocates is its own, and not the library's that called it and has symbols."""
    built = t.bench.compile("crate.c")
    library = os.path.join(os.path.dirname(built), "libcrate.so.1")
    shutil.copy(built, library)
    program = t.program([library, "-Wl,-rpath," + os.path.dirname(built)])
    profile = t.run_command([program]).profile
    t.equal(_rows(t, profile.path, "library"), {os.path.basename(program): 5000 + 40, os.path.basename(library): 104})
    t.equal(_rows(t, profile.path, "function"), {"??? (in %s)" % os.path.basename(program): 5000 + 40,
                                                 "crate_new": 104})


def offsets_are_those_of_addr2line(t):
    """Of each frame with a line: its offset in its object is an address of that line, and of its function, into which
    others may be inlined."""
    profile = t.run().profile
    n = 0
    for entry in profile.run["objects"]:
        if os.path.basename(entry["path"]).startswith("vgpreload_"):
            continue
        for frame, offset in entry["frames"].items():
            text = profile.doc["frameTable"][frame]
            if offset is None:
                continue
            out = commands.run(["addr2line", "-f", "-i", "-e", entry["path"], hex(offset)]).out.splitlines()
            t.equal(text, "#00: %s (%s)" % (out[-2], os.path.basename(out[-1]).split(" ")[0]), entry["path"])
            n += 1
    t.check(n >= 5, "only %d frames" % n)

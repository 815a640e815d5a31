# SPDX-License-Identifier: GPL-2.0-or-later
"""dmd.h as a program includes it."""

import os
import shutil

from harness import commands


def languages(t):
    strict = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
    for flags in (["-std=c89"], ["-std=c11"], ["-x", "c++", "-std=c++11"], ["-x", "c++", "-std=c++17"],
                  ["-std=c11", "-DNVALGRIND"], ["-std=c11", "-O2"]):
        # The language has to be named before the file, which flags of this kind cannot do.
        if flags[0] == "-x":
            program = t.bench.compile_text("header.cc", '#include "%s/header.c"\n' % t.bench.programs,
                                           strict + flags[2:])
        else:
            program = t.program(strict + flags)
        t.run_natively([program])
        t.run_command([program])


def memory_reports_in_cxx(t):
    """By value in every C++, with either compiler, and left out with -DNVALGRIND. (C++98 has no long long.)"""
    strict = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-Wno-long-long"]
    source = os.path.join(t.bench.programs, "published_cxx.cc")
    builddir = t.place.builddir
    for number in ("98", "11", "14", "17", "20"):
        program = t.program([*strict, "-std=c++" + number])
        t.run_natively([program])
        reports = t.run_command([program]).profile.run["memoryReports"]
        t.equal([(r.get("process"), r["path"], r["kind"], r["units"], r["amount"], r.get("description"))
                 for r in reports],
                [(None, "explicit/pointer", "heap", "bytes", 7, "Seven."),
                 (None, "explicit/object", "heap", "bytes", 7, "Seven."),
                 (None, "explicit/value", "nonheap", "bytes", 42, "A few."),
                 ("child", "hits", "other", "count", 3, None)]
                + [(None, "braces", "other", "count", 5, None)] * (number != "98"))
        for other in ("clang++", "g++"):
            if shutil.which(other):
                for flags in ([], ["-DNVALGRIND"], ["-O2"]):
                    commands.run([other, *strict, "-std=c++" + number, *flags, "-I" + os.path.join(builddir, "include"),
                                  "-fsyntax-only", source])


def scope_guards(t):
    profile = t.run().profile
    reported = " reported by measure(void const*)"
    t.equal(profile.at("inside()"), [
        "100+4 tag inner" + reported + " as explicit/measured", "100+4 tag outer",
        "100+4 tag outer" + reported + " as explicit/measured"])
    t.equal(profile.at("after()"), ["100+4" + reported])
    # Only the pop and the end in main's last line, where nothing is open any more.
    t.equal(sorted(set((f.kind, *f.stack) for f in profile.faults)), [("scope-underflow", "main")])
    t.equal(sum(f.num for f in profile.faults), 2)

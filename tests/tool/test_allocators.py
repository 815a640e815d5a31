# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs whose malloc is not that of a shared C library."""

import glob

from harness import Failure, Skip


def _program(t, *flags):
    try:
        return t.program(flags)
    except Failure as failure:
        if "cannot find" in str(failure):
            raise Skip("there is no static C library") from failure
        raise


def static_program(t):
    """Valgrind replaces malloc in any object whose symbols it can read, the program itself included, but the
    replacements live in a library that a static program does not load. So there are no blocks to be seen, whatever
    --soname-synonyms says; requests are part of the program, and work."""
    for options in [], ["--soname-synonyms=somalloc=NONE"]:
        run = t.run_command([_program(t)], options=options, status=30)
        profile = run.numbered(1)
        t.equal(profile.blocks, [])
        t.equal(profile.run["label"], "static")
        t.equal(profile.faults_at("main"), ["report-no-block x 1"])
        t.equal(profile.totals["allocs"], 0)


def static_and_stripped(t):
    profile = t.run_command([_program(t, "-s")], status=30).numbered(1)
    t.equal((profile.blocks, profile.totals["allocs"]), ([], 0))


def jemalloc_preloaded(t):
    libraries = glob.glob("/usr/lib*/libjemalloc.so.2") + glob.glob("/usr/lib/*/libjemalloc.so.2")
    if not libraries:
        raise Skip("libjemalloc.so.2 is not installed")
    # Valgrind by itself replaces malloc in every library; so the option only narrows it down. Sizes are the model's.
    for options in [], ["--soname-synonyms=somalloc=*jemalloc*"]:
        run = t.run_command([t.program()], options=options, env={"LD_PRELOAD": libraries[0]})
        t.equal(run.profile.at("blocks"), ["100+4 reported by main", "200+0"])
        t.equal(run.profile.faults, [])
    # Told to leave it alone, it is blind.
    run = t.run_command([t.program()], options=["--soname-synonyms=somalloc=nouserintercepts"],
                        env={"LD_PRELOAD": libraries[0]}, status=None)
    t.equal(run.profile.at("blocks"), [])

# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs with an allocator other than the C library's, to which the engine forwards."""

import glob
import os
import platform
import shutil

from harness import commands
from harness.expect import Skip

LIBRARIES = {"jemalloc": "libjemalloc.so*", "tcmalloc": "libtcmalloc_minimal.so*", "mimalloc": "libmimalloc.so*"}


def library(name):
    found = sorted(glob.glob("/usr/lib*/" + LIBRARIES[name]) + glob.glob("/usr/lib/*/" + LIBRARIES[name]))
    if not found:
        raise Skip("no lib" + name)
    return found[0]


def compare(t, name):
    """Every allocator leaves the same blocks of the program's own, and its operators are seen."""
    program = t.program("containers.cc")
    plain, run = t.run(program), t.run(program, preload=[library(name)])
    t.equal(run.out, plain.out)
    t.equal(run.profile.faults, [])
    for function in ("left()", "left_aligned()"):
        whole = "(anonymous namespace)::" + function
        t.equal([b.req for b in run.profile.blocks_at(whole)], [b.req for b in plain.profile.blocks_at(whole)])
        t.check(run.profile.blocks_at(whole) != [], whole)
    t.check(any(block.stack[0].startswith("operator new(") for block in run.profile.blocks), "operator new is seen")


def test_jemalloc(t):
    compare(t, "jemalloc")


def test_tcmalloc(t):
    compare(t, "tcmalloc")


def test_mimalloc(t):
    compare(t, "mimalloc")


def test_functions_of_jemalloc(t):
    run = t.run(t.program("jemallocx.c"), preload=[library("jemalloc")])
    usable = [int(line) for line in run.err.split()]
    for function, req, size in zip(("by_mallocx", "by_rallocx", "by_xallocx"), (100, 5000, None), usable):
        blocks = run.profile.blocks_at(function)
        t.equal([block.req + block.slop for block in blocks], [size])
        t.check(req is None or blocks[0].req == req, function)
        t.equal(blocks[0].stack[0], function[3:] if blocks[0].req != 1 << 20 else "mallocx")
    t.equal(run.profile.at("by_none"), [])


# ---- Allocators that are linked under names of their own, see programs/prefixed.c. ----


def prefixed(t, extra=()):
    """The program. Without the engine it calls its allocator."""
    if platform.machine() != "x86_64":
        raise Skip("functions are replaced on x86-64 only")
    program = t.program("prefixed.c", extra)
    t.check(int(commands.run([program]).out) > 1000, "the allocator is used")
    return program


def check_replaced(t, run, replaced):
    """No call reached the allocator itself, and the parent and its child have the blocks that they kept."""
    t.equal(run.out, b"0\n")
    both = sorted(run.profiles.values(), key=lambda profile: len(profile.blocks_at("keep")))
    t.equal([profile.faults for profile in both], [[], []])
    t.equal([sorted(block.req for block in profile.blocks_at("keep")) for profile in both], [[1234], [777, 1234]])
    t.equal({block.stack[0] for block in both[1].blocks_at("keep")}, {"je_malloc"})
    t.contains("".join(run.logs.values()), "%s allocates with je_malloc, too: its blocks now come from malloc" % replaced)


def test_prefixed_with_threads_and_a_fork(t):
    program = prefixed(t)
    check_replaced(t, t.run(program), program)
    t.equal(t.run(program, ["--sample-interval=1000"]).out, b"0\n")


def test_prefixed_in_a_library_that_has_begun(t):
    """Its constructor allocates before the engine can replace its functions. These blocks are left alone."""
    library = t.program("prefixed.c", ["-DALLOCATOR", "-shared", "-fPIC"])
    program = prefixed(t, ["-DPROGRAM", library])
    check_replaced(t, t.run(program), library)
    t.equal(t.run(program, ["--sample-interval=1000"]).out, b"0\n")


def test_prefixed_with_a_short_function(t):
    """All functions are replaced or none."""
    program = prefixed(t, ["-DTOO_SHORT"])
    run = t.run(program)
    t.equal(run.out.decode(), commands.run([program]).out)
    t.contains("".join(run.logs.values()), "%s allocates with je_malloc, too, which only Valgrind can replace: its "
               "function je_free is too short for a jump" % program)
    t.equal([profile.blocks_at("keep") for profile in run.profiles.values()], [[], []])


def test_prefixed_and_stripped(t):
    """Functions without symbols are not found, and nothing is changed."""
    program = prefixed(t)
    stripped = os.path.join(t.new_folder(), "stripped")
    commands.run(["strip", "-o", stripped, program])
    t.equal(t.run(stripped).out.decode(), commands.run([program]).out)


def test_prefixed_jemalloc(t):
    """jemalloc itself, renamed as Rust's crate does; it says that it gave nothing to the program."""
    names = ("malloc", "calloc", "realloc", "free", "malloc_usable_size", "posix_memalign", "aligned_alloc", "memalign",
             "valloc", "mallocx", "rallocx", "xallocx", "sallocx", "dallocx", "sdallocx", "nallocx", "mallctl")
    folder = t.new_folder()
    found = glob.glob("/usr/lib*/libjemalloc_pic.a") + glob.glob("/usr/lib/*/libjemalloc_pic.a")
    if not found or shutil.which("objcopy") is None or platform.machine() != "x86_64":
        raise Skip("no libjemalloc_pic.a, no objcopy, or another processor than x86-64")
    files = [name for name in commands.run(["ar", "t", found[0]]).out.split() if "cpp" not in name]
    commands.run(["ar", "x", found[0], *files], folder)
    commands.run(["ld", "-r", "-o", "all.o", *files], folder)
    commands.run(["objcopy", *["--redefine-sym=%s=_rjem_%s" % (name, name) for name in names], "all.o", "rjem.o"], folder)
    program = t.program("rjem.c", [os.path.join(folder, "rjem.o"), "-lm"])
    t.check(int(commands.run([program]).out) >= 10 * 100000, "jemalloc gave memory")
    run = t.run(program)
    t.check(int(run.out) < 100000, "jemalloc says that it gave %s" % run.out)
    t.equal([(block.req, block.num) for block in run.profile.blocks_at("keep")], [(100000, 10)])
    t.equal(run.profile.faults, [])

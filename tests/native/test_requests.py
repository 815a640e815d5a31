# SPDX-License-Identifier: GPL-2.0-or-later
"""Requests that programs make with dmd.h, and how they get to the engine."""

from harness.expect import Skip
from harness import commands

ANSWERS = """running 1
push 1
set 2
pop 0
bytes 1
blocks 1
begin 1
size 1
end 0
local 0
null 0
published 1
dump 1
cleared 0
dump 2
"""


def test_each_request(t):
    run = t.run(t.program("requests.c"))
    t.equal(run.err.decode(), ANSWERS)
    first, second = (run.numbered(number) for number in (1, 2))
    t.equal(first.run["label"], "first")
    t.equal([b.reporters for b in first.blocks_at("once_block")], [["explicit/good"]])
    t.equal([b.reporters for b in first.blocks_at("twice_block")], [["explicit/bad", None]])
    t.equal([b.reps for b in first.blocks_at("dark_block")], [[]])
    t.equal([(b.tag, b.thread) for b in first.blocks_at("tagged_block")], [("tag", 1)])
    t.equal(sorted((b.req, b.tag, b.thread) for b in first.blocks_at("run")), [(5000, "tag", 2), (6000, "own", 2)])
    t.equal(sorted(f.kind for f in first.faults), ["claim", "report-stack"])
    t.equal(first.run["memoryReports"][0]["amount"], 42)
    t.equal([b.reps for b in second.blocks_at("once_block")], [[]])


def test_without_an_engine_nothing_answers(t):
    done = commands.run([t.program("requests.c")])
    t.contains(done.err, "running 0\n")
    t.contains(done.err, "dump 0\n")


SMALL = """
#include <stddef.h>
#include <valgrind/dmd.h>
int asked(void);
int asked(void) { return (int)RUNNING_ON_DMD; }
#ifdef MAIN
int main(void) { return asked() ? 5 : 6; }
#endif
"""


def compile_small(t, name, flags, compiler=None):
    path = t.write(name, SMALL)
    output = t.place.new_folder("small") + "/small"
    include = t.builddir + "/include"
    commands.run([*(compiler or ["cc"]), "-I" + include, "-I" + include + "/valgrind", path, "-o", output, *flags])
    return output


def test_each_way_to_build_a_program(t):
    ways = [["-O0"], ["-O2"], ["-O1", "-no-pie", "-fno-pie"], ["-O2", "-fPIE", "-pie"], ["-O2", "-flto"],
            ["-O2", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"], ["-std=c89", "-pedantic-errors"],
            ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic-errors"]]
    for compiler in ("gcc", "clang"):
        if not t.has_command(compiler):
            continue
        for flags in ways:
            if compiler == "clang" and "-flto" in flags and not t.has_command("ld.lld"):
                continue
            flags = flags + (["-fuse-ld=lld"] if compiler == "clang" and "-flto" in flags else [])
            t.run(compile_small(t, "small.c", ["-DMAIN", *flags], [compiler]), status=5)


def test_each_cxx(t):
    for compiler in ("g++", "clang++"):
        if not t.has_command(compiler):
            continue
        for standard in ("c++98", "c++11", "c++17", "c++20"):
            flags = ["-DMAIN", "-std=" + standard, "-Wall", "-Wextra", "-Werror"]
            t.run(compile_small(t, "small.cc", flags, [compiler]), status=5)


LOADS = """
#include <dlfcn.h>
#include <stddef.h>
#include <valgrind/dmd.h>
int main(int argc, char **argv) {
  int (*asked)(void);
  void *library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    return 9;
  *(void **)&asked = dlsym(library, "asked");
  return 10 * (int)RUNNING_ON_DMD + asked();
}
"""


def test_programs_and_libraries_at_once(t):
    library = compile_small(t, "small.c", ["-shared", "-fPIC", "-O2"])
    program = t.place.new_folder("loads") + "/loads"
    include = t.builddir + "/include"
    commands.run(["cc", "-I" + include, t.write("loads.c", LOADS), "-o", program, "-ldl"])
    t.run([program, library], status=11)
    commands.run([program, library], status=0)


def test_valgrind_answers_as_ever(t):
    """Without the engine's library the slot is empty: the requests go to Valgrind."""
    if not t.has_command("valgrind"):
        raise Skip("no valgrind")
    small = compile_small(t, "small.c", ["-DMAIN", "-O2"])
    commands.run([t.place.launcher(), "--tool=dmd", "-q", "--dmd-out-file=/dev/null", small], status=5)

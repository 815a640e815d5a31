# SPDX-License-Identifier: GPL-2.0-or-later
"""Requests of Rust programs, which must be those of dmd.h."""

import os
import re
import shutil

from harness import commands, files
from harness.expect import Skip
from rusttest import ENGINES

ANSWERS = """running 1
bytes 1
blocks 1
size 1
local 0
null 0
enclosing 1
published 1
dump 1
dump 2
"""


def test_each(t):
    for engine in ENGINES:
        run = t.run_under(engine, [t.rust_program("requests")])
        t.equal("".join(line + "\n" for line in run.err.decode().splitlines() if not line.startswith("=="))[-len(ANSWERS):],
                ANSWERS)
        first, second = (run.numbered(number) for number in (1, 2))
        t.equal(first.run["label"], "first")
        t.equal(len(second.run["label"]), 4096)
        t.equal([b.reporters for b in _blocks(first, "once_block")], [["explicit/good", None]])
        t.equal([b.reporters for b in _blocks(first, "twice_block")], [["explicit/bad", None]])
        t.equal([b.reporters for b in _blocks(first, "dark_block")], [[]])
        t.equal([b.tag for b in _blocks(first, "tagged_block")], ["tag"])
        t.equal([b.tag for b in _blocks(first, "dark_block")], [None])
        t.equal(sorted(f.kind for f in first.faults), ["claim", "report-stack"])
        t.equal([(r["path"], r["amount"], r["description"]) for r in first.run["memoryReports"]],
                [("explicit/x", 42, "Some.")])
        t.equal([b.reps for b in _blocks(second, "twice_block")], [[]])


def _blocks(profile, function):
    return [b for b in profile.blocks if b.stack and any(f.split("::")[-1] == function for f in b.stack)]


def test_elsewhere(t):
    answers = commands.run([t.rust_program("requests")]).err
    t.contains(answers, "running 0\n")
    t.contains(answers, "size 1\n")
    t.contains(answers, "enclosing 0\n")
    t.contains(answers, "dump 0\n")


def test_switched_off(t):
    """The feature `off` leaves no request in the program: neither a note for the native engine nor an answer."""
    program = t.rust_program("requests", "--features", "dmd-tests/off")
    t.check("DMD" not in commands.run(["readelf", "-n", program]).out, "there is a note")
    t.contains(commands.run(["readelf", "-n", t.rust_program("requests")]).out, "DMD")
    for engine in ENGINES:
        run = t.run_under(engine, [program])
        t.contains(run.err.decode(), "running 0\n")
        t.contains(run.err.decode(), "dump 0\n")


C_REQUEST = """
#include <stddef.h>
#define DMD_NATIVE_USABLE_SIZE(p) ((void)(p), 0)
#include <valgrind/dmd.h>
size_t ask(void);
size_t ask(void) { return RUNNING_ON_DMD; }
"""


def _instructions(t, clang, target, source):
    """The code of a source's function as objdump prints it, without addresses."""
    folder = t.new_folder()
    files.write(os.path.join(folder, os.path.basename(source[0])), source[1])
    flags = ["-I" + os.path.join(t.builddir, "include"), "-I/usr/include", "-isystem", "/usr/include/valgrind"]
    done = commands.run([clang, "--target=" + target, "-O1", "-c", *flags, source[0], "-o", "x.o"], folder, status=None)
    if done.status != 0:
        raise Skip("clang has no headers for %s: %s" % (target, done.err.splitlines()[0] if done.err else ""))
    dump = commands.run(["llvm-objdump", "-d", "--no-show-raw-insn", "--no-leading-addr", "x.o"], folder).out
    return [re.sub(r"\s+", " ", line).strip() for line in dump.splitlines() if line.startswith(("\t", " "))]


def _of_rust(t, arch):
    text = files.read(os.path.join(t.srcdir, "rust", "dmd", "src", "dmd_request.rs"))
    part = re.search(r'#\[cfg\(target_arch = "%s"\)\]\s+unsafe \{\s+asm!\((.*?)in\(' % arch, text, re.DOTALL).group(1)
    return re.findall(r'"([^"]+)"', part)


def test_instructions(t):
    """The instructions that Valgrind recognises are those of valgrind.h, on both processors."""
    clang = shutil.which("clang")
    if clang is None or shutil.which("llvm-objdump") is None:
        raise Skip("clang and llvm-objdump are not installed")
    for arch, target in (("x86_64", "x86_64-linux-gnu"), ("aarch64", "aarch64-linux-gnu")):
        syntax = ".intel_syntax noprefix\n" if arch == "x86_64" else ""
        assembly = syntax + "".join("%s\n" % line for line in _of_rust(t, arch))
        rust = _instructions(t, clang, target, ("rust.s", assembly))
        header = _instructions(t, clang, target, ("header.c", C_REQUEST))
        t.equal(len(rust), 5)
        t.check(any(header[i:i + 5] == rust for i in range(len(header))), "%s: %s is not in %s" % (arch, rust, header))


def test_numbers(t):
    """The numbers are those of the enum in dmd.h."""
    header = files.read(os.path.join(t.srcdir, "dmd", "include", "valgrind", "dmd.h"))
    crate = files.read(os.path.join(t.srcdir, "rust", "dmd", "src", "dmd_request.rs"))
    of_header = re.search(r"typedef enum \{(.*?)\}", header, re.DOTALL).group(1)
    of_crate = re.search(r"enum Request \{(.*?)\}", crate, re.DOTALL).group(1)
    names = [re.sub(r"HeapBlock", "", name.title().replace("_", "")) for name in
             re.findall(r"VG_USERREQ__DMD_([A-Z_]+)", of_header)]
    t.equal(re.findall(r"(\w+)(?: = \w+)?,", of_crate), names)
    t.equal(re.search(r"Running = 0x([0-9a-f_]+)", of_crate).group(1), "%x_0000" % (ord("D") << 8 | ord("M")))


def test_documentation(t):
    """The examples in the documentation of the crate work."""
    done = t.bench.cargo("test", "--doc", "--package", "dmd")
    t.equal((done.status, done.err if done.status else ""), (0, ""))


def test_names(t):
    """dmdv names functions as c++filt does, without hashes, and sums begin behind Rust's library."""
    program = t.rust_program("faults")
    run = t.run_natively_with_dmdv(program, "forgotten_field")
    frames = set(run.profile.doc["frameTable"].values())
    t.check(not any("$LT$" in frame or re.search(r"::h[0-9a-f]{16}", frame) for frame in frames), sorted(frames))
    lines = commands.run([t.place.dmdv(), "print", "--by=function", run.profile.path]).out
    t.contains(lines, "faults::forgotten_field")
    symbols = [line.split()[-1] for line in commands.run(["nm", program]).out.splitlines()]
    symbols = [s for s in symbols if re.match(r"_ZN.*17h[0-9a-f]{16}E$", s)]
    plain = commands.run(["c++filt", *symbols[:2000]]).out.splitlines()
    known = {re.sub(r"::h[0-9a-f]{16}$", "", name) for name in plain}
    named = {re.sub(r"^#00: | \(.*|\[.*", "", frame) for frame in frames if "faults::" in frame}
    t.check(named and all(name in known or "<" in name for name in named), "%s" % sorted(named - known))

# SPDX-License-Identifier: GPL-2.0-or-later
"""The types of blocks: programs print the type of each block, and dmdv finds the same."""

import ctypes.util
import os
import platform
import random
import re
import shutil
import socket

from harness import commands, files
from harness.compiler import present
from harness.debuginfod import Debuginfod
from harness.suite import Skip


def _run_show(t, run, *args):
    """Runs tests/types/show on the run's graph."""
    show = os.path.join(t.place.builddir, "tests", "types", "show")
    if not os.path.exists(show):
        raise Skip("tests/types/show is not built (make check TESTS=, with libdw)")
    graph = os.path.join(run.folder, "dmd.out.%d.1.graph.gz" % run.pid)
    return t.run_natively([show, graph, *args])


def _show(t, run, *args):
    """Its output: {"block": {address: name}, "edge": {...}}, stderr."""
    done = _run_show(t, run, *args)
    found = {"block": {}, "edge": {}, "evidence": {}}
    for line in done.out.decode().splitlines():
        kind, address, name = line.split(" ", 2)
        if kind == "block":
            found["evidence"][int(address, 0)], name = name.split(" ", 1)
        found[kind][int(address, 0)] = name
    return found, done.err.decode()


def _said(run):
    """The program's own output in this form."""
    said = {"block": {}, "edge": {}}
    for line in run.out.decode().splitlines():
        kind, address, name = line.split(" ", 2)
        said[kind][int(address, 0)] = name
    return said


def _plain(name):
    """One spelling of a library type, which compilers spell in several ways."""
    name = re.sub(r"(?<=_Sp_counted_ptr_inplace<shop::Plain, ).*>", "...>", name)
    name = re.sub(r"\bconst\b", "", name)
    return re.sub(r"\blong\b(?! int)", "long int", name).replace(" ", "")


def _compare(t, run, *args, spell=_plain):
    """Fails if dmdv has another name than the program, or none."""
    found, _ = _show(t, run, *args)
    said = _said(run)
    for kind, names in said.items():
        t.check(names, "the program said nothing of a %s" % kind)
        wrong = ["%s %#x: %s, dmdv: %s" % (kind, address, name, found[kind].get(address))
                 for address, name in names.items() if spell(found[kind].get(address, "")) != spell(name)]
        t.equal(wrong, [])


def _run(t, compiler, *flags):
    if compiler == "clang++":
        flags = [*flags, "-fstandalone-debug"]  # else it leaves out types that the C++ library should describe
    if shutil.which(compiler) is None:
        raise Skip("no " + compiler)
    return t.run_command([t.program(flags, compiler)])


def _variants(compilers):
    return [(compiler, optimisation, dwarf) for compiler in present(*compilers) for optimisation in ("-O0", "-O2")
            for dwarf in ("-gdwarf-4", "-gdwarf-5")]


def of_c(t):
    for variant in _variants(("gcc", "clang")):
        _compare(t, _run(t, *variant))


def of_classes(t):
    for variant in _variants(("g++", "clang++")):
        _compare(t, _run(t, *variant))


def of_stacks(t):
    """Variables on stacks and of threads are roots with names and types."""
    if platform.machine() == "aarch64":
        raise Skip("compilers for this processor do not record where variables of threads are")
    for compiler, *flags in _variants(("gcc", "clang")):
        run = _run(t, compiler, *flags)
        found, _ = _show(t, run)
        said = _said(run)
        if compiler == "clang" and "-O2" in flags:
            # It does not describe where the variable is during calls that may change it.
            names = {found["edge"][address] for address, name in said["edge"].items() if name == "inner"}
            t.check(all(name == "inner" or name.startswith("+0x") for name in names), "%s for inner" % names)
            said["edge"] = {address: name for address, name in said["edge"].items() if name != "inner"}
        for kind, names in said.items():
            t.check(len(names) >= 7, "the program said little")
            t.equal({address: found[kind].get(address) for address in names}, names)


def of_containers(t):
    """Nearly all of a heap has a type."""
    for compiler, *flags in _variants(("g++", "clang++")):
        run = _run(t, compiler, *flags)
        found, _ = _show(t, run)
        sizes = {"typed": 0, "other": 0}
        for block in run.graph_numbered(1).blocks:
            evidence = found["evidence"][block.address]
            sizes["other" if evidence in ("none", "function") else "typed"] += block.requested + block.slop
        share = sizes["typed"] / sum(sizes.values())
        t.check(share >= 0.95, "%s %s: %.1f%% of the bytes have a type" % (compiler, flags, 100 * share))


def _separate(t, program):
    """Moves the debug information of a program into a separate file; returns its path."""
    debug = program + ".debug"
    commands.run(["objcopy", "--only-keep-debug", program, debug])
    commands.run(["objcopy", "--strip-all", "--add-gnu-debuglink=" + debug, program])
    return debug


def _copy(t, compiler="gcc"):
    """A fresh copy of the program, to be changed."""
    program = os.path.join(t.new_folder(), "types")
    shutil.copy(t.program(["-O2", "-Wl,--build-id"], compiler), program)
    return program


def by_debug_link(t):
    program = _copy(t)
    _separate(t, program)
    _compare(t, t.run_command([program]))


def _build_id(program):
    return re.search(r"Build ID: ([0-9a-f]+)", commands.run(["readelf", "-n", program]).out).group(1)


def by_build_id(t):
    program = _copy(t)
    debug = _separate(t, program)
    build_id = _build_id(program)
    folder = t.new_folder()
    os.makedirs(os.path.join(folder, ".build-id", build_id[:2]))
    shutil.move(debug, os.path.join(folder, ".build-id", build_id[:2], build_id[2:] + ".debug"))
    run = t.run_command([program])
    # Valgrind did not find that file, so it knows no functions.
    _compare(t, run, folder, spell=lambda name: name.split(" from ")[0])
    # The program itself may be gone: then only facts that do not come from its code are known.
    os.remove(program)
    found, _ = _show(t, run, folder)
    t.check("shelf[]" in found["block"].values(), "no types without the program")


def _census(t, run, urls, cache):
    """What dmdv prints of the run's graph if these servers are given."""
    graph = os.path.join(run.folder, "dmd.out.%d.1.graph.gz" % run.pid)
    env = {"DEBUGINFOD_URLS": urls, "DEBUGINFOD_CACHE_PATH": cache}
    return t.run_natively([t.place.dmdv(), "census", graph], env=env)


def by_debuginfod(t):
    """Also without the program, and later from the cache without a server. Nothing is asked if none is given."""
    program = _copy(t)
    served = t.new_folder()
    build_id = _build_id(program)
    shutil.move(_separate(t, program), served)
    run = t.run_command([program])
    caches = [t.new_folder() for _ in range(3)]
    with Debuginfod(t.new_folder(), served) as server:
        server.wait_for(build_id)
        t.check(b"shelf" not in _census(t, run, "", caches[0]).out, "types without a server")
        t.equal(os.listdir(caches[0]), [])
        t.contains(_census(t, run, server.url, caches[1]).out.decode(), "shelf[]")
        os.remove(program)
        t.contains(_census(t, run, server.url, caches[2]).out.decode(), "shelf[]")
        t.contains(os.listdir(caches[2]), build_id)
    t.contains(_census(t, run, server.url, caches[2]).out.decode(), "shelf[]")


def by_debuginfod_that_hangs(t):
    """A server that takes requests and does not answer them: dmdv says so once, and goes on without it."""
    if not ctypes.util.find_library("debuginfod"):
        raise Skip("no libdebuginfod: install libdebuginfod1")
    program = _copy(t)
    _separate(t, program)
    os.remove(program + ".debug")
    run = t.run_command([program])
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(64)
        done = _census(t, run, "http://127.0.0.1:%d" % server.getsockname()[1], t.new_folder())
    t.equal(done.err.decode().count("no server in DEBUGINFOD_URLS sent anything for 15 seconds: debug information is not downloaded"), 1)
    t.check(b" blocks" in done.out and b"shelf" not in done.out, done.out)


def another_build(t):
    program = _copy(t)
    run = t.run_command([program])
    shutil.copy(t.program(["-O0", "-Wl,--build-id"], "gcc"), program)
    found, err = _show(t, run)
    t.contains(err, "from a different build than the program that ran")
    t.check("shelf[]" not in found["block"].values(), "types of another build were taken")


def without_debug_information(t):
    program = _copy(t, compiler="g++")
    commands.run(["strip", program])
    run = t.run_command([program])
    found, err = _show(t, run)
    t.equal(err.count("no debug information"), 1)
    said = re.search(r"no debug information in %s(?: and \d+ more)?: therefore ([\d.]+)% of the heap has no type;"
                     r" of the rest ([\d.]+)% has one\n".replace("%s", re.escape(program)), err)
    t.check(said, err)
    sizes = {}
    for block in run.graph_numbered(1).blocks:
        kind = "without" if found["evidence"][block.address] == "function" else "typed"
        sizes[kind] = sizes.get(kind, 0) + block.requested + block.slop
    t.equal(float(said.group(1)), 1000 * sizes["without"] // sum(sizes.values()) / 10)
    t.equal(said.group(2), "100.0")
    kinds = set(found["evidence"].values())
    t.check("function" in kinds and "site" not in kinds, "types without debug information: %s" % kinds)


def damaged_debug_information(t):
    """Untrusted DWARF: dmdv ends normally whatever it contains, even line ends in names."""
    program = _copy(t)
    run = t.run_command([program])
    whole = files.read_bytes(program)
    sections = commands.run(["readelf", "-SW", program]).out
    for name in (".debug_info", ".debug_abbrev", ".debug_loclists", ".debug_str"):
        place = re.search(re.escape(name) + r"\s+PROGBITS\s+\w+\s+(\w+)\s+(\w+)", sections)
        if place is None:
            continue
        start, size = int(place.group(1), 16), int(place.group(2), 16)
        for step in range(20):
            data = bytearray(whole)
            for i in range(step, size, 97 + 31 * step):
                data[start + i] = (data[start + i] * 7 + step) & 255
            with open(program, "wb") as out:
                out.write(data)
            _run_show(t, run)


def damaged_files(t):
    """Untrusted files, damaged anywhere: in headers, in sections about functions and variables, in symbols."""
    program = _copy(t)
    run = t.run_command([program])
    whole = files.read_bytes(program)
    sections = re.findall(r"(\.\S+)\s+(?:PROGBITS|SYMTAB|STRTAB|DYNAMIC)\s+\w+\s+(\w+)\s+(\w+)",
                          commands.run(["readelf", "-SW", program]).out)
    places = [(0, 64), (64, 600)]  # the file's header, and those of its segments
    places += [(int(start, 16), int(size, 16)) for name, start, size in sections
               if name.startswith(".debug_") or name in (".eh_frame", ".symtab", ".strtab", ".dynamic")]
    places.append((places[-1][0] + places[-1][1], len(whole)))  # headers of sections, at the end
    dice = random.Random(3)
    for start, size in places:
        for step in range(6):
            data = bytearray(whole)
            for _ in range(1 << step):
                at = start + dice.randrange(size)
                if at < len(data):
                    data[at] = dice.choice((0, 1, 127, 128, 255, data[at] ^ 1 << dice.randrange(8), dice.randrange(256)))
            with open(program, "wb") as out:
                out.write(data)
            _run_show(t, run)


def endless_debug_information(t):
    run = _run(t, "gcc", "-O0", "-gdwarf-4")
    found, _ = _show(t, run)
    for address, name in _said(run)["block"].items():
        t.equal(found["block"].get(address), name)

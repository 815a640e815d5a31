# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv symbolize: names for profiles of stripped programs, from debug information and Breakpad's symbol files."""

import os
import random
import re
import shutil

import test_run
import test_run_native
from dmdvtest import Profile
from harness import Skip, compiler, files
from test_names import Program, need_libdw

BUILD_ID = "000102030405060708090a0b0c0d0e0f10111213"
# A GUID of the first 16 bytes, whose first three parts are little-endian, and an age of 0.
ID = "03020100050407060809" + "0A0B0C0D0E0F" + "0"
# By Breakpad's docs/symbol_files.md: bake has two lines, in the second of which fold is inlined, and in fold stretch.
SYMBOLS = """MODULE Linux x86_64 %s oven
INFO CODE_ID %s
FILE 0 /src/oven/oven.cc
FILE 1 /src/oven/dough.h
INLINE_ORIGIN 0 fold(int)
INLINE_ORIGIN 1 stretch
FUNC 1100 40 0 bake(char const*)
INLINE 0 21 0 0 1110 10
INLINE 1 7 1 1 1118 4
1100 10 20 0
1110 8 5 1
1118 4 9 1
111c 4 6 1
1120 20 22 0
FUNC m 1140 20 0 main
1140 20 30 0
PUBLIC 2000 0 knead
STACK CFI INIT 1100 40 .cfa: $rsp 8 + .ra: .cfa -8 + ^
"""


def profile_of(places, build_id=BUILD_ID, path="/gone/oven"):
    """A profile with a block for each stack of addresses in an object; block n has n bytes. A frame is an address, or a text and
    an address."""
    profile, offsets = Profile(mode="live"), {}
    for n, stack in enumerate(places, 1):
        frames = [frame if isinstance(frame, tuple) else ("???[%s +0x%x]" % (path, frame), frame) for frame in stack]
        profile.block(n, ["malloc (vg_replace_malloc.c:0)", *(text for text, _ in frames)])
        offsets.update(frames)
    document = profile.within(path, offsets).json()
    document["dmd"]["objects"][0]["buildId"] = build_id
    return document


def symbolize(test, *args, status=0):
    need_libdw(test)
    return test.dmdv("symbolize", *args, status=status)[1]


def stacks(test, name):
    """For each block, by size, the frames behind malloc that are in the file."""
    document = files.read_json(test.path(name))
    return {block["req"]: [document["frameTable"][frame][5:] for frame in document["traceTable"][block["alloc"]]][1:]
            for block in document["blockList"]}


def test_breakpad(test):
    """In both layouts; inlined calls, lines, public symbols, addresses outside of all functions."""
    need_libdw(test)
    text = (SYMBOLS % (ID, BUILD_ID.upper())).encode()
    os.makedirs(test.path("store/oven/" + ID))
    os.makedirs(test.path("flat"))
    places = [(0x1100, 0x1140), (0x1110, 0x1150), (0x1119,), (0x2004,), (0x10ff,), (0x11ff,)]
    for name, folder in (("store/oven/%s/oven.sym" % ID, "store"), ("flat/oven.sym", "flat")):
        test.write(name, text)
        test.write("p.json", profile_of(places))
        err = symbolize(test, "--symbols=" + folder, "p.json")
        test.check("p.json: 6 of 8 places have names" in err, err)
        test.equal(stacks(test, "p.json"), {
            1: ["bake(char const*) (oven.cc:20)", "main (oven.cc:30)"],
            2: ["fold(int) (dough.h:5)", "bake(char const*) (oven.cc:21)", "main (oven.cc:30)"],
            3: ["stretch (dough.h:9)", "fold(int) (dough.h:7)", "bake(char const*) (oven.cc:21)"],
            4: ["knead[/gone/oven +0x2004]"], 5: ["???[/gone/oven +0x10ff]"], 6: ["???[/gone/oven +0x11ff]"]}, folder)


def test_breakpad_build_ids(test):
    """The whole build id counts if the file has it, else the ID; a file of another build is refused."""
    need_libdw(test)
    other = BUILD_ID[:-1] + "4"
    cases = ((SYMBOLS % (ID, other), False), (SYMBOLS % ("F" + ID[1:], BUILD_ID), True), ("\n" + SYMBOLS % (ID, BUILD_ID), False),
             ((SYMBOLS % (ID, "")).replace("INFO CODE_ID \n", ""), True), ((SYMBOLS % ("F" + ID[1:], "")).replace("INFO CODE_ID \n", ""), False))
    for i, (text, is_good) in enumerate(cases):
        os.makedirs(test.path("s%d" % i))
        test.write("s%d/oven.sym" % i, text.encode())
        test.write("p.json", profile_of([(0x1100,)]))
        err = symbolize(test, "--symbols=s%d" % i, "-o", "named.json", "p.json")
        test.equal(stacks(test, "named.json")[1], ["bake(char const*) (oven.cc:20)" if is_good else "???[/gone/oven +0x1100]"], "case %d" % i)
        test.equal("from a different build" in err, not is_good, "case %d: %s" % (i, err))
    test.equal(stacks(test, "p.json")[1], ["???[/gone/oven +0x1100]"], "with -o the file itself stays")


def test_lines_for_functions(test):
    """A frame that was named by a symbol gets its line, too; one with a line stays."""
    need_libdw(test)
    os.makedirs(test.path("s"))
    test.write("s/oven.sym", (SYMBOLS % (ID, BUILD_ID)).encode())
    test.write("p.json", profile_of([(("bake[/gone/oven +0x1100]", 0x1100), ("mine (a.c:1)", 0x1140))]))
    symbolize(test, "--symbols=s", "p.json")
    test.equal(stacks(test, "p.json")[1], ["bake(char const*) (oven.cc:20)", "mine (a.c:1)"], "stack")


def test_broken_symbol_files(test):
    """Whatever a symbol file has, the profile keeps its blocks."""
    need_libdw(test)
    numbers = random.Random(35)
    seed = (SYMBOLS % (ID, BUILD_ID)).encode()
    os.makedirs(test.path("s"))
    places = (0, 0x1100, 0x1110, 0x1119, 0x1140, 0x2004, 2 ** 50)
    profile, objects = Profile(mode="live"), []
    for i in range(150):
        text, path = bytearray(seed), "/gone/oven%d" % i
        for _ in range(numbers.randrange(1, 6)):
            at = numbers.randrange(len(text))
            text[at:at + numbers.randrange(3)] = numbers.choice((b"\n", b" ", b"f", b"\0", b"ffffffffffffffff", b"\xff", b"99999999", b"-1", b"m ", b"x" * 70000))
        test.write("s/oven%d.sym" % i, bytes(text))
        texts = ["???[%s +0x%x]" % (path, place) for place in places]
        profile.block(8, texts)
        objects.append({"path": path, "buildId": BUILD_ID, "frames": {profile.frames[t]: place for t, place in zip(texts, places)}})
    document = profile.json()
    document["dmd"] = {"version": "1", "pid": 1, "faults": [], "objects": objects}
    test.write("p.json", document)
    symbolize(test, "--symbols=s", "p.json")
    after = files.read_json(test.path("p.json"))
    test.equal(sum(block.get("num", 1) for block in after["blockList"]), 150, "blocks")
    named = [text for text in after["frameTable"].values() if "oven.cc:20" in text]
    test.check(named, "many of them still have names")


def test_debug_folder(test):
    """Debug information by build id, in a folder; that of another build is refused."""
    program = Program(test)
    folder = "debug/.build-id/" + program.build_id[:2]
    os.makedirs(test.path(folder))
    test.run(["objcopy", "--only-keep-debug", program.path, test.path(folder + "/" + program.build_id[2:] + ".debug")])
    profile = program.profile([("outer", 0), ("main", 4)])
    os.remove(program.path)
    test.write("p.json", profile)
    symbolize(test, "-o", "none.json", "p.json")
    test.check(stacks(test, "none.json")[1][0].startswith("???["), "without the folder")
    symbolize(test, "--debug-dir=debug", "p.json")
    test.equal(stacks(test, "p.json")[1], ["inner (prog.c:4)", "outer (prog.c:8)", "main (prog.c:11)"], "stack")
    other = "ff" + program.build_id[2:]
    shutil.move(test.path(folder), test.path("debug/.build-id/ff"))
    test.write("p.json", program.profile([("outer", 0)], build_id=other))
    test.check("no name" in symbolize(test, "--debug-dir=debug", "p.json"), "another build")
    test.check(stacks(test, "p.json")[1][0].startswith("???["), "a file of another build under this build id")


def test_lines_are_those_of_addr2line(test):
    """At each address of two functions, with the calls that are inlined there, as GNU's addr2line says of the same file."""
    if shutil.which("addr2line") is None:
        raise Skip("addr2line is not installed")
    program = Program(test)
    first, last = program.symbols["outer"], program.symbols["main"]
    addresses = range(min(first, last), max(first, last) + 8)
    said = test.run(["addr2line", "-ia", "-e", program.path, *("0x%x" % address for address in addresses)]).out
    expected = [re.findall(r"([^/\n]+:\d+)(?: \(discriminator \d+\))?$", part, re.MULTILINE) for part in re.split(r"^0x.*\n", said, flags=re.MULTILINE)[1:]]
    test.equal(len(expected), len(addresses), "addresses")
    test.check({1, 2} <= {len(lines) for lines in expected}, "with inlined calls and without: %s" % said)
    test.write("p.json", program.profile(*[[("outer", address - first)] for address in addresses]))
    symbolize(test, "p.json")
    found = stacks(test, "p.json")
    for number, lines in enumerate(expected, 1):
        places = [re.search(r"\(([^()]+:\d+)\)$", frame) for frame in found[number]]
        test.equal([place and place[1] for place in places], lines or [None], "at 0x%x: %s" % (addresses[number - 1], found[number]))


def test_recorded_without_symbols(test):
    """A stripped program that was recorded natively; its debug information is elsewhere."""
    need_libdw(test)
    path = test_run_native.program(test, "-Wl,--build-id")
    unstripped = test.path("elsewhere")
    shutil.copy(path, unstripped)
    test_run_native.run(test, "-q", "--mode=live", "-o", "with.json", path)
    test.run(["strip", "--strip-all", path])
    test_run_native.run(test, "-q", "--mode=live", "-o", "p.json", path)
    test.check(test_run_native.frames(test, "p.json")[1].startswith("???["), "recorded without names")
    build_id = test.run(["readelf", "-n", unstripped]).out.partition("Build ID: ")[2].split()[0]
    os.makedirs(test.path("debug/.build-id/" + build_id[:2]))
    shutil.move(unstripped, test.path("debug/.build-id/%s/%s.debug" % (build_id[:2], build_id[2:])))
    os.remove(path)
    symbolize(test, "--debug-dir=debug", "p.json")
    found = test_run_native.frames(test, "p.json")
    test.equal(found[1:], ["knead (prog.c:8)", "main (prog.c:11)"], "stack")
    test.equal(found, test_run_native.frames(test, "with.json"), "as recorded with symbols")


def test_recorded_under_valgrind(test):
    """The same under Valgrind, which names what is left in the program: calls into libraries."""
    need_libdw(test)
    test_run.need_tool(test)
    path = test_run_native.program(test, "-Wl,--build-id")
    unstripped = test.path("elsewhere")
    shutil.copy(path, unstripped)
    test.run(["strip", "--strip-all", path])
    test.dmdv("run", "--engine=valgrind", "--graph=no", "-q", "--mode=live", "-o", "p.json", path)
    build_id = test.run(["readelf", "-n", unstripped]).out.partition("Build ID: ")[2].split()[0]
    objects = {entry["path"]: entry for entry in files.read_json(test.path("p.json"))["dmd"]["objects"]}
    test.equal(objects[path].get("buildId"), build_id, "the program's build id")
    for library, entry in objects.items():
        if "vgpreload_" not in library:
            said = test.run(["readelf", "-n", library]).out
            test.equal(entry.get("buildId"), said.partition("Build ID: ")[2].split("\n")[0], library)
    os.makedirs(test.path("debug/.build-id/" + build_id[:2]))
    shutil.move(unstripped, test.path("debug/.build-id/%s/%s.debug" % (build_id[:2], build_id[2:])))
    os.remove(path)
    symbolize(test, "--debug-dir=debug", "p.json")
    test.equal(test_run_native.frames(test, "p.json")[1:], ["knead (prog.c:8)", "main (prog.c:11)"], "stack")


def test_wrong_command_lines(test):
    test.write("p.json", Profile())
    for args, word in (([], "one or more files"), (["-o", "x", "p.json", "p.json"], "single file"), (["nowhere.json"], "nowhere.json"), (["."], "regular file"),
                       (["--simbols=x", "p.json"], "--simbols")):
        err = test.error("symbolize", *args)
        test.check(word in err, "%r is not in: %s" % (word, err))

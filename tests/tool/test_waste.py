# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv waste: programs that waste a known number of bytes in one way, and twins that waste nothing."""

import json
import os
import re
import shutil
import subprocess

from harness import commands
from harness.expect import Failure, Skip


def _found(t, program, *args, options=(), env=()):
    """What dmdv waste finds after a run of the program, and how many bytes the program says it wasted."""
    run = t.run_command([program, *args], options=["--graph=yes", "--waste=yes", *options], env=env)
    graph = run.profile.path.replace(".json.gz", ".graph.gz")
    found = json.loads(commands.run([t.place.dmdv(), "waste", "--json", "--max-frames=24", graph]).out)
    # Natively, the C++ library's reserve for exceptions is a finding, too, and so are pages with few blocks, wherever the
    # allocator puts them (tests/native/test_waste.py).
    found["findings"] = [one for one in found["findings"]
                         if one["kind"] != "pinned" and any("waste" in frame for frame in one["allocatedAt"])]
    return found, int(run.out)


def _animal(t, way, kind=None, options=(), program=None, env=(), of_all=True):
    """The kind's finding, whose bytes are within 2% of the truth; the twin has no findings, or none of this kind."""
    kind = kind or way
    program = program or t.program(["-g", "-O0"])
    found, wasted = _found(t, program, way, "wasteful", options=options, env=env)
    findings = [one for one in found["findings"] if one["kind"] == kind]
    bytes_of = sum(one["bytes"] for one in findings)
    t.check(wasted > 10000, "the program wasted %d bytes" % wasted)
    t.check(abs(bytes_of - wasted) <= wasted / 50, "%d bytes were wasted, %d found: %s" % (wasted, bytes_of, found))
    t.check(found["kinds"][kind] >= sum(one["counted"] for one in findings) > 0, "counted")
    twin, wasted = _found(t, program, way, "thrifty", options=options, env=env)
    t.equal(([one for one in twin["findings"] if of_all or one["kind"] == kind], wasted), ([], 0), "the twin")
    return findings


def slop(t):
    [finding] = _animal(t, "slop")
    t.equal((finding["size"], finding["usable"], finding["lower"]), (1017, 1032, 1016))


def padding(t):
    for finding in _animal(t, "padding"):
        t.equal((finding["struct"].split("::")[-1], finding["size"], finding["best"]), ("session", 56, 40))
        t.equal((finding["holes"], finding["holeBytes"], finding["tailBytes"]), (3, 20, 0))
        t.equal(finding["order"], ["rate", "next", "more", "id", "state", "kind"])


def small(t):
    [finding] = _animal(t, "small")
    t.equal(finding["type"].split("::")[-1], "node")


def lost(t):
    [finding] = _animal(t, "lost")
    t.equal((finding["blocks"], finding["definitely"]), (2000, 1000))


def container(t):
    [finding] = _animal(t, "container")
    t.equal((finding["blocks"], finding["used"], finding["enough"]), (1000, 1208000, 1208))
    t.contains(finding["advice"], "69.80% of their capacity is unused")


def buckets(t):
    [finding] = _animal(t, "buckets", "container")
    t.equal((finding["blocks"], finding["used"], finding["enough"]), (100, 100 * 50 * 8, 400))
    t.contains(finding["advice"], "call rehash(0)")


def deque(t):
    [finding] = _animal(t, "deque", "container")
    t.equal((finding["blocks"], finding["used"]), (400, 400 * 8))
    t.contains(finding["advice"], "use a std::vector")


def text(t):
    [finding] = _animal(t, "text", "container")
    t.equal((finding["blocks"], finding["used"], finding["enough"]), (400, 400 * 496, 496))
    t.contains(finding["advice"], "call shrink_to_fit")


def of_libcxx(t):
    if shutil.which("clang++") is None:
        raise Skip("no clang++")
    flags = ["-stdlib=libc++"]
    try:
        t.bench.compile_text("libcxx.cc", "#include <string>\nint main() { return 0; }\n", flags, "clang++")
    except Failure as failure:
        raise Skip("no libc++: install libc++-dev libc++abi-dev") from failure
    program = t.program(["-g", "-O0", *flags], "clang++")
    for way in "text", "buckets":
        # Nodes of its hash tables have slop.
        _animal(t, way, "container", program=program, of_all=False)


def of_glib(t):
    if subprocess.run(["pkg-config", "--exists", "glib-2.0"], check=False).returncode != 0:
        raise Skip("no GLib: install libglib2.0-dev")
    program = t.program(["-g", "-O0", *commands.run(["pkg-config", "--cflags", "--libs", "glib-2.0"]).out.split()])
    for way in "array", "pointers", "bytes", "string":
        # Before GLib 2.76 it has an allocator of its own for small structs, which would hide them.
        [finding] = _animal(t, way, "container", program=program, env={"G_SLICE": "always-malloc"}, of_all=False)
        t.equal((finding["blocks"], finding["used"]), (400, 400 * 512))


def duplicate(t):
    [finding] = _animal(t, "duplicate")
    t.equal((finding["blocks"], finding["contents"]), (19900, 100))


def constant(t):
    [finding] = _animal(t, "constant")
    t.equal((finding["blocks"], finding["byte"]), (1000, 0xee))


def untouched(t):
    [finding] = _animal(t, "untouched")
    t.equal((finding["blocks"], finding["used"], finding["enough"]), (1000, 1000000, 1000))


FILL = ("--fill=yes",)


def filled(t):
    """New memory has the pattern; what calloc and realloc promise holds."""
    program = t.program(["-g", "-O0"])
    t.equal(t.run_command([program, "a5"], options=FILL).out, b"kept\n")
    t.equal(t.run_command([program, "0"]).out, b"kept\n")


def never_written(t):
    """Ends that were written with zeroes are not called untouched, as they are without the pattern."""
    program = t.program(["-g", "-O0"])
    [finding] = _animal(t, "unwritten", "untouched", options=FILL, program=program)
    t.equal((finding["blocks"], finding["used"], finding["enough"], finding["neverWritten"]), (1000, 1000000, 1000, True))
    t.contains(finding["advice"], "was never written")
    unfilled, _ = _found(t, program, "unwritten", "thrifty")
    t.equal([(one["kind"], one["neverWritten"]) for one in unfilled["findings"]], [("untouched", False)])


def never_written_after_realloc(t):
    [finding] = _animal(t, "grown", "untouched", options=FILL)
    t.equal((finding["used"], finding["neverWritten"]), (1000000, True))


def never_written_at_all(t):
    [finding] = _animal(t, "unused", "untouched", options=FILL)
    t.equal((finding["used"], finding["neverWritten"]), (0, True))
    t.contains(finding["advice"], "Allocate them when they are needed.")


def zero_from_calloc(t):
    """calloc's memory is not filled, so its ends may have been written."""
    [finding] = _animal(t, "untouched", options=FILL)
    t.equal((finding["used"], finding["neverWritten"]), (1000000, False))


def _by_pahole(path):
    """{struct: (size, holes, bytes in holes, bytes behind)}. A summary of an inner struct is indented further."""
    found = {}
    for name, text in re.findall(r"^struct (\w+) \{\n(.*?)^\}", commands.run(["pahole", path]).out, re.S | re.M):
        size = re.findall(r"^\t/\* size: (\d+),", text, re.M)
        holes = re.findall(r"^\t/\* sum members: .*?holes: (\d+), sum holes: (\d+) \*/", text, re.M) or [(0, 0)]
        behind = re.findall(r"^\t/\* padding: (\d+) \*/", text, re.M) or [0]
        if size and not re.search(r"bit_padding|bit holes", text):  # counted in bits, not in bytes
            found[name] = (int(size[-1]), *map(int, holes[-1]), int(behind[-1]))
    return found


HEADERS = ["aio.h", "arpa/inet.h", "dirent.h", "elf.h", "fcntl.h", "ftw.h", "glob.h", "grp.h", "ifaddrs.h", "link.h", "linux/bpf.h",
           "linux/btrfs.h", "linux/ethtool.h", "linux/fb.h", "linux/fuse.h", "linux/if_link.h", "linux/input.h", "linux/io_uring.h",
           "linux/kvm.h", "linux/nl80211.h", "linux/perf_event.h", "linux/usbdevice_fs.h", "linux/videodev2.h", "locale.h", "mqueue.h",
           "netdb.h", "net/if.h", "poll.h", "printf.h", "pthread.h", "pwd.h", "regex.h", "sched.h", "search.h", "setjmp.h", "shadow.h",
           "signal.h", "spawn.h", "stdio.h", "stdlib.h", "sys/resource.h", "sys/shm.h", "sys/stat.h", "sys/timex.h", "termios.h", "time.h",
           "ucontext.h", "utmpx.h", "wchar.h"]


def padding_as_pahole(t):
    """All structs of the system's headers."""
    holes = os.path.join(t.place.builddir, "tests", "types", "holes")
    if not os.path.exists(holes):
        raise Skip("tests/types/holes is not built (make check TESTS=, with libdw)")
    if shutil.which("pahole") is None:
        raise Skip("no pahole: install dwarves")
    text = "#define _GNU_SOURCE\n" + "".join("#include <%s>\n" % name for name in HEADERS) + "int main(void) { return 0; }\n"
    program = t.bench.compile_text("headers.c", text, ["-fno-eliminate-unused-debug-types", "-w"])
    ours = {}
    for line in commands.run([holes, program]).out.splitlines():
        name, *numbers = line.rsplit(" ", 4)
        ours.setdefault(name, set()).add(tuple(map(int, numbers)))
    theirs = {name: numbers for name, numbers in _by_pahole(program).items() if name in ours}
    t.check(len(theirs) >= 200, "%d structs" % len(theirs))
    t.equal({name: numbers for name, numbers in theirs.items() if numbers not in ours[name]}, {})
    t.check(sum(numbers[1] > 0 for numbers in theirs.values()) > 50, "few have holes")

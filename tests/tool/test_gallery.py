# SPDX-License-Identifier: GPL-2.0-or-later
"""The cases of docs/gallery.md: wrong numbers of programs that are installed, told by dmdv claims, and right ones."""

import json
import os
import re
import subprocess

from harness import Skip, commands
from harness.redis import Redis

PYTHON = "/usr/bin/python3"
# Bytes of blocks that may or may not belong to an object alone: a word elsewhere may look like a pointer to them.
LOCK = 32  # a lock of Python: a semaphore of the C library
INPUT = LOCK + 64  # and what is left of the input
OBJECT = 160  # an object with a dict, or a csv.Dialect with its strings
WINDOW = LOCK + (1 << 16)  # a table of zlib
TABLES = 1 << 22  # all of lzma

# Asks for the sizes of objects of one kind, and of lists, byte arrays and arrays, which are right. With "measure" it
# prints instead what Python's own tracemalloc says that the objects of the kind allocated. The loop that asks allocates
# nothing, so that the objects do not change between the claim and the graph.
SIZES = """
import array, csv, ctypes, io, itertools, json, sys, tracemalloc, zlib, lzma, xml.parsers.expat

def overwrite(depth):
    a = b = c = d = e = f = g = h = i = j = k = l = m = n = o = p = q = r = s = t = u = v = w = x = y = z = None
    if depth > 0:
        overwrite(depth - 1)

def grown_list(n):
    grown = []
    for i in range(n):
        grown.append(None)
    return grown

def grown_bytes(n):
    grown = bytearray()
    for i in range(n):
        grown.append(7)
    return grown

def grown_array(n):
    grown = array.array("i")
    for i in range(n):
        grown.append(i)
    return grown

def stringio(n):
    text = io.StringIO()
    text.write("x" * n)
    text.seek(0)
    text.read(1)
    return text

def inflating(n):
    begun = zlib.decompressobj()
    begun.decompress(deflated)
    return begun

deflated = zlib.compress(b"some text" * 10)[:20]

class sink:
    write = len

lines = [itertools.repeat("a" * szB) for szB in (500, 1000, 2000)]

def reader(n):
    fields = csv.reader(lines[n % 3])
    next(fields)
    return fields

def writer(n):
    rows = csv.writer(sink)
    rows.writerow(["a" * n * 20])
    return rows

KINDS = {
    "stringio": stringio, "reader": reader, "writer": writer,
    "zlib": lambda n: zlib.compressobj(level=9, memLevel=1 + n % 9),
    "inflate": inflating,
    "lzma": lambda n: lzma.LZMACompressor(preset=0),
    "ctypes": lambda n: ctypes.create_string_buffer(20 * n),
    "expat": lambda n: xml.parsers.expat.ParserCreate(),
    "buffered": lambda n: io.BufferedReader(io.FileIO("/dev/null"), 10 * n),
}

def measured(make, n):
    make(n)  # what is allocated once
    traced = array.array("q", [0, 0])
    traced[0] = tracemalloc.get_traced_memory()[0]
    made = make(n)
    traced[1] = tracemalloc.get_traced_memory()[0]
    return [traced[1] - traced[0], sys.getsizeof(made)]

sizes_of = KINDS[sys.argv[1]]
N = [20, 101, 1003]
if sys.argv[2:] == ["measure"]:
    tracemalloc.start()
    print(json.dumps([measured(sizes_of, n) for n in N]))
    sys.exit()
objects = [make(n) for make in (grown_list, grown_bytes, grown_array, sizes_of) for n in N]
overwrite(300)
sizes = array.array("q", [0]) * len(objects)
for _ in range(2):
    at = 0
    for asked in objects:
        sizes[at] = sys.getsizeof(asked)
        at += 1
print(json.dumps([[id(asked), sizes[i]] for i, asked in enumerate(objects)][-len(N):]))
"""


def _run(t, command, options, env=()):
    """Runs the command under dmd; the folder with its graphs, and what it printed. The profile, which is large, is not
    looked at."""
    folder = t.new_folder()
    environment = dict(commands.plain_environment(folder), **dict(env))
    return folder, commands.run([*t.bench.valgrind("dmd", options), *command], folder, environment).out


def _claims(t, folder, function):
    """What dmdv claims finds for the function."""
    graphs = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".graph.gz")]
    done = commands.run([t.place.dmdv(), "claims", "--json", "--types=no", *graphs])
    found = [f for f in json.loads(done.out)["functions"] if f["function"] == function]
    if not found:
        raise Skip("no function %s is exported" % function)
    return found[0]


def _defects(finding):
    return [defect["kind"] for defect in finding["defects"]]


def _python(t, kind, others=0):
    """sys.getsizeof of some objects of a kind: dmdv finds a difference that tracemalloc measures, and none in the
    other objects. A word that is no pointer may look like one to an object's memory, which then belongs to others,
    too: an object of the kind may be missed, and one of the others have too many bytes. others: bytes that may be told
    or not."""
    if not os.path.exists(PYTHON):
        raise Skip("there is no " + PYTHON)
    command = [PYTHON, "-S", "-c", SIZES, kind]
    env = {"PYTHONMALLOC": "malloc", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    measured = json.loads(t.run_natively([*command, "measure"], env=env).out)
    folder, out = _run(t, command, ["--claim-fn=_PySys_GetSizeOf"], env)
    said = json.loads(out)
    t.equal([size for _, size in said], [size for _, size in measured])
    function = _claims(t, folder, "_PySys_GetSizeOf")
    t.equal((function["rule"]["counts"], function["rule"]["bytes"]), ("retained", "requested"))
    missing = [claimed - true for true, claimed in measured]
    if not any(missing):
        t.equal(function["findings"], [])
        raise Skip("this Python counts it")
    addresses = {address - header for address, _ in said for header in (0, 16)}
    wrong = [f for f in function["findings"] if int(f["example"]["address"], 0) in addresses]
    t.check(wrong, "something is wrong")
    for finding in wrong:
        t.check(set(_defects(finding)) <= {"missing", "missing-below"}, str(finding["defects"]))
        told = finding["example"]["claimed"] - finding["example"]["true"]
        t.check(any(abs(told - n) <= others for n in missing), "%d bytes, measured %s" % (told, missing))
        t.check(finding["most"] < 0, "%d bytes too many" % finding["most"])
    for finding in function["findings"]:
        t.check(finding in wrong or (finding["least"] > 0 and finding["calls"] <= 2), "another object: %s" % finding)


def python_stringio(t):
    _python(t, "stringio")


def python_csv_reader(t):
    _python(t, "reader", OBJECT)


def python_csv_writer(t):
    _python(t, "writer", OBJECT)


def python_zlib(t):
    _python(t, "zlib", WINDOW)


def python_zlib_decompressor(t):
    _python(t, "inflate", INPUT)


def python_lzma(t):
    _python(t, "lzma", TABLES)


def python_ctypes(t):
    _python(t, "ctypes")


def python_expat(t):
    _python(t, "expat", OBJECT)


def python_buffered_reader(t):
    _python(t, "buffered", OBJECT)


RUBY = """
require 'objspace'
plain = [/ab+c/, /x(y|z)*/, /[a-z]{3,50}\\d/]
named = [/(?<year>\\d+)-(?<month>\\d+)/, Regexp.new((1..40).map { |i| "(?<name#{i}>x)" }.join)]
(plain + named).each { |regexp| puts ObjectSpace.memsize_of(regexp) }
"""


def ruby_names_of_groups(t):
    """onig_memsize, by which Ruby's ObjectSpace.memsize_of counts a regular expression, leaves out the table of the
    names of its groups."""
    folder, out = _run(t, [t.need("ruby"), "--disable-gems", "-e", RUBY], ["--claim-fn=onig_memsize"])
    t.equal(len(out.splitlines()), 5)
    function = _claims(t, folder, "onig_memsize")
    t.equal((function["calls"] + function["changed"], function["rule"]["counts"]), (5, "retained"))
    for finding in function["findings"]:
        t.equal(_defects(finding), ["missing"])
        # The names alone, each with its NUL.
        t.check(-finding["least"] > len("year" + "month") + 2, str(finding))
    t.equal(sum(finding["calls"] for finding in function["findings"]), 2 - function["changed"])


def redis_structs_by_sizeof(t):
    """MEMORY USAGE: what objectComputeSize returns is what redis answers, less the key's entry; it counts the dict of a
    sorted set, and its entries, by sizeof where they take more. Strings are right."""
    server = t.need("redis-server")
    folder = t.new_folder()
    path = os.path.join(folder, "socket")
    options = ["--soname-synonyms=somalloc=*jemalloc*", "--claim-fn=objectComputeSize,arg=2"]
    command = [*t.bench.valgrind("dmd", options), server, "--port", "0", "--unixsocket", path, "--save", "", "--dir",
               folder]
    with subprocess.Popen(command, cwd=folder, env=commands.plain_environment(folder), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            redis = Redis(process, path)
            usage = {}
            for i in range(6):
                redis.ask("SET", "text:%d" % i, "v" * (100 + 50 * i))
                for member in range(200 + 50 * i):
                    redis.ask("ZADD", "set:%d" % i, member, "member %d of some length" % member)
            for key in ["%s:%d" % (kind, i) for kind in ("text", "set") for i in range(6)]:
                usage[key] = int(redis.ask("MEMORY", "USAGE", key, "SAMPLES", 0))
            redis.send("SHUTDOWN", "NOSAVE")
            process.communicate(timeout=commands.HANG_SECONDS)
        finally:
            process.kill()  # does nothing to one that has ended
    function = _claims(t, folder, "objectComputeSize")
    t.equal(function["rule"]["bytes"], "usable")
    t.check(function["right"] > 0, "strings are right")
    t.check(function["findings"], "sorted sets are not")
    for finding in function["findings"]:
        t.check(re.match("unit|each|for-each|missing", " ".join(_defects(finding))), str(finding["defects"]))
        claimed = finding["example"]["claimed"]
        t.check(any(0 < whole - claimed < 128 for whole in usage.values()), "redis did not answer %d" % claimed)

# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles with mistakes in them: documents with everything that the formats have, changed at random.

`originals` are the documents, `mutant` makes one file from one of them. Everything depends on the given
random.Random.
"""

import copy
import glob
import gzip
import json
import os
import random as randoms

# Every key of a profile that may be absent.
PROFILE = {
    "version": 5,
    "invocation": {"dmdEnvVar": "--mode=dark-matter --max-records=20", "mode": "dark-matter"},
    "dmd": {
        "formatVersion": 1, "version": "0.1.0", "valgrindVersion": "3.19.0", "command": "./bakery 7 'a b'",
        "argv": ["./bakery", "7", "a b"], "folder": "/home/baker", "host": "oven", "time": "2026-11-22T12:00:00Z",
        "pid": 42, "dump": 1, "trigger": "request", "label": "noon", "wordSize": 8, "allocator": "glibc",
        "allocatorChosen": "auto", "stacks": "full", "sampleBelow": 4096, "seed": 7,
        "totals": {"allocs": 9, "frees": 2, "allocBytes": 900, "inUseBytes": 700, "inUseBlocks": 7, "freedReported": 1,
                   "nestedBytes": 30},
        "faults": [
            {"kind": "claim", "num": 2, "bytes": 16, "reason": "child-left-out", "claimed": 16, "measured": 0,
             "at": "1", "reporter": "explicit/a", "scope": "explicit/a/b"},
            {"kind": "report-interior", "num": 1, "bytes": 100, "size": 100, "offset": 24, "at": "1",
             "allocatedAt": "2", "reportedAt": "3", "otherReporter": "explicit/b"},
            {"kind": "report-freed", "num": 3, "bytes": 3, "size": 40, "allocatedAt": "2", "freedAt": "3"},
            {"kind": "report-length", "num": 1, "bytes": 1, "size": 8, "length": 12},
            {"kind": "report-stack", "num": 1, "memory": "stack of thread 1", "at": "3"},
            {"kind": "scope-left-open", "num": 9, "scope": "tag", "at": "2", "names": 9,
             "someNames": ["a", "b/c", "d", "e", "f", "g", "h", "i"]},
        ],
        "advice": [
            {"alloc": "1", "held": "reported", "reporter": "explicit/a", "at": "2", "offset": 24, "blocks": 2,
             "bytes": 200, "pointed": 1, "holders": 2, "holdersAlike": 3},
            {"alloc": "1", "held": "unreported", "at": "1", "blocks": 1, "bytes": 100},
            {"alloc": "3", "held": "last-time", "reporter": "explicit/c", "at": "2", "blocks": 1, "bytes": 8,
             "before": 64},
        ],
        "partialAdvice": True,
        "timeUnit": "instructions",
        "attached": {"time": "2026-11-22T09:40:00Z", "olderBlocks": 3, "olderBytes": 72},
        "peak": {"bytes": 800, "blocks": 8, "milliseconds": 6, "allocated": 850, "instructions": 99000, "error": 3},
        "recentPeak": {"bytes": 700, "blocks": 7, "milliseconds": 7, "allocated": 870},
        "processes": [{"process": "bakery (pid 42)", "memory": {"resident": 4096}}, {"process": "oven", "memory": {}}],
        "reporterRuns": [{"reporter": "explicit/a", "runs": 3}, {"reporter": "explicit/c", "runs": 0}],
        "timeline": {"spacing": 2, "forked": True, "points": [[0, 10, 1, 10, None, None, 5], [4, 650, 6, 800, 4096, 20, 90000], [9, 700, 7, 900, None, 1, 99000]],
                     "marks": [{"text": "noon", "milliseconds": 3, "bytes": 90, "blocks": 2, "allocated": 99, "instructions": 7},
                               {"dump": 1, "milliseconds": 5, "bytes": 91, "blocks": 2, "allocated": 99, "resident": 1, "instructions": 8}],
                     "stacks": ["1", "3"], "tags": ["oven"], "breakdowns": [[1, 50, 2, 60, [20, 30], [5], 6], [9, 700, 7, 900, [650, 0], [0], 99000]]},
        "memory": {"heapAllocated": 700, "heapOverhead": 20, "resident": 40960, "residentUnique": 8192},
        "memoryReports": [
            {"path": "explicit/a", "kind": "heap", "units": "bytes", "amount": 3, "times": 2, "description": "Some."},
            {"process": "p", "path": "n/x", "kind": "other", "units": "percentage", "amount": -1000},
            {"path": "explicit/b/d", "kind": "nonheap", "units": "bytes", "amount": 99},
            {"path": "explicit", "kind": "other", "units": "count", "amount": 5},
        ],
        "mapped": [{"bytes": 8192, "alloc": "3", "num": 2}, {"bytes": 4096, "alloc": "1", "reported": True, "reporter": "explicit/b/d"},
                   {"bytes": 4096, "reported": True}, {"bytes": 8388608, "alloc": "1", "stack": True}],
        "objects": [{"path": "/usr/lib/libdough.so", "frames": {"1": 303, "2": None}},
                    {"path": "bakery", "buildId": "0a1bff", "frames": {"4": 12, "6": 48}}],
        "functions": {"1": "knead", "4": "operator(,)"},
    },
    "blockList": [
        {"req": 24, "alloc": "1", "reps": ["2", "2"], "reporters": ["explicit/a", None], "reports": 3, "tag": "oven",
         "thread": 2, "sampled": True},
        {"req": 90, "slop": 10, "alloc": "1", "num": 3, "neverMeasured": True},
        {"req": 8, "alloc": "3", "tag": "explicit/t/u"},
        {"req": 8, "alloc": "1", "reps": ["2"], "reporters": ["explicit/a/b"], "num": 2},
        {"req": 50, "slop": 6, "alloc": "3", "reps": ["3"], "reporters": ["explicit/b"],
         "sharers": [{"at": "2", "reporter": "explicit/c"}, {"at": "3", "reporter": "explicit/b"}, {"at": "2"}]},
        {"req": 1},
    ],
    "lifetimeList": [
        {"alloc": "1", "allocs": 9, "bytes": 900, "frees": 5, "temporary": 2, "mostBytes": 400, "meanLifetime": 70000, "lifetimes": [2, 0, 0, 3]},
        {"allocs": 1, "bytes": 8, "frees": 0, "temporary": 0, "meanLifetime": 0, "lifetimes": []},
    ],
    "peakBlockList": [{"req": 24, "alloc": "2", "num": 2}],
    "recentPeakBlockList": [{"req": 9, "alloc": "3"}],
    "traceTable": {"1": ["1", "2", "4"], "2": ["2"], "3": ["3", "6", "2", "5"]},
    "frameTable": {"1": "#00: knead (dough.c:3)", "2": "#00: main[bakery +0x12f]", "3": "#00: malloc (m.c:1)",
                   "4": "#00: operator(,) (x.cc:7)", "5": "#00: ???", "6": "#00: ???[bakery +0x30]"},
}

NUMBERS = [0, 1, -1, 2, 99, 100, 32767, 32768, 65535, 2**31, 2**32, 2**53 - 1, 2**53, 2**53 + 1, 2**61, 2**62, 2**63,
           2**64 - 1, 2**64, -2**53, -2**63, 0.5, -0.0, 1e15, 1e300, -1e300]
TEXTS = ["", " ", "\n", "\r\ndmdv: all is well", "\x1b[31m", "\t", "\x7f", "\x00", "\x9b31m", "\u2028", "\u202e", "\ud800",
         "\U0010ffff", "\ufeff", "%s%n", "\"", "\\", "/", "//", "a/" * 300, "/" * 3000, "x" * 5000, "explicit", "explicit/",
         "#00: ", "#00: f (a.c:1)", "#00: (((", "#00: ???", "[", "(", "a (b", "a (b:1)", "a[b +0x1]", "a<b<c>", "operator<",
         "heap-allocated", "process", "pid 1", "claim", "reported", "dark-matter", "cumulative", "live", "scan"]
# Keys whose values have a meaning; other texts are names.
WORDS = ["version", "formatVersion", "mode", "kind", "reason", "held", "units", "wordSize", "trigger", "allocator", "names",
         "allocatorChosen", "stacks", "process"]
KEYS = ["", "alloc", "req", "num", "reps", "blockList", "version", "dmd", "x", "\n", "1"]


def sampled():
    """PROFILE as a sampled profile: blocks of 8 bytes stand for eight each, those of 90 bytes for two."""
    document = copy.deepcopy(PROFILE)
    del document["dmd"]["sampleBelow"]
    document["dmd"]["sampleInterval"] = 64
    for i, block in enumerate(document["blockList"]):
        block.update({"sampled": True} if i != 1 else {})
    document["blockList"].append({"req": 90, "slop": 6, "alloc": "3", "num": 5, "sampled": True})
    return document


def originals(srcdir, whole=None):
    """All documents that mutants are made of, as json.loads returns them; the first one has every key of a
    profile."""
    documents = [whole or PROFILE]
    for target in ("fuzz_load", "fuzz_memory_reports"):
        for path in sorted(glob.glob(os.path.join(srcdir, "tests", "fuzz", "corpus", target, "*.json"))):
            with open(path, "rb") as file:
                try:
                    documents.append(json.loads(file.read()))
                except ValueError:
                    pass  # this mistake comes alone
    return documents


def places(value):
    """(container, key) of all values below `value`."""
    found, todo = [], [value]
    while todo:
        container = todo.pop()
        keys = list(container) if isinstance(container, dict) else range(len(container))
        for key in keys:
            found.append((container, key))
            if isinstance(container[key], (dict, list)):
                todo.append(container[key])
    return found


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def odd_value(random):
    return random.choice([lambda: random.choice(NUMBERS), lambda: random.choice(TEXTS),
                          lambda: random.choice([None, True, False, [], {}]), lambda: nested(random.choice([5, 100]))])()


def odd_text(random, text):
    """`text` with a piece added, removed or repeated."""
    at = random.randrange(len(text) + 1)
    return random.choice([text[:at] + random.choice(TEXTS) + text[at:], text[at:], text[:at], text * random.choice([2, 100])])


def change(random, value):
    """A replacement for `value`."""
    if isinstance(value, str) and random.random() < 0.6:
        return odd_text(random, value)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and random.random() < 0.7:
        return random.choice(NUMBERS + [value + 1, value - 1, value * 2**40])
    return odd_value(random)


def repeated(value, times):
    """A list or an object with its elements repeated so often; the copies' keys and ids are new."""
    if isinstance(value, list):
        return (value * (times // len(value) + 1))[:times]
    pairs = list(value.items())
    return {("%s_%d" % (pairs[i % len(pairs)][0], i) if i >= len(pairs) else pairs[i][0]): copy.copy(pairs[i % len(pairs)][1])
            for i in range(times)}


def one_change(random, document):
    """Makes one change somewhere in the document."""
    everywhere = places(document)
    if not everywhere:
        return
    container, key = random.choice(everywhere)
    choice = random.randrange(8)
    if choice == 0:
        del container[key]
    elif choice == 1:
        other, there = random.choice(everywhere)
        container[key] = copy.deepcopy(other[there])
    elif choice == 2 and isinstance(container, dict):
        container[random.choice(KEYS + list(container))] = container.pop(key)
    elif choice == 3 and isinstance(container[key], (dict, list)) and container[key]:
        container[key] = repeated(container[key], random.choice([2, 9, 300]))
    else:
        container[key] = change(random, container[key])


def mild_change(random, document):
    """Replaces a name or a number of the document by an odd one of its kind, so that most files remain valid
    profiles."""
    found = [(container, key) for container, key in places(document)
             if key not in WORDS and (type(container[key]) is int and container[key] > 0 or
                                      isinstance(container[key], str) and not container[key].isdigit())]
    if not found:
        return
    container, key = random.choice(found)
    if isinstance(container[key], str):
        start = "#00: " if container[key].startswith("#00: ") else ""
        container[key] = start + (odd_text(random, container[key][len(start):]) or "x")
    else:
        container[key] = random.choice([1, 2, container[key] + 1, 99, 2**20, 2**32, 2**52, random.randrange(1, 2**40)])


def byte_change(random, data):
    """The bytes with one change."""
    if not data:
        return data
    at, end = sorted(random.randrange(len(data) + 1) for _ in range(2))
    end = min(end, at + 40)
    return random.choice([
        lambda: data[:at] + bytes([random.randrange(256)]) + data[at + 1:],
        lambda: data[:at] + data[end:],
        lambda: data[:end] + data[at:end] * random.choice([1, 50]) + data[end:],
        lambda: data[:at] + random.choice([b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\x00", b"9" * 40, b"[" * 3000, b'"']) + data[at:],
        lambda: data[:at],
    ])()


def numbered(seed):
    """The random numbers for the mutant of this number."""
    return randoms.Random(seed)


def mutant(random, documents):
    """The bytes of one file: a document with a few changes, also in its bytes, or gzipped and then
    changed."""
    original = documents[0] if random.random() < 0.6 else random.choice(documents)
    document = copy.deepcopy(original)
    kind = random.random()
    change_it = mild_change if kind < 0.4 else one_change
    for _ in range(random.choice([1, 1, 1, 2, 4]) if kind < 0.8 else 0):
        change_it(random, document)
    data = json.dumps(document).encode("utf-8", "surrogatepass")
    if kind > 0.96:
        data = gzip.compress(data, mtime=0)
    if kind > 0.75:
        data = byte_change(random, data)
    return data


def grown(document, place, times):
    """The document with the list, object or text at the `place`-th place `times` as long, as bytes; None if
    there is nothing to enlarge."""
    document = copy.deepcopy(document)
    container, key = places(document)[place]
    value = container[key]
    if not isinstance(value, (dict, list, str)) or not value:
        return None
    container[key] = value[:-1] + value[-1] * times if isinstance(value, str) else repeated(value, times)
    return json.dumps(document).encode()

# SPDX-License-Identifier: GPL-2.0-or-later
"""Loads a profile, checks the rules of all profiles, and answers queries about it."""

import collections
import json
import re
import struct
import zlib

from harness import commands, files, onefile
from harness.expect import Failure, Skip

try:
    import jsonschema
except ImportError:
    jsonschema = None

MAX_NAME = 4096  # bytes of a name that the tool keeps; a name that is not UTF-8 grows when it is written

FRAME = re.compile(r"#00: (?P<fn>.*?)(?: \([^()]*:(?:\d+|\?\?\?)\)|\[.* \+0x[0-9a-f]+\])", re.DOTALL)


FAULT_TRACES = ("at", "allocatedAt", "freedAt", "reportedAt")


class Invalid(Failure):
    """A profile that breaks a rule of its format."""


def require(condition, what):
    if not condition:
        raise Invalid(what)


def read_bytes(path):
    """A file's contents. A file that ends in .gz must be exactly one gzip member with the right CRC and length, and perhaps
    a heap graph."""
    data, _ = onefile.parts(files.read_bytes(path))
    if not path.endswith(".gz"):
        return data
    inflate = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
    require(data[:4] == b"\x1f\x8b\x08\x00", "the file is not a plain gzip member")
    plain = inflate.decompress(data[10:])
    require(inflate.eof, "the gzip member is cut short")
    require(len(inflate.unused_data) == 8, "%d bytes follow the gzip member" % (len(inflate.unused_data) - 8))
    crc, length = struct.unpack("<II", inflate.unused_data)
    require(crc == zlib.crc32(plain), "the CRC is wrong")
    require(length == len(plain) % 2**32, "the length is wrong")
    return plain


def no_duplicates(pairs):
    keys = [key for key, _ in pairs]
    require(len(keys) == len(set(keys)), "an object has a key twice")
    return dict(pairs)


class Validator:
    """Checks the schema, and the rules that a schema cannot express."""

    def __init__(self, schema_path):
        if jsonschema is None:
            raise Skip("no Python module jsonschema")
        schema = files.read_json(schema_path)
        jsonschema.Draft202012Validator.check_schema(schema)
        self.schema = jsonschema.Draft202012Validator(schema)

    def check_schema(self, doc):
        for error in self.schema.iter_errors(doc):
            where = "/".join(str(part) for part in error.absolute_path)
            raise Invalid("%s: %s" % (where, error.message[:500]))

    def check(self, doc):
        if commands.SLOWNESS == 1:  # else the schema would take longer than the programs
            self.check_schema(doc)
        check_ids(doc)
        check_blocks(doc)
        if "dmd" in doc:
            check_totals(doc)
            check_attach(doc)
            check_peak(doc)
            check_lifetimes(doc)
            check_timeline(doc)
            check_faults(doc)
            check_advice(doc)
            check_runs(doc)
            check_memory(doc)


def trace_ids(doc):
    """Every reference to a trace, duplicates included."""
    for block in doc["blockList"] + doc.get("peakBlockList", []) + doc.get("recentPeakBlockList", []):
        if "alloc" in block:
            yield block["alloc"]
        yield from block.get("reps", [])
        yield from (sharer["at"] for sharer in block.get("sharers", []))
    yield from (item["alloc"] for item in doc.get("lifetimeList", []) if "alloc" in item)
    yield from (item["alloc"] for item in doc.get("dmd", {}).get("mapped", []) if "alloc" in item)
    yield from doc.get("dmd", {}).get("timeline", {}).get("stacks", [])
    for fault in doc.get("dmd", {}).get("faults", []):
        yield from (fault[key] for key in FAULT_TRACES if key in fault)
    for advice in doc.get("dmd", {}).get("advice", []):
        yield advice["at"]
        if "alloc" in advice:
            yield advice["alloc"]


def is_sampled(run):
    return run.get("sampleBelow", 0) > 0 or "sampleInterval" in run


def check_ids(doc):
    traces, frames = doc["traceTable"], doc["frameTable"]
    used = set(trace_ids(doc))
    require(used <= set(traces), "traces that are referred to are missing: %s" % (used - set(traces)))
    sampled = is_sampled(doc.get("dmd", {}))
    require(sampled or used >= set(traces), "nothing refers to the traces %s" % (set(traces) - used))
    used = {frame for trace in traces.values() for frame in trace}
    require(used <= set(frames), "frames that are referred to are missing: %s" % (used - set(frames)))
    require(used >= set(frames), "nothing refers to the frames %s" % (set(frames) - used))
    of_object = check_objects(doc)
    texts = {(text, of_object.get(frame)) for frame, text in frames.items()}
    require(len(texts) == len(frames), "two frames have the same text and object")
    require(len({tuple(trace) for trace in traces.values()}) == len(traces), "two traces have the same frames")
    for text in frames.values():
        require(FRAME.fullmatch(text), "not a frame: %r" % text)


def check_objects(doc):
    """Each frame is in one object: its text names it, or the list of objects. Returns the latter."""
    run, frames, of_object = doc.get("dmd", {}), doc["frameTable"], {}
    paths = [(entry["path"], entry.get("buildId")) for entry in run.get("objects", [])]
    require(len(set(paths)) == len(paths), "an object stands twice")
    for entry in run.get("objects", []):
        require(set(entry["frames"]) <= set(frames), "frames of an object are missing")
        require(not set(entry["frames"]) & set(of_object), "a frame is in two objects")
        of_object.update((frame, entry["path"]) for frame in entry["frames"])
    for frame, text in frames.items():
        require(run.get("trigger") in (None, "merge") or frame in of_object or text.endswith(("]", " (???:???)")),
                "it is not known in which object %s is" % text)
    return of_object


def check_scan(doc):
    """Blocks are in the order of their addresses, do not overlap, and have all words that fit."""
    word_szB, end = doc["dmd"]["wordSize"], 0
    for block in doc["blockList"]:
        start = int(block["addr"], 16)
        require("num" not in block and "%x" % start == block["addr"], "not one block at an address")
        require(start >= end, "blocks overlap, or are not in order")
        contents = block.get("contents", [])
        require(len(contents) == block["req"] // word_szB, "%d words in %d bytes" % (len(contents), block["req"]))
        require("contents" in block or contents == [], "contents of no words")
        require(all("%x" % int(word, 16) == word for word in contents), "a word that is not written as it should be")
        end = start + block["req"]


def check_blocks(doc):
    mode = doc["invocation"]["mode"]
    run = doc.get("dmd", {})
    keys = set()
    if mode == "scan" and run:
        check_scan(doc)
    else:
        require(not any("addr" in b or "contents" in b for b in doc["blockList"]) or not run, "an address in mode " + mode)
    for block in doc["blockList"]:
        key = json.dumps({k: v for k, v in block.items() if k != "num"}, sort_keys=True)
        require(key not in keys, "two groups of blocks are alike: " + key)
        keys.add(key)
        require("reps" not in block or mode == "dark-matter", "a report in mode " + mode)
        require("reporters" not in block or len(block["reporters"]) == len(block["reps"]), "not a reporter a report")
        if "sharers" in block:
            first = block["sharers"][0]
            require(block["reps"] == [first["at"]], "a shared block's report is not its first sharer's")
            require(block.get("reporters", [None]) == [first.get("reporter")], "nor its reporter")
            owners = [sharer.get("reporter") or (sharer["at"],) for sharer in block["sharers"]]
            require(len(owners) == len(set(owners)), "a sharer stands twice")
        require("reports" not in block or len(block["reps"]) == 2, "more reports than are kept, but not two kept")
        require("alloc" in block or run.get("stacks") != "full", "no allocation stack with --stacks=full")
        require("sampled" not in block or is_sampled(run), "a sampled block without sampling")
        require("sampled" in block or run.get("trigger") == "merge" or "sampleInterval" not in run,
                "a block that is not sampled with --sample-interval")
        require("sampled" not in block or "sampleInterval" in run or
                (block["req"] == run["sampleBelow"] and "slop" not in block),
                "a sampled block stands for another size than --sample-below")
        for name in [block.get("tag")] + block.get("reporters", []):
            require(name is None or len(name) <= MAX_NAME, "a name is too long")


def check_totals(doc):
    run, totals, mode = doc["dmd"], doc["dmd"]["totals"], doc["invocation"]["mode"]
    blocks = sum(block.get("num", 1) for block in doc["blockList"])
    szB = sum(block.get("num", 1) * block["req"] for block in doc["blockList"])
    if is_sampled(run):
        return
    if mode == "cumulative":
        # Blocks that a request announced and resized end with another size than they began with.
        require(blocks <= totals["allocs"], "more blocks than were allocated")
    else:
        # A scan does not list blocks within others: they are parts of these.
        require(mode == "scan" and blocks < totals["inUseBlocks"] or
                blocks == totals["inUseBlocks"], "%d blocks, but inUseBlocks is %d" % (blocks, totals["inUseBlocks"]))
        in_use_szB = totals["inUseBytes"] - totals.get("nestedBytes", 0)
        require(szB == in_use_szB, "%d bytes, but inUseBytes less nestedBytes is %d" % (szB, in_use_szB))


def peak_blocks(doc):
    """The blocks of the peak: those that are left, and those that are gone."""
    return [block for block in doc["blockList"] if "afterPeak" not in block] + doc["peakBlockList"]


def check_attach(doc):
    run = doc["dmd"]
    require(run["trigger"] != "detach" or "attached" in run, "a detach from a process that was not attached to")
    require("attached" not in run or "sampleInterval" not in run or "olderBlocks" not in run["attached"],
            "blocks from before are known with sampling")
    require("attached" not in run or run["attached"]["time"] <= run["time"], "attached to after the dump")


def check_peak(doc):
    peak, recent = doc["dmd"].get("peak"), doc["dmd"].get("recentPeak")
    require((recent is None) == ("recentPeakBlockList" not in doc), "a recent peak without a list, or the other way round")
    require((peak is None) == ("peakBlockList" not in doc), "a peak without a list, or the other way round")
    if peak is None:
        require(not any("afterPeak" in block for block in doc["blockList"]), "after a peak that is not there")
        require(recent is None, "a recent peak without a peak")
        return
    require(doc["invocation"]["mode"] != "cumulative", "a peak in mode cumulative")
    check_peak_blocks(doc, peak, doc["peakBlockList"], peak_blocks(doc))
    if recent is not None:
        require(all("afterPeak" in block for block in doc["blockList"]), "a block of the earlier peak that is not in peakBlockList")
        require(recent["bytes"] <= peak["bytes"] and recent["allocated"] >= peak["allocated"], "the recent peak is the larger one")
        check_peak_blocks(doc, recent, doc["recentPeakBlockList"], doc["recentPeakBlockList"])


def check_peak_blocks(doc, peak, beside, all_blocks):
    keys = [json.dumps({k: v for k, v in block.items() if k != "num"}, sort_keys=True) for block in beside]
    require(len(set(keys)) == len(keys), "two groups of blocks beside the live ones are alike")
    for block in beside:
        require("afterPeak" not in block and "reps" not in block, "a block beside the live ones is reported, or after the peak")
    if is_sampled(doc["dmd"]):
        return
    blocks = sum(block.get("num", 1) for block in all_blocks)
    szB = sum(block.get("num", 1) * block["req"] for block in all_blocks)
    require(szB == peak["bytes"], "the blocks of the peak have %d bytes, not %d" % (szB, peak["bytes"]))
    # Blocks that were announced within others share their bytes.
    require(blocks >= peak["blocks"], "the peak has %d blocks, but lists %d" % (peak["blocks"], blocks))
    require(peak["allocated"] >= peak["bytes"], "more bytes at the peak than were allocated")


def check_lifetimes(doc):
    """All that was allocated, but for announced blocks and failed reallocs, and what is left of it."""
    items, totals = doc.get("lifetimeList"), doc["dmd"]["totals"]
    if items is None:
        return
    for item in items:
        require(item["temporary"] <= item["frees"] <= item["allocs"], "more temporary blocks than frees, or than allocations: %s" % item)
        require(0 < item.get("mostBytes", 0) <= item["bytes"] or item["bytes"] == 0, "not all, or none, live at once: %s" % item)
        require(sum(item["lifetimes"]) == item["frees"], "the histogram does not add up: %s" % item)
        require(item["lifetimes"][-1:] != [0], "a zero at the end: %s" % item)
    stacks = [item.get("alloc") for item in items]
    require(len(set(stacks)) == len(stacks), "two objects have one stack")
    require(sum(item["allocs"] for item in items) <= totals["allocs"], "more allocations than there were")
    require(sum(item["bytes"] for item in items) <= totals["allocBytes"], "more bytes than were allocated")
    require(sum(item["allocs"] - item["frees"] for item in items) <= totals["inUseBlocks"], "more blocks left than there are")


def check_timeline(doc):
    timeline, peak, totals = doc["dmd"].get("timeline"), doc["dmd"].get("peak"), doc["dmd"]["totals"]
    if timeline is None:
        return
    points, marks = timeline["points"], timeline["marks"]
    moments = [point[:4] for point in points]
    for all_of_a_kind in moments, [[mark[key] for key in ("milliseconds", "bytes", "blocks", "allocated")] for mark in marks]:
        for before, after in zip(all_of_a_kind, all_of_a_kind[1:]):
            require(before[0] <= after[0] and before[3] <= after[3], "%s comes before %s" % (before, after))
    slots = [moment[0] // timeline["spacing"] for moment in moments[:-1]]
    require(len(set(slots)) == len(slots), "two points in one slot")
    require(peak is not None, "a timeline without a peak")
    if is_sampled(doc["dmd"]):
        return
    require(max(moment[1] for moment in moments) <= peak["bytes"], "a point above the peak")
    # Announced blocks do not count.
    require(moments[-1][1] <= totals["inUseBytes"] and moments[-1][2] <= totals["inUseBlocks"], "the last point is not the dump")
    require(moments[-1][3] <= totals["allocBytes"], "more allocated than allocated")
    for point in points:
        require(len(point) < 6 or point[5] is None or point[5] < point[1], "the least heap is not less")
    check_instructions(doc["dmd"])
    check_breakdowns(doc, moments[-1])


def check_instructions(run):
    """Instructions are counted at all moments or at none."""
    timeline, is_counted = run["timeline"], run.get("timeUnit") == "instructions"
    require(all((len(point) == 7) == is_counted for point in timeline["points"]), "points with and without instructions")
    require(all(("instructions" in mark) == is_counted for mark in timeline["marks"]), "marks with and without instructions")
    require(all((len(breakdown) == 7) == is_counted for breakdown in timeline["breakdowns"]), "breakdowns with and without instructions")
    if is_counted:
        for kind in timeline["points"], timeline["breakdowns"]:
            require(all(before[6] <= after[6] for before, after in zip(kind, kind[1:])), "instructions decrease")
        require(run["peak"]["instructions"] <= timeline["points"][-1][6], "the peak is after the dump")


def check_breakdowns(doc, dump):
    """The last breakdown is the dump: its stacks have the blocks of the list."""
    timeline = doc["dmd"]["timeline"]
    breakdowns = timeline["breakdowns"]
    require(breakdowns[-1][:4] == dump, "the last breakdown is not the dump")
    for before, after in zip(breakdowns, breakdowns[1:]):
        require(before[0] <= after[0] and before[3] <= after[3], "a breakdown comes before the last one")
    for breakdown in breakdowns:
        require(sum(breakdown[4]) <= breakdown[1], "more bytes by stack than bytes")
        require(sum(breakdown[5]) <= breakdown[1], "more bytes by tag than bytes")
        require(len(breakdown[4]) == len(timeline["stacks"]) and len(breakdown[5]) == len(timeline["tags"]), "one amount for each")
    require(len(set(timeline["stacks"])) == len(timeline["stacks"]), "a stack twice")
    announced = dump[1] != doc["dmd"]["totals"]["inUseBytes"] or doc["dmd"]["totals"].get("nestedBytes")
    if doc["invocation"]["mode"] not in ("live", "dark-matter") or announced:
        return
    for key, ids, amounts in ("alloc", timeline["stacks"], breakdowns[-1][4]), ("tag", timeline["tags"], breakdowns[-1][5]):
        sums = collections.Counter()
        for block in doc["blockList"]:
            sums[block.get(key)] += block.get("num", 1) * block["req"]
        for name, amount in zip(ids, amounts):
            # When dmdv names the frames of a native profile, a stack may become one with others that were too small to be listed.
            joined = doc["dmd"]["valgrindVersion"] is None and key == "alloc" and amount < sums[name]
            require(amount == sums[name] or joined or amount == 0 and len(ids) > 9,
                    "%s has %d bytes, not %d" % (name, sums[name], amount))


def without_peak(blocks):
    """The blocks without a difference between those of the peak and others."""
    joined = {}
    for block in blocks:
        plain = {key: value for key, value in block.items() if key not in ("num", "afterPeak", "neverMeasured")}
        same = joined.setdefault(json.dumps(plain, sort_keys=True), dict(plain, num=0))
        same["num"] += block.get("num", 1)
    return list(joined.values())


def check_faults(doc):
    numbers = ("num", "bytes", "claimed", "measured", "size", "offset", "length", "names", "someNames")
    keys = [tuple((k, v) for k, v in f.items() if k not in numbers) for f in doc["dmd"]["faults"]]
    require(len(keys) == len(set(keys)), "two faults are alike")
    for f in doc["dmd"]["faults"]:
        require(f["num"] >= 1, "a fault that never happened")
        require("at" in f, "a fault without a stack")
        amounts = ("claim", "memory-report", "freed-counted", "size-function")
        require(("claimed" in f) == (f["kind"] in amounts), "amounts of something else than a claim")
        require("claimed" not in f or f["claimed"] != f["measured"], "a claim that adds up is not a fault")
        if f["kind"] == "freed-counted":
            require(0 < f["bytes"] <= f["claimed"] - f["measured"], "more was freed than the sum is too large by")
        elif "claimed" in f:
            require(f.get("bytes", 0) >= abs(f["claimed"] - f["measured"]), "less off than it is")
        others = {"scope-left-open": ["still-running"], "memory-report": ["block-twice", "block-left-out", "held-blocks"]}
        require("reason" not in f or f["kind"] == "claim" or f["reason"] in others.get(f["kind"], []),
                "a reason that this kind cannot have")
        require("offset" not in f or f["offset"] < max(f["size"], 1), "an interior pointer outside of its block")
        require((f["kind"] == "scope-left-open") <= ("scope" in f or "names" in f), "a scope left open without a name")
        require(len(f.get("someNames", [])) == min(f.get("names", 0), 8), "another number of names than there are")


def check_advice(doc):
    """Checks that no holder holds more of a stack's blocks than exist."""
    unreported, held, keys = collections.Counter(), collections.Counter(), set()
    for block in doc["blockList"]:
        if "reps" not in block:
            num = block.get("num", 1)
            unreported[block.get("alloc"), "blocks"] += num
            unreported[block.get("alloc"), "bytes"] += num * (block["req"] + block.get("slop", 0))
    for advice in doc["dmd"].get("advice", []):
        require(doc["invocation"]["mode"] == "dark-matter", "advice in another mode")
        last_time = advice["held"] in ("last-time", "nothing-now", "not-run", "before-realloc")
        require(advice["held"] != "unreported" or "reporter" not in advice, "unreported, and a reporter")
        require(not last_time or "reporter" in advice, "reported the last time, by nobody")
        require(last_time or "before" not in advice, "a holder that measured something the last time")
        holder = advice.get("alloc"), advice["held"], advice.get("reporter") or advice["at"]
        key = holder + (advice["at"], advice.get("offset"))
        require(key not in keys, "the same advice twice: %s" % (key,))
        require(advice["held"] != "unreported" or advice["at"] != advice.get("alloc"), "blocks that hold their likes")
        keys.add(key)
        for what in "blocks", "bytes":
            held[holder, what] += advice[what]
    for (holder, what), n in held.items():
        require(n <= unreported[holder[0], what], "%s holds more %s than there are" % (holder, what))


def check_runs(doc):
    """Checks that each reporter's runs are listed once, and agree with the hints about it."""
    runs = doc["dmd"].get("reporterRuns", [])
    require(not runs or doc["invocation"]["mode"] == "dark-matter", "runs of reporters in another mode")
    names = [run["reporter"] for run in runs]
    require(len(set(names)) == len(names), "a reporter's runs stand twice")
    last_time = {advice["reporter"]: advice["held"] for advice in doc["dmd"].get("advice", [])
                 if advice["held"] in ("last-time", "nothing-now", "not-run")}
    for run in runs:
        held = last_time.get(run["reporter"])
        require(held is None or (held == "not-run") == (run["runs"] == 0), "advice and runs do not agree")


def check_memory(doc):
    run, mode = doc["dmd"], doc["invocation"]["mode"]
    memory, reports = run["memory"], run["memoryReports"]
    require(memory.get("residentUnique", 0) <= memory.get("resident", 0), "more of its own than is resident")
    usable = sum(block.get("num", 1) * (block["req"] + block.get("slop", 0)) for block in doc["blockList"])
    require(is_sampled(run) or mode == "cumulative" or memory["heapAllocated"] == usable,
            "%d usable bytes, but heapAllocated is %s" % (usable, memory["heapAllocated"]))
    keys = [(r.get("process"), r["path"], r["kind"], r["units"]) for r in reports]
    require(len(set(keys)) == len(keys), "two memory reports are alike")
    for report in reports:
        for key in ("process", "path", "description"):
            require(len(report.get(key, "")) <= MAX_NAME, "a string of a memory report is too long")


class Block:
    """Equal blocks, and their number. Stacks are function names, innermost first."""

    def __init__(self, profile, doc):
        self.req = doc["req"]
        self.slop = doc.get("slop", 0)
        self.num = doc.get("num", 1)
        self.stack = profile.functions(doc["alloc"]) if "alloc" in doc else None
        self.reps = [profile.functions(trace) for trace in doc.get("reps", [])]
        self.reporters = doc.get("reporters", [None] * len(self.reps))
        self.reports = doc.get("reports", len(self.reps))
        self.sharers = {}
        for sharer in doc.get("sharers", []):
            name = sharer.get("reporter") or profile.functions(sharer["at"])[0]
            self.sharers[name] = self.sharers.get(name, 0) + 1
        self.tag = doc.get("tag")
        self.thread = doc.get("thread", 1)
        self.sampled = doc.get("sampled", False)

    def describe(self):
        """E.g. `3 x 100+4 tag t thread 2 reported by measure_a as explicit/a, measure_b; 3 times`: the number of
        blocks, requested bytes and slop of each, and the innermost functions of the reports that are kept."""
        text = "%d+%d" % (self.req, self.slop)
        if self.num > 1:
            text = "%d x %s" % (self.num, text)
        if self.sampled:
            text += " sampled"
        if self.tag is not None:
            text += " tag " + self.tag
        if self.thread != 1:
            text += " thread %d" % self.thread
        if self.reps:
            each = zip(self.reps, self.reporters)
            text += " reported by " + ", ".join(r[0] + (" as " + name if name else "") for r, name in each)
        if self.reports > 2:
            text += "; %d times" % self.reports
        if self.sharers:
            text += " shared by " + ", ".join("%s x %d" % each for each in sorted(self.sharers.items()))
        return text


class Fault:
    """A fault. Stacks are function names, innermost first."""

    def __init__(self, profile, doc):
        self.kind = doc["kind"]
        self.num = doc["num"]
        self.bytes = doc.get("bytes", 0)
        self.reason = doc.get("reason")
        self.reporter = doc.get("reporter")
        self.other_reporter = doc.get("otherReporter")
        self.scope = doc.get("scope")
        self.memory = doc.get("memory")
        self.claimed, self.measured = doc.get("claimed"), doc.get("measured")
        self.size, self.offset, self.length = doc.get("size"), doc.get("offset"), doc.get("length")
        self.stack, self.allocated, self.freed, self.reported = (
            profile.functions(doc[key]) if key in doc else None for key in FAULT_TRACES)


class Profile:
    """One profile, validated."""

    def __init__(self, path, validator):
        self.path = path
        try:
            self.doc = json.loads(read_bytes(path).decode("utf-8"), object_pairs_hook=no_duplicates)
            validator.check(self.doc)
        except (Invalid, UnicodeDecodeError, json.JSONDecodeError, zlib.error) as error:
            raise Invalid("%s is not a valid profile: %s" % (path, error)) from error
        self.run = self.doc.get("dmd")
        self.totals = self.run["totals"]
        self.blocks = [Block(self, block) for block in without_peak(self.doc["blockList"])]
        self.peak = self.run.get("peak")
        self.timeline = self.run.get("timeline")
        self.peak_blocks = [Block(self, block) for block in without_peak(peak_blocks(self.doc))] if self.peak else None
        self.recent_peak_blocks = [Block(self, block) for block in self.doc.get("recentPeakBlockList", [])]
        self.faults = [Fault(self, fault) for fault in self.run["faults"]]

    def functions(self, trace):
        """The function names of a trace."""
        frames = [self.doc["frameTable"][frame] for frame in self.doc["traceTable"][trace]]
        return [FRAME.fullmatch(frame).group("fn") for frame in frames]

    def blocks_at(self, function):
        """The blocks with this function in their allocation stack, in the profile's order."""
        return [block for block in self.blocks if block.stack is not None and function in block.stack]

    def at(self, function):
        """The descriptions of these blocks, sorted."""
        return sorted(block.describe() for block in self.blocks_at(function))

    def count_at(self, function):
        """How many blocks and requested bytes there are with this function in their stack."""
        blocks = self.blocks_at(function)
        return sum(b.num for b in blocks), sum(b.num * b.req for b in blocks)

    def faults_at(self, function):
        """`kind x times` of each fault with this function in its stack, sorted."""
        return sorted("%s x %d" % (f.kind, f.num) for f in self.faults if function in f.stack)

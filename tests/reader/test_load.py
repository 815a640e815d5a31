# SPDX-License-Identifier: GPL-2.0-or-later
"""Which files dmdv accepts as profiles, and its messages about others."""

import gzip
import json

from dmdvtest import Profile

STACK = ["malloc (m.c:1)", "jar_new (jar.c:5)"]


def small():
    return Profile().block(100, STACK, slop=4).json()


def summary(out):
    """The line of totals."""
    return [line for line in out.split("\n") if line.startswith("  Total:")][0].split()


def accepted(test, content, name="file"):
    out, _ = test.dmdv("print", test.write(name, content))
    test.equal(summary(out)[1:3], ["104", "bytes"], "total")
    test.check("    #02: jar_new (jar.c:5)\n" in out, "the stack is missing: " + out)


def rejected(test, content, reason, place=None):
    line = test.error("print", test.write("file", content))
    test.check(reason in line, "%r does not say %r" % (line, reason))
    if place:
        test.check(":%d: " % place in line, "%r does not name line %d" % (line, place))


def test_plain_and_gzip_by_content(test):
    text = json.dumps(small()).encode()
    accepted(test, text, "plain.json.gz")
    accepted(test, gzip.compress(text), "zipped.json")


def test_several_gzip_members(test):
    text = json.dumps(small()).encode()
    accepted(test, b"".join(gzip.compress(text[i:i + 37]) for i in range(0, len(text), 37)))


def test_standard_input(test):
    out, _ = test.dmdv("print", "-", stdin=gzip.compress(json.dumps(small()).encode()))
    test.equal(summary(out)[1], "104", "total")


def test_any_order_and_layout(test):
    document = small()
    backwards = {key: document[key] for key in reversed(list(document))}
    accepted(test, json.dumps(backwards))
    accepted(test, json.dumps(document, indent=3))
    accepted(test, json.dumps(document, separators=(",", ":")))
    accepted(test, json.dumps(document, separators=(" \r\n\t,\r\n ", "\t:\n ")))


def test_escaped_keys_and_ids(test):
    accepted(test, json.dumps(small()).replace('"blockList"', '"block\\u004cist"').replace('"t0"', '"\\u00740"'))


def test_unknown_keys_are_ignored(test):
    document = small()
    document["extra"] = {"a": [1, {"b": "\\u00e9 \u00e9"}], "c": None}
    document["blockList"][0]["more"] = [True, {"x": {}}]
    document["invocation"]["other"] = 5
    accepted(test, json.dumps(document))


def test_elements_across_reads(test):
    # Whatever the end of a read cuts: some 2 MB of blocks with long and short strings between them.
    profile = Profile()
    total = 0
    for i in range(20000):
        profile.block(i, ["f%d (%s.c:%d)" % (i % 300, "x" * (i % 97), i % 5)], **{"k" * (i % 50): "\u00fc" * (i % 70)})
        total += i
    out, _ = test.dmdv("print", "--max-records=1", test.write("large", profile))
    test.equal(summary(out)[1], "{:,d}".format(total), "total")


def test_empty_list(test):
    out, _ = test.dmdv("print", test.write("empty", Profile()))
    test.check("# no unreported heap blocks\n" in out, out)
    test.equal(summary(out)[1], "0", "total")


def test_nothing_there(test):
    rejected(test, b"", "the file ends where an object should be")
    rejected(test, gzip.compress(b""), "the file ends where an object should be")
    test.check("it is a folder" in test.error("print", test.folder), "a folder")
    test.check("cannot open" in test.error("print", test.path("missing")), "a missing file")


def test_not_json(test):
    text = json.dumps(small(), indent=1)
    rejected(test, "hello", "'h' found where an object should be", 1)
    rejected(test, text[:-1], "the file ends where", text.count("\n") + 1)
    rejected(test, text + "x", "'x' found where the end of the file should be", text.count("\n") + 1)
    rejected(test, text.replace('"req": 100', '"req": 1 0'), "a value is not JSON")
    rejected(test, text.replace('"req": 100', '"req": 100,,'), "a value is not JSON")
    rejected(test, text.replace('"slop"', "slop"), "a value is not JSON")
    rejected(test, text.replace("jar_new", "jar\nnew"), "a control character in a string")
    rejected(test, text.replace("}", "]", 1), "found where", 6)


def test_bad_utf8(test):
    for bad in (b"\xff", b"\xc3(", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xc0\xaf"):
        rejected(test, json.dumps(small()).encode().replace(b"jar_new", b"jar" + bad), "a string is not UTF-8")


def test_damaged_gzip(test):
    whole = gzip.compress(json.dumps(small()).encode())
    rejected(test, whole[:-9], "the gzip data is cut off")
    rejected(test, whole[:-8] + bytes(8), "the gzip data is damaged")
    rejected(test, whole + b"more", "followed by something that is not gzip")


def test_what_follows_the_document(test):
    """White space may follow; anything else is rejected, in the same gzip member or another one."""
    text = json.dumps(small()).encode()
    for more, what in ((b"\x00" * 100000, "a byte 0x00"), (text, "'{'"), (b"x", "'x'"), (b"\xff", "a byte 0xff")):
        for whole in text + more, gzip.compress(text + more), gzip.compress(text) + gzip.compress(more):
            rejected(test, whole, what + " found where the end of the file should be")
    rejected(test, gzip.compress(text) + b"\x00" * 512, "followed by something that is not gzip")
    accepted(test, gzip.compress(text) + gzip.compress(b"\n" * (10 << 20)) + gzip.compress(b"") * 1000)


def test_nesting_bomb(test):
    text = json.dumps(small())
    rejected(test, text[:-1] + ', "bomb": ' + "[" * 100000, "nest deeper than 64")
    rejected(test, "[" * 100000, "'[' found where an object should be")


def test_wrong_content(test):
    def change(reason, **keys):
        document = small()
        document.update(keys)
        rejected(test, document, reason)

    change('"version" is not 5', version=4)
    change('"version" is not 5', version="5")
    change('"mode" is not one of', invocation={"dmdEnvVar": None, "mode": "dark"})
    change('"dmdEnvVar" is not a string', invocation={"dmdEnvVar": 7, "mode": "live"})
    change('\'{\' found where an array should be', blockList={})
    change('not an object', blockList=[5])
    change('"t0" is not in "traceTable"', traceTable={})
    change('is not in "frameTable"', frameTable={})
    change("a trace is not an array", traceTable={"t0": "f0"})
    change("a frame is not a string", frameTable={"f0": 1, "f1": "x"})


def test_messages_are_one_line(test):
    """Whatever a file contains, the message about it does not affect a terminal."""
    document = small()
    document["blockList"][0]["alloc"] = "a\nb\x1b[2J\u009bc"
    rejected(test, document, 'trace id "a\\x0ab\\x1b[2J\\xc2\\x9bc" is not in')
    line = test.error("print", test.path("no\nfile"))
    test.check("no\\x0afile" in line, line)


def test_wrong_memory_reports(test):
    def report(reason, **keys):
        document = small()
        entry = dict({"path": "a", "kind": "heap", "units": "bytes", "amount": 1}, **keys)
        document["dmd"] = {"memoryReports": [{k: v for k, v in entry.items() if v is not None}]}
        if reason is None:
            accepted(test, document)
        else:
            rejected(test, document, reason)

    report(None)
    report(None, amount=-2 ** 53, kind="a later one")
    report(None, units="a later one", more=[{}])
    for key in ("path", "kind", "units"):
        report('no "path", "kind" or "units"', **{key: None})
    report('no "path", "kind" or "units"', path="")
    report('"path" is not a string', path=5)
    report('"process" is not a string', process=5)
    for amount in (None, "1", 1.5, 2 ** 53 + 2, -2 ** 53 - 2, 1e300):
        report('"amount" is not a whole number within 2^53', amount=amount)
    for times in (0, -1):
        report('"times" is not a whole number from 1', times=times)
    document = small()
    document["dmd"] = {"memory": {"resident": -1}}
    rejected(test, document, '"resident" is not a whole number')
    document["dmd"] = {"memoryReports": [dict({"path": "p%d" % n, "kind": "heap", "units": "bytes", "amount": 1})
                                         for n in range(65537)]}
    rejected(test, document, "more than 65536 memory reports")
    document["dmd"] = {"memoryReports": {}}
    rejected(test, document, '"memoryReports" is not an array')


def test_missing_and_double_keys(test):
    for key in ("version", "invocation", "blockList", "traceTable", "frameTable"):
        document = small()
        del document[key]
        rejected(test, document, '"%s" is missing' % key)
    text = json.dumps(small())
    rejected(test, text[:-1] + ', "version": 5}', '"version" comes twice')


def test_wrong_advice(test):
    def advice(reason, **keys):
        document = small()
        held = {"held": "reported", "at": "t0", "blocks": 1, "bytes": 1}
        held.update(keys)
        document["dmd"] = {"advice": [held]}
        rejected(test, document, reason)

    advice('"blocks" is not a whole number', blocks=-1)
    advice('"bytes" is not a whole number', bytes="1")
    advice('"offset" is not a whole number', offset=0.5)
    advice('"at" is not a string', at=3)
    advice('trace id "nowhere" is not in', alloc="nowhere")
    document = small()
    for most, one in (({"blocks": 1, "bytes": 2 ** 53}, {"blocks": 1, "bytes": 1}),
                      ({"blocks": 2 ** 53, "bytes": 1}, {"blocks": 1, "bytes": 1})):
        document["dmd"] = {"advice": [dict({"held": "reported", "at": "t0"}, **amounts) for amounts in (most, one)]}
        rejected(test, document, "more than 2^53 bytes or blocks")
    document["dmd"] = {"advice": {}}
    rejected(test, document, '"advice" is not an array')


def test_wrong_runs_of_reporters(test):
    def runs(reason, *items):
        document = small()
        document["dmd"] = {"reporterRuns": list(items)}
        rejected(test, document, reason)

    runs('"runs" is not a whole number', {"reporter": "a", "runs": -1})
    runs('"reporter" is not a string', {"reporter": 1, "runs": 1})
    runs("reporters ran more than 2^53 times", {"reporter": "a", "runs": 2 ** 53}, {"reporter": "b", "runs": 1})
    document = small()
    document["dmd"] = {"reporterRuns": {}}
    rejected(test, document, '"reporterRuns" is not an array')


def test_wrong_processes(test):
    def processes(reason, *items):
        document = small()
        document["dmd"] = {"processes": list(items)}
        rejected(test, document, reason)

    processes('"process" is not a string', {"process": 1})
    processes('"resident" is not a whole number', {"process": "a", "memory": {"resident": -1}})
    document = small()
    document["dmd"] = {"processes": [{"process": "a", "memory": {"resident": 7 * n}} for n in (1, 2)] + [{}]}
    test.write("twice.json", document)
    merged = json.loads(test.dmdv("merge", "twice.json")[0])
    test.equal(merged["dmd"]["processes"], [{"process": "a", "memory": {"resident": 7}}], "the first counts")


def test_wrong_objects(test):
    def objects(reason, value, key="objects"):
        document = small()
        document["dmd"] = {key: value}
        if reason is None:
            accepted(test, document)
        else:
            rejected(test, document, reason)

    objects(None, [])
    objects(None, [{}, {"path": None}, {"path": "/l/x.so", "frames": {"f0": 1, "nowhere": None}, "build": "8"}])
    objects(None, [{"buildId": None}, {"path": "/l/x.so", "frames": {"f0": 1}, "buildId": "08af"}, {"buildId": ""}])
    objects("where an array should be", {})
    objects("where an object should be", [3])
    objects('"path" is not a string', [{"path": 3}])
    objects('"buildId" is not a string', [{"buildId": 3}])
    for wrong in ("8", "0x12", "AB", "ab" * 65):
        objects('"buildId" is not the hexadecimal digits of up to 64 bytes', [{"buildId": wrong}])
    objects("where an object should be", [{"path": "/l/x.so", "frames": []}])
    for wrong in (-1, 0.5, "1", 2 ** 53 + 2):
        objects('"frames" is not a whole number', [{"path": "/l/x.so", "frames": {"f0": wrong}}])
    objects(None, {"f0": "no such beginning", "nowhere": "f"}, key="functions")
    objects("where an object should be", [], key="functions")
    objects('"functions" is not a string', {"f0": 3}, key="functions")


def test_wrong_faults(test):
    def faults(reason, *entries):
        document = small()
        document["dmd"] = {"faults": [dict({"kind": "claim", "num": 1}, **entry) for entry in entries]}
        if reason is None:
            accepted(test, document)
        else:
            rejected(test, document, reason)

    faults(None)
    faults(None, {})
    faults(None, {"kind": "a later one", "num": 0})
    faults(None, {"reason": "a later one", "claimed": 2 ** 64 - 1, "measured": 0, "bytes": 1e300})
    for key in ("bytes", "claimed", "measured", "size", "offset", "length"):
        for wrong in (-1, 0.5, "1"):
            faults('"%s" is not a whole number' % key, {key: wrong})
    for wrong in (0, -1, 1.5, 2 ** 53 + 2, "1"):
        faults('"num" is not a whole number from 1 to 2^53', {"num": wrong})
    for key in ("at", "allocatedAt", "freedAt", "reportedAt"):
        faults('"%s" is not a string' % key, {key: 3})
        faults('trace id "nowhere" is not in', {key: "nowhere"})
    for key in ("kind", "reason", "reporter", "otherReporter", "scope", "memory"):
        faults('"%s" is not a string' % key, {key: 5})
    faults(None, {"names": 2, "someNames": ["a", "b"]})
    faults(None, {"names": 9, "someNames": list("abcdefgh")})
    for wrong in ("a", {"a": "b"}, [3], list("abcdefghi")):
        faults('"someNames" is not a list of up to 8 names', {"names": 9, "someNames": wrong})
    for number, names in ((2, ["a"]), (0, ["a"]), (1, []), (9, list("abcdefg")), (7, list("abcdefgh")), (2 ** 32, list("abcdefgh"))):
        faults('"names" is not the number of names that "someNames" begins', {"names": number, "someNames": names})
    faults("more than 2^53 faults", {"num": 2 ** 53}, {"num": 1, "kind": "invalid-free"})
    faults(None, {"num": 2 ** 53 - 1}, {"num": 1, "kind": "invalid-free"})
    document = small()
    document["dmd"] = {"faults": {"kind": "claim", "num": 1}}
    rejected(test, document, '"faults" is not an array')


def test_sharers(test):
    """Each reporter counts once, and so does each place outside of reporters, however often they reported."""
    def sharers(*entries):
        document = small()
        document["blockList"][0].update(reps=["t0"], sharers=list(entries))
        out, _ = test.dmdv("merge", test.write("file", document))
        return [sharer.get("reporter") for sharer in json.loads(out)["blockList"][0]["sharers"]]

    at = {"at": "t0"}
    test.equal(sharers(at), [None], "one")
    test.equal(sharers(*[at] * 200), [None], "the same place")
    test.equal(sharers(at, dict(at, reporter="a"), at, dict(at, reporter="a"), dict(at, reporter="b")), [None, "a", "b"],
               "several times")
    many = [dict(at, reporter="r%d" % i) for i in range(5000)]
    test.equal(sharers(*many), ["r%d" % i for i in range(5000)], "many")
    # The other code path, which an unknown key takes.
    test.equal(sharers(dict(at, extra=1), *many), [None] + ["r%d" % i for i in range(5000)], "many, out of a tree")


def test_wrong_sharers(test):
    def sharers(reason, value):
        document = small()
        document["blockList"][0].update(reps=["t0"], sharers=value)
        rejected(test, document, reason)

    for wrong in (None, 2, "t0", {}, {"x": {"at": "t0"}}, []):
        sharers('"sharers" is not an array with reports', wrong)
    for wrong in ({}, {"reporter": "x"}, {"at": None}, 3, "t0", []):
        sharers('a sharer has no "at"', [{"at": "t0"}, wrong])
    sharers('"at" is not a string', [{"at": 3}])
    sharers('"reporter" is not a string', [{"at": "t0", "reporter": 3}])
    sharers('trace id "nowhere" is not in', [{"at": "nowhere"}])


def test_wrong_blocks(test):
    def block(reason, **keys):
        document = small()
        document["blockList"][0].update(keys)
        rejected(test, document, reason)

    block('"req" is not a whole number', req=-1)
    block('"req" is not a whole number', req=1.5)
    block('"req" is not a whole number', req="1")
    block('"req" is not a whole number', req=2 ** 53 + 2)
    block('"num" is not a whole number from 1', num=0)
    block("more than 2^61 bytes", req=2 ** 50, num=2 ** 50)
    block('"alloc" is not a string', alloc=3)
    block('"reps" is not an array of one or two', reps=[])
    block('"reps" is not an array of one or two', reps=["t0"] * 3)
    block('"reps" holds something', reps=[1])
    document = small()
    del document["blockList"][0]["req"]
    rejected(test, document, 'has no "req"')


def test_wrong_lifetimes(test):
    def lived(**changes):
        document = small()
        document["lifetimeList"] = [dict({"alloc": "t0", "allocs": 3, "bytes": 9, "frees": 2, "temporary": 1, "meanLifetime": 5,
                                          "lifetimes": [1, 1]}, **changes)]
        return document
    accepted(test, lived())
    accepted(test, lived(later=[{}]))
    accepted(test, lived(mostBytes=9))
    for changes, reason in (
            ({"allocs": 1}, "more frees than allocations"),
            ({"temporary": 3}, "more temporary blocks than frees"),
            ({"lifetimes": [1]}, "do not add up"),
            ({"lifetimes": [0] * 31 + [2, 0]}, "too many classes"),
            ({"lifetimes": 5}, "not an array"),
            ({"lifetimes": [2, -1, 1]}, "whole number"),
            ({"mostBytes": 10}, 'more "mostBytes" than'),
            ({"mostBytes": -1}, "whole number"),
            ({"alloc": 5}, '"alloc" is not a string'),
            ({"alloc": "none"}, 'trace id "none" is not in'),
            ({"bytes": 2**53 + 2}, "whole number"),
            ({"allocs": 0.5}, "whole number")):
        rejected(test, lived(**changes), reason)
    document = lived()
    document["dmd"] = {"timeUnit": "instructions", "peak": {"bytes": 9, "blocks": 1, "milliseconds": 1, "allocated": 9, "instructions": 2**53 - 1}}
    accepted(test, document)
    document["dmd"]["peak"]["instructions"] = -1
    rejected(test, document, "whole number")
    for unit, reason in ("i", '"timeUnit" is not "instructions"'), (5, "not a string"):
        rejected(test, dict(lived(), dmd={"timeUnit": unit}), reason)
    document = lived()
    document["lifetimeList"].append(5)
    rejected(test, document, "something that is not an object")
    document["lifetimeList"] = [dict(lived()["lifetimeList"][0], allocs=2**53)] * 2
    rejected(test, document, "makes sums too large")


def test_attached(test):
    """The time of an attach is of one form, and so has a limit; the counts may be absent."""
    def attached(*value):
        return dict(small(), dmd={"attached": value[0]} if value else {})

    for value in ({"time": "2026-11-22T09:40:00Z"}, {"time": "2026-11-22T09:40:00Z", "olderBlocks": 0, "olderBytes": 2**53 - 1, "x": 1}):
        accepted(test, attached(value))
    for time in "", "now", "2026-11-22T09:40:00Z\n", "1" * 32, "1" * 3000, 5, None:
        rejected(test, attached({"time": time}), "time")
    rejected(test, attached({}), '"attached" has no "time"')
    rejected(test, attached(5), '"attached" has no "time"')
    for count in -1, 0.5, 2**53 + 2, "x":
        rejected(test, attached({"time": "2026-11-22T09:40:00Z", "olderBytes": count}), "olderBytes")


def timed(**changes):
    document = small()
    timeline = {"spacing": 2, "points": [[0, 10, 1, 10], [4, 90, 2, 100, 4096]],
                "marks": [{"text": "x", "milliseconds": 3, "bytes": 50, "blocks": 2, "allocated": 60}]}
    document["dmd"] = {"timeline": dict(timeline, **changes)}
    return document


def test_wrong_timelines(test):
    accepted(test, timed())
    accepted(test, timed(later=[{}]))
    mark = timed()["dmd"]["timeline"]["marks"][0]
    for changes, reason in (
            ({"spacing": 0}, '"spacing" is not a whole number from 1'),
            ({"points": {}}, '"points" of "timeline" is not an array'),
            ({"points": [[0, 1, 1]]}, "not an array of 4 to 7 numbers"),
            ({"points": [[0, 1, 1, 1, 1, 1, 1, 1]]}, "not an array of 4 to 7 numbers"),
            ({"points": [[0, 1, 1, 1, None, 2]]}, "the least heap of a point"),
            ({"points": [[0, 1, None, 1]]}, "whole number"),
            ({"points": [5]}, "not an array of 4 to 7 numbers"),
            ({"points": [[0, 1, 1, "1"]]}, "whole number"),
            ({"points": [[0, -1, 1, 1]]}, "whole number"),
            ({"points": [[5, 1, 1, 1], [4, 1, 1, 1]]}, "before the previous one"),
            ({"points": [[5, 1, 1, 2], [5, 1, 1, 1]]}, "fewer allocated bytes"),
            ({"points": [[5, 1, 1, 1, None, None, 2], [5, 1, 1, 1, None, None, 1]]}, "fewer allocated bytes or instructions"),
            ({"points": [[5, 1, 1, 1, None, None, 2], [5, 1, 1, 1]]}, "a point of \"timeline\" has instructions and its first point"),
            ({"points": [[5, 1, 1, 1], [5, 1, 1, 1, None, None, 1]]}, "or the other way round"),
            ({"points": [[5, 1, 1, 1, None, None, None]]}, "whole number"),
            ({"points": [[5, 1, 1, 1, None, None, 2**60]]}, "whole number"),
            ({"points": [[i, 1, 1, 1] for i in range(514)]}, "more than 513 points"),
            ({"marks": "x"}, '"marks" of "timeline" is not an array'),
            ({"marks": ["x"]}, "a mark of \"timeline\" is not an object"),
            ({"marks": [dict(mark, text=5)]}, '"text" is not a string'),
            ({"marks": [dict(mark, bytes=2**60)]}, "whole number"),
            ({"marks": [mark, dict(mark, milliseconds=2)]}, "before the previous one"),
            ({"marks": [dict(mark, instructions=2), dict(mark, instructions=1)]}, "fewer allocated bytes or instructions"),
            ({"marks": [dict(mark, instructions="2")]}, "whole number"),
            ({"marks": [mark] * 257}, "more than 256 marks")):
        rejected(test, timed(**changes), reason)
    document = timed()
    document["dmd"]["timeline"] = [1]
    rejected(test, document, '"timeline" is not an object')


def broken_down(breakdowns, stacks=("t0",), tags=("t",)):
    return timed(stacks=list(stacks), tags=list(tags), breakdowns=breakdowns)


def test_wrong_breakdowns(test):
    good = [1, 10, 1, 10, [10], [4]]
    accepted(test, broken_down([good, good]))
    accepted(test, broken_down([[1, 10, 1, 10, [], []]], stacks=(), tags=()))
    each = "has not an amount for each"
    for breakdowns, reason in (
            ([good[:5]], "not an array of 6 or 7 elements"), ([{}], "not an array of 6 or 7 elements"),
            ([[1, 10, 1, 10, [10, 1], [4]]], each), ([[1, 10, 1, 10, [], [4]]], each), ([[1, 10, 1, 10, [10], []]], each),
            ([[1, 10, 1, 10, 10, [4]]], each), ([[1, 10, 1, 10, [-1], [4]]], "whole number"),
            ([[1, 10, "1", 10, [1], [4]]], "whole number"), ([[1, 10, 1, 10, [2**60], [4]]], "whole number"),
            ([good + [5]], "a breakdown of \"timeline\" has instructions and its first point has none"),
            ([good, [0] + good[1:]], "before the previous one"), ([good] * 66, "more than 65 breakdowns"), ("x", "is not an array")):
        rejected(test, broken_down(breakdowns), reason)
    counted = dict(points=[[0, 10, 1, 10, None, None, 5]], stacks=["t0"], tags=["t"])
    accepted(test, timed(**counted, breakdowns=[good + [5], good + [6]]))
    rejected(test, timed(**counted, breakdowns=[good + [6], good + [5]]), "fewer allocated bytes or instructions")
    rejected(test, timed(**counted, breakdowns=[good]), "or the other way round")
    rejected(test, timed(**counted, breakdowns=[good + [-1]]), "whole number")
    rejected(test, broken_down([], stacks=["1"] * 65), "more than 64 strings")
    rejected(test, broken_down([], tags=["t"] * 17), "more than 16 strings")
    rejected(test, broken_down([], stacks=[1]), '"stacks" is not a string')
    rejected(test, broken_down([], stacks=["no such trace"]), "no such trace")


def test_place_of_a_wrong_breakdown(test):
    text = json.dumps(broken_down([[1, 10, 1, 10, [10], [4]], [2, 10, 1, 10, [10], [4, 5]]]), indent=1)
    lines = text.split("\n")
    last = max(i for i, line in enumerate(lines) if line.strip() == "5")
    rejected(test, text, "has not an amount for each", last + 3)


def test_place_of_a_wrong_point(test):
    text = json.dumps(timed(points=[[0, 10, 1, 10], [4, 90, 2, 1]]), indent=1)
    last = text.split("\n").index("     4,") + 4
    rejected(test, text, "fewer allocated bytes", last + 1)


def test_mapped_memory(test):
    """Entries of one stack and reporter are one; sums are bounded, and traces must be there."""
    def document(*entries):
        return Profile(dmd={"mapped": list(entries)}).block(100, STACK, slop=4).json()
    said, _ = test.dmdv("print", test.write("file", document({"bytes": 5000, "alloc": "t0"}, {"bytes": 3096, "alloc": "t0", "num": 2},
                                                             {"bytes": 904, "alloc": "t0", "reported": True, "reporter": "explicit/a"})))
    test.check("Mapped memory that nobody reports: 8,096 of 9,000 bytes that the program mapped\n"
               "  1. 8,096 bytes in 3 mappings\n     #01: malloc (m.c:1)\n" in said, said)
    said, _ = test.dmdv("print", test.write("file", document({"bytes": 5000, "alloc": "t0"}, {"bytes": 600, "alloc": "t0", "stack": True},
                                                             {"bytes": 70, "alloc": "t0", "stack": True, "reported": True})))
    test.contains(said, "Mapped memory that nobody reports: 5,000 of 5,000 bytes that the program mapped\n  1. 5,000 bytes in 1 mapping\n")
    test.contains(said, "Stacks of threads that nobody reports: 600 of 670 bytes of address space\n  1. 600 bytes in 1 mapping\n")
    rejected(test, document({"bytes": 2**53}, {"bytes": 1}), '"mapped" has more than 2^53 bytes or ranges')
    rejected(test, document({"bytes": 1, "num": 2**53}, {"bytes": 1}), '"mapped" has more than 2^53 bytes or ranges')
    rejected(test, document({"bytes": -1}), "bytes")
    rejected(test, document({"bytes": 1, "alloc": "elsewhere"}), "elsewhere")
    rejected(test, document({"bytes": 1, "reporter": 7}), "reporter")

# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv check: limits, budgets, the ignore file, its formats, and calibration."""

import json
import math
import shlex
import statistics
import xml.etree.ElementTree

from dmdvtest import Profile

DARK = ["malloc (m.c:1)", "dark (a.c:10)", "main (a.c:99)"]
THIRD = ["malloc (m.c:1)", "lib_new[/usr/lib/lib.so +0x12]", "third (a.c:20)", "main (a.c:98)"]
TWICE = ["malloc (m.c:1)", "twice (a.c:30)", "main (a.c:97)"]
FINE = ["malloc (m.c:1)", "fine (a.c:40)", "main (a.c:96)"]
SIZE_OF = ["size_of (r.c:1)", "measure (r.c:2)"]
AGAIN = ["size_of (r.c:1)", "again (r.c:3)"]


def program(extra=0, line=0, faults=(), **kwargs):
    """10,000 bytes: 3,000 unreported, of which 1,000 are a library's with the tag "lib"; 500 twice, by
    explicit/a/b and explicit/c; 6,500 once, by explicit/a. The library's stack has `extra` bytes more; `line`
    is added to a.c's."""
    def moved(stack):
        return [frame if "(a.c:" not in frame else "%s(a.c:%d)" % (frame.split("(")[0],
                int(frame.split(":")[1][:-1]) + line) for frame in stack]
    kwargs.setdefault("dmd", {"version": "1", "faults": list(faults)})
    profile = Profile(**kwargs)
    profile.block(900, moved(DARK), slop=100, num=2)
    profile.block(1000, moved(THIRD), tag="lib")
    profile.block(500, moved(TWICE), [SIZE_OF, AGAIN], reporters=["explicit/a/b", "explicit/c"])
    profile.block(6500, moved(FINE), [SIZE_OF], reporters=["explicit/a"])
    if extra:
        profile.block(extra, moved(THIRD), tag="lib")
    return profile


def check(test, *args, status=0, profile=None):
    """Runs the check, returns its standard output; nothing may be on standard error."""
    test.write("new.json", profile or program())
    out, err = test.dmdv("check", "new.json", *args, status=status)
    test.equal(err, "", "standard error")
    return out


def found(test, *args, status=0, profile=None):
    return json.loads(check(test, "--format=json", *args, status=status, profile=profile))


# ---- limits ----

def test_limits_keep_and_break(test):
    """Each limit at the actual value, and one unit below it. 29.99% of 10,000 are 2,999, 2.93 KB are 3,000.32
    bytes."""
    for kept, broken in (("--max-unreported=3000", "--max-unreported=2999"),
                         ("--max-unreported=30%", "--max-unreported=29.99%"),
                         ("--max-unreported=2.93KB", "--max-unreported=2.929KB"),
                         ("--max-twice-reported=500B", "--max-twice-reported=499"),
                         ("--max-twice-reported=5%", "--max-twice-reported=4.999%"),
                         ("--budget=lib=1000", "--budget=lib=999"),
                         ("--budget=explicit/a=7000", "--budget=explicit/a=6999"),
                         ("--budget=explicit/a/b=500", "--budget=explicit/a/b=499"),
                         ("--budget=explicit/c=500", "--budget=explicit/c=499"),
                         ("--budget=explicit=7500", "--budget=explicit=7499")):
        check(test, kept)
        check(test, broken, status=1)
        check(test, kept, broken, status=1)


def test_misreports(test):
    faults = [{"kind": "report-interior", "num": 3, "reporter": "explicit/x"}, {"kind": "report-no-block", "num": 2},
              {"kind": "invalid-free", "num": 40}, {"kind": "scope-underflow", "num": 1}]
    profile = program(faults=faults)
    check(test, "--max-misreports=0")
    check(test, "--max-misreports=5", profile=profile)
    out = check(test, "--max-misreports=4", profile=profile, status=1)
    test.check("misreports: 5; 4 allowed, 1 too many\n" in out, out)
    test.check("  1. report of an interior pointer, 3 times\n     Reporter: explicit/x\n"
               "  2. report of something that is not a live block, 2 times\n"
               "  What is wrong with each: dmdv print --section=misreported " in out, out)
    test.check("not counted as misreports: 41 other faults" in out, out)


def test_claims(test):
    """A wrong claim is a misreport, and the message says how far it is off."""
    claim = {"kind": "claim", "num": 1, "reporter": "explicit/x", "claimed": 8192, "measured": 100, "bytes": 8092}
    out = check(test, "--max-misreports=0", profile=program(faults=[claim]), status=1)
    test.check("  1. claim that does not add up, 1 time\n     Reporter: explicit/x\n"
               "     8,192 bytes claimed, 100 bytes measured: 8,092 bytes too many\n" in out, out)


def test_growth(test):
    """100 bytes more: 1% of the total, 3.34% of the unreported."""
    old = test.write("old.json", program())
    grown = program(extra=100, line=7)
    check(test, "--baseline", old, "--max-growth=100", profile=grown)
    check(test, "--baseline", old, "--max-growth=99", profile=grown, status=1)
    check(test, "--baseline", old, "--max-growth=3.34%", profile=grown)
    out = check(test, "--baseline", old, "--max-growth=3.3%", profile=grown, status=1)
    test.check("passed  --max-growth=3.3% (total)\n  total: grew by 100 bytes (1.00%) to 10,100; growth by 330 allowed\n"
               in out, out)
    test.check("refused --max-growth=3.3% (unreported)\n  unreported: grew by 100 bytes (3.33%) to 3,100; "
               "growth by 99 allowed, 1 too much\n"
               "  1. +100 bytes: 1,100 bytes in 2 blocks, was 1,000 bytes in 1 block\n"
               "     #02: lib_new[/usr/lib/lib.so +0x12]\n     #03: third (a.c:27)\n" in out, out)
    test.check("All that changed: dmdv diff %s new.json\n" % old in out, out)
    out = check(test, "--baseline", test.write("big.json", program(extra=1000)), "--max-growth=0")
    test.check("total: shrank by 1,000 bytes (9.09%) to 10,000; growth by 0 allowed" in out, out)


def test_growth_from_nothing(test):
    old = test.write("old.json", Profile())
    out = check(test, "--baseline", old, "--max-growth=50%", status=1)
    test.check("total: grew by 10,000 bytes to 10,000; growth by 0 allowed, 10,000 too much" in out, out)
    test.check("1. +6,500 bytes: 6,500 bytes in 1 block, new\n" in out, out)


def test_growth_of_what_is_not_dark_matter(test):
    """Other modes have a total and tags, but no reports."""
    old = test.write("old.json", program(mode="live"))
    out = check(test, "--baseline", old, "--max-growth=0", "--budget=lib=+0", profile=program(mode="live"))
    test.check("(total)" in out and "(unreported)" not in out, out)
    check(test, "--baseline", old, "--budget=lib=+9", profile=program(mode="live", extra=10), status=1)


def test_growth_of_budgets(test):
    old = test.write("old.json", program())
    grown = program(extra=100)
    for kept, broken in (("lib=+100", "lib=+99"), ("lib=10%", "lib=9%"), ("lib=+10%", "lib=+9.9%"),
                         ("lib=1100", "lib=1099")):
        check(test, "--baseline", old, "--budget", kept, profile=grown)
        check(test, "--baseline", old, "--budget", broken, profile=grown, status=1)
    check(test, "--baseline", old, "--budget=explicit/a=0%", profile=grown)


def test_path_with_an_equals_sign(test):
    profile = program().block(10, FINE, [SIZE_OF], reporters=["explicit/x=1/y"])
    check(test, "--budget=explicit/x=1=10", profile=profile)
    check(test, "--budget=explicit/x=1=9", profile=profile, status=1)


def test_a_name_that_is_nowhere(test):
    test.write("new.json", program())
    test.write("report", "older")
    test.equal(test.error("check", "new.json", "-o", "report", "--budget=explicit/aa=1MB"),
               "dmdv: new.json cannot be checked for --budget=explicit/aa=1MB: it has no reporter and no tag of this name",
               "error")
    test.equal(test.read("report"), "older", "the report")
    test.write("old.json", program())
    test.check("neither it nor the baseline" in
               test.error("check", "new.json", "--baseline=old.json", "--budget=explicit/aa=1%"), "two files without it")


def test_a_name_of_the_baseline_or_of_a_fault(test):
    """A budget stays valid when its blocks are gone; a reporter that measured nothing exists nevertheless."""
    test.write("old.json", program().block(10, FINE, [SIZE_OF], reporters=["explicit/gone"]))
    check(test, "--baseline=old.json", "--budget=explicit/gone=5%")
    wrong = program(faults=[{"kind": "claim", "reporter": "explicit/silent", "claimed": 0}])
    check(test, "--budget=explicit/silent=0", profile=wrong)


def test_the_text(test):
    out = check(test, "--max-unreported=10%", "--max-twice-reported=1MB", "--budget=explicit/c=1", status=1)
    test.equal(out, """\
refused --max-unreported=10%
  unreported: 3,000 bytes in 3 blocks (30.00% of the heap); 1,000 allowed, 2,000 too many
  1. 2,000 bytes in 2 blocks (66.67%)
     #02: dark (a.c:10)
     #03: main (a.c:99)
  2. 1,000 bytes in 1 block (33.33%)
     #02: lib_new[/usr/lib/lib.so +0x12]
     #03: third (a.c:20)
     #04: main (a.c:98)
     Tag: lib
  What to do: let a reporter measure these blocks, or put their stacks into an
  ignore file, with the reason (--ignore=FILE).

passed  --max-twice-reported=1MB
  twice-reported: 500 bytes in 1 block (5.00% of the heap); 1,048,576 allowed

refused --budget=explicit/c=1
  explicit/c: 500 bytes in 1 block (5.00% of the heap); 1 allowed, 499 too many
  1. 500 bytes in 1 block (100.00%)
     #02: twice (a.c:30)
     #03: main (a.c:97)

refused: new.json breaks 2 of 3 limits: --max-unreported=10%, --budget=explicit/c=1
""", "text")


def test_twice_reported_says_by_whom(test):
    out = check(test, "--max-twice-reported=0", status=1)
    test.check("""\
  1. 500 bytes in 1 block (100.00%)
     #02: twice (a.c:30)
     #03: main (a.c:97)
     Reported by explicit/a/b at
       #01: size_of (r.c:1)
       #02: measure (r.c:2)
     Reported again by explicit/c at
       #01: size_of (r.c:1)
       #02: again (r.c:3)
""" in out, out)


def test_five_records_are_shown(test):
    """Of sizes 1 to 8 the five largest are 8 to 4; the rest are 3 + 2 + 1."""
    profile = Profile()
    for size in range(1, 9):
        profile.block(size, ["f%d (a.c:1)" % size])
    out = check(test, "--max-unreported=0", profile=profile, status=1)
    test.equal([line for line in out.splitlines() if line.startswith("     #")],
               ["     #01: f%d (a.c:1)" % size for size in (8, 7, 6, 5, 4)], "frames")
    test.check("  and 3 further records: 6 bytes\n" in out, out)


def test_max_frames_and_alloc_fns(test):
    profile = Profile().block(1, ["malloc (m.c:1)", "f (a.c:1)", "g (a.c:1)"])
    profile.block(2, ["malloc (m.c:1)", "f (a.c:1)", "h (a.c:1)"])
    args = ("--max-unreported=0",)
    test.equal(len(found(test, *args, profile=profile, status=1)["findings"][0]["causes"]), 2, "records")
    causes = found(test, *args, "--max-frames=2", profile=profile, status=1)["findings"][0]["causes"]
    test.equal([c["allocatedAt"] for c in causes], [["malloc (m.c:1)", "f (a.c:1)"]], "cut at 2")
    causes = found(test, *args, "--max-frames=1", "-a", profile=profile, status=1)["findings"][0]["causes"]
    test.equal([c["allocatedAt"] for c in causes], [["f (a.c:1)"]], "without malloc")


def test_who_allocated_and_full_names(test):
    """Functions of --alloc-fn are not blamed, and with -a they are absent; JSON has all names in any case."""
    taken = "gfx::Map<std::pair<std::string, std::vector<std::string, gfx::Pool<std::string> > >, int>::take(int) (p.cc:1)"
    profile = Profile().block(8, ["malloc (m.c:1)", taken, "load (a.c:1)"])

    def frames(*args):
        out = check(test, "--max-unreported=0", *args, profile=profile, status=1)
        return [line.strip() for line in out.splitlines() if line.startswith("     #")]
    test.equal(frames(), ["#02: gfx::Map<...>::take(int) (p.cc:1)", "#03: load (a.c:1)"], "short")
    test.equal(frames("--full-names"), ["#02: " + taken, "#03: load (a.c:1)"], "full")
    test.equal(frames("--alloc-fn=other", "--alloc-fn=gfx::Map::*"), ["#03: load (a.c:1)"], "the caller")
    test.equal(frames("--alloc-fn=gfx::Map::*", "-a"), ["#01: load (a.c:1)"], "nothing else")
    test.error("check", "--max-unreported=0", "--alloc-fn=", "new.json")


def test_an_empty_heap_keeps_everything(test):
    check(test, "--max-unreported=0%", "--max-twice-reported=0", "--max-unreported=0", profile=Profile())


def test_control_characters_are_escaped(test):
    profile = Profile().block(5, ["\x1b[31mevil\n::error::x (a.c:1)"], tag="\ttag")
    out = check(test, "--max-unreported=0", profile=profile, status=1)
    test.check("     #01: \\x1b[31mevil\\x0a::error::x (a.c:1)\n     Tag: \\x09tag\n" in out, out)


# ---- the ignore file ----

IGNORE = """\
# What cannot be helped.
lib_new   # third party, measures nothing itself
tw?ce*    # to be mended
"""


def test_ignored_records_do_not_count(test):
    ignore = test.write("ignore", IGNORE)
    out = check(test, "--ignore", ignore, "--max-unreported=2000", "--max-twice-reported=0")
    test.check("""\
ignored, as %s says: 1,500 bytes in 2 blocks
  1,000 bytes in 1 block: lib_new  # third party, measures nothing itself
  500 bytes in 1 block: tw?ce*  # to be mended
""" % ignore in out, out)
    out = check(test, "--ignore", ignore, "--max-unreported=1999", status=1)
    test.check("dark (a.c:10)" in out and "lib_new[" not in out, out)
    check(test, "--ignore", ignore, "--budget=lib=999", status=1)


def test_ignored_records_do_not_grow(test):
    """The unreported bytes stay in the profile; the total grows by 100."""
    ignore = test.write("ignore", "lib_new # third party\n")
    old = test.write("old.json", program())
    result = found(test, "--ignore", ignore, "--baseline", old, "--max-growth=99", profile=program(extra=100), status=1)
    test.equal([(f["of"], f["bytes"], f["baselineBytes"], f["broken"]) for f in result["findings"]],
               [("total", 10100, 10000, True), ("unreported", 2000, 2000, False)], "findings")


def test_unused_patterns_are_warned_of(test):
    test.write("new.json", program())
    ignore = test.write("ignore", "lib_new # used\n\nfine # all of it is reported\nnobody # nowhere\n")
    _, err = test.dmdv("check", "new.json", "--ignore", ignore, "--max-unreported=2000")
    test.equal(err, "dmdv: %s:3: warning: the pattern ignores nothing\n"
                    "dmdv: %s:4: warning: the pattern ignores nothing\n" % (ignore, ignore), "warnings")


def test_bad_ignore_files(test):
    test.write("new.json", program())
    for content, line, word in ((b"a # b\nmalloc\n", 2, "no reason"), (b"\xff # x\n", 1, "UTF-8"),
                                (b"x" * 65536 + b" # y\n", 1, "longer"), (b"\n\na\0b # c\n", 3, "NUL")):
        ignore = test.write("ignore", content)
        err = test.error("check", "new.json", "--ignore", ignore, "--max-unreported=0")
        test.check(err.startswith("dmdv: %s:%d: " % (ignore, line)) and word in err, err)
    test.check("nofile: cannot open" in test.error("check", "new.json", "--ignore=nofile", "--max-unreported=0"), "missing")
    test.check("folder" in test.error("check", "new.json", "--ignore=.", "--max-unreported=0"), "a folder")


# ---- formats ----

NASTY = 'evil<&>"\'%,:\r\n\x07]]> \u00e9\uffff (a.c:1)'


def nasty():
    return Profile().block(5, [NASTY], tag="<t>").block(7, FINE, [SIZE_OF], reporters=["a<b>:,%"])


def test_json(test):
    old = test.write("old.json", program())
    result = found(test, "--baseline", old, "--max-twice-reported=100", "--max-growth=0", "--max-misreports=0", status=1)
    test.equal((result["verdict"], result["file"], result["baseline"]), ("refused", "new.json", old), "files")
    test.equal(result["heap"], {"bytes": 10000, "blocks": 5}, "heap")
    twice, total, unreported, misreports = result["findings"]
    test.equal(twice, {
        "limit": {"option": "max-twice-reported", "value": "100"}, "of": "twice-reported", "growth": False,
        "broken": True, "bytes": 500, "blocks": 1, "estimated": False, "allowed": 100, "excess": 400,
        "causes": [{"bytes": 500, "blocks": 1, "reporter": "explicit/a/b", "reporterAgain": "explicit/c",
                    "allocatedAt": TWICE, "reportedAt": SIZE_OF, "reportedAgainAt": AGAIN}]}, "twice")
    test.equal((total["bytes"], total["baselineBytes"], total["allowed"], total["excess"], total["causes"]),
               (10000, 10000, 10000, 0, []), "total")
    test.equal((unreported["of"], unreported["growth"], unreported["broken"]), ("unreported", True, False), "unreported")
    test.equal((misreports["count"], misreports["broken"]), (0, False), "misreports")


def test_json_of_nasty_names(test):
    result = found(test, "--max-unreported=0", "--budget=a<b>:,%=7", profile=nasty(), status=1)
    test.equal(result["findings"][0]["causes"], [{"bytes": 5, "blocks": 1, "tag": "<t>", "allocatedAt": [NASTY]}], "record")
    test.equal(result["findings"][1]["of"], "a<b>:,%", "name")


def test_junit(test):
    out = check(test, "--format=junit", "--max-unreported=0", "--budget=a<b>:,%=7", profile=nasty(), status=1)
    root = xml.etree.ElementTree.fromstring(out)
    suite = root[0]
    test.equal((root.tag, suite.tag, suite.attrib), ("testsuites", "testsuite", {
        "name": "dmdv check new.json", "tests": "2", "failures": "1", "errors": "0"}), "suite")
    test.equal([case.attrib["name"] for case in suite], ["--max-unreported=0", "--budget=a<b>:,%=7"], "cases")
    failure = suite[0][0]
    message = "unreported: 5 bytes in 1 block (41.67% of the heap); 0 allowed, 5 too many"
    test.equal((failure.tag, failure.attrib["message"]), ("failure", message), "failure")
    test.check("#01: evil<&>\"'%,:\\x0d\\x0a\\x07]]> \u00e9\ufffd (a.c:1)\n" in failure.text, failure.text)
    test.equal([child.tag for child in suite[1]], ["system-out"], "what passed")


def test_github(test):
    ignore = test.write("ig:nore", "unu%sed # x\n")
    test.write("new.json", nasty())
    out, _ = test.dmdv("check", "new.json", "--format=github", "--ignore", ignore, "--max-unreported=0",
                       "--budget=a<b>:,%=6", "--max-twice-reported=0", status=1)
    lines = out.splitlines()
    test.equal(len(lines), 4, "lines of\n" + out)
    test.check(lines[0].startswith(
        "::error title=dmdv check --max-unreported=0::unreported: 5 bytes in 1 block (41.67%25 of the heap); 0 allowed, "
        "5 too many%0A  1. 5 bytes in 1 block (100.00%25)%0A     #01: evil<&>\"'%25,:\\x0d\\x0a\\x07]]>"), lines[0])
    test.check(lines[1].startswith("::error title=dmdv check --budget=a<b>%3A%2C%25=6::a<b>:,%25: 7 bytes"), lines[1])
    test.equal(lines[2], "::warning file=%s,line=1::the pattern ignores nothing: unu%%25sed"
               % ignore.replace("ig:nore", "ig%3Anore"), "warning")
    test.equal(lines[3], "refused: new.json breaks 2 of 3 limits: --max-unreported=0, --budget=a<b>:,%=6", "verdict")


def test_output_goes_to_a_file(test):
    out = check(test, "--format=junit", "-o", "report.xml", "--max-unreported=0", status=1)
    test.equal(out, "refused: new.json breaks 1 of 1 limit: --max-unreported=0\n", "standard output")
    xml.etree.ElementTree.parse(test.path("report.xml"))
    test.check("nowhere/x" in test.error("check", "new.json", "-o", "nowhere/x", "--max-unreported=0"), "unwritable")


def test_nothing_is_written_when_nothing_was_checked(test):
    test.write("new.json", program())
    test.write("report", "older")
    test.error("check", "new.json", "-o", "report", "--baseline=missing.json", "--max-growth=0")
    test.equal(test.read("report"), "older", "the report")


# ---- calibration ----

def runs(test, **kwargs):
    """Totals 10,000, 10,030 and 10,010; the second also has a reporter of its own."""
    return [test.write("run%d.json" % i, program(extra=extra, **kwargs)) for i, extra in enumerate((0, 30, 10))]


def command_of(out):
    """The words of the command line that calibration printed."""
    return shlex.split(out[out.index("  dmdv check FILE"):].replace("\\\n", ""))


def test_calibration_prints_the_noise(test):
    """The total differs by 30 of 10,010: 0.30%; the tag by 30 of 1,010: 2.97%. The limits for a further run
    have their own test."""
    out, err = test.dmdv("check", "--calibrate", *runs(test))
    test.equal(err, "", "standard error")
    rows = {line[96:]: line.split()[:3] + line.split()[4:6] for line in out.splitlines() if "%  " in line}
    test.equal(rows["total"], ["10,000", "10,010", "10,030", "30", "0.30%"], "total")
    test.equal(rows["total, in blocks"], ["5", "6", "6", "1", "16.67%"], "blocks")
    test.equal(rows["unreported"], ["3,000", "3,010", "3,030", "30", "1.00%"], "unreported")
    test.equal(rows["twice-reported"], ["500", "500", "500", "0", "0.00%"], "twice")
    test.equal(rows["lib"], ["1,000", "1,010", "1,030", "30", "2.97%"], "the tag")
    test.equal(rows["explicit/a"], ["7,000", "7,000", "7,000", "0", "0.00%"], "with what is below it")
    test.equal([name for name in rows if name.startswith("explicit")], ["explicit/a", "explicit/a/b", "explicit/c"], "all")


def to_expect(values, n_limits):
    """The highest value to expect of a further run after three, if all limits together may be broken by one
    run in 200, and its difference from another run. Student's distribution of two degrees of freedom has a
    closed form."""
    within = 1 - 2 / 200 / n_limits
    t = within * math.sqrt(2 / (1 - within ** 2))
    deviation = statistics.stdev(values)
    most = statistics.mean(values) + t * deviation * math.sqrt(1 + 1 / 3)
    return math.ceil(most), math.ceil(max(most - min(values), t * deviation * math.sqrt(2)))


def test_calibrated_limits_are_those_to_expect(test):
    """Four limits vary: growth of all, growth of unreported blocks, unreported blocks, the tag's budget. A
    constant value is its own limit. Lowered by one, such a limit is broken if it is above 0; the others are
    broken by a run that is as much higher."""
    files = runs(test, faults=[{"kind": "report-interior", "num": 2}])
    out, _ = test.dmdv("check", "--calibrate", *files)
    words = command_of(out)
    test.equal(words[:3], ["dmdv", "check", "FILE"], "command")
    args, i = [], 3
    while i < len(words):
        one = words[i:i + 2] if words[i] == "--budget" else words[i:i + 1]
        args.append(one)
        i += len(one)
    total, growth = to_expect([10000, 10030, 10010], 4)
    test.equal(args[:5], [["--baseline=" + files[0]], ["--max-growth=%d" % growth],
                          ["--max-unreported=%d" % (total - 7000)], ["--max-twice-reported=500"], ["--max-misreports=2"]],
               "limits")
    test.equal(args[5:], [["--budget", "explicit/a=7000"], ["--budget", "explicit/a/b=500"],
                          ["--budget", "explicit/c=500"], ["--budget", "lib=%d" % (total - 9000)]], "budgets")
    limits = [word for arg in args[1:] for word in arg]
    for file in files:
        for baseline in files:
            test.dmdv("check", file, "--baseline", baseline, *limits)
    for kept, extra in ((True, total - 10000), (False, growth + 1)):
        further = test.write("further.json", program(extra=extra, faults=[{"kind": "report-interior", "num": 2}]))
        test.dmdv("check", further, "--baseline", files[0], *limits, status=0 if kept else 1)
    for option, value in (("--max-twice-reported", 499), ("--max-misreports", 1), ("--budget", "explicit/c=499")):
        test.dmdv("check", files[1], "%s=%s" % (option, value), status=1)


def test_calibration_of_names_that_not_all_have(test):
    """The printed command works on any of the files: a budget for a name that neither the file nor the
    baseline has could not be checked."""
    more = program().block(10, FINE, [SIZE_OF], reporters=["explicit/some"])
    files = [test.write("a.json", program()), test.write("b.json", more)]
    out, _ = test.dmdv("check", "--calibrate", *files)
    test.check("\nWithout a budget, since %s does not have them: explicit/some\n" % files[0] in out, out)
    words = command_of(out[:out.index("\nWithout a budget")])
    test.check("explicit/some=10" not in words, out)
    for file in files:
        test.dmdv("check", file, *words[3:])
    out, _ = test.dmdv("check", "--calibrate", *reversed(files))
    test.check(any(word.startswith("explicit/some=") for word in command_of(out)) and "Without" not in out, out)


def test_calibration_quotes_names(test):
    profile = program().block(1, FINE, [SIZE_OF], reporters=["it's $HOME; a \\ b"])
    files = [test.write("a.json", profile), test.write("b c.json", profile)]
    out, _ = test.dmdv("check", "--calibrate", files[1], files[0])
    words = command_of(out)
    test.check("it's $HOME; a \\ b=1" in words and "--baseline=" + files[1] in words, str(words))


def test_calibration_ignores(test):
    ignore = test.write("ignore", IGNORE)
    out, _ = test.dmdv("check", "--calibrate", "-a", "--alloc-fn=pool_*", "--ignore", ignore, *runs(test))
    test.check("--alloc-fn=pool_*" in command_of(out), out)
    test.check("--ignore-alloc-fns \\\n" in out and "--ignore=%s \\\n" % ignore in out, out)
    test.check("--max-unreported=2000 \\\n" in out and "--max-twice-reported=0 \\\n" in out, out)


def test_calibration_of_live_profiles(test):
    out, _ = test.dmdv("check", "--calibrate", *runs(test, mode="live"))
    test.check("--max-growth=%d " % to_expect([10000, 10030, 10010], 2)[1] in out and "unreported" not in out, out)


def test_calibrated_sizes_that_balance_each_other(test):
    """Two threads share sixty jobs, which take 500 bytes each in one and 600 in the other: the heap varies by
    a thirtieth of what they hold, and a limit allows the whole range of either."""
    files = []
    for i in range(3):
        profile = Profile(mode="live").block(500, FINE, num=20 + i).block(600, FINE, num=20 - i)
        files.append(test.write("shared%d.json" % i, profile))
    out, _ = test.dmdv("check", "--calibrate", *files)
    held = [600 * num for num in (20, 19, 18)]
    growth = to_expect(held, 1)[1]
    test.check("--max-growth=%d\n" % growth in out and growth > 3 * to_expect([22000, 21900, 21800], 1)[1], out)


def test_bad_calibrations(test):
    one, two, _ = runs(test)
    live = test.write("live.json", program(mode="live"))
    for args, word in (([one], "two or more"), ([one, two, "--max-growth=1"], "neither limits"), ([one, two, "--baseline=x"], "nor a baseline"),
                       ([one, two, "--format=json"], "text"), ([one, live], "mode"), ([one, "missing.json"], "missing")):
        err = test.error("check", "--calibrate", *args)
        test.check(word in err, err)


# ---- errors ----

def test_bad_command_lines(test):
    test.write("new.json", program())
    for args, word in (
            (["new.json"], "at least one limit"), (["--max-unreported=0"], "one or more files"),
            (["a", "b", "--max-unreported=0"], "a: cannot open"), (["new.json", "--max-growth=1%"], "--baseline"),
            (["new.json", "--budget=lib=1%"], "--baseline"), (["new.json", "--budget=lib=+1"], "--baseline"),
            (["new.json", "--max-unreported=abc"], "--max-unreported=abc: "), (["new.json", "--max-unreported=1XB"], "unit"),
            (["new.json", "--max-unreported=-1"], "not a size"), (["new.json", "--max-unreported=+1"], "growth"),
            (["new.json", "--max-misreports=1%"], "whole number"), (["new.json", "--max-misreports=1.5"], "whole number"),
            (["new.json", "--max-misreports="], "whole number"), (["new.json", "--budget=lib"], "PATH=SIZE"),
            (["new.json", "--budget==5"], "PATH=SIZE"), (["new.json", "--budget=lib="], "not a size"),
            (["new.json", "--format=xml", "--max-unreported=0"], "not one of text|json|junit|github"),
            (["new.json", "--max-frames=0", "--max-unreported=0"], "max-frames"),
            (["new.json", "--max-unreporte"], "needs a value"), (["new.json", "--max-unreportd=0"], "--max-unreported?"),
            (["-", "--baseline=-", "--max-growth=1"], "standard input")):
        err = test.error("check", *args)
        test.check(word in err, err)


def test_files_that_do_not_know(test):
    live, new = test.write("live.json", program(mode="live")), test.write("new.json", program())
    foreign = test.write("foreign.json", Profile().block(1, DARK))
    for args, words in (([live, "--max-unreported=0"], ("live.json", "not dark-matter")),
                        ([live, "--max-twice-reported=0"], ("live.json", "not dark-matter")),
                        ([foreign, "--max-misreports=0"], ("foreign.json", "not written by dmd")),
                        ([new, "--baseline", live, "--max-growth=0"], ("mode live", "mode dark-matter")),
                        ([new, "--baseline=missing.json", "--max-growth=0"], ("missing.json", "cannot open")),
                        (["missing.json", "--max-unreported=0"], ("missing.json", "cannot open"))):
        err = test.error("check", *args)
        test.check(all(word in err for word in words), err)


def test_several_files(test):
    """Limits apply to the sum of the processes: 3,000 unreported bytes each, and explicit/b in one of
    them."""
    other = program().block(10, FINE, [SIZE_OF], reporters=["explicit/b"])
    files = [test.write("one.json", program()), test.write("two.json", other)]
    test.dmdv("check", "--max-unreported=6000", "--budget=explicit/b=10", *files)
    out, _ = test.dmdv("check", "--max-unreported=5999", *files, status=1)
    test.check("unreported: 6,000 bytes in 6 blocks (29.99% of the heap); 5,999 allowed, 1 too many\n" in out, out)
    test.check("refused: %s, %s breaks 1 of 1 limit" % tuple(files) in out, out)
    live = test.write("live.json", program(mode="live"))
    test.check("cannot be merged" in test.error("check", "--max-growth=1", "--baseline", files[0], files[0], live), "modes")


def test_each_of_several_files(test):
    """Each process alone and all together: one has 3,000 unreported bytes, the other 4,000 and explicit/b.
    Growth is that of the sum, a budget applies to the process that has the reporter, and ignored stacks are
    those of the sum."""
    files = [test.write("one.json", program()), test.write("two.json", program(1000).block(10, FINE, [SIZE_OF], reporters=["explicit/b"]))]
    test.write("ignore", "nobody*  # gone\nlib_new*  # theirs\n")

    def verdicts(*args, status):
        out, _ = test.dmdv("check", "--each", "--format=json", *args, *files, status=status)
        answer = json.loads(out)
        test.equal(list(answer), ["checks", "verdict"], "keys")
        test.equal(answer["verdict"], "refused" if status else "passed", "the verdict")
        test.equal([c["file"] for c in answer["checks"]][-1], ", ".join(files), "the last is on all")
        return [(c["verdict"], [(f["limit"]["value"], f["bytes"]) for f in c["findings"]]) for c in answer["checks"]], answer["checks"]
    test.equal(verdicts("--max-unreported=7000", status=0)[0], [("passed", [("7000", 3000)]), ("passed", [("7000", 4000)]),
                                                                ("passed", [("7000", 7000)])], "kept by all")
    test.equal(verdicts("--max-unreported=3999", "--budget=explicit/b=9", status=1)[0],
               [("passed", [("3999", 3000)]), ("refused", [("3999", 4000), ("explicit/b=9", 10)]),
                ("refused", [("3999", 7000), ("explicit/b=9", 10)])], "one that alone breaks it")
    found, checks = verdicts("--max-unreported=20%", "--ignore=" + test.path("ignore"), status=0)
    test.equal([value for _, [(_, value)] in found], [2000, 2000, 4000], "without what is ignored")
    test.equal([len(c["ignored"]) for c in checks], [0, 0, 2], "told once")
    test.equal(checks[-1]["ignored"][1]["bytes"], 3000, "of all")
    found = verdicts("--max-growth=0", "--baseline=" + files[0], status=1)[0]
    test.equal([verdict for verdict, _ in found], ["refused"], "growth is of all together")
    out, _ = test.dmdv("check", "--each", "--max-unreported=3999", *files, status=1)
    for words in ("passed: %s keeps 1 of 1 limit\n" % files[0], "refused: %s breaks 1 of 1 limit" % files[1],
                  "refused: 2 of 3 checks found a broken limit\n"):
        test.check(words in out, out)
    test.check(out.endswith("broken limit\n"), out)
    out, _ = test.dmdv("check", "--each", "--format=junit", "-o", "report.xml", "--max-unreported=3999", *files, status=1)
    test.equal(out, "refused: 2 of 3 checks found a broken limit\n", "standard output")
    suites = xml.etree.ElementTree.parse(test.path("report.xml")).getroot()
    test.equal([(s.get("tests"), s.get("failures"), len(s)) for s in suites], [("1", "0", 1), ("1", "1", 1), ("1", "1", 1)], "suites")
    out, _ = test.dmdv("check", "--each", "--format=github", "--max-unreported=4000", "--ignore=" + test.path("ignore"), *files)
    test.equal((out.count("::error"), out.count("::warning"), out.count("passed: ")), (0, 1, 4), "for GitHub: " + out)
    err = test.error("check", "--each", "--max-unreported=1", files[0], "none.json")
    test.check("none.json" in err, err)
    test.equal(test.dmdv("check", "--each", "--max-unreported=3000", files[0])[0], test.dmdv("check", "--max-unreported=3000", files[0])[0],
               "of one file")


def test_standard_input(test):
    out, _ = test.dmdv("check", "-", "--max-unreported=3000", stdin=json.dumps(program().json()).encode())
    test.check(out.endswith("passed: - keeps 1 of 1 limit\n"), out)


def test_help(test):
    out, _ = test.dmdv("check", "--help")
    test.check(out.startswith("usage: dmdv check ") and all(len(line) <= 80 for line in out.splitlines()), out)


# ---- the peak ----


def with_peak(n):
    profile = program(dmd={"version": "1", "faults": [], "peak": {"bytes": n, "blocks": 7, "milliseconds": 1, "allocated": n}})
    return profile


def test_peak(test):
    """The limit is on requested bytes, whatever the heap is at the dump."""
    out = check(test, "--max-peak=20000", profile=with_peak(20000))
    test.check("peak: 20,000 bytes in 7 blocks; 20,000 allowed" in out, out)
    out = check(test, "--max-peak=20000", status=1, profile=with_peak(20001))
    test.check("peak: 20,001 bytes in 7 blocks; 20,000 allowed, 1 too many" in out, out)
    test.check("Its blocks: dmdv print --moment=peak new.json" in out, out)
    limit, = found(test, "--max-peak=1k", status=1, profile=with_peak(20001))["findings"]
    test.equal((limit["bytes"], limit["blocks"], limit["causes"]), (20001, 7, []))


def test_peak_of_resident_memory(test):
    content = program(dmd={"version": "1", "faults": [], "residentPeak": 5000000})
    out = check(test, "--max-peak-resident=5000000", profile=content)
    test.check("peak resident memory: 5,000,000 bytes; 5,000,000 allowed" in out, out)
    out = check(test, "--max-peak-resident=4999999", status=1, profile=content)
    test.check("peak resident memory: 5,000,000 bytes; 4,999,999 allowed, 1 too many" in out, out)
    test.check("When it grew: dmdv timeline new.json" in out, out)
    limit, = found(test, "--max-peak-resident=1k", status=1, profile=content)["findings"]
    test.equal((limit["bytes"], limit["causes"]), (5000000, []))
    for wrong in program(), program(dmd={"version": "1", "faults": [], "residentPeak": 0}):
        test.write("new.json", wrong)
        test.check("it has no peak of resident memory" in test.error("check", "new.json", "--max-peak-resident=1"), "unknown is no success")
    for value in -1, 2**53 + 2, "5", [5]:
        test.write("new.json", program(dmd={"version": "1", "faults": [], "residentPeak": value}))
        test.check('"residentPeak"' in test.error("check", "new.json", "--max-peak-resident=1"), str(value))


def test_peak_that_is_not_there(test):
    test.write("new.json", program())
    test.check("it has no peak" in test.error("check", "new.json", "--max-peak=1"), "no peak is no success")
    for size in "10%", "+5":
        test.check("this is not a number of bytes" in test.error("check", "new.json", "--max-peak=" + size), size)


# ---- memory reports ----

def reports(*processes):
    """A file of memory reports: {path: bytes} of each process, with a heap of 10,000 bytes."""
    def report(process, path, amount, kind=1, units=0):
        return dict(process=process, path=path, amount=amount, kind=kind, units=units, description="")
    return {"version": 1, "hasMozMallocUsableSize": True, "reports": [
        report("app (pid %d)" % (100 + i), path, amount) for i, amounts in enumerate(processes)
        for path, amount in amounts.items()] + [
        report("app (pid %d)" % (100 + i), *single) for i in range(len(processes))
        for single in (("heap-allocated", 10000, 2), ("faults", 7, 2, 1))]}


def test_budgets_of_memory_reports(test):
    """Paths count with those below them, in all processes and files; heap-unclassified is 10,000 - 3,000."""
    test.write("one.json", reports({"explicit/a/x": 2000, "explicit/a/y": 500, "explicit/ab": 500}))
    test.write("two.json", reports({"explicit/a/x": 1000}, {"explicit/a/z": 200}))
    for files, kept, broken in ((["one.json"], "explicit/a=2500", "explicit/a=2499"),
                                (["one.json"], "explicit/heap-unclassified=7000", "explicit/heap-unclassified=6999"),
                                (["one.json"], "explicit=10000", "explicit/=9999"),
                                (["two.json"], "explicit/a=1200", "explicit/a=1199"),
                                (["one.json", "two.json"], "explicit/a=3700", "explicit/a=3699")):
        test.dmdv("check", *files, "--budget=" + kept)
        test.dmdv("check", *files, "--budget=" + broken, status=1)


def test_growth_of_memory_reports(test):
    test.write("old.json", reports({"explicit/a/x": 2000, "explicit/a/y": 500, "explicit/a/gone": 300}))
    test.write("new.json", reports({"explicit/a/x": 2100, "explicit/a/y": 900}))
    grew = ["check", "new.json", "--baseline=old.json"]
    test.dmdv(*grew, "--budget=explicit/a=+200")
    finding, = json.loads(test.dmdv(*grew, "--format=json", "--budget=explicit/a=+199", status=1)[0])["findings"]
    test.equal(finding["causes"], [{"path": "explicit/a/y", "bytes": 900, "baselineBytes": 500},
                                   {"path": "explicit/a/x", "bytes": 2100, "baselineBytes": 2000}], "what grew, most first")
    test.equal([finding.get(key) for key in ("bytes", "baselineBytes", "allowed", "excess", "blocks", "baselineBlocks")],
               [3000, 2800, 2999, 1, None, None], "numbers")
    text = test.dmdv(*grew, "--budget=explicit/a=5%", status=1)[0]
    for words in ("grew by 200 bytes (7.14%) to 3,000", "1. +400 bytes to 900: explicit/a/y", "dmdv tree --diff old.json new.json"):
        test.check(words in text, text)
    suite = xml.etree.ElementTree.fromstring(test.dmdv(*grew, "--format=junit", "--budget=explicit/a=1%", status=1)[0])
    test.check("explicit/a/y" in suite.find(".//failure").text, "JUnit has the cause")


def test_what_memory_reports_do_not_have(test):
    test.write("m.json", reports({"explicit/a": 1}))
    test.write("p.json", program())
    test.write("ignore", "x # y\n")
    for args, words in ((["m.json", "--max-unreported=1"], "only --budget can be checked"),
                        (["m.json", "--max-misreports=1"], "only --budget can be checked"),
                        (["m.json", "--budget=explicit/b=1"], "it has no bytes at this path"),
                        (["m.json", "--budget=faults=1"], "it has no bytes at this path"),
                        (["m.json", "--budget=explicit/b=+1", "--baseline=m.json"], "neither it nor the baseline"),
                        (["m.json", "--budget=explicit/a=+1", "--baseline=p.json"], "p.json: is a profile, not a file of memory"),
                        (["p.json", "--budget=explicit/a=+1", "--baseline=m.json"], "m.json has memory reports"),
                        (["m.json", "p.json", "--budget=explicit/a=1"], "p.json: is a profile, not a file of memory"),
                        (["p.json", "m.json", "--budget=explicit/a=1"], "m.json has memory reports"),
                        (["m.json", "--budget=explicit/a=1", "--ignore=ignore"], "--ignore is about stacks"),
                        (["m.json", "m.json", "--budget=explicit/a=1", "--each"], "--each is for profiles"),
                        (["m.json", "m.json", "--calibrate"], "--calibrate needs profiles")):
        err = test.error("check", *args)
        test.check(words in err, "%s: %s" % (args, err))

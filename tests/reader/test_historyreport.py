# SPDX-License-Identifier: GPL-2.0-or-later
"""The reports of dmdv history check for CI, checked by the rules of their readers and with programs that read
them."""

import json
import os
import re
import shutil
import xml.etree.ElementTree as ElementTree

from dmdvtest import Profile
from harness import Skip
from test_history import HOUR, START, History, build_of, fill
from workflowcommands import commands

EVIL = "a|b` <b> www.x.y %0A::error::x</b> @all #1 &amp; ]]> *x* \u00e9,c:d"


class Checkout:
    """A repository in the test's folder, with the files that the stacks of build_of name."""

    def __init__(self, test):
        self.test = test
        self.environment = dict(os.environ, HOME=test.folder, GIT_CONFIG_NOSYSTEM="1", GIT_AUTHOR_NAME="a",
                                GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@b")
        self.git("init", "-q", "-b", "main", "repo")
        for name in ("src/index.c", "src/list.c", "lib/main.c", "app/main.c"):
            os.makedirs(test.path("repo/" + os.path.dirname(name)), exist_ok=True)
            test.write("repo/" + name, "")
        self.commits = []

    def git(self, *args, folder="."):
        return self.test.run(["git", "-C", folder, *args], env=self.environment).out.strip()

    def commit(self, n):
        for _ in range(n):
            self.git("commit", "-q", "--allow-empty", "-m", "x", folder="repo")
            self.commits.append(self.git("rev-parse", "HEAD", folder="repo"))


def step_in(test, at=8, n=12, **kwargs):
    """A history of n builds, three runs each, with a step."""
    history = History(test)
    fill(history, n, at=at, more=9000, runs=3, **kwargs)
    return history


def test_commits_between_builds_are_bisected(test):
    """Every fourth commit was built: the change comes from one of four commits, and git bisect would test the
    suggested one next. The innermost frame with a file in the repository is index_build, at its line in the
    build with the change."""
    checkout, history = Checkout(test), History(test)
    checkout.commit(40)
    for i, commit in enumerate(checkout.commits[::4]):
        for run in range(3):
            history.add(i, build_of(i, 12000 if i >= 6 else 3000, line=i, pid=1000 * run), name=commit)
    alarm = history.alarms(1, "--source-root=repo")[0]
    after, first = checkout.commits[20], checkout.commits[24]
    test.equal((alarm["after_build"], alarm["first_build"], alarm["commits"]), (after, first, 4), "the bracket")
    test.equal(alarm["next_build"], checkout.git("rev-list", "--bisect", "%s..%s" % (after, first), folder="repo"), "next")
    test.check(alarm["next_build"] in checkout.commits[21:24], alarm["next_build"])
    test.equal((alarm["file"], alarm["line"]), ("src/index.c", 3 + 6), "place")
    test.check("4 commits may have done it; the one to try next is " + alarm["next_build"]
               in history.run("check", "--source-root=repo", status=1), "text")
    log = history.run("check", "--source-root=repo", "--format=github", status=1)
    kind, properties, message = commands(log)[0]
    test.equal((kind, properties["file"], properties["line"]), ("error", "src/index.c", "9"), log)
    test.equal(properties["title"], "heap: +9,000 bytes (8.74% of 103,000) since build " + first, "title")
    test.check("index_build (index.c:9)" in message and "tag index: +9,000 bytes" in message, message)


def test_without_a_repository_there_is_no_place(test):
    history = step_in(test)
    os.makedirs(test.path("empty"))
    alarm = history.alarms(1, "--source-root=empty")[0]
    test.check("file" not in alarm and "commits" not in alarm and "next_build" not in alarm, str(alarm))
    kind, properties, _ = commands(history.run("check", "--source-root=empty", "--format=github", status=1))[0]
    test.equal((kind, "file" in properties, "line" in properties), ("error", False, False), str(properties))
    err = test.error("history", "check", "--db=h.db", "--source-root=missing")
    test.check("missing" in err, err)


def test_a_file_name_that_two_files_have_is_none(test):
    """main.c is in the repository twice: the outer frame main is not matched to either."""
    Checkout(test)
    history = History(test)
    for i in range(12):
        for run in range(3):
            more = 9000 if i >= 8 else 0
            history.add(i, Profile(mode="live", dmd={"version": "1", "pid": i + 100 * run, "faults": []})
                        .block(5000 + more, ["malloc (m.c:1)", "main (main.c:7)", "start (list.c:8)"]))
    alarm = history.alarms(1, "--source-root=repo")[0]
    test.equal((alarm["file"], alarm["line"]), ("src/list.c", 8), "the next frame out")


def test_a_step_that_is_gone_is_fixed(test):
    history = History(test)
    for i in range(24):
        history.add(i, build_of(i, 12000 if 8 <= i < 16 else 3000))
    alarms = {(a["series"], a["first_build"]): a for a in history.alarms()}
    up, down = alarms["heap", "b8"], alarms["heap", "b16"]
    test.equal((up["state"], up["fixed_build"], down["state"]), ("fixed", "b16", "improved"), "states")
    test.check("fixed with build b16" in history.run("check"), "text")
    for i in range(24, 36):
        history.add(i, build_of(i, 12000))
    states = {a["first_build"]: a["state"] for a in history.alarms(1) if a["series"] == "heap"}
    test.equal(states, {"b8": "fixed", "b16": "improved", "b24": "new"}, "up again")


def test_half_a_fix_is_none(test):
    history = History(test)
    for i in range(24):
        history.add(i, build_of(i, 23000 if 8 <= i < 16 else 13000 if i >= 16 else 3000))
    states = {a["first_build"]: a["state"] for a in history.alarms(1) if a["series"] == "heap"}
    test.equal(states, {"b8": "new", "b16": "improved"}, "states")


def test_one_build_is_judged_alone(test):
    """An old alarm does not fail the build of a pull request."""
    history = step_in(test, at=8, n=16)
    test.equal({a["first_build"] for a in history.alarms(1, "--build=b8")}, {"b8"}, "the one with the step")
    test.equal(history.alarms(0, "--build=b15"), [], "a later one")


def test_github_is_told_nothing_but_the_text(test):
    """Names with every special character: the line is one command, and the names survive."""
    history = History(test)
    for i in range(12):
        for run in range(3):
            history.add(i, build_of(i, 3000, label=EVIL, pid=1000 * run).block(
                9000 if i >= 8 else 100, ["malloc (m.c:1)", "f::error::" + EVIL + " (a,b%.c:1)"], tag=EVIL))
    log = history.run("check", "--format=github", status=1)
    found = commands(log)
    test.equal([kind for kind, _, _ in found], ["error"], log)
    test.check(all(line.startswith(("::error title=", "refused: ")) for line in log.splitlines()), log)
    test.check("tag " + EVIL + ": +8,900 bytes" in found[0][2] and EVIL + ", main" in found[0][2], found[0][2])


def rendered(test, text):
    """The Markdown as HTML, made by the program on which GitHub's renderer is based."""
    if shutil.which("cmark-gfm") is None:
        raise Skip("cmark-gfm is not installed")
    test.write("report.md", text)
    return test.run(["cmark-gfm", "--unsafe", "-e", "table", "-e", "tagfilter", "-e", "autolink", "report.md"]).out


def test_markdown_renders_as_meant(test):
    history = History(test)
    for i in range(12):
        for run in range(3):
            history.add(i, build_of(i, 3000, label=EVIL, pid=1000 * run).block(
                9000 if i >= 8 else 100, ["malloc (m.c:1)", "```" + EVIL + "</pre> (a.c:1)"], tag=EVIL))
    page = rendered(test, history.run("check", "--format=markdown", status=1))
    root = ElementTree.fromstring("<body>" + page.replace("&nbsp;", " ") + "</body>")
    rows = [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]
    test.equal(rows[0], ["series", "change", "", "before", ""], "header")
    test.equal([row[0] for row in rows[1:]], ["heap", "unreported", "tag " + EVIL], "series")
    test.equal(rows[3][1:], ["+8,900", "8900.00%", "100", "new"], "the tag's figures")
    heading = next(root.iter("h4"))
    test.equal("".join(heading.itertext()), "More since b8 (after b7), %s, main" % EVIL, "heading")
    stack = "".join(next(root.iter("pre")).itertext())
    test.check("```" + EVIL + "</pre> (a.c:1)" in stack, stack)
    test.equal({e.tag for e in root.iter()}, {"body", "h3", "h4", "code", "table", "thead", "tbody", "tr", "th", "td",
                                              "strong", "details", "summary", "pre"}, "elements")
    test.check(len(page.splitlines()) > 20, "the stacks stand on lines of their own")


def test_markdown_fits_into_a_comment(test):
    """The newest of very many events and series are shown; a GitHub comment may have 65,536 characters."""
    history = History(test)
    n = 0
    for level in range(12):
        for _ in range(4):
            for run in range(3):
                profile = Profile(mode="live", dmd={"version": "1", "pid": 1000 * run + n, "faults": []})
                for k in range(60):
                    profile.block(5000 * (level + 1), tag="t%02d %s" % (k, "y" * 50), stack=[
                        "malloc (m.c:1)", *("f%d_%d_%s (a.c:1)" % (k, m, "x" * 60) for m in range(20))])
                history.add(n, profile)
            n += 1
    text = history.run("check", "--format=markdown", status=1)
    test.check(len(text) < 65536, "%d characters" % len(text))
    test.check("and 41 more series" in text and text.count("####") == 11, text[:2000])
    test.check(text.index("<code>b44</code>") < text.index("<code>b40</code>"), "the newest first")


def test_junit_is_well_formed_and_adds_up(test):
    history = step_in(test)
    history.run("acknowledge", "--build=b8", "--reason=needed <now> & \"here\"")
    for i in range(12, 20):
        for run in range(3):
            history.add(i, build_of(i, 32000, label="loaded", pid=1000 * run))
    suites = ElementTree.fromstring(history.run("check", "--format=junit", status=1))
    test.equal(suites.tag, "testsuites", "root")
    suite = suites.find("testsuite")
    cases = suite.findall("testcase")
    counts = {"tests": len(cases), "failures": len(suite.findall("testcase/failure")), "errors": 0,
              "skipped": len(suite.findall("testcase/skipped"))}
    test.equal({key: int(suite.get(key)) for key in counts}, counts, "counts")
    test.equal(counts, {"tests": 3, "failures": 1, "errors": 0, "skipped": 1}, "one new, one acknowledged, and that it ran")
    test.check("needed <now> & \"here\"" in suite.find("testcase/skipped").text, "reason")
    test.check("heap: +20,000 bytes" in suite.find("testcase/failure").get("message"), "message")
    quiet = History(test)
    test.dmdv("history", "add", "--db=quiet.db", "--build=b", test.write("p.json", build_of(1)))
    out, _ = quiet.test.dmdv("history", "check", "--db=quiet.db", "--format=junit")
    test.equal([c.get("name") for c in ElementTree.fromstring(out).iter("testcase")], ["all series"], "nothing happened")


def test_gitlab_has_what_gitlab_asks_for(test):
    """The keys that GitLab's documentation requires of a code quality report, and their values."""
    Checkout(test)
    history = step_in(test)
    issues = json.loads(history.run("check", "--source-root=repo", "--format=gitlab", status=1))
    test.equal(len(issues), 1, "one event")
    for issue in issues:
        test.check(all(isinstance(issue[key], str) and issue[key] for key in ("description", "check_name", "fingerprint")), str(issue))
        test.check(issue["severity"] in ("info", "minor", "major", "critical", "blocker"), issue["severity"])
        path, begin = issue["location"]["path"], issue["location"]["lines"]["begin"]
        test.check(not path.startswith(("./", "/")) and os.path.exists(test.path("repo/" + path)), path)
        test.check(isinstance(begin, int) and begin == 3 + 8, str(begin))
    again = json.loads(history.run("check", "--format=gitlab", "--source-root=repo", status=1))
    test.equal(again, issues, "the same again")
    history.run("acknowledge", "--build=b8", "--reason=needed")
    test.equal(json.loads(history.run("check", "--format=gitlab")), [], "what was acknowledged is no issue")


def test_reports_go_to_a_file(test):
    history = step_in(test)
    out = history.run("check", "--format=markdown", "-o", "report.md", status=1)
    test.equal(out, "", "standard output")
    with open(test.path("report.md"), encoding="utf-8") as file:
        test.check(file.read().startswith("### Memory: refused"), "report")

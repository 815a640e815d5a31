# SPDX-License-Identifier: GPL-2.0-or-later
"""action.yml and ci/gitlab.yml: their shell is run as it stands, on the commits of docs/examples/ci, from the first
one to the alarm."""

import json
import os
import re
import shutil
import stat
import xml.etree.ElementTree as ElementTree

from harness import Skip, commands
from test_historyreport import commands as workflow_commands


def load(test, *path):
    try:
        import yaml
    except ImportError:
        raise Skip("no python3-yaml") from None
    with open(os.path.join(test.place.srcdir, *path), encoding="utf-8") as file:
        return yaml.safe_load(file)


class Project:
    """The example's repository, with dmdv and Valgrind of the build, and an environment without CI's variables."""

    def __init__(self, test):
        self.test, self.folder = test, test.path("project")
        if "without SQLite" in test.dmdv("history", "--help")[0]:
            raise Skip("this dmdv was built without SQLite")
        if not os.path.exists(test.place.launcher()) or shutil.which("valgrind") is None:
            raise Skip("no Valgrind")
        bin = test.path("bin")
        os.mkdir(bin)
        os.symlink(test.place.dmdv(), os.path.join(bin, "dmdv"))
        with open(os.path.join(bin, "valgrind"), "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nexec %s "$@"\n' % test.place.launcher())
        os.chmod(file.name, stat.S_IRWXU)
        self.environment = dict(commands.plain_environment(test.folder), PATH=bin + ":" + os.environ["PATH"])
        self.run([os.path.join(test.place.srcdir, "docs/examples/ci/make-history"), self.folder], folder=test.folder)
        self.commits = self.run(["git", "rev-list", "--reverse", "HEAD"]).out.split()

    def run(self, command, folder=None, status=0, **variables):
        return commands.run(command, folder or self.folder, env=dict(self.environment, **variables), status=status)

    def check_out(self, commit):
        self.run(["git", "checkout", "-q", commit])
        self.run(["make", "-s"])

    def line_of(self, commit, text):
        lines = self.run(["git", "show", commit + ":src/shelf.c"]).out.splitlines()
        return 1 + next(i for i, line in enumerate(lines) if text in line)


class Action:
    """A job that has the action as its step; what the workflow's expressions say."""

    def __init__(self, project, inputs, base=""):
        self.project, self.steps = project, load(project.test, "action.yml")["runs"]["steps"]
        declared = load(project.test, "action.yml")["inputs"]
        self.says = {"github.base_ref": base, "github.action_path": project.test.place.srcdir, "github.token": "none",
                     "github.event.number": "1", "github.run_id": "1", "github.run_attempt": "1"}
        for name, value in declared.items():
            self.says["inputs." + name] = inputs.get(name, value.get("default", ""))

    def fill(self, text):
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: self.says[match[1]], text)

    def run(self, commit):
        """The log and the summary of a commit's job, and whether it passed. A cache keeps .dmd/history.db, as the
        folder does here."""
        test, log = self.project.test, ""
        for step in self.steps:
            if "run" not in step or step.get("if", "").startswith("inputs.comment"):
                continue
            for name in ("output", "summary", "path"):
                test.write(name, "")
            script = test.write("step.sh", step["run"])
            variables = {name: self.fill(value) for name, value in step.get("env", {}).items()}
            done = self.project.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script], status=None, **variables,
                                    GITHUB_SHA=commit, GITHUB_REF_NAME="main", GITHUB_OUTPUT=test.path("output"),
                                    GITHUB_STEP_SUMMARY=test.path("summary"), GITHUB_PATH=test.path("path"))
            log += done.out
            for line in test.read("output").splitlines():
                self.says["steps.%s.outputs.%s" % (step["id"], line.split("=")[0])] = line.split("=", 1)[1]
            if step["name"] == "Check the history":
                self.summary = test.read("summary")
            if step["name"] == "Judge":
                return log, done.status == 0
            test.equal(done.status, 0, "%s: %s%s" % (step["name"], done.out, done.err))
        raise AssertionError("no step judges")


def test_ci_action_finds_the_commit(test):
    project = Project(test)
    action = Action(project, {"run": "src/shelf"})
    for commit in project.commits[:6]:
        project.check_out(commit)
        log, passed = action.run(commit)
        test.check(passed and workflow_commands(log) == [], log)
    test.check("passed" in action.summary, action.summary)
    # The seventh commit as a pull request: its history is thrown away.
    step = project.commits[6]
    project.check_out(step)
    shutil.copy(os.path.join(project.folder, ".dmd/history.db"), test.path("kept.db"))
    log, passed = Action(project, {"run": "src/shelf"}, base="main").run(step)
    test.check(not passed, log)
    (kind, properties, message), = workflow_commands(log)
    test.equal((kind, properties["file"], int(properties["line"])),
               ("error", "src/shelf.c", project.line_of(step, "malloc(SHELF)")), log)
    test.check("heap: +10,000 bytes" in message and "since build " + step in properties["title"], message)
    shutil.move(test.path("kept.db"), os.path.join(project.folder, ".dmd/history.db"))
    log, passed = action.run(step)
    test.check(not passed and "refused" in action.summary and step in action.summary, log)
    test.check(re.search(r"\+10,000 \| \d+\.\d+% ", action.summary), action.summary)


def test_ci_gitlab_finds_the_commit(test):
    """The first six commits are in the history already; the script is the job's, for the branch and for a merge
    request."""
    project = Project(test)
    job = load(test, "ci", "gitlab.yml")[".dmd"]
    script = test.write("job.sh", "\n".join(job["script"]))
    variables = dict(job["variables"], DMD_RUN="src/shelf", CI_COMMIT_REF_NAME="main")
    for commit in project.commits[:6]:
        project.check_out(commit)
        project.run(["sh", "-e", script], CI_COMMIT_SHA=commit, **variables)
    step = project.commits[6]
    project.check_out(step)
    database = os.path.join(project.folder, ".dmd/history.db")
    before = test.dmdv("history", "list", "--db=" + database)[0]
    request = {"CI_MERGE_REQUEST_IID": "5", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "CI_COMMIT_REF_NAME": "topic"}
    done = project.run(["sh", "-e", script], status=1, CI_COMMIT_SHA=step, **dict(variables, **request))
    test.check("heap: +10,000 bytes" in done.out, done.out)
    test.equal(test.dmdv("history", "list", "--db=" + database)[0], before, "the branch's history")
    with open(os.path.join(project.folder, ".dmd/quality.json"), encoding="utf-8") as file:
        issue, = json.load(file)
    test.equal(issue["location"], {"path": "src/shelf.c", "lines": {"begin": project.line_of(step, "malloc(SHELF)")}}, "place")
    failures = ElementTree.parse(os.path.join(project.folder, ".dmd/memory.xml")).findall(".//failure")
    test.equal(len(failures), 1, "failed tests")


def test_ci_files_say_what_they_must(test):
    """What GitHub and GitLab demand of such files, as far as it can be seen here; users write five lines."""
    action = load(test, "action.yml")
    test.check(action["runs"]["using"] == "composite" and action["name"] and action["description"], str(action))
    for step in action["runs"]["steps"]:
        test.check(("run" in step) != ("uses" in step), str(step))
        test.check("run" not in step or (step["shell"] == "bash" and "${{" not in step["run"]), "expressions are in env alone")
    used = load(test, "docs", "examples", "ci", "memory.yml")["jobs"]["memory"]["steps"][-1]
    test.check(set(used["with"]) <= set(action["inputs"]), str(used))
    test.check(all(name in used["with"] for name, value in action["inputs"].items() if value.get("required")), str(used))
    with open(os.path.join(test.place.srcdir, "docs/examples/ci/gitlab-ci.yml"), encoding="utf-8") as file:
        test.check(len(file.read().splitlines()) <= 5, "lines for GitLab")
    job = load(test, "ci", "gitlab.yml")[".dmd"]
    test.equal(set(job["artifacts"]["reports"]), {"codequality", "junit"}, "reports")

# SPDX-License-Identifier: GPL-2.0-or-later
"""action.yml and ci/gitlab.yml: their shell code is run unchanged on the commits of docs/examples/ci, from
those before the step to the alarm."""

import json
import os
import re
import shutil
import stat
import xml.etree.ElementTree as ElementTree

from harness import Skip, commands, files
import workflowcommands


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

    def fill(self, commits):
        """A history of these commits with three runs each. The runs differ only in the process id, so one is
        made and copied."""
        os.makedirs(os.path.join(self.folder, ".dmd"))
        profile = self.test.path("filled.json.gz")
        for commit in commits:
            self.check_out(commit)
            self.run(["valgrind", "-q", "--tool=dmd", "--dmd-out-file=" + profile, "src/shelf"])
            document = files.read_json(profile)
            for run in range(1, 4):
                document["dmd"]["pid"] += 1
                self.run(["dmdv", "history", "add", "--db=.dmd/history.db", "--run=%d" % run,
                          self.test.write("filled.json", document)], GITHUB_SHA=commit, GITHUB_REF_NAME="main")

    def line_of(self, commit, text):
        lines = self.run(["git", "show", commit + ":src/shelf.c"]).out.splitlines()
        return 1 + next(i for i, line in enumerate(lines) if text in line)


class Action:
    """A job that has the action as its step, with the values of the workflow's expressions."""

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
        """The log and the summary of a commit's job, and whether it passed. A cache keeps .dmd/history.db, as
        the folder does here."""
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
    project.fill(project.commits[:4])
    for commit in project.commits[4:6]:
        project.check_out(commit)
        log, passed = action.run(commit)
        test.check(passed and workflowcommands.commands(log) == [], log)
    test.check("passed" in action.summary, action.summary)
    # The seventh commit as a pull request: its history is thrown away.
    step = project.commits[6]
    project.check_out(step)
    shutil.copy(os.path.join(project.folder, ".dmd/history.db"), test.path("kept.db"))
    log, passed = Action(project, {"run": "src/shelf"}, base="main").run(step)
    test.check(not passed, log)
    (kind, properties, message), = workflowcommands.commands(log)
    test.equal((kind, properties["file"], int(properties["line"])),
               ("error", "src/shelf.c", project.line_of(step, "malloc(SHELF)")), log)
    test.check("heap: +10,000 bytes" in message and "since build " + step in properties["title"], message)
    shutil.move(test.path("kept.db"), os.path.join(project.folder, ".dmd/history.db"))
    log, passed = action.run(step)
    test.check(not passed and "refused" in action.summary and step in action.summary, log)
    test.check(re.search(r"\+10,000 \| \d+\.\d+% ", action.summary), action.summary)


def test_ci_gitlab_finds_the_commit(test):
    """The job's script, for the branch and for a merge request."""
    project = Project(test)
    job = load(test, "ci", "gitlab.yml")[".dmd"]
    script = test.write("job.sh", "\n".join(job["script"]))
    variables = dict(job["variables"], DMD_RUN="src/shelf", CI_COMMIT_REF_NAME="main")
    project.fill(project.commits[:4])
    for commit in project.commits[4:6]:
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
    """GitHub's and GitLab's rules for such files, as far as they can be checked here; users write five
    lines."""
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


def test_ci_github_keeps_the_history(test):
    """GitHub never changes a cache entry, and a prefix finds the newest entry: docs of actions/cache."""
    steps = load(test, "action.yml")["runs"]["steps"]
    names = [step.get("uses", step.get("id", step["name"])).split("@")[0] for step in steps]
    order = [names.index(name) for name in ("actions/cache/restore", "add", "check", "actions/cache/save", "Judge")]
    test.equal(order, sorted(order), "steps, as they come")
    got, kept = steps[order[0]], steps[order[3]]
    test.equal([got["with"][key] for key in ("path", "key")], [kept["with"][key] for key in ("path", "key")], "the same entry")
    test.check(all("--db=" + kept["with"]["path"] in steps[i]["run"] for i in order[1:3]), "the database is what is kept")
    prefix, key = got["with"]["restore-keys"], kept["with"]["key"]
    test.check(key.startswith(prefix) and "github.run_id" not in prefix, prefix)
    test.check("${{ github.run_id }}" in key and "${{ github.run_attempt }}" in key, "a key for each run: " + key)
    # A prefix must not find another job's history, as "a-" would find that of a job "a-b": job names have
    # no slash.
    test.check(prefix.endswith("/${{ inputs.history }}/"), prefix)
    test.equal(kept["if"], "github.base_ref == ''", "kept of branches, whatever the check said")


def test_ci_gitlab_keeps_the_history(test):
    """By default GitLab keeps caches of passed jobs only, and separate ones for protected branches."""
    job = load(test, "ci", "gitlab.yml")[".dmd"]
    cache = job["cache"]
    test.equal((cache["when"], cache["unprotect"], cache["paths"]), ("always", True, [".dmd/history.db"]), "what is kept, and when")
    test.check("$CI_JOB_NAME" in cache["key"], "a history for each job")
    test.check("db=" + cache["paths"][0] in "\n".join(job["script"]), "the database is what is kept")
    test.equal(cache["policy"], "$DMD_CACHE_POLICY", "policy")
    test.equal(job["variables"]["DMD_CACHE_POLICY"], "pull-push", "of branches")
    request = [rule for rule in job["rules"] if "merge_request_event" in rule["if"]]
    test.equal([rule["variables"]["DMD_CACHE_POLICY"] for rule in request], ["pull"], "of merge requests")
    test.equal(job["rules"][-1], {"if": "$CI_COMMIT_BRANCH"}, "other pipelines")

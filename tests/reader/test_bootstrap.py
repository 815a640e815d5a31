# SPDX-License-Identifier: GPL-2.0-or-later
"""What ./bootstrap installs: as little as each command needs. apt-get is a stub here, and nothing is found but the shell's tools."""

import os
import shutil

from harness import commands, files

TOOLS = ("cat", "dirname", "env", "find", "grep", "id", "ls", "sed")
# Packages that would surprise a newcomer.
LARGE = {"chromium", "firefox-esr", "postgresql", "prometheus", "redis-server", "clang", "libclang-dev", "npm", "nodejs"}
APT_GET = """#!/bin/sh
echo "$@" >>"$APT_LOG"
[ "$2" != install ] # what it cannot install ends the script
"""
SUDO = """#!/bin/sh
[ "$1" != -n ] || shift
exec "$@"
"""


def bootstrap(test, *line, status=0, **environment):
    plain = dict(commands.plain_environment(test.folder), **environment)
    return commands.run([os.path.join(test.place.srcdir, "bootstrap"), *line], test.folder, env=plain, status=status)


def packages(test, *command):
    listed = bootstrap(test, "packages", *command).out.split()
    test.equal(len(listed), len(set(listed)), "each package once")
    return set(listed)


def installed_by(test, *command):
    """The packages that the command requests from apt-get on a system that has nothing."""
    bin, log = test.path("bin"), test.path("apt.log")
    os.makedirs(bin)
    for name, text in (("apt-get", APT_GET), ("sudo", SUDO)):
        os.chmod(files.write(os.path.join(bin, name), text), 0o755)
    for name in TOOLS:
        os.symlink(shutil.which(name), os.path.join(bin, name))
    failed = bootstrap(test, *command, status=2, PATH=bin, APT_LOG=log)
    test.check("bootstrap: apt-get could not install: " in failed.err, failed.err)
    asked = files.read(log).splitlines()
    test.equal(len(asked), 2, "update and install: %s" % asked)
    return {word for word in asked[1].split()[2:] if not word.startswith("-")}


def test_packages_of_a_demo(test):
    """The demo and a user's CI, which runs ./bootstrap alone, need the build's packages only."""
    demo = packages(test, "demo")
    test.equal(demo, packages(test), "./bootstrap alone")
    test.check(len(demo) <= 15 and not demo & LARGE, "little is needed: " + " ".join(sorted(demo)))
    action = files.read(os.path.join(test.place.srcdir, "action.yml"))
    test.check('  "$ACTION/bootstrap"\n' in action, "action.yml runs it alone")


def test_installs_what_it_lists(test):
    asked = installed_by(test, "demo")
    # The headers are looked for in their folder, and there they may be.
    test.equal(asked | {"libc6-dev"}, packages(test, "demo") | {"libc6-dev"})


def test_commands_build_on_each_other(test):
    demo, full, quick = (packages(test, name) for name in ("demo", "full", "check-quick"))
    test.check(demo < full and demo < quick, "both add to the build")
    test.check(full | quick < packages(test, "check") and LARGE <= packages(test, "check"), "check has all")
    test.check(full | quick < packages(test, "lint"), "lint reads all sources")
    test.check(not packages(test, "lint") & {"chromium", "postgresql"}, "and runs no test")


def test_refuses(test):
    for line in (["demon"], ["demo", "check"], ["packages", "demon"], ["packages", "demo", "check"]):
        refused = bootstrap(test, *line, status=2)
        test.equal((refused.out, refused.err.count("\n")), ("", 1), " ".join(line))

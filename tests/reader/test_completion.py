# SPDX-License-Identifier: GPL-2.0-or-later
"""Completion in bash: what is offered for a line that is being typed."""

import os

# Splits at blanks and, as bash does by default, around "="; the last word is the one that is completed.
SCRIPT = r'''
. "$1"
read -r -a COMP_WORDS <<<"${2//=/ = }"
[[ $2 != *[\ =] ]] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_dmdv
printf '%s\n' "${COMPREPLY[@]}"
'''


def complete(test, line):
    """The words offered, without the blanks at their ends."""
    path = os.pathsep.join([test.builddir, os.environ["PATH"]])
    completion = os.path.join(test.srcdir, "completions", "dmdv.bash")
    done = test.run([test.need("bash"), "-c", SCRIPT, "bash", completion, line], env=dict(os.environ, PATH=path), status=None)
    # compopt complains outside of a real completion, and says so into the void; nothing else may be said.
    test.equal(done.err, "", "standard error")
    return sorted(word.rstrip() for word in done.out.splitlines() if word)


def test_commands(test):
    test.equal(complete(test, "dmdv ex"), ["export"], "commands that begin with ex")
    offered = complete(test, "dmdv ")
    for word in ("print", "diff", "export", "merge", "run", "--version"):
        test.check(word in offered, "%s is not offered" % word)


def test_options(test):
    test.equal(complete(test, "dmdv export --fo"), ["--format="], "options of export")
    test.equal(complete(test, "dmdv merge --"), ["--help", "--output="], "options of merge")
    test.check("--mode=" in complete(test, "dmdv run --"), "dmd's own options are not offered with run")


def test_values(test):
    test.equal(complete(test, "dmdv export --format=s"), ["speedscope"], "formats")
    test.check("pprof" in complete(test, "dmdv export --format="), "all formats")
    test.equal(complete(test, "dmdv export --section=un"), ["unreported"], "sections")
    test.equal(complete(test, "dmdv print -s n"), ["num-blocks"], "keys")


def test_files(test):
    test.write("dmd.out.1.json.gz", b"")
    test.equal(complete(test, "dmdv print dmd"), ["dmd.out.1.json.gz"], "files")
    test.equal(complete(test, "dmdv merge --output=dmd"), ["dmd.out.1.json.gz"], "files as a value")


def test_programs(test):
    """Words of the program that is run are not options of dmdv."""
    test.write("argument", b"")
    test.check("bash" in complete(test, "dmdv run bas"), "programs are not offered")
    test.check("bash" in complete(test, "dmdv run --mode=live -- bas"), "programs are not offered after --")
    test.equal(complete(test, "dmdv run ls arg"), ["argument"], "the program's arguments")
    test.equal(complete(test, "dmdv run ls --pri"), [], "options after the program")

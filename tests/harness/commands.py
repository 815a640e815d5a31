# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a command without a terminal and with a time limit, and keeps its output."""

import os
import shlex
import subprocess

from harness.expect import Failure, Skip, tail

# How many times slower than usual programs run, as in a guest whose processor is emulated.
SLOWNESS = int(os.environ.get("DMD_TESTS_SLOWNESS", "1"))
# Tests measure no times. This only ends a program that hangs.
HANG_SECONDS = 600 * SLOWNESS

# A folder of compiled programs, which another machine has filled. Where DMD_TESTS_COMPILE names it, it is being filled:
# a test ends as skipped at the first command that is no compiler.
ONLY_COMPILES = "DMD_TESTS_COMPILE" in os.environ
COMPILED = os.environ.get("DMD_TESTS_COMPILE") or os.environ.get("DMD_TESTS_COMPILED")


class TimedOut(Failure):
    """The command did not end."""


def plain_environment(folder):
    """As little as programs need: the user's environment must not change the outcome."""
    plain = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C", "HOME": folder, "TMPDIR": folder}
    if "ASAN_OPTIONS" in os.environ:
        plain["ASAN_OPTIONS"] = os.environ["ASAN_OPTIONS"]
    return plain


class Done:
    """A command that has ended: its exit status (negative: the signal) and what it printed."""

    def __init__(self, command, status, out, err):
        self.command, self.status, self.out, self.err = command, status, out, err

    def describe(self):
        return "exit status %d from %s\nstdout: %s\nstderr: %s" % (
            self.status, shlex.join(self.command), tail(self.out), tail(self.err))


def run(command, folder=None, env=None, status=0, stdin=b"", stderr=subprocess.PIPE, timeout=HANG_SECONDS, text=True,
        compiles=False, **more):
    """Runs the command in the folder and expects this exit status (None: any). `env` is the whole environment; `text`:
    returns the output as text, else as bytes; `compiles`: it is a compiler; `more` goes to subprocess.run."""
    if ONLY_COMPILES and not compiles:
        raise Skip("only compiled")
    given = {"input": stdin} if stdin else {"stdin": subprocess.DEVNULL}
    try:
        ended = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=stderr, timeout=timeout,
                               check=False, **given, **more)
    except subprocess.TimeoutExpired as expired:
        raise TimedOut("%s did not end in %d seconds" % (shlex.join(command), timeout)) from expired
    printed = [part or b"" for part in (ended.stdout, ended.stderr)]
    if text:
        printed = [part.decode("utf-8", "replace") for part in printed]
    done = Done(command, ended.returncode, *printed)
    if status is not None and done.status != status:
        raise Failure("expected exit status %d\n%s" % (status, done.describe()))
    return done

# SPDX-License-Identifier: GPL-2.0-or-later
"""The checks that tests make, and how a test ends: it passes unless it raises."""

import shutil


class Failure(Exception):
    """A check failed."""


class Skip(Exception):
    """The test cannot run here; the text gives the reason."""


def as_text(text):
    return text.decode("utf-8", "backslashreplace") if isinstance(text, bytes) else text


def tail(text, limit=1500):
    """The end of a program's output, where errors are."""
    text = as_text(text)
    return text if len(text) <= limit else "[...]" + text[-limit:]


def need(command):
    """The full path of a program that not every machine has."""
    path = shutil.which(command)
    if path is None:
        raise Skip(command + " is not installed")
    return path


class Expect:
    """The checks of a test. `what` names the checked value in words."""

    @staticmethod
    def equal(got, expected, what=""):
        if got != expected:
            raise Failure("%sexpected: %r\n     got: %r" % (what and what + "\n", expected, got))

    @staticmethod
    def check(condition, what):
        if not condition:
            raise Failure("failed: " + what)

    @staticmethod
    def contains(text, part):
        if part not in as_text(text):
            raise Failure("expected to contain: %s\ngot: %s" % (part, tail(text)))

    @staticmethod
    def lacks(text, part):
        if part in as_text(text):
            raise Failure("expected not to contain: %s\ngot: %s" % (part, tail(text)))

    @staticmethod
    def none_of(faults):
        """Fails with a list of all faults, unless the list is empty."""
        if faults:
            raise Failure("\n".join(faults))

# SPDX-License-Identifier: GPL-2.0-or-later
"""What make install leaves, and programs that are built against it."""

import os
import re
import subprocess

from harness import Failure

# The programs, headers and pages that are installed; documents and examples are all those of docs/.
INSTALLED = {
    "bin": {"dmdv"},
    "include/valgrind": {"dmd.h"},
    "share/bash-completion/completions": {"dmdv.bash"},
    "share/man/man1": {"dmdv.1", "valgrind-dmd.1"},
}
DOCUMENTS = "share/doc/valgrind-dmd"


def _variable(t, name):
    """A variable of the build's Makefile, with others in it resolved."""
    done = subprocess.run(["make", "-s", "-C", t.suite.builddir, "-f", "Makefile", "-f", "-", "print-variable"],
                          input="print-variable:\n\t@echo '$(%s)'\n" % name, env=_environment(),
                          capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _environment():
    """Without what a make that runs these tests passes on."""
    return {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}


def _installed(t):
    """The folder that everything was installed below, and in it the prefix and the tool's folder. Once for all tests."""
    root = os.path.join(t.suite.scratch, "installed")
    if not os.path.exists(root):
        done = subprocess.run(["make", "-C", t.suite.builddir, "install", "DESTDIR=" + root], env=_environment(),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise Failure("make install: " + done.stdout)
    return root, root + _variable(t, "prefix"), root + _variable(t, "vgtooldir")


def _files(folder):
    """{folder: {file, ...}} of everything below, with paths from there."""
    found = {}
    for path, _, names in os.walk(folder):
        if names:
            found[os.path.relpath(path, folder)] = set(names)
    return found


def names(t):
    """Nothing but what is listed above, and of it nothing with the name of Debian's D compiler, dmd."""
    root, prefix, tools = _installed(t)
    found = _files(root)
    platform = _variable(t, "VALGRIND_PLATFORM")
    t.equal(found.pop(os.path.relpath(tools, root)),
            {"dmd-" + platform, "vgpreload_dmd-%s.so" % platform}, "the tool's files")
    found = {os.path.relpath(os.path.join(root, path), prefix): names for path, names in found.items()}
    documents = {path: found.pop(path) for path in sorted(found) if (path + "/").startswith(DOCUMENTS + "/")}
    t.equal(found, INSTALLED)
    t.equal(sorted(documents), [DOCUMENTS, DOCUMENTS + "/examples"])
    t.true({"README.md", "NEWS", "manual.md", "format.md", "dmd-profile.schema.json"} <= documents[DOCUMENTS],
           "the documents are there: %s" % documents[DOCUMENTS])
    t.true({"README.md", "catalog.c", "news.h"} <= documents[DOCUMENTS + "/examples"], "the examples are there")


def man_pages(t):
    """A page's name is that of its file, and so is what it refers to."""
    _, prefix, _ = _installed(t)
    folder = os.path.join(prefix, "share", "man", "man1")
    for page in sorted(os.listdir(folder)):
        with open(os.path.join(folder, page), encoding="utf-8") as file:
            text = file.read().replace("\\-", "-")
        name = page[:-2]
        t.contains(text, '.TH %s 1 ' % name.upper())
        t.contains(text, ".SH NAME\n%s - " % name)
        t.equal(re.findall(r"^\.BR dmd \(1\)", text, re.MULTILINE), [], page)

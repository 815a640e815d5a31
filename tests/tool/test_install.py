# SPDX-License-Identifier: GPL-2.0-or-later
"""What make install leaves, and programs that are built against it."""

import os
import re

from harness import commands, files

# The programs, headers and pages that are installed; documents and examples are all those of docs/.
INSTALLED = {
    "bin": {"dmdv"},
    "include/valgrind": {"dmd.h"},
    "share/bash-completion/completions": {"dmdv.bash"},
    "share/fish/vendor_completions.d": {"dmdv.fish"},
    "share/fish/vendor_conf.d": {"valgrind-dmd.fish"},
    "share/fish/vendor_functions.d": {"__dmdv_complete.fish"},
    "share/zsh/site-functions": {"_dmdv"},
    "share/man/man1": {"dmdv.1", "valgrind-dmd.1"},
}
DOCUMENTS = "share/doc/valgrind-dmd"


def _make(t, *arguments, **more):
    """make in the build folder, without what a make that runs these tests passes on."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return commands.run(["make", "-C", t.builddir, *arguments], env=environment, **more)


def _variable(t, name):
    """A variable of the build's Makefile, with others in it resolved."""
    rule = "print-variable:\n\t@echo '$(%s)'\n" % name
    return _make(t, "-s", "-f", "Makefile", "-f", "-", "print-variable", stdin=rule.encode()).out.strip()


def _installed(t):
    """The folder that everything was installed below, and in it the prefix and the tool's folder. Once for all tests."""
    root = os.path.join(t.place.scratch, "installed")
    if not os.path.exists(root):
        _make(t, "install", "DESTDIR=" + root)
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
    t.equal(sorted(documents), [DOCUMENTS, DOCUMENTS + "/examples", DOCUMENTS + "/pictures"])
    t.check({"README.md", "NEWS", "manual.md", "format.md", "dmd-profile.schema.json"} <= documents[DOCUMENTS],
           "the documents are there: %s" % documents[DOCUMENTS])
    t.check({"README.md", "catalog.c", "news.h"} <= documents[DOCUMENTS + "/examples"], "the examples are there")


def man_pages(t):
    """A page's name is that of its file, and so is what it refers to."""
    _, prefix, _ = _installed(t)
    folder = os.path.join(prefix, "share", "man", "man1")
    for page in sorted(os.listdir(folder)):
        text = files.read(os.path.join(folder, page)).replace("\\-", "-")
        name = page[:-2]
        t.contains(text, '.TH %s 1 ' % name.upper())
        t.contains(text, ".SH NAME\n%s - " % name)
        t.equal(re.findall(r"^\.BR dmd \(1\)", text, re.MULTILINE), [], page)

# SPDX-License-Identifier: GPL-2.0-or-later
"""The frames of stacks: each has its object, and frames of different objects are different."""

import os
import shutil

from harness import commands


def _rows(t, path, by):
    """The table that dmdv prints: {name: bytes}."""
    lines = commands.run([t.place.dmdv(), "print", "--by=" + by, path]).out.splitlines()[1:]
    return {line.split(None, 5)[5]: int(line.split()[0].replace(",", "")) for line in lines}


def program_without_symbols(t):
    """The program's allocations are its own, and not those of the library that called it and has symbols."""
    built = t.bench.compile("crate.c")
    library = os.path.join(os.path.dirname(built), "libcrate.so.1")
    shutil.copy(built, library)
    program = t.program([library, "-Wl,-rpath," + os.path.dirname(built)])
    profile = t.run_command([program]).profile
    t.equal(_rows(t, profile.path, "library"), {os.path.basename(program): 5000 + 40, os.path.basename(library): 104})
    t.equal(_rows(t, profile.path, "function"), {"??? (in %s)" % os.path.basename(program): 5000 + 40,
                                                 "crate_new": 104})


def offsets_are_those_of_addr2line(t):
    """For each frame with a line: its offset in its object is an address of that line, and of its function,
    into which others may be inlined."""
    profile = t.run().profile
    n = 0
    for entry in profile.run["objects"]:
        if os.path.basename(entry["path"]).startswith("vgpreload_"):
            continue
        for frame, offset in entry["frames"].items():
            text = profile.doc["frameTable"][frame]
            if offset is None:
                continue
            out = commands.run(["addr2line", "-f", "-i", "-e", entry["path"], hex(offset)]).out.splitlines()
            t.equal(text, "#00: %s (%s)" % (out[-2], os.path.basename(out[-1]).split(" ")[0]), entry["path"])
            n += 1
    t.check(n >= 5, "only %d frames" % n)


def cxx_library_allocates_for_its_callers(t):
    """std::vector, std::map and std::string are never the allocating function; functions of templates have no
    return type."""
    rows = _rows(t, t.run(options=t.inlined_calls()).profile.path, "function")
    names = [name for name in rows if name.startswith("pantry::")]
    t.check(names and all(name.startswith(("pantry::grow<int>(int)", "pantry::Shelf::label<"))
                          for name in names), names)
    t.equal([name for name in rows if "std::" in name.split("(")[0] or "new" in name], [], "functions")


def tags_of_template_functions(t):
    """A rule uses the name without return type; blocks of the C++ library belong to the calling function."""
    options = [*t.inlined_calls(), "--tag-fn=pantry::grow<int>=numbers", "--tag-fn=pantry::Shelf::*=jars"]
    profile = t.run(options=options).profile
    tags = {}
    for block in profile.blocks:
        tags.setdefault(block.tag, set()).update(name for name in block.stack if "pantry::" in name)
    t.equal(sorted(tag for tag in tags if tag is not None), ["jars", "numbers"])
    t.check(all("grow<int>" in name for name in tags["numbers"]), tags["numbers"])
    t.check(all("Shelf" in name for name in tags["jars"]), tags["jars"])
    t.equal(tags.get(None, set()), set(), "of untagged blocks")


def long_names_are_shortened(t):
    short, whole = t.run(), t.run(options=["--full-names=yes"])
    t.check("std::map<...>::operator[](" in short.log, short.log[:4000])
    t.check("std::map<std::" not in short.log, short.log[:4000])
    t.check("std::map<std::" in whole.log and "<...>" not in whole.log, whole.log[:4000])
    t.equal(set(short.profile.doc["frameTable"].values()), set(whole.profile.doc["frameTable"].values()), "files")
    t.check(any("std::vector<int, std::allocator<int> >* pantry::grow<int>(int)" in text
                for text in short.profile.doc["frameTable"].values()), "names are whole in files")

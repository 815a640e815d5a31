# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds of other programs that run an installed dmd-derive, as the documents say.

In each, a pointer without an annotation fails the build with one line about it, also in a header that the
struct's header includes; its twin with a reason is built.
"""

import os

import installed
from harness import Skip, commands, files

_REASON = 'DMD_IGNORES("the shelf has it") '


def _project(t, *blocks):
    """A folder with the documents' shelf.h and shelf.c, and with these blocks of it. The struct has the member
    that MEMBER of another header defines."""
    if not os.path.exists(os.path.join(t.builddir, "dmd-derive")):
        raise Skip("dmd-derive was not built: it needs libclang (Debian's package libclang-dev)")
    folder = t.new_folder()
    for kind, first_line in (("c", "shelf.h"), ("c", "shelf.c"), *blocks):
        installed.from_documents(t, kind, first_line, folder)
    header = os.path.join(folder, "shelf.h")
    text = files.read(header)
    t.equal(text.count("  DMD_OWNS char *name;\n"), 1)
    files.write(header, '#include "member.h"\n' + text.replace("  DMD_OWNS char *name;\n", "  DMD_OWNS char *name;\n  MEMBER\n"))
    _member(folder, "")
    return folder


def _member(folder, text):
    files.write(os.path.join(folder, "member.h"), "#define MEMBER %s\n" % text)


def _expect_shelf(t, program):
    """Its eight blocks were measured, as the documents say."""
    profile = t.run_command([program]).profile
    blocks = [block for block in profile.blocks if block.reporters]
    t.equal(sum(block.num for block in blocks), 8)
    t.equal({tuple(block.reporters) for block in blocks}, {("explicit/shelf",)})


def _try(t, folder, build, program):
    """Builds, and once more after each change of a header; `build` is the command."""
    environment = installed.environment(t)

    def run(status=0):
        done = commands.run(build, folder, environment, status=None)
        t.equal(done.status != 0, status != 0, done.describe())
        return done.out + done.err

    run()
    _expect_shelf(t, program)
    before = os.stat(program).st_mtime_ns
    run()
    t.equal(os.stat(program).st_mtime_ns, before, "nothing to do, and nothing done")
    _member(folder, "char *more;")
    said = [line for line in run(status=1).splitlines() if " error: " in line]
    t.equal(len(said), 1, "\n".join(said))
    t.contains(said[0], "error: item.more is a pointer, and nothing says whose the memory is: put DMD_OWNS")
    _member(folder, _REASON + "char *more;")
    run()
    _expect_shelf(t, program)
    _member(folder, "DMD_OWNS char *more;")
    run()
    measures = os.path.join(os.path.dirname(program), "measures.c")
    t.contains(files.read(measures), "self->more")
    _expect_shelf(t, program)


def make(t):
    folder = _project(t, ("make", "Makefile"))
    _try(t, folder, ["make"], os.path.join(folder, "shelf"))


def automake(t):
    """In another folder than the source's; the sources that `make dist` packs build as well."""
    autoreconf = t.need("autoreconf")
    t.need("automake")
    folder = _project(t, ("automake", "configure.ac"), ("automake", "Makefile.am"))
    makefile = os.path.join(folder, "Makefile.am")
    files.write(makefile, files.read(makefile).replace("shelf.c shelf.h", "shelf.c shelf.h member.h"))
    environment = installed.environment(t)
    commands.run([autoreconf, "-fi"], folder, environment)
    build = os.path.join(folder, "build")
    os.mkdir(build)
    commands.run(["../configure"], build, environment)
    _try(t, folder, ["make", "-C", "build"], os.path.join(build, "shelf"))
    commands.run(["make", "distdir"], build, environment)
    t.equal(sorted(name for name in os.listdir(os.path.join(build, "shelf-1")) if name.endswith((".c", ".h"))),
            ["member.h", "shelf.c", "shelf.h"])


def _cmake(t, generator):
    command = t.need("cmake")
    folder = _project(t, ("cmake", "CMakeLists.txt of derived code"))
    build = os.path.join(folder, "build")
    commands.run([command, "-G", generator, "-S", folder, "-B", build], env=installed.environment(t))
    _try(t, folder, [command, "--build", build], os.path.join(build, "shelf"))


def cmake(t):
    _cmake(t, "Unix Makefiles")


def cmake_ninja(t):
    t.need("ninja")
    _cmake(t, "Ninja")


def meson(t):
    command = t.need("meson")
    folder = _project(t, ("meson", "meson.build of derived code"))
    build = os.path.join(folder, "build")
    commands.run([command, "setup", build, folder], env=installed.environment(t))
    _try(t, folder, [command, "compile", "-C", build], os.path.join(build, "shelf"))

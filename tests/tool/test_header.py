# SPDX-License-Identifier: GPL-2.0-or-later
"""dmd.h as a program includes it."""


def languages(t):
    strict = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
    for flags in (["-std=c89"], ["-std=c11"], ["-x", "c++", "-std=c++11"], ["-x", "c++", "-std=c++17"],
                  ["-std=c11", "-DNVALGRIND"], ["-std=c11", "-O2"]):
        # The language has to be named before the file, which flags of this kind cannot do.
        if flags[0] == "-x":
            program = t.bench.compile_text("header.cc", '#include "%s/header.c"\n' % t.bench.programs,
                                           strict + flags[2:])
        else:
            program = t.program(strict + flags)
        t.run_natively([program])
        t.run_command([program])


def scope_guards(t):
    profile = t.run().profile
    reported = " reported by measure(void const*)"
    t.equal(profile.at("inside()"), [
        "100+4 tag inner" + reported + " as explicit/measured", "100+4 tag outer",
        "100+4 tag outer" + reported + " as explicit/measured"])
    t.equal(profile.at("after()"), ["100+4" + reported])
    # Only the pop and the end in main's last line, where nothing is open any more.
    t.equal(sorted(set((f.kind, *f.stack) for f in profile.faults)), [("scope-underflow", "main")])
    t.equal(sum(f.num for f in profile.faults), 2)

# SPDX-License-Identifier: GPL-2.0-or-later
"""The log agrees with the profile: compared with a naive grouping of the profile, and with Mozilla's script."""

import os
import re
import shutil
import sys

import textlog
from harness import Skip, commands


def _agrees(t, run, **options):
    doc = run.profile.doc
    got = textlog.parse_sections(run.log, doc["invocation"]["mode"])
    expected = textlog.expected_sections(doc, **options)
    t.equal({name: len(records) for name, records in got.items()}, {n: len(r) for n, r in expected.items()})
    for section, records in expected.items():
        for ours, theirs in zip(got[section], records):
            t.equal(ours, theirs, section)
    if doc["invocation"]["mode"] == "dark-matter":
        t.contains(run.log, "\nSummary {\n" + "\n".join(textlog.expected_summary(doc)) + "\n")


def agrees_with_the_profile(t):
    run = t.run()
    _agrees(t, run)
    # Ten each of twelve
    t.equal([len(r) for r in textlog.parse_sections(run.log, "dark-matter").values()], [10, 10, 10])


def agrees_in_each_order(t):
    for order in "usable", "req", "slop", "num-blocks":
        _agrees(t, t.run(options=["--sort-by=" + order, "--max-records=all"]), sort_by=order, max_records=None)


def agrees_for_max_frames(t):
    for frames in 1, 3, 24:
        options = ["--max-frames=%d" % frames, "--num-callers=24", "--max-records=all"]
        _agrees(t, t.run(options=options), max_frames=frames, max_records=None)


def agrees_in_other_modes(t):
    _agrees(t, t.run(options=["--mode=live"]))
    _agrees(t, t.run(options=["--mode=cumulative", "--max-records=4"]), max_records=4)


def agrees_for_partial_stacks(t):
    _agrees(t, t.run(options=["--stacks=partial", "--max-records=all"]), max_records=None)


def agrees_for_names_and_tags(t):
    _agrees(t, t.run())


def agrees_with_many_records(t):
    options = ["--max-records=all", "--max-frames=20", "--num-callers=20"]
    run = t.run(options=options, status=6)
    t.equal(len(textlog.parse_sections(run.log, "dark-matter")["unreported"]) > 100, True)
    _agrees(t, run, max_frames=20, max_records=None)


def agrees_for_real_programs(t):
    run = t.run_command([sys.executable, "-c", "import json, os; os._exit(0)"])
    t.check(len(run.profile.blocks) > 50, "Python keeps blocks")
    _agrees(t, run)


def nothing_to_say(t):
    run = t.run()
    t.equal((run.profile.blocks, run.profile.faults), ([], []))
    _agrees(t, run)
    for section in "twice-reported", "unreported", "once-reported":
        t.contains(run.log, "\n# no %s heap blocks\n" % section)
    t.contains(run.log, "  Total:                     0 bytes (100.00%) in       0 blocks (100.00%)\n")
    t.contains(run.log, "total heap usage: 0 allocs, 0 frees, 0 bytes allocated; in use: 0 bytes in 0 blocks\n")


def tags_and_reporters(t):
    # Two blocks from one line of the program make a record with its own tag; the realloc has another stack.
    log = t.run(options=["--max-records=all"]).log
    t.check(re.search(r"inner_tag \(.*\n(?:    #.*\n)*  \}\n  Tag: inner\n", log), "a record has its tag")
    t.check(re.search(r"untagged_after \(.*\n(?:    #.*\n)*  \}\n\}\n", log), "a record without tags has no such line")
    t.check(re.search(r"block_of_both \(.*\n(?:    #.*\n)*  \}\n  Reporter: explicit/one\n  Reported at \{\n"
                      r"(?:    #.*\n)*  \}\n  Reported again at \{\n", log), "the second report is outside of any")
    # With one frame there is one record of all blocks, some of which have tags.
    log = t.run(options=["--max-records=all", "--max-frames=1"]).log
    # Of malloc: 100 untagged before and after, outer 100, inner 100, 55 "still works", then those of reporters() and
    # threads(); unreported are the first five. Tags are in the order of the blocks' addresses: that of the outer
    # block, which realloc moved, is not used again at once.
    t.contains(log, "  Tags: inner (1 of 5 blocks), outer (1 of 5 blocks), still works (1 of 5 blocks)\n")
    t.contains(log, "  Reporter: (several)\n")


def frames(t):
    profile = t.run(options=t.inlined_calls()).profile
    (inlined,) = [b for b in profile.blocks if b.req == 100]
    t.equal(inlined.stack, ["malloc", "innermost", "between", "outermost", "main"])
    text = profile.doc["frameTable"].values()
    t.check(any(re.fullmatch(r"#00: outermost \(inlined\.c:\d+\)", frame) for frame in text), "a file and a line")
    for block in profile.blocks:
        if block.req == 300:
            t.equal(block.stack[:2], ["malloc", "???"])
            t.contains("\n".join(text), "#00: ??? (???:???)")


def frames_of_the_c_library(t):
    """Inlined calls are looked up in all libraries but the C library's, which dmd recognises by their file names.
    If dmd cannot make the core read them, they are found on demand only."""
    built = t.bench.compile("loaded.c")
    folder = t.new_folder()
    libraries = []
    for name in "libmine.so", "libc-2.99.so", "mylibc-2.99.so", "libc.so.6":
        libraries.append(os.path.join(folder, name))
        shutil.copy(built, libraries[-1])
    with_inner, without = ["malloc", "inner", "make_block", "main"], ["malloc", "make_block", "main"]
    for options, c_library, others in (([], without, with_inner if t.has_private("READ_INLINE_INFO") else without),
                                       (["--read-inline-info=yes"], with_inner, with_inner),
                                       (["--read-inline-info=no"], without, without)):
        # The C library is mapped as data, too, before a file that is not a library.
        command = [t.program(["-ldl"]), libraries[1], *libraries]
        profile = t.run_command(command, options=options).profile
        made = {block.req: block.stack for block in profile.blocks_at("make_block")}
        t.equal(made, {2000: others, 3000: c_library, 4000: others, 5000: c_library}, str(options))


def frames_without_lines(t):
    # The function's name, the file and the offset in it, which lies between the function's symbol and the next.
    program = t.program(["-g0"])
    text = "\n".join(t.run_command([program]).profile.doc["frameTable"].values())
    found = re.search(r"^#00: outermost\[(.*) \+0x([0-9a-f]+)\]$", text, re.MULTILINE)
    t.equal(found.group(1), program)
    symbols = commands.run([t.need("nm"), "-n", program]).out
    addresses = [(int(line.split()[0], 16), line.split()[2]) for line in symbols.splitlines() if line[0] != " "]
    below = [name for address, name in addresses if address <= int(found.group(2), 16)]
    t.equal(below[-1], "outermost")


def frames_without_symbols(t):
    program = t.program(["-s"])
    text = "\n".join(t.run_command([program]).profile.doc["frameTable"].values())
    t.check(re.search(r"^#00: \?\?\?\[%s \+0x[0-9a-f]+\]$" % re.escape(program), text, re.MULTILINE), text)


def below_main(t):
    def last(*options):
        return {block.stack[-1] for block in t.run(options=options).profile.blocks if block.req == 100}

    t.equal(last(), {"main"})
    t.check(last("--show-below-main=yes") != {"main"}, "below main")


# ---- Mozilla's script ----

# Lines in a record that the script does not print.
OURS = re.compile(r"  (?:Tag|Tags|Reporter|Reported up to)\b(?!.*\{)")


def _compare_with_script(t, script, source, frames_printed, *options):
    program = t.bench.compile(source)
    options = [*options, "--max-records=all", "--max-frames=%d" % frames_printed, "--num-callers=24"]
    run = t.run_command([program], options=options, status=None)
    sort_by = [option.partition("=")[2] for option in options if option.startswith("--sort-by=")] or ["usable"]
    done = commands.run([sys.executable, script, "--no-fix-stacks", "--max-frames=%d" % frames_printed,
                         "--sort-by=" + sort_by[0], run.profile.path])
    t.equal(done.err, "", "what the script says of the file")
    ours, theirs = textlog.dump_lines(run.log), done.out.split("\n")
    for section in textlog.SECTIONS[run.profile.doc["invocation"]["mode"]]:
        # The script never prints more.
        expected = textlog.record_blocks(theirs, section)[:999]
        got = [[line for line in block if not OURS.match(line)] for block in textlog.record_blocks(ours, section)]
        for ours_of_one, theirs_of_one in zip(got, expected):
            t.equal(ours_of_one, theirs_of_one, section)
        t.equal(len(got[:999]), len(expected), section)
    for row in re.findall(r"^  (?:Total|Unreported|Once-reported|Twice-reported):.*$", done.out, re.MULTILINE):
        t.contains(run.log, row + "\n")


def agrees_with_mozillas_script(t):
    script = os.environ.get("DMD_PY")
    if not script:
        raise Skip("DMD_PY does not say where Mozilla's dmd.py is")
    _compare_with_script(t, script, "records.c", 8)
    _compare_with_script(t, script, "records.c", 24, "--sort-by=req")
    _compare_with_script(t, script, "records.c", 3, "--sort-by=slop")
    _compare_with_script(t, script, "records.c", 8, "--sort-by=num-blocks", "--mode=live")
    _compare_with_script(t, script, "small_blocks.c", 8, "--mode=cumulative")
    _compare_with_script(t, script, "small_blocks.c", 8, "--stacks=partial")
    _compare_with_script(t, script, "many_stacks.c", 24)
    _compare_with_script(t, script, "faults.c", 8)
    _compare_with_script(t, script, "records.c", 8, "--mode=scan")


def equals_dmdv_print(t):
    # The tool and dmdv run the same code: from the first separator to the line after the totals all is equal but the titles.
    dmdv = t.place.dmdv()
    for options in ([], ["--mode=live"], ["--mode=cumulative"], ["--mode=scan"], ["--sample-below=100"]):
        for program in "records.c", "faults.c", "scopes.c", "advice.c":
            run = t.run_command([t.bench.compile(program)], options=[*options, "--max-records=all"], status=None)
            done = commands.run([dmdv, "print", "--max-records=all", run.profile.path])
            ours = textlog.dump_lines(run.log)
            # dmdv prints the content of the log's title in separate lines.
            theirs = re.sub(r"^Run \{\n(  .*\n)+\}\n\n", "", done.out, flags=re.MULTILINE).split("\n")
            n = 1 + next(i for i, line in enumerate(theirs) if line.startswith("allocator: "))
            t.equal(ours[0:1] + ours[2:n], theirs[0:1] + theirs[2:n], "%s %s" % (program, options))

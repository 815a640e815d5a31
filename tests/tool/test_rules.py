# SPDX-License-Identifier: GPL-2.0-or-later
"""Tags and reports by the user's rules about functions and libraries: --tag-..., --report-..."""

import os
import shutil

from harness import Failure, commands


def _crate(t, name="crate"):
    """rules.c, linked with crate.c as a library in a file of this name, which is not its soname."""
    built = t.bench.compile("crate.c")
    folder = os.path.join(os.path.dirname(built), "as-" + name)
    library, link = os.path.join(folder, name), os.path.join(folder, "libcrate.so.1")
    if not os.path.exists(link):
        os.mkdir(folder)
        shutil.copy(built, library)
        os.symlink(library, link)
    return t.program([link, "-Wl,-rpath," + folder]), library


def _run(t, *options):
    program, _ = _crate(t)
    return t.run_command([program], options=[*options, *t.inlined_calls()]).profile


def _tags(profile):
    """The tag of the blocks of each function, and how many blocks of many_small have one."""
    names = ("in_the_library", "called_back", "through_libc", "render_frame", "around_inlined",
             "tagged_by_the_program", "regrown")
    tags = {}
    for name in names:
        blocks = profile.blocks_at(name)
        if len(blocks) != 1 or blocks[0].num != 1:
            raise Failure("%s has not one block: %s" % (name, profile.at(name)))
        if blocks[0].tag is not None:
            tags[name] = blocks[0].tag
    return tags


def no_rules_no_tags(t):
    t.equal(_tags(_run(t)), {"tagged_by_the_program": "own"})


def by_library_name_path_and_soname(t):
    _, library = _crate(t)
    # The library is innermost only if it calls malloc itself. regrown's block came from it, but a realloc made it.
    for glob in "crate", library, "*/cra?e", "libcrate.so.*":
        profile = _run(t, "--tag-library=%s=box" % glob)
        t.equal(_tags(profile), {"in_the_library": "box", "tagged_by_the_program": "own"}, glob)
    for glob in "crat", "rate", "libcrate", "/crate":
        t.equal(_tags(_run(t, "--tag-library=%s=box" % glob)), {"tagged_by_the_program": "own"}, glob)


def of_library_anywhere_on_the_stack(t):
    profile = _run(t, "--tag-library=**libcrate*=box")
    t.equal(_tags(profile), {"in_the_library": "box", "called_back": "box", "tagged_by_the_program": "own"})


def allocator_and_libc_do_not_decide(t):
    # The program itself counts as a library; strdup's block belongs to its caller.
    profile = _run(t, "--tag-library=rules=mine")
    t.equal(_tags(profile), {
        "called_back": "mine", "through_libc": "mine", "render_frame": "mine", "around_inlined": "mine",
        "tagged_by_the_program": "own", "regrown": "mine"})
    t.equal(_tags(_run(t, "--tag-library=libc.so*=c", "--tag-fn=strdup=c", "--tag-fn=malloc=c",
                       "--tag-library=vgpreload*=c")), {"tagged_by_the_program": "own"})
    # With ** they do.
    t.equal(_tags(_run(t, "--tag-fn=**strdup=c")), {"through_libc": "c", "tagged_by_the_program": "own"})


def allocator_library(t):
    """The same library under an allocator's name: its caller counts as the allocator, and its queries are not reports."""
    own = {"tagged_by_the_program": "own"}
    program, _ = _crate(t)
    disguised, _ = _crate(t, "libhoard-test.so")
    options = ["--tag-fn=in_the_library=by caller", "--report-usable-size=yes"]
    for command, tags, reporters in ((program, own, ["explicit/crate_size"]),
                                     (disguised, dict(own, in_the_library="by caller"), [])):
        profile = t.run_command([command], options=options).profile
        t.equal(_tags(profile), tags)
        (block,) = profile.blocks_at("called_back")
        t.equal(block.reporters, reporters)


def function(t):
    own = {"tagged_by_the_program": "own"}
    t.equal(_tags(_run(t, "--tag-fn=render_*=gfx")), dict(own, render_frame="gfx"))  # xmalloc allocates for it
    t.equal(_tags(_run(t, "--tag-fn=xmallo?=x")), dict(own, render_frame="x"))
    t.equal(_tags(_run(t, "--tag-fn=**render_*=gfx")), dict(own, render_frame="gfx"))
    t.equal(_tags(_run(t, "--tag-fn=regrown=r")), dict(own, regrown="r"))


def inlined_function(t):
    own = {"tagged_by_the_program": "own"}
    t.equal(_tags(_run(t, "--tag-fn=inlined_make=i")), dict(own, around_inlined="i"))
    t.equal(_tags(_run(t, "--tag-fn=around_inlined=i")), own)
    t.equal(_tags(_run(t, "--tag-fn=around_inlined=i", "--alloc-fn=inlined_*")), dict(own, around_inlined="i"))
    t.equal(_tags(_run(t, "--tag-fn=**around_inlined=i")), dict(own, around_inlined="i"))


def first_match_wins(t):
    # The kind of the rules does not matter.
    rules = ["--tag-fn=**render_*=gfx", "--tag-fn=xmalloc=x", "--tag-library=rules=mine"]
    t.equal(_tags(_run(t, *rules))["render_frame"], "gfx")
    t.equal(_tags(_run(t, rules[1], rules[0], rules[2]))["render_frame"], "x")
    t.equal(_tags(_run(t, rules[2], rules[0], rules[1]))["render_frame"], "mine")
    t.equal(_tags(_run(t, rules[2], rules[0], rules[1]))["called_back"], "mine")


def tag_of_the_thread_wins(t):
    profile = _run(t, "--tag-fn=**main=all")
    t.equal(sorted(set(_tags(profile).values())), ["all", "own"])
    t.equal(profile.at("tagged_by_the_program"), ["104+0 tag own"])
    t.equal(profile.at("in_the_library"), ["100+4 tag all"])


def every_block_whatever_stacks_are_kept(t):
    for options in ["--stacks=partial"], ["--mode=cumulative"], ["--mode=live"]:
        profile = _run(t, "--tag-fn=many_small=small", *options)
        tagged = [block for block in profile.blocks if block.tag == "small"]
        t.equal(sum(block.num for block in tagged), 1000, str(options))
    profile = _run(t, "--tag-fn=many_small=small", "--stacks=partial")
    t.check(profile.count_at("many_small")[0] < 500, "few of the small blocks have a stack")


def names_of_cxx(t):
    run = t.run(options=["--tag-fn=gfx::Canvas::Canvas=ctor", "--tag-fn=gfx::Canvas::resize(int) const=resize",
                         "--tag-fn=gfx::Canvas::operator===equal", "--tag-fn=gfx::Canvas::operator\\()=call",
                         "--tag-fn=gfx::make<int>=make", "--tag-fn=(anonymous namespace)::*=hidden"])
    tags = {block.req: block.tag for block in run.profile.blocks_at("main")}
    t.equal(tags, {8: None, 100: "ctor", 200: "resize", 204: "equal", 208: "call", 212: "make", 216: "hidden"})
    profile = t.run(options=["--tag-fn=gfx::*=gfx", "--tag-fn=**main=rest"]).profile
    tags = {block.req: block.tag for block in profile.blocks_at("main")}
    t.equal(tags, {8: "rest", 100: "gfx", 200: "gfx", 204: "gfx", 208: "gfx", 212: "gfx", 216: "rest"})


def reporter_of_cxx(t):
    for glob in "gfx::Canvas::measure", "gfx::Canvas::measure() const", "*::measure":
        profile = t.run(options=["--report-fn=" + glob]).profile
        reported = [block for block in profile.blocks if block.reps]
        t.equal([(block.req, block.reporters) for block in reported], [(100, ["explicit/gfx::Canvas::measure"])])


def no_option_no_reports(t):
    profile = t.run().profile
    t.equal([block.describe() for block in profile.blocks if block.reps], [])
    t.equal(profile.faults, [])
    profile = t.run(options=["--report-usable-size=no"]).profile
    t.equal([block.describe() for block in profile.blocks if block.reps], [])


def _reports(profile):
    """Who reported each part of the jar, and how often."""
    parts = {100: "cookies", 200: "labels", 300: "lid", 400: "crumb", 500: "forgotten", 700: "counted", 800: "own"}
    blocks = {block.req: block for block in profile.blocks if block.req in parts}
    if sorted(blocks) != sorted(parts):
        raise Failure("not the blocks of the jar: %s" % sorted(blocks))
    reports = {}
    for req, name in parts.items():
        block = blocks[req]
        if block.reps:
            reports[name] = [path.partition("explicit/")[2] for path in block.reporters]
    return reports


def report_functions(t):
    # The innermost match is the reporter; other calls are neither reports nor faults.
    profile = t.run(options=["--report-fn=measure_jar", "--report-fn=measure_cookies*"]).profile
    t.equal(_reports(profile), {"cookies": ["measure_jar", "measure_cookies_again"], "labels": ["measure_jar"],
                                "lid": ["measure_jar", "measure_jar"]})
    t.equal(profile.faults, [])
    profile = t.run(options=["--report-fn=measure_jar", "--report-fn=measure_l*"]).profile
    t.equal(_reports(profile), {"cookies": ["measure_jar"], "labels": ["measure_labels"],
                                "lid": ["measure_jar", "measure_jar"]})


def report_stacks_begin_at_the_call(t):
    profile = t.run(options=["--report-fn=measure_labels"]).profile
    (block,) = profile.blocks_at("fill_labels")
    t.equal(block.reps, [["malloc_usable_size", "size_of", "measure_labels", "measure_jar", "main"]])


def report_usable_size(t):
    # All reports but the wrapper's; the function that calls malloc_usable_size is the reporter.
    profile = t.run(options=["--report-usable-size=yes", *t.inlined_calls()]).profile
    t.equal(_reports(profile), {"cookies": ["size_of"] * 2, "labels": ["size_of", "inlined_size_of"],
                                "lid": ["size_of"] * 2, "own": ["main"]})
    # Named functions come first, then the rest; a wrapper that is named is one of them.
    profile = t.run(options=["--report-usable-size=yes", "--report-fn=measure_*", "--report-fn=counting_*"]).profile
    t.equal(_reports(profile), {"cookies": ["measure_jar", "measure_cookies_again"],
                                "labels": ["measure_labels", "measure_inlined"],
                                "lid": ["measure_jar", "measure_jar"], "own": ["main"],
                                "counted": ["counting_malloc"]})


def report_usable_size_without_names(t):
    # A wrapper cannot be recognised then. The reporter is the file.
    profile = t.run_command([t.program(["-s"])], options=["--report-usable-size=yes"]).profile
    reported = {block.req: block.reporters for block in profile.blocks if block.reps}
    t.equal(reported, {100: ["explicit/usable"] * 2, 200: ["explicit/usable"] * 2, 300: ["explicit/usable"] * 2,
                       700: ["explicit/usable"], 800: ["explicit/usable"]})


def bad_pointer_is_a_fault(t):
    profile = t.run(options=["--report-fn=measure_the_middle"]).profile
    t.equal(_reports(profile), {})
    t.equal(profile.faults_at("measure_the_middle"), ["report-interior x 1"])
    t.equal([fault.reporter for fault in profile.faults], ["explicit/measure_the_middle"])
    t.equal(t.run(options=["--report-fn=measure_jar"]).profile.faults, [])


def modes_without_reports(t):
    for mode in "live", "cumulative":
        profile = t.run(options=["--mode=" + mode, "--report-usable-size=yes"]).profile
        t.equal([block.describe() for block in profile.blocks if block.reps], [])


def reporter_of_the_program_wins(t):
    # The scope is the main thread's; the other thread is in no scope.
    for option in "--report-fn=measure", "--report-usable-size=yes":
        profile = t.run(options=[option]).profile
        t.equal(profile.at("make"), ["100+4 reported by malloc_usable_size as explicit/named",
                                     "200+0 reported by malloc_usable_size as explicit/measure",
                                     "300+12 reported by malloc_usable_size as explicit/measure"])


def tree_shows_functions(t):
    profile = t.run(options=["--report-fn=measure_*"]).profile
    tree = commands.run([t.place.dmdv(), "tree", profile.path]).out
    for name in "measure_jar", "measure_labels", "measure_cookies_again", "heap-unclassified":
        t.contains(tree, "── " + name)


def bad_values(t):
    cases = {
        "--tag-library=box": "'box' is not of the form PATTERN=TAG",
        "--tag-fn==x": "the pattern before '=' is empty",
        "--tag-fn=**=x": "the pattern before '=' is empty",
        "--tag-fn=render=": "the tag after '=' is empty",
        "--tag-fn=render=" + "x" * 5000: "the tag is longer than 4096 bytes",
        "--report-fn=": "the pattern is empty",
        "--report-usable-size=perhaps": "'perhaps' is not one of no|yes",
    }
    for option, what in cases.items():
        run = t.run_command([t.program()], options=[option], status=1)
        said = (run.out + run.err).decode() + "".join(run.logs.values())
        t.contains(said, "Bad option: " + option[:60])
        t.contains(said, what)
        t.equal(run.profiles, {}, option)


def options_are_in_the_profile(t):
    options = ["--report-fn=measure_*", "--tag-fn=**fill_lid=lid"]
    profile = t.run(options=options).profile
    t.equal(profile.doc["invocation"]["dmdEnvVar"], " ".join(options))
    t.equal(profile.at("fill_lid"), ["300+12 tag lid reported by malloc_usable_size as explicit/measure_jar, "
                                     "malloc_usable_size as explicit/measure_jar"])

# SPDX-License-Identifier: GPL-2.0-or-later
"""The examples of docs/examples.

catalog: dmd finds its two mistakes, and it publishes what it reported; without them, it reports what its
derived twin does. webgl: the blocks of the graphics driver have the tag, and so do those of its threads if
threads inherit tags.
"""

import collections
import os
import re
import shutil

import textlog
from harness import Failure, Skip, commands, files
from harness.compiler import compiler_for

TWICE = ["explicit/catalog/products", "explicit/catalog/index/words"]


def catalog(t):
    program = os.path.join(t.builddir, "docs", "examples", "catalog")
    if not os.path.exists(program):
        raise Skip("the example was not built")
    run = t.run_command([program, "--items=2000"])
    profile = run.numbered(1)
    t.equal((len(run.profiles), profile.run["label"], profile.faults), (1, "loaded", []))
    twice = [block for block in profile.blocks if len(block.reps) == 2]
    t.equal(sum(block.num for block in twice), 2000)
    for block in twice:
        t.check("product_describe" in block.stack, "only descriptions are reported twice")
        t.equal(block.reporters, TWICE)
    dark = {block.stack[2] if block.tag is None else block.tag for block in profile.blocks if not block.reps}
    t.check({"term_add_posting", "cjson"} <= dark, "the postings are dark, and so is cJSON: %s" % dark)
    t.check(all(not block.reps for block in profile.blocks_at("term_add_posting")), "nobody reports postings")
    # And the tool names their holders.
    largest = textlog.record_blocks(textlog.dump_lines(run.log), "unreported")[0]
    t.check("term_add_posting" in "".join(textlog.parse_record(largest).allocated), "the postings come first")
    holders = sum(b.num for b in profile.blocks_at("term_add_posting") if b.stack[0] == "realloc")
    terms = sum(b.num for b in profile.blocks_at("term_new") if b.stack[0] == "calloc")
    t.check(0 < holders < terms, "some words have few postings: %d of %d" % (holders, terms))
    t.equal(largest[-1], "  100% held at +0x10 of blocks reported by explicit/catalog/index/words "
            "(in {:,} of {:,} such blocks)".format(holders, terms))
    published = re.findall(r"^  (explicit/\S+)\s+(\d+)$", run.out.decode(), re.MULTILINE)
    t.equal(len(published), 5)
    for path, szB in published:
        reported = sum(b.num * (b.req + b.slop) * b.reporters.count(path) for b in profile.blocks)
        t.equal(reported, int(szB), path)


# The fixes that README.md gives for the two mistakes in catalog_words.c.
CURES = (("      size += words_size_of(term->word);\n",
          "      size += words_size_of(term->word);\n      size += words_size_of(term->postings);\n"),
         ("  for (uint32_t i = 0; i < words->count; i++)\n    size += words_size_of(words->texts[i]);\n", ""))


def _copy_of_catalog(t):
    folder = t.new_folder()
    examples = os.path.join(t.srcdir, "docs", "examples")
    for name in os.listdir(examples):
        if re.fullmatch(r"catalog.*\.[ch]", name):
            shutil.copy(os.path.join(examples, name), folder)
    return folder


def _blocks_of_catalog(t, folder):
    """The output of the program in the folder, and its blocks: {(functions, bytes, reporters, tag): how
    many}."""
    include = os.path.join(t.builddir, "include")
    sources = sorted(name for name in os.listdir(folder) if name.endswith(".c"))
    commands.run([*compiler_for(".c"), "-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-I" + include,
                  "-I" + os.path.join(include, "valgrind"), *sources, "-lsqlite3", "-lcjson", "-o", "catalog"], folder)
    run = t.run_command([os.path.join(folder, "catalog"), "--items=2000"])
    profile = run.numbered(1)
    t.equal(profile.faults, [])
    blocks = collections.Counter()
    for block in profile.blocks:
        blocks[tuple(block.stack), block.req, block.slop, tuple(block.reporters), block.tag] += block.num
    return run.out, blocks


def catalog_derived(t):
    """Derived code reports the same blocks as correct code by hand: each under the same path, and no
    others."""
    derive = os.path.join(t.builddir, "dmd-derive")
    for path in (derive, os.path.join(t.builddir, "docs", "examples", "catalog")):
        if not os.path.exists(path):
            raise Skip("%s was not built" % os.path.basename(path))
    by_hand, derived = _copy_of_catalog(t), _copy_of_catalog(t)
    words = os.path.join(by_hand, "catalog_words.c")
    text = files.read(words)
    for wrong, right in CURES:
        t.equal(text.count(wrong), 1, wrong)
        text = text.replace(wrong, right)
    files.write(words, text)
    diff = files.read(os.path.join(t.srcdir, "docs", "examples", "catalog-derived.diff"))
    commands.run([t.need("patch"), "-p0"], derived, stdin=diff.encode())
    commands.run([derive, "-o", "measures.c", "--header=measures.h", "catalog.h", "--", "-I" + os.path.join(t.builddir, "include")], derived)
    said, blocks = _blocks_of_catalog(t, by_hand)
    said_of_derived, blocks_of_derived = _blocks_of_catalog(t, derived)
    t.equal(said_of_derived, said)
    t.check(sum(n for (_, _, _, reporters, _), n in blocks.items() if reporters) > 8000, "most blocks are reported")
    t.equal(sorted(blocks_of_derived - blocks, key=str), [], "only in the derived program")
    t.equal(sorted(blocks - blocks_of_derived, key=str), [], "only in the program by hand")


# ---- webgl ----

# Mesa's libraries by their files' names, and the libraries that compile shaders. (libgallium is Mesa 24.3 and
# later.)
DRIVER = re.compile(r"\[\S*/(libEGL|libGLES|libGLdispatch|libglapi|libgallium|libLLVM|[^/]*_dri\.so)\S* ")


def _webgl(t, *options):
    """The example's profile, and its output. The driver runs its commands in a thread of its own."""
    source = files.read(os.path.join(t.srcdir, "docs", "examples", "webgl.c"))
    flags = re.search(r"Build: cc (.*) webgl\.c (.*) -o webgl", source)
    try:
        program = t.bench.compile_text("webgl.c", source, flags.group(1).split() + flags.group(2).split())
    except Failure as failure:
        if re.search(r"(EGL|GLES2)/\S+: No such file|cannot find -l", str(failure)):
            raise Skip("no EGL or OpenGL ES to compile with") from failure
        raise
    env = {"mesa_glthread": "true"}
    native = t.run_natively([program], env=env, status=None)
    if native.status != 0 and b"EGL" in native.err:
        raise Skip("no software driver: " + native.err.decode().splitlines()[-1])
    t.contains(native.out, "explicit/webgl/driver           0 in 0 blocks")
    # With deep stacks there are 40,000 different ones, and validating the profile takes a minute.
    run = t.run_command([program], env=env, options=["--num-callers=4", *options])
    return run.numbered(1), run.out.decode()


def _count(blocks):
    return sum(block.num for block in blocks)


def _of_driver(profile):
    """The blocks that were allocated within the driver's libraries."""
    doc = profile.doc
    traces = {trace for trace, frames in doc["traceTable"].items()
              if any(DRIVER.search(doc["frameTable"][frame]) for frame in frames)}
    return [block for block, raw in zip(profile.blocks, doc["blockList"]) if raw.get("alloc") in traces]


def webgl(t):
    profile, out = _webgl(t)
    tagged = [block for block in profile.blocks if block.tag == "webgl"]
    szB = sum(block.num * (block.req + block.slop) for block in tagged)
    t.contains(out, "explicit/webgl/driver  %10d in %d blocks" % (szB, _count(tagged)))
    t.equal(sorted(b.describe() for b in profile.blocks if b.reps and b.tag), [])
    driver = _of_driver(profile)
    t.check(_count(driver) > 1000, "the driver has blocks")
    # With Mesa 22.3 all but 57 of 50,478, which it makes when it is loaded: before main.
    share = _count(b for b in driver if b.tag == "webgl") / _count(driver)
    t.check(share > 0.95, "the driver's blocks bear the tag, %.4f of them" % share)
    t.equal({block.tag for block in profile.blocks if block.thread != 1} - {"webgl"}, set())


def webgl_without_inheritance(t):
    profile, _ = _webgl(t, "--tag-threads=none")
    of_threads = [block for block in profile.blocks if block.thread != 1]
    if not of_threads:
        raise Skip("this driver's threads have no blocks")
    t.equal({block.tag for block in of_threads}, {None})
    t.check(any(block.tag == "webgl" for block in _of_driver(profile)), "the calling thread's bear the tag")

# SPDX-License-Identifier: GPL-2.0-or-later
"""The examples of docs/examples.

catalog: dmd finds its two mistakes, and what it publishes is what it reported. webgl: the blocks of the graphics driver
bear the tag, those of its threads too if threads inherit.
"""

import os
import re

import textlog
from harness import Failure, Skip, files

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
    # And the tool says where they hang.
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


# ---- webgl ----

# Mesa's libraries by their files' names, and what they compile shaders with. (libgallium is Mesa 24.3 and later.)
DRIVER = re.compile(r"\[\S*/(libEGL|libGLES|libGLdispatch|libglapi|libgallium|libLLVM|[^/]*_dri\.so)\S* ")


def _webgl(t, *options):
    """The example's profile, and what it prints. The driver has a thread of its own for what it is told to do."""
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

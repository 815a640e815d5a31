# SPDX-License-Identifier: GPL-2.0-or-later
"""The types of the blocks that Rust's containers allocate, from the functions of Rust's library that allocate them."""

import collections
import json
import os

from harness import commands
from harness.expect import Skip
from rusttest import ENGINES

# Of cases of containers.rs: type and number of the blocks, as the source says. Names of Rust's library differ between its
# releases; the first that a release has counts.
STRING = "alloc::string::String"
BYTES = "u8[]"
NODES = ("alloc::collections::btree::node::LeafNode<u8, %s>" % STRING, )
CASES = {
    "box": {("u32", ): 1},
    "vec": {("u64[]", ): 1},
    "box_of_slice": {("u16[]", ): 1},
    "heap": {(STRING + "[]", ): 1, (BYTES, ): 20},
    "deque_without_elements": {("u64[]", ): 1},
    "list": {("alloc::collections::linked_list::Node<%s>" % STRING, ): 9, (BYTES, ): 9},
    "map": {("(%s, %s)[]" % (STRING, STRING), ): 1, (BYTES, ): 200},
    "set": {("(%s, ())[]" % STRING, ): 1, (BYTES, ): 30},
    "map_of_seven": {("(u64, [u64; 5])[]", ): 1},
    "map_of_three": {("(u8, u8)[]", ): 1},
    "tree_of_one": {NODES: 1, (BYTES, ): 1},
    "map_of_arcs": {("alloc::sync::ArcInner<usize>", ): 9},
    "arc": {("alloc::sync::ArcInner<[u8; 100]>", ): 1},
    "rc_overaligned": {("alloc::rc::RcBox<containers::Overaligned>", "alloc::rc::RcInner<containers::Overaligned>"): 1},
    "box_of_trait": {("containers::Polygon", ): 1},
    "enum": {("containers::Kind[]", "containers::Kind[3]"): 1},
    "recursive": {("containers::Tree[]", "containers::Tree[2]"): 1, ("containers::Tree", ): 1},
}


def _census(t, run):
    """By reporter: the number of blocks of each type."""
    if not run.graphs:
        raise Skip("no graph was written")
    graph = os.path.join(run.folder, min(run.graphs))
    command = [t.place.dmdv(), "census", "--by=reporter,type", "--json", "--max-records=all", "--full-names", graph]
    rows = json.loads(commands.run(command).out)["rows"]
    return {row["key"]["reporter"]: _by_type(row["rows"]) for row in rows}


def _by_type(rows):
    """Bytes have the name of the function that allocated them, too, which differs between the engines."""
    types = collections.Counter()
    for row in rows:
        types[row["key"]["type"].split(" from ")[0]] += row["blocks"]
    return types


def test_containers(t):
    """Each block has the type that the program's source says, optimised or not, under both engines."""
    for flags in ((), ("--release", )):
        program = t.rust_program("containers", *flags)
        for engine in ENGINES:
            run = t.run_under(engine, [program], ("--graph=yes", "--num-callers=40", "--timeline=no"))
            census = _census(t, run)
            for case, types in CASES.items():
                found = census["explicit/" + case]
                for names, n in types.items():
                    t.equal((engine, flags, case, names, [found[name] for name in names if name in found]),
                            (engine, flags, case, names, [n]))

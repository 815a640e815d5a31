# SPDX-License-Identifier: GPL-2.0-or-later
"""The stacks of blocks that are drawn by lot equal the backtraces that gdb prints when they are allocated."""

import os
import sys

from harness import commands, files
from harness.native import NativeGraph

SQL = """create table t(a integer primary key, b text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 300)
  insert into t select i, 'row ' || i from n;
create index x on t(b);
select count(*), sum(length(b)) from t where b like '%7%' group by a % 5 order by 2;
select json_group_array(b) from t where a < 20;
create table u(c references t, d default 1, check (d > 0));
create view v as select b, d from t join u on a = c;
create trigger w after insert on u begin update t set b = 'new' where a = new.c; end;
insert into u(c) select a from t where a % 3 = 0;
select b, sum(d) from v group by b having count(*) > 0 order by 1 limit 5;
"""

# Runs in gdb. It makes free do nothing, so that an address is one allocation's. At the allocations drawn it prints the
# address of the block and the frames. A block that realloc gets is no longer that of its malloc.
SCRIPT = """
import gdb, random

ARM = "aarch64" in gdb.selected_inferior().architecture().name()
RETURN, RESULT, ARGUMENT = (0xd65f03c0, "$x0", "$x0") if ARM else (0xc3, "$rax", "$rdi")

def maps():
    for line in open("/proc/%d/maps" % gdb.selected_inferior().pid):
        words = line.split()
        first, last = (int(word, 16) for word in words[0].split("-"))
        yield range(first, last), words[1], words[-1]

def ask(text):
    return int(gdb.parse_and_eval(text)) & (1 << 64) - 1

def backtrace():
    code = [at for at, rights, _ in maps() if "x" in rights]
    frame, codes = gdb.newest_frame().older(), []
    while frame is not None and any(frame.pc() in at for at in code):
        if frame.type() in (gdb.NORMAL_FRAME, gdb.SIGTRAMP_FRAME):
            codes.append("%x" % frame.pc())
        frame = frame.older()
    return codes

gdb.execute("catch load libdmd")
gdb.execute("run", to_string=True)
base = min(at.start for at, _, path in maps() if path.endswith("/libdmd.so"))
for name, offset in PLACES.items():
    if name == "free":
        gdb.execute("set {unsigned %s}0x%x = 0x%x" % ("int" if ARM else "char", base + offset, RETURN))
    else:
        gdb.execute("break *0x%x" % (base + offset))
gdb.execute("delete 1")
draw, out, drawn = random.Random(SEED), open("backtraces", "w"), 0
malloc = next(one for one in gdb.breakpoints() if one.location == "*0x%x" % (base + PLACES["malloc"]))
while True:
    malloc.enabled = drawn < WANTED + WANTED / 2
    malloc.ignore_count = draw.randrange(3)
    gdb.execute("continue", to_string=True)
    if gdb.selected_inferior().pid == 0:
        break
    if ask("$pc") == base + PLACES["realloc"]:
        out.write("realloc %x\\n" % ask(ARGUMENT))
        continue
    codes = backtrace()
    gdb.execute("finish", to_string=True)
    out.write("malloc %x %s\\n" % (ask(RESULT), " ".join(codes)))
    drawn += 1
out.close()
"""


def exported(library):
    """The places of the functions in the library."""
    lines = commands.run(["nm", "-D", "--defined-only", library]).out.splitlines()
    return {words[2].partition("@")[0]: int(words[0], 16) for words in map(str.split, lines) if len(words) == 3}


def backtraces(folder):
    """{address: codes} of the drawn allocations that realloc did not get since."""
    found = {}
    for line in files.read(os.path.join(folder, "backtraces")).splitlines():
        kind, address, *codes = line.split()
        if kind == "malloc":
            found[int(address, 16)] = [int(code, 16) for code in codes]
        else:
            found.pop(int(address, 16), None)
    return found


def stacks_of(graph):
    """{address: codes} of the blocks, where they are in the program."""
    found = {}
    for block in graph.blocks:
        stack = graph.stacks[block.stack - 1] if block.stack else []
        found[block.address] = [code.address + (graph.objects[code.object - 1].bias if code.object else 0) for code in stack]
    return found


def same_stacks(t, wanted, command):
    """Of each second block on average, until enough are drawn."""
    gdb = t.need("gdb")
    functions = exported(t.library)
    script = "\n".join(["SEED, WANTED = 33, %d" % wanted,
                        "PLACES = %r" % {name: functions[name] for name in ("malloc", "realloc", "free")}, SCRIPT])
    environment = t.environment(["--graph=yes", "--num-callers=64"])
    settings = ["set confirm off", "set backtrace past-main on", "set debuginfod enabled off", "set startup-with-shell off",
                *["set environment %s=%s" % one for one in environment.items()]]
    folder = t.new_folder()
    files.write(os.path.join(folder, "script.py"), script)
    run = commands.run([gdb, "-nx", "-batch", *[word for line in settings for word in ("-ex", line)], "-ex", "source script.py",
                        "--args", *command], folder, commands.plain_environment(folder))
    names = os.listdir(folder)
    t.check("backtraces" in names, run.describe())
    graph = NativeGraph(os.path.join(folder, next(name for name in names if name.endswith(".graph.gz"))))
    drawn, stacks = backtraces(folder), stacks_of(graph)
    both = [address for address in drawn if address in stacks]
    for address in both:
        # The stack begins with malloc, and has the calls; gdb has where they return to.
        t.equal([code + 1 for code in stacks[address][1:]], drawn[address])
    t.check(len(both) >= wanted, "%d stacks were compared, of %d drawn and %d blocks" % (len(both), len(drawn), len(stacks)))


def test_of_python(t):
    same_stacks(t, 200, [sys.executable, "-S", "-c", "1"])


def test_of_sqlite(t):
    same_stacks(t, 100, [t.need("sqlite3"), ":memory:", SQL])

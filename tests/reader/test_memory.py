# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv memory: what the system and the memory reporters know of programs that run."""

import contextlib
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import firefox
from harness import Skip, compiler, files, prometheus
from test_openmetrics import FORMATS, Exporter

HANG_SECONDS = 60

# Runs until its standard input ends, and allocates nothing after it has printed how much is allocated.
SOURCE = r"""
#define _GNU_SOURCE
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <valgrind/dmd-reporters.h>
static char *kept[10];
static volatile int asked;
static void measure(struct dmd_reporters_call *call, void *closure) {
  long long n = 0;
  for (int i = 0; i < 10; i++)
    n += (long long)malloc_usable_size(kept[i]);
  (void)closure;
  dmd_reporters_report(call, dmd_reporters_is_anonymized(call) ? "explicit/kept/(anonymous)" : "explicit/kept/secret",
                       DMD_REPORTERS_HEAP, DMD_REPORTERS_BYTES, n, "What is \"kept\".\n\x1b[31m\xff");
  dmd_reporters_report(call, "kept", DMD_REPORTERS_OTHER, DMD_REPORTERS_COUNT, 10, NULL);
}
static void measure_badly(struct dmd_reporters_call *call, void *closure) {
  (void)closure;
  dmd_reporters_report(call, "resident", DMD_REPORTERS_OTHER, DMD_REPORTERS_BYTES, 1, NULL);
  dmd_reporters_report(call, "rss/all", DMD_REPORTERS_OTHER, DMD_REPORTERS_BYTES, 2, NULL);
  dmd_reporters_report(call, "mixed/a", DMD_REPORTERS_OTHER, DMD_REPORTERS_BYTES, 3, NULL);
  dmd_reporters_report(call, "mixed/b", DMD_REPORTERS_OTHER, DMD_REPORTERS_COUNT, 4, NULL);
  dmd_reporters_report(call, "explicit/b", DMD_REPORTERS_OTHER, DMD_REPORTERS_BYTES, 5, NULL);
  dmd_reporters_report_of(call, "init (pid 1)", "explicit/c", DMD_REPORTERS_HEAP, DMD_REPORTERS_BYTES, 6, NULL);
}
static void hang(struct dmd_reporters_call *call, void *closure) {
  (void)call, (void)closure;
  for (;;)
    pause();
}
static int write_metrics(void *file, const char *text, size_t n) {
  return fwrite(text, 1, n, file) == n ? 0 : 1;
}
static void lie(int number, siginfo_t *info, void *context) {
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  int n = sprintf(a.sun_path + 1, "dmd-reporters-1.%08x", (unsigned)info->si_value.sival_int), fd = socket(AF_UNIX, SOCK_STREAM, 0);
  static const char *lies[] = {"{\"path\":[[[[[[[[[[[[\n", "rubbish\n", "{\"path\":\"a\",\"amount\":1e99}\n{\"running\":\"\x1b[31m\xff\n",
                               "{\"end\":1}\n"};
  (void)number, (void)context;
  if (connect(fd, (struct sockaddr *)&a, sizeof a - sizeof a.sun_path + 1 + n) == 0 && write(fd, lies[asked], strlen(lies[asked])) > 0)
    asked++;
  close(fd);
}
static void become_liar(void) {
  struct sigaction action = {.sa_sigaction = lie, .sa_flags = SA_SIGINFO};
  mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, memfd_create("dmd-reporters-1", 0), 0);
  sigaction(59, &action, NULL);
}
extern int mallctl(const char *, void *, size_t *, void *, size_t) __attribute__((weak));
extern int MallocExtension_GetNumericProperty(const char *, size_t *) __attribute__((weak));
static size_t allocated(void) {
  unsigned long long epoch = 1;
  size_t n = 0, size = sizeof n;
  struct mallinfo2 m = mallinfo2();
  if (MallocExtension_GetNumericProperty != NULL)
    return MallocExtension_GetNumericProperty("generic.current_allocated_bytes", &n) ? n : 0;
  if (mallctl != NULL)
    return mallctl("epoch", NULL, NULL, &epoch, sizeof epoch) == 0 && mallctl("stats.allocated", &n, &size, NULL, 0) == 0 ? n : 0;
  return m.uordblks + m.hblkhd;
}
int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  struct pollfd input = {.fd = 0, .events = POLLIN};
  setvbuf(stdout, NULL, _IONBF, 0);
  for (int i = 0; i < 10; i++)
    memset(kept[i] = malloc(100000), 1, 100000);
  dmd_reporters_register(measure, NULL, "kept", DMD_REPORTERS_ANY_THREAD);
  if (strcmp(mode, "hangs") == 0)
    dmd_reporters_register(hang, NULL, "hang\n\x1b[31m", 0);
  if (strcmp(mode, "badly") == 0)
    dmd_reporters_register(measure_badly, NULL, "bad", 0);
  if (strcmp(mode, "thread") == 0)
    dmd_reporters_register(measure, NULL, "polled", 0);
  if (strcmp(mode, "lies") == 0)
    become_liar();
  else if (strcmp(mode, "waits") != 0)
    dmd_reporters_start(strcmp(mode, "thread") == 0 ? DMD_REPORTERS_THREAD : 0);
  if (strcmp(mode, "metrics") == 0) {
    FILE *file = fopen("own.txt", "w");
    dmd_reporters_openmetrics(write_metrics, file);
    fclose(file);
  }
  if (strcmp(mode, "forks") == 0)
    mode = fork() == 0 ? "child" : mode;
  if (strcmp(mode, "child") != 0)
    printf("%zu\n", allocated());
  if (strcmp(mode, "blocks") == 0)
    while (read(0, &input, 1) > 0)
      dmd_reporters_poll();
  while (poll(&input, 1, 5) <= 0)
    if (strcmp(mode, "never") != 0 && strcmp(mode, "thread") != 0)
      dmd_reporters_poll();
  return 0;
}
"""


class Program:
    def __init__(self, test, command, environment):
        self.test = test
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=test.folder,
                                        env={**os.environ, **environment})
        self.pid = self.process.pid
        self.allocated = int(self.process.stdout.readline())
        self.name = "%s (pid %d)" % (os.path.basename(os.path.realpath("/proc/%d/exe" % self.pid)), self.pid)

    def ask(self, *options, status=0):
        return self.test.dmdv("memory", *options, str(self.pid), status=status)

    def values(self, *options, status=0):
        """{path: amount} of all leaves."""
        document = json.loads(self.ask("--json", "--verbose", *options, status=status)[0])
        return values_of(document["processes"][0])

    def end(self):
        self.process.communicate(timeout=HANG_SECONDS)
        self.test.equal(self.process.returncode, 0, "the program's status")


def values_of(process):
    found, waiting = {}, list(process["trees"])
    while waiting:
        node = waiting.pop()
        waiting += node.get("children", [])
        if "kind" in node:
            found[node["path"]] = node["amount"]
    return found


@contextlib.contextmanager
def running(test, mode, library="libdmd-reporters.a", before=(), **environment):
    path = compiler.compile_program(test.write("app.c", SOURCE), test.path("app"), test.builddir,
                                    [os.path.join(test.builddir, library), "-pthread", "-Wl,-rpath," + test.builddir])
    program = Program(test, [*before, path, mode], environment)
    try:
        yield program
    finally:
        if program.process.poll() is None:
            program.process.kill()
        program.process.communicate()


def status_of(pid, key):
    """A number of /proc/PID/status in bytes."""
    return 1024 * int(re.search(r"^%s:\s+(\d+)" % key, files.read("/proc/%d/status" % pid), re.MULTILINE)[1])


# ---- Programs with reporters. ----


def test_a_program_that_polls(test):
    """The program is idle, so both sides see the same."""
    with running(test, "polls") as program:
        values = program.values()
        test.check(10 * 100000 <= values["explicit/kept/secret"] <= 10 * 100100, "the reporter's value")
        test.equal(values["kept"], 10)
        test.equal(values["heap-allocated"], program.allocated)
        heap = values["explicit/heap-unclassified"] + values["explicit/kept/secret"]
        test.equal(heap, program.allocated, "heap-unclassified is the rest")
        out, _ = program.ask()
        test.contains(out, program.name + "\n\nExplicit Allocations\n")
        test.contains(out, "── kept/secret\n")
        test.equal([c for c in "\x1b\x9b" if c in out], [])
        program.end()


def test_what_the_system_says(test):
    """The trees add up to what /proc/PID/status says."""
    with running(test, "polls") as program:
        program.values()
        values = program.values()
        trees = {root: sum(amount for path, amount in values.items() if path.startswith(root + "/"))
                 for root in ("size", "rss", "pss", "swap")}
        vsize, resident = status_of(program.pid, "VmSize"), status_of(program.pid, "VmRSS")
        test.check(0 <= trees["size"] - vsize <= 4096, "size, with vsyscall's page: %s, %d" % (trees, vsize))
        test.equal(values["vsize"], vsize)
        test.check(abs(trees["rss"] - resident) <= 512 << 10, "rss: %s, %d" % (trees, resident))
        test.check(abs(values["resident"] - resident) <= 512 << 10, "resident")
        test.check(values["resident-unique"] <= trees["pss"] <= trees["rss"], "pss: %s" % trees)
        test.check(values["resident-peak"] >= values["resident"], "resident-peak")
        test.check(values["page-faults-soft"] > 250, "page faults")


# Four threads with stacks of 2 MiB, of which each uses half; their malloc has arenas of its own.
THREADS = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_barrier_t ready;
static void *run(void *unused) {
  char large[1 << 20], *volatile block = malloc(1000);
  memset(large, 1, sizeof large);
  __asm__ volatile("" : : "r"(large) : "memory");
  pthread_barrier_wait(&ready);
  pause();
  return block;
}
int main(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 2 << 20);
  pthread_barrier_init(&ready, NULL, 5);
  for (int i = 0; i < 4; i++)
    pthread_create(&thread, &attributes, run, NULL);
  pthread_barrier_wait(&ready);
  puts("0");
  fflush(stdout);
  return getchar() == EOF ? 0 : 1;
}
"""


def test_stacks_of_threads(test):
    """They are apart from other anonymous memory. The kernel may join a neighbour with a stack."""
    path = compiler.compile_program(test.write("threads.c", THREADS), test.path("threads"), test.builddir, ["-pthread"])
    program = Program(test, [path], {})
    values = program.values()
    sizes = {root: values[root + "/thread-stacks/[rw-p]"] for root in ("size", "rss")}
    program.end()
    test.check(4 * ((2 << 20) - (64 << 10)) <= sizes["size"] <= (8 << 20) + (256 << 10), "%s" % sizes)
    test.check(4 << 20 <= sizes["rss"] <= (4 << 20) + (512 << 10), "%s" % sizes)


CGROUP = 'mount --bind cgroup /sys/fs/cgroup && exec "$@"'


def test_the_limit_of_the_control_group(test):
    """That of the process. Cached files are not in use."""
    with running(test, "polls") as program:
        group = files.read("/proc/%d/cgroup" % program.pid)
        is_first = any("memory" in line.split(":")[1].split(",") for line in group.splitlines())
        names = ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes") if is_first else ("memory.max", "memory.current")
        stat = ("memory/memory.stat", "total_inactive_file 1000000\n") if is_first else ("memory.stat", "inactive_file 1000000\n")
        for name, text in (names[0], "10000000\n"), (names[1], "7000000\n"), stat:
            os.makedirs(os.path.dirname(test.path("cgroup/" + name)), exist_ok=True)
            test.write("cgroup/" + name, text)
        inside = ["unshare", "-m", "sh", "-c", CGROUP, "sh"]
        if test.run([*inside, "true"], status=None).status != 0:
            raise Skip("only root can mount a file system here")
        command = [*inside, test.place.dmdv(), "memory", "--json", "--verbose", str(program.pid)]
        values = values_of(json.loads(test.run(command).out)["processes"][0])
        test.equal([values["cgroup-limit"], values["cgroup-used"]], [10000000, 6000000])
        test.equal(values["kept"], 10)


def test_the_shared_library(test):
    with running(test, "polls", library="libdmd-reporters.so.0") as program:
        test.equal(program.values()["heap-allocated"], program.allocated)
        program.end()


def test_the_environment_starts_it(test):
    with running(test, "waits") as program:
        test.contains(program.ask()[0], "note: the program has no reporters that can be asked")
        program.end()
    with running(test, "waits", DMD_REPORTERS="on") as program:
        test.equal(program.values()["kept"], 10)
        program.end()


def test_the_librarys_thread(test):
    """It runs what may run anywhere, and names the rest."""
    with running(test, "thread") as program:
        out, _ = program.ask()
        test.contains(out, "note: reporters that did not run, since the program did not poll: 1 (polled)\n")
        test.equal(program.values()["kept"], 10)
        program.end()


def test_a_program_that_blocks(test):
    """A request does not end read(2): the library's thread answers meanwhile."""
    with running(test, "blocks", DMD_REPORTERS="thread") as program:
        test.equal(program.values()["kept"], 10)
        program.end()
    with running(test, "blocks") as program:
        out, _ = program.ask("--timeout=1", status=4)
        test.contains(out, "note: the program did not poll in time; the values of its reporters are missing\n")
        program.process.stdin.write(b"x")
        program.process.stdin.flush()
        test.contains(program.ask("--timeout=1", status=4)[0], "did not poll in time")
        program.end()


def test_many_requests(test):
    with running(test, "polls") as program:
        asking = [subprocess.Popen([test.place.dmdv(), "memory", "--json", str(program.pid)], stdout=subprocess.PIPE)
                  for _ in range(20)]
        for one in asking:
            out, _ = one.communicate(timeout=HANG_SECONDS)
            test.equal(values_of(json.loads(out)["processes"][0])["kept"], 10)
        program.end()


def test_strange_values(test):
    """They cannot falsify the system's, nor another process's, nor spoil a tree."""
    with running(test, "badly") as program:
        document = json.loads(program.ask("--json", "--verbose")[0])
        by_name = {process["name"]: process for process in document["processes"]}
        other = "init (pid 1), as reported by " + program.name
        test.equal(sorted(by_name), sorted([program.name, other]))
        values = values_of(by_name[program.name])
        test.equal([values[path] for path in ("resident (reporter)", "rss (reporter)/all", "mixed/a", "mixed (count)/b")], [1, 2, 3, 4])
        test.check(values["resident"] > 1, "the system's")
        test.equal(values_of(by_name[other])["explicit/c"], 6)
        test.contains(by_name[program.name]["notes"], "note: invalid values, which are left out: 1\n")


def test_measuring_allocates_nothing(test):
    """10,000 values of 500 reporters, in the program and for dmdv: no block of the program's heap, and 256 KiB at most."""
    source = os.path.join(test.srcdir, "perf", "programs", "collect.c")
    path = compiler.compile_program(source, test.path("collect"), test.builddir,
                                    ["-O2", os.path.join(test.builddir, "libdmd-reporters.a"), "-pthread"])
    _, allocations, own = test.run([path, "collect", "3"]).out.split()[1:]
    test.equal(allocations, "0", "in the program")
    with subprocess.Popen([path, "answer", "2"], stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        for _ in range(2):
            values = values_of(json.loads(test.dmdv("memory", "--json", "--verbose", str(process.pid))[0])["processes"][0])
            test.equal(sum(path.startswith("explicit/part") for path in values), 10000)
        _, allocations, own = process.stdout.read().split()
    test.equal(allocations, "0", "for dmdv")
    test.check(0 < int(own) <= 256 << 10, "the library's memory: " + own)


ALLOCATORS = {  # what each says of its overhead
    "libjemalloc.so*": {"bin-unused", "bookkeeping", "page-cache"},
    "libtcmalloc_minimal.so*": {"page-cache", "thread-caches", "central-cache", "transfer-cache"},
    "libmimalloc.so*": set(),
}


def test_other_allocators(test):
    """Their own figures, as the program itself gets them: its blocks, and a little more."""
    found = {name: glob.glob("/usr/lib/*/" + name) for name in ALLOCATORS}
    if not any(found.values()):
        raise Skip("no other allocator: install libjemalloc2, libtcmalloc-minimal4, libmimalloc2.0")
    for name, overhead in ALLOCATORS.items():
        if not found[name]:
            continue
        with running(test, "polls", LD_PRELOAD=found[name][0]) as program:
            values = program.values()
            begin = "explicit/heap-overhead/"
            test.equal({path[len(begin):] for path in values if path.startswith(begin)}, overhead, name)
            if overhead:
                test.equal(values["heap-allocated"], program.allocated, name)
                rest = values["heap-allocated"] - values["explicit/kept/secret"]
                test.check(0 <= rest < 300_000, "%s: %d bytes beside the program's" % (name, rest))
            test.check(values["heap-mapped"] >= values["explicit/kept/secret"] >= 10 * 100000, name)
            program.end()


PLUGIN = r"""
#include <valgrind/dmd-reporters.h>
static int id, amount = 7;
static void measure(struct dmd_reporters_call *call, void *closure) {
  dmd_reporters_report(call, "plugin", DMD_REPORTERS_OTHER, DMD_REPORTERS_COUNT, *(int *)closure, NULL);
}
__attribute__((constructor)) static void begin(void) { id = dmd_reporters_register(measure, &amount, "plugin", DMD_REPORTERS_ANY_THREAD); }
__attribute__((destructor)) static void end(void) { dmd_reporters_unregister(id); }
"""
LOADER = r"""
#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>
#include <valgrind/dmd-reporters.h>
int main(int argc, char **argv) {
  struct pollfd input = {.fd = 0, .events = POLLIN};
  dmd_reporters_start(DMD_REPORTERS_THREAD);
  puts("0");
  fflush(stdout);
  while (poll(&input, 1, 0) <= 0) {
    void *plugin = dlopen(argv[1], RTLD_NOW);
    if (plugin == NULL || argc != 2)
      return 1;
    usleep(500);
    dlclose(plugin);
    if (dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != NULL)
      return 2;
  }
  return 0;
}
"""


def test_a_plugin_that_comes_and_goes(test):
    """Its reporter runs while it is loaded, and never afterwards."""
    library = [os.path.join(test.builddir, "libdmd-reporters.so.0"), "-pthread", "-Wl,-rpath," + test.builddir]
    plugin = compiler.compile_program(test.write("plugin.c", PLUGIN), test.path("plugin.so"), test.builddir, ["-shared", "-fPIC", *library])
    loader = compiler.compile_program(test.write("loader.c", LOADER), test.path("loader"), test.builddir, [*library, "-ldl"])
    program = Program(test, [loader, plugin], {})
    seen = set()
    try:
        while len(seen) < 2:
            seen.add(program.values().get("plugin"))
        test.equal(seen, {None, 7})
        program.end()
    finally:
        program.process.kill()
        program.process.communicate()


# ---- Programs that do not answer. ----


def test_a_program_that_never_polls(test):
    with running(test, "never") as program:
        out, _ = program.ask("--timeout=1", status=4)
        test.contains(out, "note: the program did not poll in time; the values of its reporters are missing\n")
        test.contains(out, " ── resident\n")
        program.end()


def test_a_reporter_that_hangs(test):
    """It has a name, and what others said before is there."""
    with running(test, "hangs") as program:
        out, _ = program.ask("--timeout=1", status=4)
        test.contains(out, 'note: the reporter "hang')
        test.contains(out, '\\x1b[31m" did not return within 1 s; its values')
        test.contains(out, "── kept\n")
        test.contains(program.ask("--timeout=1", status=4)[0], "did not poll in time")


def test_answers_of_a_hostile_process(test):
    with running(test, "lies") as program:
        for _ in range(4):
            out, err = test.dmdv("memory", "--timeout=1", str(program.pid), status=None)
            test.equal(err, "")
            test.contains(out, " ── resident\n")
            test.equal([c for c in "\x1b\x9b" if c in out], [])
        program.end()


def test_a_program_without_the_library(test):
    """Gets no signal, which would end it."""
    process = subprocess.Popen([sys.executable, "-c", "import time; print(1, flush=True); time.sleep(60)"], stdout=subprocess.PIPE)
    try:
        process.stdout.readline()
        out, _ = test.dmdv("memory", str(process.pid))
        test.contains(out, "note: the program has no reporters that can be asked")
        test.contains(out, "── brk-heap/[rw-p]\n")
        before = status_of(process.pid, "VmRSS")
        values = values_of(json.loads(test.dmdv("memory", "--json", "--verbose", str(process.pid))[0])["processes"][0])
        after = status_of(process.pid, "VmRSS")
        rss = sum(amount for path, amount in values.items() if path.startswith("rss/"))
        for amount in values["resident"], rss:  # the kernel's counters lag behind
            test.check(min(before, after) - (512 << 10) <= amount <= max(before, after) + (512 << 10), "%d, %d, %s" % (before, after, values))
        test.equal(values["vsize"], status_of(process.pid, "VmSize"))
        time.sleep(0.1)
        test.equal(process.poll(), None, "it still runs")
    finally:
        process.kill()
        process.communicate()
    test.contains(test.error("memory", str(process.pid), status=3), "process %d does not exist" % process.pid)


def test_another_user(test):
    if os.geteuid() != 0:
        raise Skip("only root can be another user")
    with running(test, "polls") as program:
        try:
            done = subprocess.run([test.place.dmdv(), "memory", str(program.pid)], user=65534, group=65534, extra_groups=[],
                                  capture_output=True, text=True, check=False)
        except PermissionError:
            raise Skip("another user cannot run dmdv where it is built")
        test.equal((done.returncode, done.stdout), (3, ""))
        test.contains(done.stderr, "the system denies access to the mappings of process %d" % program.pid)
        program.end()


# Asks as a user, and prints how many bytes the first part of the answer has.
ASKS = """
import ctypes, os, socket, sys
pid, number, user = map(int, sys.argv[1:])
asks = socket.socket(socket.AF_UNIX)
asks.bind("\\0dmd-reporters-1.%08x" % number)
if os.fork() == 0:
    os.setuid(user)
    asks.listen()  # from here on the socket is this user's
    os._exit(0)
os.wait()
class Value(ctypes.Union):
    _fields_ = [("number", ctypes.c_int), ("pointer", ctypes.c_void_p)]
assert ctypes.CDLL(None).sigqueue(pid, 59, Value(number=number)) == 0
print(len(asks.accept()[0].recv(1 << 16)))
"""


def test_a_socket_of_another_user(test):
    """Whoever sends the signal: the program tells nothing to a socket that is neither root's nor of its own user."""
    if os.geteuid() != 0:
        raise Skip("only root can be another user")
    with running(test, "polls") as program:
        for user, is_told in (65534, False), (0, True):
            asks = test.run([sys.executable, "-c", ASKS, str(program.pid), str(os.getpid() * 8 + 2), str(user)])
            test.equal(int(asks.out) > 0, is_told, "user %d" % user)
        test.equal(program.values()["kept"], 10)
        program.end()


def test_root_opens_no_file_for_another_user(test):
    """Whatever a process says and maps: beside /proc, dmdv's own files and its output, root opens none, and asks for none."""
    if os.geteuid() != 0 or shutil.which("strace") is None or test.run(["strace", "-o", "/dev/null", "true"], status=None).status != 0:
        raise Skip("needs root and strace")
    before = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    for folder in test.folder, os.path.dirname(test.folder):
        os.chmod(folder, 0o711)
    if test.run([*before, "test", "-x", test.folder], status=None).status != 0:
        raise Skip("another user cannot run a program here")
    out, calls = test.path("out.json.gz"), test.path("calls.txt")
    with running(test, "lies", before=before) as program:
        for _ in range(4):
            done = test.run(["strace", "-f", "-qq", "-s4096", "-e", "trace=%file", "-o", calls, test.place.dmdv(), "memory", "--timeout=1", "-o", out,
                             str(program.pid)], status=None)
            test.check(os.path.exists(out), done.err)
            os.remove(out)
            asked = re.sub(r'(readlink\w*\(.*?"[^"]*"), ".*', r"\1", re.sub(r"execve\(.*", "", files.read(calls)))
            paths = set(re.findall(r'"([^"]*)"', asked))
            test.check("/proc/%d/smaps" % program.pid in paths, "%s" % paths)
            steps = {"", "/", ".", test.folder, out, *out.split("/")}  # dmdv follows the path of the output itself
            own = ("/proc/", "/dev/", "/etc/", "/lib", "/usr/", "/sys/fs/cgroup", test.builddir)
            test.equal(sorted(path for path in paths - steps if not path.startswith(own)), [])
        program.end()


def test_another_network(test):
    """Root can ask a process in a container."""
    before = ["unshare", "--net"]
    if test.run([*before, "true"], status=None).status != 0:
        raise Skip("the system does not allow another network namespace")
    with running(test, "polls", before=before) as program:
        test.equal(program.values()["kept"], 10)
        program.end()


# ---- Files and options. ----


def test_a_file_of_a_process_and_its_child(test):
    with running(test, "forks") as program:
        program.ask("--children", "-o", "m.json.gz")
        document = json.loads(test.run(["gzip", "-dc", "m.json.gz"]).out)
        test.equal((document["version"], document["hasMozMallocUsableSize"]), (1, True))
        names = {report["process"] for report in document["reports"]}
        test.equal(len(names), 2)
        test.equal(sum(report["path"] == "kept" and report["amount"] == 10 for report in document["reports"]), 2)
        test.check("explicit/heap-unclassified" not in {report["path"] for report in document["reports"]}, "readers compute it")
        shown, _ = test.dmdv("tree", "m.json.gz")
        test.equal(sorted(re.findall(r"^End of (.*)", shown, re.MULTILINE)), sorted(names))
        program.end()


def fill_baskets(path, items, n_clients):
    """Each client keeps its connection, and so its worker."""
    clients = []
    for n in range(n_clients):
        clients.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
        clients[n].connect(path)
    for i in range(items):
        clients[i % n_clients].send(b"thing" * (i % 50 + 1))
    return clients


def test_the_example_with_children(test):
    """docs/examples/shop.c: a server with three workers, in one answer and one file. One that is stopped is named."""
    flags = [os.path.join(test.builddir, "libdmd-reporters.a"), "-pthread", "-std=gnu11"]
    shop = compiler.compile_program(os.path.join(test.srcdir, "docs/examples/shop.c"), test.path("shop"), test.builddir, flags)
    with subprocess.Popen([shop, "shop.socket", "3"], stdout=subprocess.PIPE, cwd=test.folder, start_new_session=True) as process:
        try:
            test.equal(process.stdout.readline(), b"ready\n")
            clients = fill_baskets(test.path("shop.socket"), 600, 3)
            baskets = {}
            while sum(baskets.values()) < 600:  # the workers take what was sent
                test.dmdv("memory", "--children", "-o", "m.json.gz", str(process.pid))
                found = {p["name"]: values_of(p) for p in json.loads(test.dmdv("tree", "--json", "--verbose", "m.json.gz")[0])["processes"]}
                baskets = {name: values["baskets"] for name, values in found.items()}
            parent = "shop (pid %d)" % process.pid
            test.equal(sorted(baskets.values()), [0, 200, 200, 200])
            test.equal(baskets[parent], 0, "the parent's")
            for name, values in found.items():
                test.check(80000 <= values["explicit/prices"] <= 80032, name)
                test.check(values["explicit/heap-unclassified"] <= 0.1 * values["heap-allocated"], "%s: %s" % (name, values))
            # 8 bytes and a packet of 5 to 250 in each block; glibc's chunks have 8 more, and are multiples of 16.
            blocks = sum((8 + 5 * (i % 50 + 1) + 8 + 15) // 16 * 16 - 8 for i in range(600))
            test.equal(sum(values["explicit/baskets"] for values in found.values()), blocks)
            pids = {name: int(name.split()[-1][:-1]) for name in found}
            before = {name: status_of(pid, "VmRSS") for name, pid in pids.items()}
            document = json.loads(test.dmdv("memory", "--children", "--json", "--verbose", str(process.pid))[0])
            for values, name in ((values_of(p), p["name"]) for p in document["processes"]):
                least, most = sorted((before[name], status_of(pids[name], "VmRSS")))
                test.check(least - (512 << 10) <= values["resident"] <= most + (512 << 10), "%s: %d, %d, %s" % (name, least, most, values))
            stopped = next(int(name.split()[-1][:-1]) for name in sorted(found) if name != parent)
            os.kill(stopped, signal.SIGSTOP)
            out, _ = test.dmdv("memory", "--children", "--timeout=1", str(process.pid), status=4)
            test.contains(out.partition("shop (pid %d)" % stopped)[2], "note: the program did not poll in time")
            test.equal((out.count("note: "), len(clients)), (1, 3))
        finally:
            os.killpg(process.pid, signal.SIGKILL)


# What about:memory shows of a file: the lines of its trees without their folded parts, by process, and its warnings.
ABOUT_MEMORY = """
const window = Services.wm.getMostRecentWindow("navigator:browser");
const tab = window.gBrowser.addTrustedTab("about:memory?file=" + encodeURIComponent(arguments[0]));
const all = (part, selector) => Array.from(part.querySelectorAll(selector));
return (async () => {
  let page;
  do {
    await new Promise(done => window.setTimeout(done, 20));
    page = tab.linkedBrowser.contentDocument;
  } while (!page || !page.querySelector(".sections, .badInputWarning"));
  const warnings = all(page, ".accuracyWarning, .badInputWarning, .invalid").map(e => e.textContent).filter(text => text !== "");
  all(page, ".kids.hidden").forEach(part => part.remove());
  const lines = section => all(section, "pre.entries").flatMap(e => e.textContent.split("\\n")).filter(line => line !== "");
  return [Object.fromEntries(all(page, ".section").map(e => [e.querySelector("h1").textContent, lines(e)])), warnings];
})();
"""


def test_firefox(test):
    """Its about:memory has no warning for a file of two processes, and shows the trees that dmdv shows, line by line."""
    with running(test, "forks") as program:
        program.ask("--children", "-o", "m.json.gz")
        program.end()
    with firefox.Firefox(test.folder) as browser:
        theirs, warnings = browser.run(ABOUT_MEMORY, test.path("m.json.gz"))
    test.equal(warnings, [])
    shown, _ = test.dmdv("tree", "m.json.gz")
    shown = re.sub(r"\d+\.\d\d KB ", "0.00 MB ", shown)  # which Firefox always counts in MB
    ours = {name: [line for line in text.split("\n") if re.search(" (--|──|\\+\\+) ", line)]
            for text, name in re.findall(r"(.*?)^End of (.*?)$", shown, re.MULTILINE | re.DOTALL)}
    test.equal(theirs, ours)
    test.check(len(ours) == 2 and all(len(lines) > 30 for lines in ours.values()), "%s" % ours)


def test_differences(test):
    with running(test, "polls") as program:
        program.ask("-o", "m.json")
        program.ask()
        out, _ = program.ask("--diff", "m.json")
        test.check("kept" not in out, "the program is idle: " + out)
    with running(test, "badly") as program:
        out, _ = program.ask("--diff", "m.json")
        test.contains(out, "-- mixed (count)\n")
        test.contains(out, "── b [+]")


def test_anonymize(test):
    with running(test, "polls") as program:
        values = program.values("--anonymize")
        test.check("explicit/kept/(anonymous)" in values and "explicit/kept/secret" not in values, "the reporter")
        test.equal([path for path in values if "/app/" in path], [])
        test.check([path for path in values if "/other-files/(anonymous)/" in path] != [], "files")


# ---- Monitoring, watching, the machine. ----


def series_of(text):
    """{(process, pid, path): value}"""
    pattern = r'dmd_memory_\w+\{(?:process="(.*?)",(?:pid="(\d+)",)?)?path="(.*?)",kind="\w+"\} (\S+)$'
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    found = [re.fullmatch(pattern, line) for line in lines]
    test_lines = [line for line, match in zip(lines, found) if match is None]
    assert not test_lines, test_lines
    return {match.groups()[:3]: float(match[4]) for match in found}


def test_openmetrics(test):
    """dmdv's and the library's own text are in order for promtool, and have equal values."""
    with running(test, "metrics") as program:
        text, _ = program.ask("--format=openmetrics")
        own = files.read(test.path("own.txt"))
        for each in text, own:
            test.check(each.endswith("# EOF\n"), each)
            if shutil.which("promtool"):
                done = subprocess.run(["promtool", "check", "metrics"], input=each, capture_output=True, text=True, check=False)
                test.equal((done.returncode, done.stderr), (0, ""), "promtool")
        series = series_of(text)
        name = program.name.partition(" (pid")[0]
        for path, value in (("kept", 10), ("heap-allocated", program.allocated)):
            test.equal(series[name, str(program.pid), path], value)
        mine = series_of(own)
        for path in "kept", "explicit/kept/secret":
            test.equal(mine[None, None, path], series[name, str(program.pid), path])
        heap = sum(mine[None, None, path] for path in ("explicit/kept/secret", "explicit/heap-unclassified"))
        test.equal(heap, mine[None, None, "heap-allocated"])


def test_prometheus_scrapes_it(test):
    prometheus.need()
    with running(test, "polls") as program:
        text, _ = program.ask("--format=openmetrics")
        with Exporter(text, FORMATS[0]) as exporter, prometheus.Prometheus(test.folder, test.path("data"), [exporter.address]) as server:
            result = server.wait_for('dmd_memory_bytes{path="heap-allocated"}')
            test.equal([(labels["pid"], int(value)) for labels, (_, value) in result], [(str(program.pid), program.allocated)])


@contextlib.contextmanager
def listening(test, *operands):
    """The address of a dmdv memory --listen."""
    process = subprocess.Popen([test.place.dmdv(), "memory", "--listen=127.0.0.1:0", *operands], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        if line == "" and "built without libmicrohttpd" in process.stderr.read():
            raise Skip("this dmdv was built without libmicrohttpd")
        yield re.fullmatch(r"listening on http://(127\.0\.0\.1:\d+)/metrics\n", line)[1]
    finally:
        process.kill()
        process.communicate()


def get(address, path, **headers):
    request = urllib.request.Request("http://%s%s" % (address, path), headers=headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ""


def test_prometheus_scrapes_dmdv(test):
    """Each scrape measures anew."""
    prometheus.need()
    with running(test, "polls") as program, listening(test, str(program.pid)) as address:
        with prometheus.Prometheus(test.folder, test.path("data"), [address]) as server:
            result = server.wait_for('dmd_memory_bytes{path="heap-allocated"}')
            test.equal([(labels["pid"], int(value)) for labels, (_, value) in result], [(str(program.pid), program.allocated)])


def without_page(test):
    return "built without the page" in test.dmdv("view", "--page-only", "-o", "page.html", status=None)[1]


def test_the_page_is_served(test):
    """Its address names what it fetches: the memory, measured anew, and the file to compare with."""
    if without_page(test):
        raise Skip("this dmdv was built without the page")
    with running(test, "polls") as program:
        test.dmdv("memory", "-o", "old.json", str(program.pid))
        with listening(test, "--view", "--watch=3", "--diff=" + test.path("old.json"), str(program.pid)) as address:
            status, page = get(address, "/?url=memory.json")
            test.equal(status, 200)
            test.equal(page, files.read(test.path("page.html")), "the page without data")
            status, text = get(address, "/memory.json")
            test.equal(status, 200)
            test.check("explicit/heap-unclassified" not in text, "readers compute it")
            paths = {report["path"]: report["amount"] for report in json.loads(text)["reports"]}
            old = {report["path"]: report["amount"] for report in json.loads(get(address, "/old.json")[1])["reports"]}
            test.equal(paths["heap-allocated"], program.allocated)
            test.equal(old["heap-allocated"], program.allocated)
            test.equal(get(address, "/memory.json", Host="evil.example")[0], 403)
            test.equal(get(address, "/", Host="evil.example")[0], 403)
            test.equal(get(address, "/metrics")[0], 200)
            test.equal(get(address, "/else")[0], 404)
            program.end()
            test.equal(get(address, "/memory.json")[0], 503)
        with listening(test, str(os.getpid())) as address:
            for path in ("/", "/memory.json", "/old.json"):
                test.equal(get(address, path)[0], 404, path + " without --view")


def test_requests_that_are_refused(test):
    with running(test, "polls") as program, listening(test, str(program.pid)) as address:
        test.equal(get(address, "/metrics")[0], 200)
        test.equal(get(address, "/metrics", Host="localhost:1")[0], 200)
        test.equal(get(address, "/metrics", Host="evil.example")[0], 403)
        test.equal(get(address, "/")[0], 404)
        program.end()
        test.equal(get(address, "/metrics")[0], 503)


def test_build_without_libmicrohttpd(test):
    """The options that need a server say so; all else works."""
    missing = "dmdv: memory: this dmdv was built without libmicrohttpd, which --listen and --view need"
    if test.error("memory", "--listen=", "1") != missing:
        raise Skip("this dmdv has libmicrohttpd")
    if not without_page(test):
        test.equal(test.error("memory", "--view", str(os.getpid())), missing)
    test.contains(test.dmdv("memory", str(os.getpid()))[0], " ── resident\n")


def test_wrong_addresses(test):
    for address in "127.0.0.1", "localhost:80", "1.2.3.4:70000", "127.0.0.1:x":
        err = test.error("memory", "--listen=" + address, "1")
        test.check("is not an address such as" in err or "built without libmicrohttpd" in err, err)


GONE = "dmdv: memory: process %d does not exist\n"


def test_watch(test):
    """It ends with the process; not in a terminal, it prints whole trees."""
    with running(test, "polls") as program:
        watching = subprocess.Popen([test.place.dmdv(), "memory", "--watch=1", str(program.pid)], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True)
        trees = 0
        while trees < 2:
            line = watching.stdout.readline()
            test.check(line != "", "it goes on")
            trees += line == "End of %s\n" % program.name
        program.end()
        rest, message = watching.communicate(timeout=HANG_SECONDS)
        test.equal((watching.returncode, "\x1b" in rest, message), (3, False, GONE % program.pid))


def test_watch_in_a_terminal(test):
    """The second tree replaces the first, and has what changed in bold."""
    ours, theirs = os.openpty()
    grows = subprocess.Popen([sys.executable, "-uc", "a = []\nwhile True:\n  a.append(bytearray(1 << 16)); import time; time.sleep(0.01)"])
    watching = subprocess.Popen([test.place.dmdv(), "memory", "--watch=1", str(grows.pid)], stdout=theirs, stderr=subprocess.PIPE)
    os.close(theirs)
    text = b""
    while b"\x1b[1m" not in text.rpartition(b"\x1b[H\x1b[J")[2]:
        text += os.read(ours, 65536)
    grows.kill()
    grows.wait()
    with contextlib.suppress(OSError):
        while part := os.read(ours, 65536):
            text += part
    os.close(ours)
    message = watching.communicate(timeout=HANG_SECONDS)[1]
    test.equal((watching.returncode, message.decode()), (3, GONE % grows.pid))
    test.check(text.count(b"\x1b[H\x1b[J") >= 2, "drawn again")
    test.check(re.search(rb"\x1b\[1m[^\n]*resident", text) is not None, "resident has changed")


def test_the_machine(test):
    with running(test, "polls") as program:
        document = json.loads(test.dmdv("memory", "--all", "--json", "--verbose")[0])
        system = {process["name"]: values_of(process) for process in document["processes"]}["System"]
        total = int(re.search(r"^MemTotal:\s+(\d+)", files.read("/proc/meminfo"), re.MULTILINE)[1]) * 1024
        test.equal(sum(system.values()), total)
        test.check(300_000 < system["mem/processes/" + program.name] < 50 << 20, "the program's share")


def test_wrong_command_lines(test):
    test.contains(test.error("memory"), "give one or more process ids")
    test.contains(test.error("memory", "0"), "0 is not a process id")
    test.contains(test.error("memory", "--json", "-o", "x", "1"), "--output works neither with")
    test.contains(test.error("memory", "--format=openmetrics", "--json", "1"), "--format=openmetrics works neither with")
    test.contains(test.error("memory", "--watch=1", "--json", "1"), "--watch works neither with")

/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "dmdv/run/attach.h"

#include "base/str.h"
#include "dmdv/run/controlled.h"
#include "dmdv/run/preloadable.h"
#include "host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* ---- What gdb does ---- */

/* Prints lines that begin with "dmd:". Texts from the process are in hexadecimal.
 *
 * A thread is busy, and must not call dlopen or the allocator, while one of its functions is one of
 * theirs. The calls change errno, which the thread may be about to read. */
static const char script[] =
    "set confirm off\n"
    "set pagination off\n"
    "set unwindonsignal on\n"
    "set scheduler-locking off\n"
    "handle all nostop noprint pass\n"
    "python\n"
    "import gdb\n"
    "\n"
    "BUSY = {'malloc', 'free', 'cfree', 'calloc', 'realloc', 'reallocarray', 'memalign', 'valloc', "
    "'pvalloc',\n"
    "        'posix_memalign', 'aligned_alloc', 'malloc_trim', 'malloc_usable_size', 'mallopt', "
    "'mallinfo',\n"
    "        'dlopen', 'dlmopen', 'dlclose', 'dlsym', 'dlvsym', 'dladdr', 'dlinfo', "
    "'dl_iterate_phdr', 'fork',\n"
    "        'vfork', 'daemon', 'clone', 'exit', '_exit', 'quick_exit', 'abort', "
    "'pthread_create'}\n"
    "BUSY_BEGIN = ('__libc_malloc', '__libc_free', '__libc_calloc', '__libc_realloc', "
    "'__libc_memalign', '__libc_fork',\n"
    "              '_int_', '_dl_', '__dl', 'malloc_', 'sysmalloc', 'operator new', 'operator "
    "delete', 'je_', '_rjem_',\n"
    "              'mi_', 'tc_', 'mallocx', 'rallocx', 'xallocx', 'dallocx', 'sdallocx', "
    "'__run_exit')\n"
    "BUSY_LIBRARY = ('/ld-linux', '/libdmd.so', '/libjemalloc', '/libtcmalloc', '/libmimalloc')\n"
    "\n"
    "def is_busy(thread):\n"
    "    thread.switch()\n"
    "    frame = gdb.newest_frame()\n"
    "    while frame is not None:\n"
    "        name = frame.name() or ''\n"
    "        library = gdb.solib_name(frame.pc()) or ''\n"
    "        if name in BUSY or name.startswith(BUSY_BEGIN) or any(part in library for part in "
    "BUSY_LIBRARY):\n"
    "            return True\n"
    "        frame = frame.older()\n"
    "    return False\n"
    "\n"
    "def call(what, *arguments):\n"
    "    return int(gdb.parse_and_eval('(%s)(%s)' % (what, ', '.join('0x%x' % a for a in "
    "arguments))))\n"
    "\n"
    "def malloc(text):\n"
    "    at = call('(unsigned long (*)(unsigned long))malloc', len(text) + 1)\n"
    "    if at == 0:\n"
    "        raise gdb.error('the process has no memory left')\n"
    "    gdb.selected_inferior().write_memory(at, text + b'\\0')\n"
    "    return at\n"
    "\n"
    "def free(at):\n"
    "    call('(unsigned long (*)(unsigned long))free', at)\n"
    "\n"
    "def text_at(at):\n"
    "    text = b''\n"
    "    while at != 0 and len(text) < 8192:\n"
    "        byte = bytes(gdb.selected_inferior().read_memory(at + len(text), 1))\n"
    "        if byte == b'\\0':\n"
    "            break\n"
    "        text += byte\n"
    "    return text\n"
    "\n"
    "def say(what, text):\n"
    "    print('dmd:%s:%s' % (what, text.hex()), flush=True)\n"
    "\n"
    "def attach(library, options):\n"
    "    at = malloc(library)\n"
    "    handle = call('(unsigned long (*)(unsigned long, int))dlopen', at, 2)\n"
    "    free(at)\n"
    "    if handle == 0:\n"
    "        say('refused', text_at(call('(unsigned long (*)(void))dlerror')))\n"
    "        return\n"
    "    at = malloc(options)\n"
    "    say('attached', text_at(call('(unsigned long (*)(unsigned long))dmd_native_attach', "
    "at)))\n"
    "    free(at)\n"
    "\n"
    "def detach():\n"
    "    say('detached', text_at(call('(unsigned long (*)(void))dmd_native_detach')))\n"
    "\n"
    "def work(what):\n"
    "    threads = sorted(gdb.selected_inferior().threads(), key=lambda thread: thread.num)\n"
    "    for thread in threads:\n"
    "        if not is_busy(thread):\n"
    "            thread.switch()\n"
    "            error_at = call('(unsigned long (*)(void))__errno_location')\n"
    "            error = bytes(gdb.selected_inferior().read_memory(error_at, 4))\n"
    "            what()\n"
    "            gdb.selected_inferior().write_memory(error_at, error)\n"
    "            return\n"
    "    say('busy', b'')\n"
    "\n"
    "try:\n"
    "    if gdb.selected_inferior().threads():\n"
    "        work(WORK)\n"
    "except Exception as error:\n"
    "    say('failed', str(error).encode())\n"
    "end\n"
    "detach\n"
    "quit\n";

enum { MOST_OUTPUT = 1 << 16 };

/* Appends a text as an expression of Python's. */
static void add_bytes(dmd_strbuf_t *to, const char *text) {
  char digits[3];
  dmd_strbuf_str(to, "bytes.fromhex('");
  for (; *text != '\0'; text++) {
    snprintf(digits, sizeof digits, "%02x", (unsigned char)*text);
    dmd_strbuf_str(to, digits);
  }
  dmd_strbuf_str(to, "')");
}

/* Returns a descriptor of a file in memory with the script, which does this work; -1, with errno
 * set, if that fails. */
static int make_script(const char *work) {
  static const char place[] = "WORK)";
  const char *at = strstr(script, place);
  int fd = memfd_create("dmd-attach", 0);
  if (fd >= 0 && (dprintf(fd, "%.*s%s)", (int)(at - script), script, work) < 0 ||
                  dprintf(fd, "%s", at + strlen(place)) < 0)) {
    close(fd);
    return -1;
  }
  return fd;
}

/* ---- Running gdb ---- */

static int spawn(const char *const *argv, int output, pid_t *child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  /* Ctrl-C must not end gdb while the process runs one of its calls. */
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  int error = posix_spawnp(child, argv[0], &actions, &attributes, (char *const *)argv, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static void read_all(int fd, dmd_strbuf_t *text) {
  char part[4096];
  ssize_t n;
  while ((n = read(fd, part, sizeof part)) > 0 || (n < 0 && errno == EINTR))
    if (n > 0 && text->n < MOST_OUTPUT)
      dmd_strbuf_bytes(text, part, (size_t)n);
}

/* Returns an errno, or 0. */
static int run_gdb(uint32_t pid, int script_fd, dmd_strbuf_t *output) {
  char number[16], file[32];
  int ends[2], status;
  pid_t child;
  snprintf(number, sizeof number, "%u", pid);
  snprintf(file, sizeof file, "/proc/self/fd/%d", script_fd);
  /* Without a program's unwind information gdb would not see that a thread is in the allocator: so
   * not -readnever. Separate debug files would only take time. */
  const char *argv[] = {"gdb",
                        "-nx",
                        "-batch",
                        "-iex",
                        "set auto-load off",
                        "-iex",
                        "set debuginfod enabled off",
                        "-iex",
                        "set debug-file-directory /dev/null",
                        "-p",
                        number,
                        "-x",
                        file,
                        NULL};
  if (pipe2(ends, O_CLOEXEC) != 0)
    return errno;
  int error = spawn(argv, ends[1], &child);
  close(ends[1]);
  if (error == 0) {
    read_all(ends[0], output);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
      continue;
  }
  close(ends[0]);
  return error;
}

/* ---- What gdb said ---- */

static int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Finds the line "dmd:WHAT:TEXT" and decodes its text. */
static bool find_answer(const char *output, const char *what, dmd_strbuf_t *text) {
  char line[32];
  snprintf(line, sizeof line, "dmd:%s:", what);
  const char *at = strstr(output, line);
  if (at == NULL)
    return false;
  dmd_strbuf_cut(text, 0);
  for (at += strlen(line); digit(at[0]) >= 0 && digit(at[1]) >= 0; at += 2) {
    char byte = (char)(digit(at[0]) << 4 | digit(at[1]));
    dmd_strbuf_bytes(text, &byte, 1);
  }
  return true;
}

static void say_failed(uint32_t pid, const char *output) {
  if (strstr(output, "Operation not permitted") != NULL)
    dmdv_error("run: the system does not let gdb control process %u: run dmdv as root, or allow it "
               "in /proc/sys/kernel/yama/ptrace_scope",
               pid);
  else if (strstr(output, "Python") != NULL && strstr(output, "dmd:") == NULL)
    dmdv_error("run: this gdb has no Python: install the package gdb");
  else
    dmdv_error("run: gdb could not control process %u: %s", pid, output);
}

enum { TRIES = 50, PAUSE_MS = 20 };

/* Appends the text of the answer to one of the lines that done names. */
static int do_work(uint32_t pid, const char *work, const char *done, dmd_strbuf_t *text) {
  int status = DMDV_NOT_ASKED;
  bool is_busy = true;
  dmd_strbuf_t output;
  dmd_strbuf_init(&output, &dmdv_env);
  for (int i = 0; i < TRIES && is_busy; i++) {
    const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000};
    int fd = make_script(work), error = fd < 0 ? errno : run_gdb(pid, fd, &output);
    if (fd >= 0)
      close(fd);
    is_busy = error == 0 && find_answer(output.text, "busy", text);
    if (error == ENOENT)
      dmdv_error("run: gdb is not in PATH, which attaches to processes: install the package gdb");
    else if (error != 0)
      dmdv_error("run: cannot start gdb: %s", strerror(error));
    else if (find_answer(output.text, done, text))
      status = 0;
    else if (find_answer(output.text, "refused", text) || find_answer(output.text, "failed", text))
      dmdv_error("run: process %u: %s", pid, text->text);
    else if (!is_busy)
      say_failed(pid, output.text);
    else
      nanosleep(&pause, NULL);
    dmd_strbuf_cut(&output, 0);
  }
  if (is_busy)
    dmdv_error("run: process %u: all its threads are in the allocator or the loader whenever dmdv "
               "looks; try again",
               pid);
  dmd_strbuf_destroy(&output);
  return status;
}

/* ---- What is refused ---- */

/* Whether the process sees the same file under this path. */
static bool sees(uint32_t pid, const char *path) {
  struct stat ours, its;
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  dmd_strbuf_str(&name, "/proc/");
  dmd_strbuf_u64(&name, pid);
  dmd_strbuf_str(&name, "/root");
  dmd_strbuf_str(&name, path);
  bool same = stat(path, &ours) == 0 && stat(name.text, &its) == 0 && ours.st_dev == its.st_dev &&
              ours.st_ino == its.st_ino;
  dmd_strbuf_destroy(&name);
  return same;
}

/* Whether the process has a seccomp filter that dmdv does not have, or is in strict mode. Kernels
 * before 5.9 do not count filters. */
static bool is_sandboxed(uint32_t pid) {
  enum { STRICT = 1 };
  uint64_t mode = dmdv_process_status(pid, "Seccomp", 10);
  return mode == STRICT || mode > dmdv_process_status(0, "Seccomp", 10) ||
         dmdv_process_status(pid, "Seccomp_filters", 10) >
             dmdv_process_status(0, "Seccomp_filters", 10);
}

static bool is_loadable(uint32_t pid) {
  char program[32];
  dmd_strbuf_t why;
  snprintf(program, sizeof program, "/proc/%u/exe", pid);
  dmd_strbuf_init(&why, &dmdv_env);
  dmdv_preloadable_t is = dmdv_preloadable(program, &why);
  bool good = is == DMDV_PRELOADABLE || is == DMDV_BETTER_VALGRIND;
  if (!good)
    dmdv_error("run: process %u: %s", pid, why.text);
  else if (is == DMDV_BETTER_VALGRIND)
    dmdv_note("process %u: %s", pid, why.text);
  dmd_strbuf_destroy(&why);
  return good;
}

/* Whether the engine can be loaded into the process. If not, reports why on stderr. */
static bool can_attach(uint32_t pid, const char *library) {
  uint64_t tracer = dmdv_process_status(pid, "TracerPid", 10);
  if (!dmdv_can_be_entered("run", pid) || !is_loadable(pid))
    return false;
  if (!dmdv_has_libc(pid))
    return dmdv_error(
        "run: process %u does not use the GNU C library, which the native engine needs", pid);
  if (tracer != 0)
    return dmdv_error("run: process %u is traced by process %" PRIu64 ", a debugger for example",
                      pid, tracer);
  if (is_sandboxed(pid))
    return dmdv_error("run: process %u has a seccomp filter, which may end it for system calls of "
                      "the engine",
                      pid);
  if (!sees(pid, library))
    return dmdv_error("run: process %u does not see %s: it has another root, as in a container; "
                      "run dmdv there",
                      pid, library);
  return true;
}

/* ---- Attaching and detaching ---- */

int dmdv_attach(uint32_t pid, const char *library, const char *options) {
  if (!can_attach(pid, library))
    return DMDV_NOT_ASKED;
  dmd_strbuf_t work, answer;
  dmd_strbuf_init(&work, &dmdv_env);
  dmd_strbuf_init(&answer, &dmdv_env);
  dmd_strbuf_str(&work, "lambda: attach(");
  add_bytes(&work, library);
  dmd_strbuf_str(&work, ", ");
  add_bytes(&work, options);
  dmd_strbuf_str(&work, ")");
  int status = do_work(pid, work.text, "attached", &answer);
  if (status == 0 && answer.n > 0) {
    dmdv_error("run: process %u: %s", pid, answer.text);
    status = DMDV_NOT_ASKED;
  }
  dmd_strbuf_destroy(&answer);
  dmd_strbuf_destroy(&work);
  return status;
}

int dmdv_detach(uint32_t pid, dmd_strbuf_t *profile) {
  dmd_strbuf_t answer;
  if (!dmdv_has_engine(pid)) {
    dmdv_error("run: process %u is not being recorded", pid);
    return DMDV_NOT_ASKED;
  }
  dmd_strbuf_init(&answer, &dmdv_env);
  int status = do_work(pid, "detach", "detached", &answer);
  if (status == 0 && answer.text[0] == '+') {
    dmd_strbuf_str(profile, answer.text + 1);
  } else if (status == 0) {
    dmdv_error("run: process %u: %s", pid, answer.n > 0 ? answer.text + 1 : "no answer");
    status = DMDV_NOT_ASKED;
  }
  dmd_strbuf_destroy(&answer);
  return status;
}

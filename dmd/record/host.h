/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * host.h: the services that the engine needs from its host.
 *
 * A host watches a program: Valgrind, or a library in the program's own process. It calls the
 * engine (engine.h) when something happens in the program. The engine decides what that means and
 * calls back, through these functions, for what only the host can know or do. So a host is a thin
 * shell, without rules of its own about blocks, reports, names, numbers or files.
 *
 * Strings returned by a host are valid until the same function is called again, unless stated
 * otherwise; strings passed to it are valid until it returns. ctx belongs to the host and is passed
 * to every function.
 *
 * Concurrency: the engine calls its host on the thread that called the engine, with the engine lock
 * held and perhaps shard locks (engine.h). A function here may take locks that are never held when
 * the engine is called, and must not allocate from the program's allocator in a way that re-enters
 * the engine. A host whose threads run in parallel must make capture and place answer for the given
 * thread and no other. The functions for memory, names, the process and files are called by one
 * thread at a time.
 */
#ifndef DMD_RECORD_HOST_H
#define DMD_RECORD_HOST_H

#include "base/files.h"
#include "base/mem.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "model/profile/frame.h"
#include "record/heap/live.h"
#include "record/heap/mappings.h"

/* ---- The program's code. ---- */

/* A code address and its epoch: the same address may contain other code after an unload. Epoch 0:
 * now. */
typedef struct dmd_code {
  uint64_t ip;
  uint32_t epoch;
} dmd_code_t;

static inline uint64_t dmd_code_hash(dmd_code_t code) {
  return dmd_hash_u64(code.ip ^ (uint64_t)code.epoch << 48);
}

static inline bool dmd_code_equal(dmd_code_t a, dmd_code_t b) {
  return a.ip == b.ip && a.epoch == b.epoch;
}

/* The file that contains an address. */
typedef struct dmd_object {
  const char *path;
  const char *soname; /* "" if missing */
  /* In hexadecimal; "": not in the file; NULL: unknown. If the host knows it but does not resolve
   * names, readers resolve them later (model/profile/frame.h). */
  const char *build_id;
  uint64_t offset; /* of the address, as addr2line takes it */
  bool is_engine;  /* it is the part of the engine that replaces the program's allocator */
} dmd_object_t;

typedef void (*dmd_object_fn)(void *visitor, const char *path, const char *soname);

/* ---- Memory use. ---- */

/* In bytes; DMD_MEMORY_UNKNOWN: unknown. */
typedef struct dmd_physical {
  uint64_t resident; /* the program's physical memory */
  uint64_t unique;   /* the part of it that no other process shares */
  uint64_t own;      /* the engine's physical memory */
  uint64_t arena;    /* what contains the program's blocks, if the host replaces its allocator */
} dmd_physical_t;

/* ---- Roots. ---- */

typedef void (*dmd_mapping_fn)(void *visitor, const dmd_mapping_t *mapping);

/* The state of a stopped thread. */
typedef struct dmd_thread {
  uint32_t thread;
  uint64_t sp;
  uint64_t stack_start, stack_end; /* the stack that it was given; equal: unknown */
  uint64_t red_zone_szB;           /* bytes below the stack pointer that are in use */
  uint64_t thread_pointer;         /* its thread-local storage ends here; 0: unknown */
  bool storage_follows;            /* it begins there instead */
  const uint64_t *registers;
  uint32_t n_registers;
  const dmd_code_t *codes; /* code addresses of its frames, innermost first */
  const uint64_t *sps;     /* the stack pointer of each frame */
  uint32_t n_frames;
} dmd_thread_t;

typedef void (*dmd_thread_fn)(void *visitor, const dmd_thread_t *thread);

/* ---- Who takes files over. ---- */

/* The process that started the program may take over files that this one cannot write itself, and
 * wants to know which files this one wrote. A listing is a line of listing.h. One file at a
 * time. */
typedef struct dmd_receiver {
  void *ctx;
  bool (*is_there)(void *ctx);
  /* Begins a file; write is a dmd_write_fn. close says whether the file has arrived, if it was to
   * be kept. Nothing more is written where one of them was false. */
  bool (*open)(void *ctx, const char *listing, size_t n);
  dmd_write_fn write;
  bool (*close)(void *ctx, bool keep);
  void (*wrote)(void *ctx, const char *listing, size_t n);
} dmd_receiver_t;

/* ---- The host. ---- */

typedef struct dmd_engine_host {
  void *ctx;

  /* Constants. */
  const char *version;          /* of dmd */
  const char *valgrind_version; /* e.g. "3.19.0"; NULL: not under Valgrind */
  uint64_t word_szB;            /* of the program: 4 or 8 */
  bool texts_are_others;        /* another program makes the texts of dumps, from their files */
  /* How threads wait for each other, if they run in parallel; else NULL. */
  const dmd_waiting_t *waiting;

  /* Threads and stacks. A stack's id is above 0 and names the same frames as long as the engine
   * lives. Ids should be dense, since they index arrays. */
  uint32_t (*capture)(void *ctx, uint32_t thread);  /* the thread's current stack */
  dmd_place_t (*place)(void *ctx, uint32_t thread); /* the thread's current place */
  /* The code addresses of a stack, innermost first, *n of them. */
  const dmd_code_t *(*codes)(void *ctx, uint32_t stack, uint32_t *n);

  /* Names. functions visits all functions that contain an address, inlined ones first, and at least
   * one. object returns false if no file contains the address. */
  void (*functions)(void *ctx, dmd_code_t code, dmd_function_fn visit, void *visitor);
  /* For a host that leaves names to readers: the name alone, without a source, for decisions that
   * cannot wait, or NULL. Other hosts set this to NULL. */
  const char *(*symbol)(void *ctx, dmd_code_t code);
  bool (*object)(void *ctx, dmd_code_t code, dmd_object_t *object);
  dmd_code_kind_t (*code_kind)(void *ctx, dmd_code_t code);
  /* The loaded objects: the path of each, and its soname or "". defines: true if the objects with a
   * soname (NULL: the program) define a function of this name; returns if_unknown if that cannot be
   * determined. */
  void (*objects)(void *ctx, dmd_object_fn visit, void *visitor);
  bool (*defines)(void *ctx, const char *soname, const char *function, bool if_unknown);
  /* True if one of these objects has a function of this name that never runs because the engine
   * replaces it; gets its start. False also if that cannot be determined. */
  bool (*replaced)(void *ctx, const char *soname, const char *function, dmd_code_t *code);
  bool (*shows_below_main)(void *ctx); /* whether the user wants to see the callers of main */

  /* The program's memory. Reads happen between begin and end. read copies n bytes at addr (all
   * within one page of DMD_PAGE_SZB) and returns the number of bytes from addr on that could be
   * read. */
  void (*memory_begin)(void *ctx);
  size_t (*memory_read)(void *ctx, uint64_t addr, void *to, size_t n);
  void (*memory_end)(void *ctx);
  /* See record/heap/pages.h; NULL: never known. */
  bool (*memory_holds)(void *ctx, uint64_t addr, size_t n, bool *holds);
  /* Stop all other threads, and let them run again, so that the program's memory and the threads'
   * state are of one moment. Called with all shard locks held. NULL if threads never run in
   * parallel. */
  void (*stop)(void *ctx);
  void (*go_on)(void *ctx);
  /* The program's mappings, in ascending order, and its threads: the roots of heap graphs. Both are
   * NULL if the host does not know them. */
  void (*mappings)(void *ctx, dmd_mapping_fn visit, void *visitor);
  void (*threads)(void *ctx, dmd_thread_fn visit, void *visitor);
  /* Classifies memory outside of all blocks: returns the kind of fault that a report of the address
   * is, and writes a description of at most szB bytes, which may be empty. */
  dmd_fault_kind_t (*classify)(void *ctx, uint64_t addr, char *text, size_t szB);

  /* The program's heap, if the host replaces its allocator (allocation.h); otherwise all of these
   * are NULL. heap_alloc returns szB bytes of the engine's own address space, aligned to alignB, a
   * power of two; 0 if out of memory. heap_room: the capacity of such memory. heap_alignment: the
   * user's minimum alignment for all blocks; constant. is_readable: for any memory. */
  uint64_t (*heap_alloc)(void *ctx, uint64_t alignB, uint64_t szB);
  void (*heap_free)(void *ctx, uint64_t addr);
  uint64_t (*heap_room)(void *ctx, uint64_t addr);
  uint64_t (*heap_alignment)(void *ctx);
  bool (*realloc_zero_frees)(
      void *ctx); /* true: realloc to size 0 frees; false: it keeps the block */
  bool (*is_readable)(void *ctx, uint64_t addr, uint64_t szB);

  /* The process. */
  uint64_t (*pid)(void *ctx);
  /* The program (0) and its arguments (1, 2, ...); NULL at the end. */
  const char *(*argument)(void *ctx, uint32_t i);
  const char *(*start_folder)(void *ctx); /* where it was started; NULL: deleted */
  const char *(*host_name)(void *ctx);    /* name of the machine; NULL: unknown */
  uint64_t (*time)(void *ctx);            /* in seconds since 1970, UTC; 0: unknown */
  /* Milliseconds since the program's start; cheap, and may be called under a shard lock. NULL:
   * unknown. */
  uint64_t (*clock)(void *ctx);
  /* The program's instructions so far. NULL: the host cannot count them. */
  uint64_t (*instructions)(void *ctx);
  const char *(*environment)(void *ctx, const char *name); /* NULL: not set */
  /* The program's physical memory, roughly but quickly; may be called under all shard locks. The
   * most that the whole process, with the engine, ever had. Either is NULL, or DMD_MEMORY_UNKNOWN,
   * if unknown. */
  uint64_t (*resident)(void *ctx);
  uint64_t (*most_resident)(void *ctx);
  /* The beginning of one of the kernel's text files, up to szB bytes; returns how many, 0 if it
   * cannot be read. May be called under all shard locks. NULL: never. */
  size_t (*read_text)(void *ctx, const char *name, char *to, size_t szB);
  /* Memory use of the program, exactly. */
  dmd_physical_t (*measure)(void *ctx);

  /* Messages to the user. Lines have no line end. */
  bool (*is_quiet)(void *ctx); /* report only errors of dmd itself */
  void (*say)(void *ctx, const char *line);
  void (*say_stack)(void *ctx, uint32_t stack);
  /* Answers a command of the user; text includes line ends. */
  void (*reply)(void *ctx, const char *text);

  /* Output files: file system operations, and a short description of an error. is_stream: true if
   * the name, after following links, is not a regular file and can take one profile after the
   * other. append adds to an existing file in one piece; failures are ignored. */
  const dmd_files_t *files;
  const char *(*file_error)(void *ctx, int error);
  bool (*file_is_stream)(void *ctx, const char *name);
  void (*file_append)(void *ctx, const char *name, const char *bytes, size_t n);
  const dmd_receiver_t *receiver; /* NULL: there is never one */

  /* Whether the process has given up system calls, so that its memory cannot be looked at; NULL:
   * it never does. */
  bool (*is_confined)(void *ctx);

  /* Compression; all NULL if not available. open creates a compressor, whose output goes to
   * write(to, ...) as one gzip member. gzip_write is a dmd_write_fn. close flushes and destroys the
   * compressor. Only write can fail. */
  void *(*gzip_open)(void *ctx, dmd_write_fn write, void *to);
  dmd_write_fn gzip_write;
  void (*gzip_close)(void *compressor);
} dmd_engine_host_t;

static inline bool dmd_host_is_confined(const dmd_engine_host_t *host) {
  return host->is_confined != NULL && host->is_confined(host->ctx);
}

/* Visits the functions that contain an address, by the names available while the program runs. */
static inline void dmd_host_functions_now(const dmd_engine_host_t *host, dmd_code_t code,
                                          dmd_function_fn visit, void *visitor) {
  if (host->symbol == NULL) {
    host->functions(host->ctx, code, visit, visitor);
    return;
  }
  const char *name = host->symbol(host->ctx, code);
  visit(visitor, &(dmd_function_t){.name = name == NULL ? "" : name});
}

#endif

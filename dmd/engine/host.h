/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * host.h: what the engine asks of its host.
 *
 * A host watches a program: Valgrind, or a library in the program's own process. It calls the
 * engine (engine.h) when something happens in the program; the engine decides what that means, and
 * asks the host, through these functions, for what only the host can know or do. A host is a thin
 * shell then: it has no rules of its own about blocks, reports, names, numbers or files.
 *
 * Strings that a host hands over are good until the same function is called again, unless it says
 * otherwise; strings that it gets are good until it returns. ctx is the host's own, and passed to
 * every function.
 *
 * Concurrency: the engine calls its host on the thread that called the engine, while it holds
 * the engine lock and, perhaps, locks of its own (engine.h says which). So a function here may take
 * locks of its own that are never held when the engine is called, and must not allocate from the
 * program's allocator in a way that comes back to the engine. A host whose threads run at the same
 * time must answer for the thread that it is asked about, and for no other: capture and place are
 * of it. The functions about memory, names, the process and files are called by one thread at a
 * time.
 */
#ifndef DMD_ENGINE_HOST_H
#define DMD_ENGINE_HOST_H

#include "base/mem.h"
#include "base/out.h"
#include "base/outfile.h"
#include "base/strbuf.h"
#include "live/live.h"
#include "live/mappings.h"
#include "profile/naming.h"

/* ---- The program's code. ---- */

/* An address in an epoch: the same address may be other code after an unload. Epoch 0: now. */
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

/* The file that holds an address. */
typedef struct dmd_object {
  const char *path;
  const char *soname; /* "" where it has none */
  /* In hexadecimal; "": the file has none; NULL: not known. Where the host knows it, and names
   * nothing, readers find out names later (profile/naming.h). */
  const char *build_id;
  uint64_t offset; /* of the address, as addr2line wants it */
  bool is_engine;  /* it is a part of the engine that stands in for the program's allocator */
} dmd_object_t;

typedef void (*dmd_object_fn)(void *visitor, const char *path, const char *soname);

/* ---- What the program reaches blocks from. ---- */

typedef void (*dmd_mapping_fn)(void *visitor, const dmd_mapping_t *mapping);

/* What a thread has in hand. */
typedef struct dmd_thread {
  uint32_t thread;
  uint64_t sp;
  uint64_t stack_start, stack_end; /* of the stack that it was given; equal: unknown */
  uint64_t red_zone_szB;           /* bytes below the stack pointer that are in use */
  uint64_t thread_pointer;         /* where its thread-local storage ends; 0: unknown */
  const uint64_t *registers;
  uint32_t n_registers;
  const dmd_code_t *codes; /* of the frames on its stack, the innermost first */
  const uint64_t *sps;     /* and the stack pointer of each */
  uint32_t n_frames;
} dmd_thread_t;

typedef void (*dmd_thread_fn)(void *visitor, const dmd_thread_t *thread);

/* ---- The host. ---- */

typedef struct dmd_engine_host {
  void *ctx;

  /* What does not change. */
  const char *version;          /* of dmd */
  const char *valgrind_version; /* e.g. "3.19.0"; NULL: there is none */
  uint64_t word_szB;            /* of the program: 4 or 8 */
  bool texts_are_others;        /* somebody else makes the texts of dumps, from their files */
  /* How threads wait for each other, of a host whose threads run at the same time; else NULL. */
  const dmd_waiting_t *waiting;

  /* Threads and stacks. A stack's id is above 0, and names the same frames as long as the engine
   * lives: best dense ones, for some arrays have a place for each. */
  uint32_t (*capture)(void *ctx, uint32_t thread);  /* the thread's stack now */
  dmd_place_t (*place)(void *ctx, uint32_t thread); /* where the thread is now */
  /* The places of a stack, the innermost first, *n of them. */
  const dmd_code_t *(*codes)(void *ctx, uint32_t stack, uint32_t *n);

  /* Names. functions visits all that an address lies in, inlined ones first, and at least one.
   * object answers false where no file holds the address. */
  void (*functions)(void *ctx, dmd_code_t code, dmd_function_fn visit, void *visitor);
  /* Of a host that leaves names to readers: the name all the same, without a source, where the
   * engine cannot wait for it, or NULL. Of others this is NULL. */
  const char *(*symbol)(void *ctx, dmd_code_t code);
  bool (*object)(void *ctx, dmd_code_t code, dmd_object_t *object);
  dmd_code_kind_t (*code_kind)(void *ctx, dmd_code_t code);
  /* The objects that are loaded: the path of each, and its soname or "". defines: whether those of
   * a soname have a function of this name, or, with NULL, whether the program has one; if_unknown
   * where that cannot be found out. */
  void (*objects)(void *ctx, dmd_object_fn visit, void *visitor);
  bool (*defines)(void *ctx, const char *soname, const char *function, bool if_unknown);
  /* Whether one of these objects has a function of this name that never runs, since one of the
   * engine's runs in its place, and where it begins; false, too, where that cannot be found out. */
  bool (*replaced)(void *ctx, const char *soname, const char *function, dmd_code_t *code);
  bool (*shows_below_main)(void *ctx); /* whether the user wants to see what called main */

  /* The program's memory. Reads are made between begin and end; read copies n bytes at addr, all of
   * one page of DMD_PAGE_SZB, and answers how many from addr on could be had. classify says what
   * memory an address outside of all blocks lies in: the kind of fault that a report of it is, and
   * a description of at most szB bytes, which may be empty. */
  void (*memory_begin)(void *ctx);
  size_t (*memory_read)(void *ctx, uint64_t addr, void *to, size_t n);
  void (*memory_end)(void *ctx);
  /* See live/memory.h; NULL: that is never known. */
  bool (*memory_holds)(void *ctx, uint64_t addr, size_t n, bool *holds);
  /* What of the address space is the program's, in ascending order, and its threads: all that heap
   * graphs have roots from. Both are NULL where the host knows nothing of it. */
  /* Of a host whose threads run at the same time, else NULL: all other threads stop, from `stop` to
   * `go_on`, so that the program's memory and what they have in hand is of one moment. Called with
   * the locks of all blocks taken. */
  void (*stop)(void *ctx);
  void (*go_on)(void *ctx);
  void (*mappings)(void *ctx, dmd_mapping_fn visit, void *visitor);
  void (*threads)(void *ctx, dmd_thread_fn visit, void *visitor);
  dmd_fault_kind_t (*classify)(void *ctx, uint64_t addr, char *text, size_t szB);

  /* The program's heap, of a host that stands in for its allocator (allocation.h); of others all
   * these are NULL. heap_alloc gives szB bytes of the engine's own address space, aligned to
   * alignB, a power of two; 0 where there are none. heap_room: the bytes that such memory has room
   * for. heap_alignment: what the user wants all blocks to be aligned to; it does not change.
   * is_readable: of any memory. */
  uint64_t (*heap_alloc)(void *ctx, uint64_t alignB, uint64_t szB);
  void (*heap_free)(void *ctx, uint64_t addr);
  uint64_t (*heap_room)(void *ctx, uint64_t addr);
  uint64_t (*heap_alignment)(void *ctx);
  bool (*realloc_zero_frees)(void *ctx); /* what realloc to size 0 does, if it is not to keep */
  bool (*is_readable)(void *ctx, uint64_t addr, uint64_t szB);

  /* The process. */
  uint64_t (*pid)(void *ctx);
  /* The program (0) and its arguments (1, 2, ...); NULL: there is none with this number. */
  const char *(*argument)(void *ctx, uint32_t i);
  const char *(*start_folder)(void *ctx); /* where it was started; NULL: gone */
  const char *(*host_name)(void *ctx);    /* of the machine; NULL: unknown */
  uint64_t (*time)(void *ctx);            /* in seconds since 1970, UTC; 0: unknown */
  const char *(*environment)(void *ctx, const char *name); /* NULL: not set */
  /* What the program takes up: fills in resident, resident_unique and heap_overhead, and leaves
   * alone what it does not know. in_blocks are the usable bytes of all blocks of the allocator. */
  void (*measure)(void *ctx, dmd_footprint_t *memory, uint64_t in_blocks);

  /* The user. Lines have no line end. */
  bool (*is_quiet)(void *ctx); /* only what is wrong with dmd itself is to be said */
  void (*say)(void *ctx, const char *line);
  void (*say_stack)(void *ctx, uint32_t stack);
  /* What a command of the user's is answered, line ends included. */
  void (*reply)(void *ctx, const char *text);

  /* Output files: what the file system does, and what an error of it means, in some words.
   * is_stream asks whether the name is that of something, at the end of all links, that is not a
   * regular file: it can take one profile after the other. append adds to a file that is there, in
   * one piece; where that cannot be, it does not matter. */
  const dmd_files_t *files;
  const char *(*file_error)(void *ctx, int error);
  bool (*file_is_stream)(void *ctx, const char *name);
  void (*file_append)(void *ctx, const char *name, const char *bytes, size_t n);

  /* Compression, all NULL where there is none. open makes a compressor, whose output goes to
   * write(to, ...), as one gzip member. gzip_write is a dmd_write_fn. close writes what is left,
   * and destroys the compressor. Nothing fails but write. */
  void *(*gzip_open)(void *ctx, dmd_write_fn write, void *to);
  dmd_write_fn gzip_write;
  void (*gzip_close)(void *compressor);
} dmd_engine_host_t;

/* The functions that an address lies in, by the names that are known while the program runs. */
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

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * enginehost.h: a host for tests of the engine (record/host.h), with a made-up program. The test
 * defines its code and stacks. Its files and its messages to the user are kept for the test to look
 * at.
 *
 *   enginehost_t h;
 *   enginehost_init(&h);
 *   enginehost_code(&h, 0x10, "/lib/libm.so", "libm.so.6", "inlined (a.h:3)|around (a.c:5)");
 *   uint32_t stack = enginehost_stack(&h, 2, 0x10, 0x20);
 *   ...
 *   enginehost_done(&h);
 */
#ifndef TESTS_UNIT_ENGINEHOST_H
#define TESTS_UNIT_ENGINEHOST_H

#include "host.h"

#include "record/engine/engine.h"

enum { ENGINEHOST_MAX = 64, ENGINEHOST_FRAMES = 8, NO_SPACE = 28 };

/* The code at an address. */
typedef struct enginehost_code {
  dmd_code_t code;
  const char *path, *soname; /* path is NULL where no file holds it */
  const char *functions;     /* "name (file:line)|name", the innermost first */
  dmd_code_kind_t kind;
  bool is_engine;
  unsigned n_asked; /* how often its functions were looked up */
} enginehost_code_t;

typedef struct enginehost_stack {
  dmd_code_t codes[ENGINEHOST_FRAMES];
  uint32_t n;
} enginehost_stack_t;

/* Memory of the program's heap that the engine took. */
typedef struct enginehost_piece {
  void *p;
  uint64_t alignB, szB; /* the sizes as requested */
} enginehost_piece_t;

typedef struct enginehost_file {
  char *name;
  sink_t *content;
  bool compressed, is_open;
  uint32_t mode;
} enginehost_file_t;

typedef struct enginehost {
  host_t host;
  dmd_engine_host_t engine_host; /* a test may change it */
  enginehost_code_t codes[ENGINEHOST_MAX];
  uint32_t n_codes;
  enginehost_stack_t stacks[ENGINEHOST_MAX]; /* by id - 1 */
  uint32_t n_stacks;
  uint32_t now; /* the stack of every thread; capture counts */
  unsigned n_captured;
  dmd_place_t place;
  const void *unreadable; /* its page cannot be read; NULL: all memory can be read */
  bool is_reading;        /* between begin and end */
  enginehost_piece_t pieces[ENGINEHOST_MAX];
  uint32_t n_pieces;
  dmd_physical_t physical;
  uint64_t most_resident, most_resident_after;
  uint64_t heap_alignB;
  bool heap_is_full, zero_keeps;
  uint64_t pid;
  const char *arguments[8], *folder; /* up to the first NULL */
  const char *variables[8];          /* "NAME=value" */
  bool quiet, below_main;
  const char *build_id; /* of all objects; NULL: unknown */
  sink_t said;          /* lines, each with its end */
  sink_t replied;       /* to the user's commands */
  const char *device;   /* a name that is a device's */
  int write_error;      /* why no file can be written: NO_SPACE or another error; 0: files can be
                         * written */
  dmd_files_t disk;
  char folders[8][256];       /* paths of the files that were opened */
  enginehost_file_t files[8]; /* number of files */
  uint32_t n_files;
  sink_t appended; /* for any file: "name: what
                    * " */
  struct {
    const char *path, *soname, *functions; /* soname NULL: the program itself; functions: "|f|g|" */
    enginehost_code_t *replaced;
  } objects[8];
  uint32_t n_objects;
  bool knows_no_symbols; /* the definitions of objects cannot be read */
  const char *replaces;  /* a function that never runs, whichever object has it; NULL: none */
} enginehost_t;

void enginehost_init(enginehost_t *h);

/* The host stands in for the program's allocator. */
void enginehost_give_heap(enginehost_t *h);

/* Fails the test if any allocated memory remains. */
void enginehost_done(enginehost_t *h);

enginehost_code_t *enginehost_code(enginehost_t *h, uint64_t ip, const char *path,
                                   const char *soname, const char *functions);

/* A stack of n addresses, the innermost first; returns its id. */
uint32_t enginehost_stack(enginehost_t *h, uint32_t n, ...);

/* Adds a loaded object. Returns the address of the function that is replaced in it. */
enginehost_code_t *enginehost_object(enginehost_t *h, const char *path, const char *soname,
                                     const char *functions);

/* The content of the file with this name, which the engine must have written. */
const char *enginehost_file(enginehost_t *h, const char *name);

/* For enginehost.c: its files. */
bool enginehost_is_stream(void *ctx, const char *name);
void enginehost_init_disk(enginehost_t *h);
void enginehost_drop_files(enginehost_t *h);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * enginehost.h: a host for tests of the engine (engine/host.h), with a made-up program: its code
 * and stacks are what the test says, its files and what the user is told are kept to be looked at.
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

#include "engine/engine.h"

enum { ENGINEHOST_MAX = 64, ENGINEHOST_FRAMES = 8, NO_SPACE = 28 };

/* What there is at an address. */
typedef struct enginehost_code {
  dmd_code_t code;
  const char *path, *soname; /* path is NULL where no file holds it */
  const char *functions;     /* "name (file:line)|name", the innermost first */
  dmd_code_kind_t kind;
  bool is_engine;
  unsigned n_asked; /* how often for its functions */
} enginehost_code_t;

typedef struct enginehost_stack {
  dmd_code_t codes[ENGINEHOST_FRAMES];
  uint32_t n;
} enginehost_stack_t;

/* Memory of the program's heap that the engine has. */
typedef struct enginehost_piece {
  void *p;
  uint64_t alignB, szB; /* as they were asked for */
} enginehost_piece_t;

typedef struct enginehost_file {
  char *name;
  sink_t *content;
  bool compressed, is_open;
} enginehost_file_t;

typedef struct enginehost {
  host_t host;
  dmd_engine_host_t engine_host; /* to be changed as a test needs it */
  enginehost_code_t codes[ENGINEHOST_MAX];
  uint32_t n_codes;
  enginehost_stack_t stacks[ENGINEHOST_MAX]; /* by id - 1 */
  uint32_t n_stacks;
  uint32_t now; /* the stack of every thread; capture counts */
  unsigned n_captured;
  dmd_place_t place;
  const void *unreadable; /* its page cannot be read; NULL: all that is there can */
  bool is_reading;        /* between begin and end */
  enginehost_piece_t pieces[ENGINEHOST_MAX];
  uint32_t n_pieces;
  uint64_t heap_alignB;
  bool heap_is_full, zero_keeps;
  uint64_t pid;
  const char *arguments[8], *folder; /* up to the first NULL */
  const char *variables[8];          /* "NAME=value" */
  bool quiet, below_main;
  const char *build_id; /* of all objects; NULL: not known */
  sink_t said;          /* lines, each with its end */
  sink_t replied;       /* to the user's commands */
  const char *device;   /* a name that is a device's */
  int write_error;      /* why no file can be written: NO_SPACE or another; 0: all can */
  dmd_files_t disk;
  enginehost_file_t files[8]; /* that there are */
  uint32_t n_files;
  sink_t appended; /* to any file: "name: what\n" */
  struct {
    const char *path, *soname, *functions; /* soname NULL: the program itself; functions: "|f|g|" */
    enginehost_code_t *replaced;
  } objects[8];
  uint32_t n_objects;
  bool knows_no_symbols; /* what objects define cannot be found out */
  const char *replaces;  /* a function that never runs, whichever object has it; NULL: none */
} enginehost_t;

void enginehost_init(enginehost_t *h);

/* The host stands in for the program's allocator. */
void enginehost_give_heap(enginehost_t *h);

/* Fails the test where anything is left of what was allocated. */
void enginehost_done(enginehost_t *h);

enginehost_code_t *enginehost_code(enginehost_t *h, uint64_t ip, const char *path,
                                   const char *soname, const char *functions);

/* A stack of n addresses, the innermost first; returns its id. */
uint32_t enginehost_stack(enginehost_t *h, uint32_t n, ...);

/* An object that is loaded. Returns the place of what is replaced in it. */
enginehost_code_t *enginehost_object(enginehost_t *h, const char *path, const char *soname,
                                     const char *functions);

/* The content of the file of this name, which must have been written. */
const char *enginehost_file(enginehost_t *h, const char *name);

#endif

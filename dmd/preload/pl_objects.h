/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_objects.h: the program and the libraries that it has, or had, loaded.
 *
 * Each has a number, from 1 on, that it keeps after it was unloaded; another one that is loaded at
 * its place later gets another number. So an address with the number of its object (the epoch of a
 * dmd_code_t) always says which code it is.
 *
 * What is loaded is asked of the loader: at the start, when an address lies in nothing that is
 * known, around dlclose, and before a dump. Where nothing changed that costs a call of the
 * loader's.
 *
 * Concurrency: any thread. What asks the loader takes the loader's lock, which another thread may
 * hold while it allocates: it must not be called with the engine lock taken. Searches take no lock.
 */
#ifndef DMD_PRELOAD_PL_OBJECTS_H
#define DMD_PRELOAD_PL_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pl_object {
  const char *path;   /* without links */
  const char *name;   /* by which the loader has it; "" for the program */
  const char *soname; /* "": none */
  uint64_t start, end;
  uint64_t eh_frame_hdr; /* its table of unwind information; 0: none */
  uint64_t bias;         /* to be subtracted from an address to get one of the file's */
  const char *build_id;  /* in hexadecimal; "": none */
} pl_object_t;

/* Asks the loader. */
void pl_objects_refresh(void);

/* The number of the loaded object whose code has this address; DMD_NONE: none that is known. _at
 * asks the loader then. */
uint32_t pl_object_find(uint64_t ip);
uint32_t pl_object_at(uint64_t ip);

/* Becomes another number whenever something else is loaded than before. */
uint32_t pl_objects_changes(void);

/* The object, loaded last, that any address is in, of data as well, by its number; DMD_NONE: none.
 */
uint32_t pl_object_around(uint64_t addr);

/* The object with this number; how many there are. */
const pl_object_t *pl_object(uint32_t number);
uint32_t pl_objects_count(void);

/* Around whatever else asks the loader, such as an unwinder: in a fork nobody is asking, since the
 * child would wait for ever. */
void pl_objects_begin_asking(void);
void pl_objects_end_asking(void);

/* In a forked child whose parent had other threads: one of them may have had the loader's lock, and
 * whoever asks would wait for ever. What is known stays; what is loaded from now on has no name. */
void pl_objects_stop_asking(void);
bool pl_objects_may_ask(void); /* whether that has not been said */

/* In a fork; before any other lock is taken. */
void pl_objects_fork_begin(void);
void pl_objects_fork_end(void);

#endif

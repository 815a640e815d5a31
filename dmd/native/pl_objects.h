/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_objects.h: the program and its libraries, loaded or unloaded.
 *
 * Each object has a number, from 1 on, that it keeps after it was unloaded; an object that is
 * loaded at the same place later gets another number. So an address together with its object's
 * number (the epoch of a dmd_code_t) always identifies one piece of code.
 *
 * The list comes from the loader. It is refreshed at the start, when an address is in no known
 * object, around dlclose, and before a dump. If nothing changed, a refresh costs one call of the
 * loader.
 *
 * Concurrency: any thread. Functions that ask the loader take its lock, which another thread may
 * hold while it allocates, so they must not be called with the engine lock held. Searches take no
 * lock.
 */
#ifndef DMD_NATIVE_PL_OBJECTS_H
#define DMD_NATIVE_PL_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

struct dl_phdr_info;

typedef struct pl_object {
  const char *path;   /* with links resolved */
  const char *name;   /* as the loader names it; "" for the program */
  const char *soname; /* "": none */
  uint64_t start, end;
  uint64_t eh_frame_hdr; /* the table of unwind information; 0: none */
  uint64_t bias;         /* subtract it from an address to get the file's address */
  const char *build_id;  /* in hexadecimal; "": none */
} pl_object_t;

/* Called for each object when it is first seen, with the path of its file, and whenever the list of
 * loaded objects has changed. The loader's lock is held. */
typedef void (*pl_object_new_fn)(const struct dl_phdr_info *info, const char *path);
typedef void (*pl_object_loaded_fn)(const struct dl_phdr_info *info);

void pl_objects_watch(pl_object_new_fn new_one, pl_object_loaded_fn loaded);

/* Visits all notes of an object that are in its loaded segments, each with its content, n bytes. */
typedef void (*pl_note_visit_fn)(void *ctx, const char *owner, uint32_t type, const void *bytes,
                                 uint32_t n);

void pl_objects_visit_notes(const struct dl_phdr_info *info, pl_note_visit_fn visit, void *ctx);

/* Updates the list from the loader. */
void pl_objects_refresh(void);

/* The number of the loaded object whose code contains this address; DMD_NONE: no known one.
 * pl_object_at asks the loader in that case. */
uint32_t pl_object_find(uint64_t ip);
uint32_t pl_object_at(uint64_t ip);

/* A number that changes whenever the set of loaded objects changes. */
uint32_t pl_objects_changes(void);

/* The number of the object, as of the last refresh, that contains any address, in code or data;
 * DMD_NONE: none. */
uint32_t pl_object_around(uint64_t addr);

/* The object with this number, and the number of objects. */
const pl_object_t *pl_object(uint32_t number);
uint32_t pl_objects_count(void);

/* For a forked child whose parent had other threads: one of them may have held the loader's lock,
 * so asking the loader could wait for ever. Known objects stay; those loaded from now on have no
 * names. */
void pl_objects_stop_asking(void);

/* Around fork; called before any other lock is taken. */
void pl_objects_fork_begin(void);
void pl_objects_fork_end(void);

#endif

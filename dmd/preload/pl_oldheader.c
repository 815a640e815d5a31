/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "preload/pl_oldheader.h"

#include "engine/oldheader.h"
#include "preload/pl_host.h"
#include "preload/pl_memory.h"
#include "preload/pl_message.h"
#include "preload/pl_objects.h"
#include "preload/pl_slots.h"

#include <link.h>

enum { PIECE_SZB = 256 * 1024 };

/* A part of memory that may be gone, piece by piece. */
static void look_at(dmd_oldheader_t *found, uint64_t from, uint64_t to, bool is_code,
                    uint8_t *piece) {
  uint64_t step = PIECE_SZB - (is_code ? DMD_OLDHEADER_OVERLAP : 0);
  for (; from < to && !dmd_oldheader_is_there(found); from += step) {
    uint64_t szB = to - from < PIECE_SZB ? to - from : PIECE_SZB;
    size_t n = pl_host.memory_read(pl_host.ctx, from, piece, (size_t)szB);
    dmd_oldheader_look(found, piece, n, is_code);
    if (to - from <= PIECE_SZB)
      return;
  }
}

static void look_at_parts(dmd_oldheader_t *found, const struct dl_phdr_info *info, bool is_code,
                          uint8_t *piece) {
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uint64_t start = info->dlpi_addr + p->p_vaddr;
    if (p->p_type == PT_LOAD && !(p->p_flags & PF_W) && is_code == ((p->p_flags & PF_X) != 0))
      look_at(found, start & ~UINT64_C(7), start + p->p_memsz, is_code, piece);
  }
}

/* Constant data is looked at only where there is a request at all. */
static int look(struct dl_phdr_info *info, size_t szB, void *piece) {
  dmd_oldheader_t found = {false, false};
  (void)szB;
  if (pl_slots_has(info))
    return 0;
  look_at_parts(&found, info, true, piece);
  if (found.has_request && !found.has_number)
    look_at_parts(&found, info, false, piece);
  if (!dmd_oldheader_is_there(&found))
    return 0;
  const char *name = info->dlpi_name;
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, &g_env);
  dmd_strbuf_str(&line, "dmd: ");
  dmd_strbuf_str(&line, name == NULL || name[0] == '\0' ? "the program" : name);
  dmd_strbuf_str(&line, " was compiled with a dmd.h of before the native engine: its requests are "
                        "not seen; compile it again");
  pl_say(line.text);
  dmd_strbuf_destroy(&line);
  return 0;
}

void pl_oldheader_tell(void) {
  uint8_t *piece = dmd_env_alloc(&g_env, "pl.oldheader", PIECE_SZB);
  if (pl_objects_may_ask()) {
    pl_objects_begin_asking();
    dl_iterate_phdr(look, piece);
    pl_objects_end_asking();
  }
  dmd_env_free(&g_env, piece);
}

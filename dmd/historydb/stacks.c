/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "historydb/stacks.h"

#include "analyse/records/plain.h"
#include "files/profile/historyreader.h"
#include "host/process.h"

#include <string.h>

typedef struct {
  uint32_t stack; /* of the profile: the first one with the digest */
  int64_t id;     /* in the history; 0: not added yet */
} entry_t;

void dmdv_stack_frames(dmd_strbuf_t *to, const dmd_profile_t *profile, uint32_t stack, bool plain) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(profile, stack, &n);
  for (size_t i = 0; i < n && i < DMD_HISTORY_MAX_FRAMES; i++) {
    if (plain) {
      char *text = dmd_frame_without_line(&profile->frames, frames[i]);
      dmd_strbuf_str(to, text);
      dmd_env_free(profile->env, text);
    } else {
      dmd_strbuf_str(to, dmd_frames_text(&profile->frames, frames[i]));
    }
    dmd_strbuf_str(to, "\n");
  }
}

void dmdv_digest_of_frames(unsigned char digest[DMDV_DIGEST_SZB], const char *lines) {
  dmd_frames_t frames;
  dmd_strbuf_t frame, plain;
  dmd_frames_init(&frames, &dmdv_env);
  dmd_strbuf_init(&frame, &dmdv_env);
  dmd_strbuf_init(&plain, &dmdv_env);
  for (const char *line = lines; *line != '\0';) {
    size_t n = strcspn(line, "\n");
    dmd_strbuf_cut(&frame, 0);
    dmd_strbuf_bytes(&frame, line, n);
    char *text = dmd_frame_without_line(&frames, dmd_frames_read_text(&frames, frame.text));
    dmd_strbuf_str(&plain, text);
    dmd_strbuf_str(&plain, "\n");
    dmd_env_free(&dmdv_env, text);
    line += n + (line[n] == '\n');
  }
  dmdv_digest(digest, plain.text, plain.n);
  dmd_strbuf_destroy(&plain);
  dmd_strbuf_destroy(&frame);
  dmd_frames_destroy(&frames);
}

static entry_t *entry_at(const dmdv_stacks_t *stacks, uint32_t digest) {
  return DMD_POOL_AT(&stacks->entries, entry_t, digest);
}

static const unsigned char *digest_at(const dmdv_stacks_t *stacks, uint32_t digest) {
  size_t n;
  return (const unsigned char *)dmd_intern_get(&stacks->digests, digest, &n);
}

static void take_stack(dmdv_stacks_t *stacks, uint32_t stack) {
  dmd_strbuf_t text;
  unsigned char digest[DMDV_DIGEST_SZB];
  dmd_strbuf_init(&text, &dmdv_env);
  dmdv_stack_frames(&text, stacks->profile, stack, true);
  dmdv_digest(digest, text.text, text.n);
  dmd_strbuf_destroy(&text);
  uint32_t id = dmd_intern_bytes(&stacks->digests, digest, sizeof digest);
  if (id > stacks->entries.last)
    *entry_at(stacks, dmd_pool_add(&stacks->entries)) = (entry_t){.stack = stack};
  stacks->digest_of[stack] = id;
}

static void take_stacks(dmdv_stacks_t *stacks) {
  const dmd_profile_t *profile = stacks->profile;
  size_t szB = ((size_t)dmd_intern_count(&profile->stacks) + 1) * sizeof *stacks->digest_of;
  stacks->digest_of = dmd_env_alloc(&dmdv_env, "dmdv.stacks", szB);
  memset(stacks->digest_of, 0, szB);
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++) {
    uint32_t stack = dmd_groups_at(&profile->groups, id)->stack;
    if (stacks->digest_of[stack] == DMD_NONE)
      take_stack(stacks, stack);
  }
}

static bool find(dmdv_stacks_t *stacks, dmdv_database_t *db) {
  dmd_strbuf_t digests;
  dmdv_sql_step_t step;
  dmd_strbuf_init(&digests, &dmdv_env);
  for (uint32_t digest = 1; digest <= stacks->entries.last; digest++)
    dmd_strbuf_bytes(&digests, (const char *)digest_at(stacks, digest), DMDV_DIGEST_SZB);
  dmdv_sql_start(db, DMDV_SQL_FIND_STACKS);
  dmdv_sql_bytes(db, digests.text, digests.n);
  dmdv_sql_int(db, stacks->entries.last);
  while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW) {
    uint64_t place = (uint64_t)dmdv_sql_column_int(db, 0);
    if (place < stacks->entries.last)
      entry_at(stacks, (uint32_t)place + 1)->id = dmdv_sql_column_int(db, 1);
  }
  dmd_strbuf_destroy(&digests);
  return step == DMDV_SQL_DONE;
}

static bool add(dmdv_stacks_t *stacks, dmdv_database_t *db) {
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &dmdv_env);
  for (uint32_t digest = 1; digest <= stacks->entries.last; digest++) {
    entry_t *entry = entry_at(stacks, digest);
    if (entry->id != 0)
      continue;
    dmd_strbuf_cut(&text, 0);
    dmdv_stack_frames(&text, stacks->profile, entry->stack, false);
    dmdv_sql_start(db, DMDV_SQL_ADD_STACK);
    dmdv_sql_bytes(db, digest_at(stacks, digest), DMDV_DIGEST_SZB);
    dmdv_sql_text(db, text.text);
    dmdv_sql_queue(db, &entry->id);
  }
  dmd_strbuf_destroy(&text);
  return dmdv_sql_flush(db);
}

bool dmdv_stacks_add(dmdv_stacks_t *stacks, dmdv_database_t *db, const dmd_profile_t *profile) {
  stacks->profile = profile;
  dmd_intern_init(&stacks->digests, &dmdv_env, "dmdv.stacks");
  dmd_pool_init(&stacks->entries, &dmdv_env, "dmdv.stacks", sizeof(entry_t));
  take_stacks(stacks);
  return find(stacks, db) && add(stacks, db);
}

void dmdv_stacks_destroy(dmdv_stacks_t *stacks) {
  dmd_env_free(&dmdv_env, stacks->digest_of);
  dmd_pool_destroy(&stacks->entries);
  dmd_intern_destroy(&stacks->digests);
}

int64_t dmdv_stacks_id(const dmdv_stacks_t *stacks, uint32_t stack) {
  return entry_at(stacks, stacks->digest_of[stack])->id;
}

const unsigned char *dmdv_stacks_digest(const dmdv_stacks_t *stacks, uint32_t stack) {
  return digest_at(stacks, stacks->digest_of[stack]);
}

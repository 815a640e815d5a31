/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/export/dropframes.h"

#include "analyse/records/allocfns.h"
#include "base/fnname.h"
#include "base/str.h"

/* Where the functions with a name occur. */
enum { IS_INSIDE = 1, IS_ELSEWHERE = 2 };

typedef struct {
  const dmd_profile_t *profile;
  dmd_intern_t names;
  dmd_pool_t places; /* by name: uint32_t, bits as above */
  dmd_pool_t noted;  /* by frame: bits already added to its name, since looking up names is slow */
  dmd_pool_t walked; /* by stack: bool */
} finder_t;

static void note(finder_t *f, uint32_t frame, uint32_t place) {
  dmd_pool_reach(&f->noted, frame);
  uint32_t *noted = DMD_POOL_AT(&f->noted, uint32_t, frame);
  const char *function = dmd_frames_location(&f->profile->frames, frame).function;
  if ((*noted & place) != 0 || function == NULL)
    return;
  *noted |= place;
  /* With the return type, as in pprof. */
  dmd_fnname_t plain = dmd_fnname_plain(function, dmd_str_length(function));
  uint32_t name = dmd_intern_bytes(&f->names, function, (size_t)(plain.at - function) + plain.n);
  dmd_pool_reach(&f->places, name);
  *DMD_POOL_AT(&f->places, uint32_t, name) |= place;
}

static void quote(dmd_strbuf_t *regexp, const char *text, size_t n) {
  static const char special[] = "\\.+*?()|[]{}^$";
  for (size_t i = 0; i < n; i++) {
    if (dmd_str_find_char(special, text[i]) != NULL)
      dmd_strbuf_str(regexp, "\\");
    dmd_strbuf_bytes(regexp, &text[i], 1);
  }
}

/* Walks a stack, unless another sum had it already. */
static void note_stack(finder_t *f, dmd_allocfns_t *fns, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(f->profile, stack, &n);
  if (n == 0)
    return;
  dmd_pool_reach(&f->walked, stack);
  if (*DMD_POOL_AT(&f->walked, bool, stack))
    return;
  *DMD_POOL_AT(&f->walked, bool, stack) = true;
  size_t own = dmd_first_own_frame(fns, frames, n);
  for (size_t i = 0; i < n; i++)
    note(f, frames[i], i < own ? IS_INSIDE : IS_ELSEWHERE);
}

void dmd_drop_frames(dmd_strbuf_t *regexp, const dmd_profile_t *profile,
                     const dmd_sums_t *const *sums, size_t n_sums) {
  finder_t f = {.profile = profile};
  dmd_allocfns_t fns;
  dmd_allocfns_init(&fns, profile);
  dmd_intern_init(&f.names, profile->env, "dmd.dropframes");
  dmd_pool_init(&f.places, profile->env, "dmd.dropframes", sizeof(uint32_t));
  dmd_pool_init(&f.noted, profile->env, "dmd.dropframes", sizeof(uint32_t));
  dmd_pool_init(&f.walked, profile->env, "dmd.dropframes", sizeof(bool));
  for (size_t i = 0; i < n_sums; i++)
    for (uint32_t id = 1; id <= dmd_sums_count(sums[i]); id++)
      note_stack(&f, &fns, dmd_sums_at(sums[i], id)->stack);
  for (uint32_t id = 1; id <= dmd_lifetimes_count(&profile->lifetimes); id++)
    note_stack(&f, &fns, dmd_lifetimes_at(&profile->lifetimes, id)->stack);
  for (uint32_t name = 1; name <= dmd_intern_count(&f.names); name++) {
    size_t n;
    const char *text = dmd_intern_get(&f.names, name, &n);
    if (*DMD_POOL_AT(&f.places, uint32_t, name) != IS_INSIDE)
      continue;
    dmd_strbuf_str(regexp, regexp->n > 0 ? "|" : "");
    quote(regexp, text, n);
  }
  dmd_pool_destroy(&f.walked);
  dmd_pool_destroy(&f.noted);
  dmd_pool_destroy(&f.places);
  dmd_intern_destroy(&f.names);
  dmd_allocfns_destroy(&fns);
}

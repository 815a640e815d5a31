/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/naming.h"

uint32_t dmd_frames_add_function(dmd_frames_t *frames, const dmd_function_t *function,
                                 const dmd_location_t *at) {
  dmd_location_t location = {.function = function->name,
                             .file = function->file,
                             .line = function->line,
                             .object = at->object,
                             .build_id = at->build_id,
                             .offset = DMD_OFFSET_UNKNOWN};
  if (at->object != NULL && (!function->is_inlined || function->file == NULL))
    location.offset = at->offset;
  return dmd_frames_add(frames, &location);
}

uint32_t dmd_stack_shown(uint32_t n, dmd_code_kind_t (*kind_of)(const void *ctx, uint32_t i),
                         const void *ctx) {
  uint32_t n_kept = n;
  for (uint32_t i = n; i-- > 0;) {
    dmd_code_kind_t kind = kind_of(ctx, i);
    if (kind != DMD_CODE_OTHER)
      n_kept = i + 1;
    if (kind == DMD_CODE_MAIN)
      break;
  }
  return n_kept;
}

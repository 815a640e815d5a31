/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/record_json.h"

#include "analyse/limits/ttest.h"
#include "files/profile/profilewriter.h"

void dmd_json_write_frames(dmd_jsonout_t *j, const dmd_profile_t *profile, const uint32_t *frames,
                           size_t n) {
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (size_t i = 0; i < n; i++)
    dmd_jsonout_str(j, dmd_frames_text(&profile->frames, frames[i]));
  dmd_jsonout_end(j);
}

static void write_sizes(dmd_jsonout_t *j, const dmd_records_t *records, const dmd_record_t *r) {
  size_t n;
  dmd_size_count_t *sizes = dmd_record_sizes(records, r, &n);
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (size_t i = 0; i < n; i++) {
    dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_i64(j, sizes[i].usable);
    dmd_jsonout_i64(j, sizes[i].num);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
  dmd_env_free(records->profile->env, sizes);
}

static void write_stack(dmd_jsonout_t *j, const dmd_records_t *records, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_records_frames(records, stack, &n);
  if (stack == DMD_NONE)
    dmd_jsonout_null(j);
  else
    dmd_json_write_frames(j, records->profile, frames, n);
}

static void write_name(dmd_jsonout_t *j, const dmd_records_t *records, const dmd_record_t *r,
                       dmd_record_field_id_t id) {
  const char *name = dmd_record_name_text(records, r, id);
  if (name != NULL)
    dmd_jsonout_key_str(j, dmd_record_fields[id].key, name);
}

static void write_field(dmd_jsonout_t *j, const dmd_records_t *records, const dmd_record_t *r,
                        dmd_record_field_id_t id) {
  const dmd_record_field_t *field = &dmd_record_fields[id];
  if (!dmd_record_has_report(field, r))
    return;
  if (field->kind == DMD_RECORD_IS_NAME) {
    write_name(j, records, r, id);
    return;
  }
  dmd_jsonout_key(j, field->key);
  if (field->kind == DMD_RECORD_IS_NUMBER)
    dmd_jsonout_i64(j, dmd_record_number(field, r));
  else if (field->kind == DMD_RECORD_IS_SIZES)
    write_sizes(j, records, r);
  else
    write_stack(j, records, dmd_record_stack(field, r));
}

void dmd_json_write_errors(dmd_jsonout_t *j, dmd_variance_t variance) {
  if (variance.blocks <= 0)
    return;
  dmd_jsonout_key_u64(j, "bytesError", dmd_standard_error(variance.bytes));
  dmd_jsonout_key_u64(j, "blocksError", dmd_standard_error(variance.blocks));
}

void dmd_json_write_sum(dmd_jsonout_t *j, const dmd_blocksum_t *sum) {
  dmd_jsonout_key(j, "bytes");
  dmd_jsonout_i64(j, sum->bytes);
  dmd_jsonout_key(j, "blocks");
  dmd_jsonout_i64(j, sum->blocks);
  dmd_json_write_errors(j, sum->variance);
}

void dmd_json_write_record(dmd_jsonout_t *j, const dmd_records_t *records, const dmd_record_t *r,
                           unsigned fields) {
  for (dmd_record_field_id_t id = 0; id < DMD_N_RECORD_FIELDS; id++)
    if (fields & 1u << id)
      write_field(j, records, r, id);
  dmd_json_write_errors(j, r->variance);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * records_json.h: the records as JSON, for programs that want what people read.
 *
 * {"mode", "heap": {"bytes", "blocks"}, "sections": [{"name", "bytes", "blocks", "records": [{
 *   the fields of a record (analysis/recordfields.h), "advice"}]}], "faults": [the fields of a
 *   fault (profile/fault.h), "sentence"]}
 * docs/manual.md describes them for users.
 */
#ifndef DMD_TEXT_RECORDS_JSON_H
#define DMD_TEXT_RECORDS_JSON_H

#include "analysis/record.h"
#include "base/out.h"

/* runs: the profiles whose runs it is about, up to the first NULL: that of the records, or the two
 * of a difference. sections: see dmd_text_options_t.only. */
void dmd_records_json(dmd_out_t *out, const dmd_records_t *records,
                      const dmd_profile_t *const runs[2], unsigned sections);

#endif

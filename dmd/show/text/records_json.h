/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * records_json.h: the records as JSON, with the contents of the text for people.
 *
 * {"mode", "heap": {"bytes", "blocks"}, "sections": [{"name", "bytes", "blocks", "records": [{
 *   the fields of a record (analyse/records/record.h), "advice"}]}], "faults": [the fields of
 * a fault (model/profile/fault.h), "sentence"]} docs/manual.md describes them for users.
 */
#ifndef DMD_SHOW_TEXT_RECORDS_JSON_H
#define DMD_SHOW_TEXT_RECORDS_JSON_H

#include "analyse/records/record.h"
#include "base/out.h"

/* runs: the profiles whose runs to describe, up to the first NULL: the records' profile, or the two
 * of a difference. sections: see dmd_text_options_t.only. */
void dmd_records_json(dmd_out_t *out, const dmd_records_t *records,
                      const dmd_profile_t *const runs[2], unsigned sections);

#endif

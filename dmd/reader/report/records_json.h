/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * records_json.h: the records as JSON, for programs that want what people read.
 *
 * {"mode", "heap": {"bytes", "blocks"}, "sections": [{"name", "bytes", "blocks", "records": [{
 *   "blocks", "bytes", "requested", "slop", "sizes": [[usable bytes, blocks], ...],
 *   "allocatedAt": [frame, ...], "reportedAt": [[frame, ...], ...]}]}], "faults": [{"kind", "num",
 *   "at": [frame, ...], "reporter"}]}
 * "allocatedAt" is null where no stack was recorded; "reportedAt" is left out where there are none.
 */
#ifndef DMD_READER_REPORT_RECORDS_JSON_H
#define DMD_READER_REPORT_RECORDS_JSON_H

#include "base/out.h"
#include "text/view.h"

void dmdv_records_json(dmd_out_t *out, const dmd_records_t *records, const dmd_view_t *view);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * requests.h: executes requests that the program makes through dmd.h (record/request.h).
 *
 * Input is not trusted: an address is only looked up, never dereferenced, and a string is read
 * through the host as far as it can be read, up to DMD_MAX_NAME bytes.
 */
#ifndef DMD_RECORD_ENGINE_REQUESTS_H
#define DMD_RECORD_ENGINE_REQUESTS_H

#include "record/engine/engine.h"
#include "record/request.h"

/* True if a request measures a block that was certainly not sampled: the request is then left
 * unanswered, so that the program asks its allocator (dmd.h). Needs no lock. */
static inline bool dmd_request_is_passed_over(const dmd_engine_t *engine, uint64_t number,
                                              uint64_t addr) {
  return dmd_live_passed_over(&engine->live, addr) && dmd_request_measures(number);
}

/* Executes a request and stores its result in *answer. Returns false, and does nothing, if the
 * request is unknown or measures a block that was not sampled. Reports without a name read none of
 * the program's memory. */
bool dmd_engine_request(dmd_engine_t *engine, const dmd_request_t *request, uint64_t *answer);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_otel.h: --emit=otel: USDT probes that tell tracers of sampled blocks.
 *
 * OpenTelemetry's contract for memory profiling: the probe otel_memory:alloc(address, size,
 * weighted bytes) fires when a sampled block was allocated, before the program gets it, and
 * otel_memory:free(address) before it is freed. The sum of the weighted bytes is, on average, that
 * of all blocks that were allocated. A reallocated block was freed, and allocated if it is sampled
 * again; one that could not be reallocated was allocated a second time.
 *
 * A probe is an instruction that does nothing, at an address that a note of the library tells; a
 * tracer replaces it by a breakpoint. The engine does not know whether one has: an event costs a
 * call, and an allocation the computation of its weight, for one block in 512 KiB.
 *
 * Concurrency: any thread, inside the engine.
 */
#ifndef DMD_NATIVE_PL_OTEL_H
#define DMD_NATIVE_PL_OTEL_H

#include "native/pl_options.h"

/* With --emit=otel only. */
__attribute__((cold)) void pl_otel_fire_alloc(uint64_t addr, uint64_t req);
__attribute__((cold)) void pl_otel_probe_free(uint64_t addr);

/* A sampled block was allocated, or is about to be freed. */
static inline void pl_otel_alloc(uint64_t addr, uint64_t req) {
  if (__builtin_expect(g_options.emits_otel, 0))
    pl_otel_fire_alloc(addr, req);
}

static inline void pl_otel_free(uint64_t addr) {
  if (__builtin_expect(g_options.emits_otel, 0))
    pl_otel_probe_free(addr);
}

#endif

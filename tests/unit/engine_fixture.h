/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * engine_fixture.h: an engine on a host of enginehost.h, with a program of two functions, whose
 * threads are 1 and up; and queries of the engine's state.
 *
 *   engine_fixture_t f;
 *   engine_begin(&f);
 *   f.options.mode = DMD_MODE_LIVE;      options and host as the test wants them
 *   engine_start(&f);
 *   ...
 *   engine_end(&f);
 */
#ifndef TESTS_UNIT_ENGINE_FIXTURE_H
#define TESTS_UNIT_ENGINE_FIXTURE_H

#include "enginehost.h"

#include "record/engine/requests.h"

enum { MAKE = 0x10, MEASURE = 0x20 }; /* the functions make and measure */

typedef struct engine_fixture {
  enginehost_t h;
  dmd_options_t options;
  dmd_engine_t engine;
  uint32_t make, measure; /* stacks of one frame; threads are at `make` */
} engine_fixture_t;

void engine_begin(engine_fixture_t *f);
void engine_start(engine_fixture_t *f);
void engine_end(engine_fixture_t *f);

/* Sets an option of the command line; only before the start. */
void engine_give(engine_fixture_t *f, const char *argument);

/* Adds a block that thread 1 allocated at `make`: 100 bytes requested, 104 usable. */
void engine_add_block(engine_fixture_t *f, uint64_t addr);

/* The engine's answer to a request of thread 1. The request must exist. */
uint64_t ask3(engine_fixture_t *f, dmd_request_number_t number, uint64_t a, uint64_t b, uint64_t c);
uint64_t ask(engine_fixture_t *f, dmd_request_number_t number, uint64_t a);

/* As above, with a string. */
uint64_t ask_name(engine_fixture_t *f, dmd_request_number_t number, const char *name);

/* How often the block was reported, and by which reporter first; "": none. */
uint32_t engine_times_reported(const engine_fixture_t *f, uint64_t addr);
const char *engine_reporter_of(const engine_fixture_t *f, uint64_t addr);

/* Fails the test unless there is exactly one fault, of this kind and at this stack, or no fault. */
const dmd_fault_t *engine_expect_fault(const engine_fixture_t *f, dmd_fault_kind_t kind,
                                       uint32_t stack);
void engine_expect_no_fault(const engine_fixture_t *f);

/* Does this work with an engine of its own on the fixture's host, and again with each of its
 * allocations failing in turn; returns how many allocations there were. */
size_t engine_fail_everywhere(engine_fixture_t *f, void (*work)(dmd_engine_t *engine));

#endif

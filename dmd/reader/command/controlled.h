/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * controlled.h: asks the native engine in another process (engine/control.h).
 *
 * dmdv listens on a socket of its own and tells the process so with a signal. Before that, it looks
 * at what the system says of the process: to one that does not expect the signal it is not sent,
 * since it would end it. Both make sure whose the other is.
 */
#ifndef DMD_READER_COMMAND_CONTROLLED_H
#define DMD_READER_COMMAND_CONTROLLED_H

#include "base/strbuf.h"
#include "engine/control.h"
#include "load/value.h"

#include <stdbool.h>

/* Exit statuses of commands that ask, beside 0 for all went well, 1 for the process could not do it
 * and 2 as everywhere. */
enum {
  DMDV_NOT_ASKED = 3, /* there is no such process, or none that can be asked */
  DMDV_NO_ANSWER = 4  /* it did not answer in time */
};

/* What a process answered. */
typedef struct dmdv_answer {
  dmd_strbuf_t text; /* as it came */
  dmd_values_t values;
  const dmd_value_t *object;
} dmdv_answer_t;

/* Must be destroyed, whatever follows. */
void dmdv_answer_init(dmdv_answer_t *answer);
void dmdv_answer_destroy(dmdv_answer_t *answer);

/* The number of a process that a command line gives; 0, after a line on stderr, where it is none.
 */
uint32_t dmdv_read_pid(const char *command, const char *text);

/* Asks process pid, and waits so many seconds for the answer. 0, or the exit status, after a line
 * on stderr. */
int dmdv_ask_process(const char *command, uint32_t pid, const dmd_control_t *request,
                     uint32_t seconds, dmdv_answer_t *answer);

/* Of an answer: a text that it has, or NULL; a number, or 0. */
const char *dmdv_answer_text(const dmd_value_t *object, const char *key);
double dmdv_answer_number(const dmd_value_t *object, const char *key);

#endif

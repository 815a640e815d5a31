/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_questions.h: a first-in, first-out queue of requests that wait for an answer (pl_control.h).
 *
 * The queue is unbounded: when its array is full, it is copied into a mapping twice as large. A
 * request is lost only if the system has no memory for that.
 *
 * Concurrency: any thread, in signal handlers too, but only with all signals blocked.
 */
#ifndef DMD_NATIVE_PL_QUESTIONS_H
#define DMD_NATIVE_PL_QUESTIONS_H

#include <stdbool.h>
#include <stdint.h>

void pl_questions_add(uint64_t question);

/* Removes the oldest request. Returns false if the queue is empty. */
bool pl_questions_take(uint64_t *question);

bool pl_questions_any(void);

/* In a fork's child: empties the queue. */
void pl_questions_forked(void);

#endif

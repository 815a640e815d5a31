/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_thread.h: the beginning and the end of threads.
 *
 * A thread that was not created through pthread_create, or that existed before the engine, gets its
 * number at its first event.
 */
#ifndef DMD_NATIVE_PL_THREAD_H
#define DMD_NATIVE_PL_THREAD_H

#include "native/pl_entry.h"

#include <pthread.h>

/* Makes the calling thread the first one. Call once, before there is a second thread. */
void pl_thread_start(void);

/* As pthread_create, which was called there, and the engine knows the thread. */
int pl_thread_create(const pl_entry_t *entry, pthread_t *thread, const pthread_attr_t *attributes,
                     void *(*function)(void *), void *argument);

#endif

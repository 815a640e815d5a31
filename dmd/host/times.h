/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * times.h: parses times as people and files write them.
 */
#ifndef DMD_HOST_TIMES_H
#define DMD_HOST_TIMES_H

#include <stdbool.h>
#include <stdint.h>

/* Parses a time: seconds since 1970, or ISO 8601 such as 2026-11-23T02:00:00Z, with or without the
 * time of day. UTC, unless +HH:MM or -HH:MM gives the clock's offset from it. False if it is
 * neither. */
bool dmdv_parse_time(const char *text, int64_t *time);

#endif

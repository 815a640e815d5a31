/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * times.h: times as people and files write them.
 */
#ifndef DMD_READER_HOST_TIMES_H
#define DMD_READER_HOST_TIMES_H

#include <stdbool.h>
#include <stdint.h>

/* Reads a time: seconds since 1970, or as in ISO 8601, 2026-11-23T02:00:00Z, with or without the
 * time of day, in UTC unless +HH:MM or -HH:MM says how far the clock is from it. False if it is
 * neither. */
bool dmdv_parse_time(const char *text, int64_t *time);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * noise.h: bytes that are as good as random, so that time spent on compressing them is lost.
 *
 * They are judged by a sample of 1 KiB, which takes two microseconds: noise is where hardly any
 * value of a byte is more frequent than others, and where hardly any five bytes come again. What
 * comes again only further on than the sample shows is taken for noise, too.
 */
#ifndef DMD_BASE_NOISE_H
#define DMD_BASE_NOISE_H

#include <stdbool.h>
#include <stddef.h>

/* False of less than the sample. */
bool dmd_is_noise(const char *bytes, size_t n);

#endif

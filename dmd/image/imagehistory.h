/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * imagehistory.h: a history (analysis/history.h) in an image.
 *
 * Builds of a point, and values, are written as their distance from the one before, so that a point
 * takes few bytes. Levels of steps have all of their bits, so that they are told as dmdv tells
 * them.
 */
#ifndef DMD_IMAGE_IMAGEHISTORY_H
#define DMD_IMAGE_IMAGEHISTORY_H

#include "analysis/history.h"
#include "image/imagewriter.h"

void dmd_imagehistory_write(dmd_imagewriter_t *w, const dmd_history_t *history);

bool dmd_imagehistory_is_there(const dmd_image_t *image);

/* Initialises the history of an image that has one, whose bytes must stay. False, with the reason,
 * where it is damaged; destroy it either way. */
bool dmd_imagehistory_read(dmd_history_t *history, const dmd_image_t *image, dmd_strbuf_t *why);

#endif

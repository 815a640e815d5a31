/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * bundlehistory.h: a history (analyse/history/history.h) in a bundle.
 *
 * Builds and values of points are written as differences to the previous point, so that a point
 * takes few bytes. Levels of change points keep all bits, so that they print as in dmdv.
 */
#ifndef DMD_FILES_BUNDLE_BUNDLEHISTORY_H
#define DMD_FILES_BUNDLE_BUNDLEHISTORY_H

#include "analyse/history/history.h"
#include "files/bundle/bundlewriter.h"

void dmd_imagehistory_write(dmd_bundlewriter_t *w, const dmd_history_t *history);

bool dmd_imagehistory_is_there(const dmd_bundle_t *image);

/* Initialises the history of a bundle that has one. The bundle must outlive it. False, with the
 * reason, if it is damaged. Destroy it either way. */
bool dmd_imagehistory_read(dmd_history_t *history, const dmd_bundle_t *image, dmd_strbuf_t *why);

#endif

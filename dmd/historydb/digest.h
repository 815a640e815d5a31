/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * digest.h: the digests by which a history identifies stacks, sets, runs and events.
 *
 * They are stored in histories and exports, and compared with those of other machines and later
 * versions of dmdv, so the function must never change: the first 16 bytes of SHA-256 (FIPS 180-4).
 */
#ifndef DMD_HISTORYDB_DIGEST_H
#define DMD_HISTORYDB_DIGEST_H

#include <stddef.h>

enum { DMDV_DIGEST_SZB = 16, DMDV_DIGEST_TEXT_SZB = 2 * DMDV_DIGEST_SZB + 1 };

void dmdv_digest(unsigned char digest[DMDV_DIGEST_SZB], const void *bytes, size_t n);

/* The digest in hexadecimal digits. */
void dmdv_digest_text(char text[DMDV_DIGEST_TEXT_SZB], const unsigned char digest[DMDV_DIGEST_SZB]);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * wire.h: appends the fields of a protobuf message to a string.
 *
 * A message within a message is made in a string of its own, since its length stands before it.
 */
#ifndef DMD_BASE_WIRE_H
#define DMD_BASE_WIRE_H

#include "base/strbuf.h"

/* A number as it stands in files, seven bits a byte. */
void dmd_wire_number(dmd_strbuf_t *to, uint64_t v);

/* A field with a number, and one with n bytes: a string, packed numbers or a message. They are
 * there even if they are 0 or empty. */
void dmd_wire_u64(dmd_strbuf_t *to, uint32_t field, uint64_t v);
void dmd_wire_bytes(dmd_strbuf_t *to, uint32_t field, const char *bytes, size_t n);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * signature.h: what debug information says of a function's result and arguments.
 */
#ifndef DMD_DEBUGINFO_SIGNATURE_H
#define DMD_DEBUGINFO_SIGNATURE_H

#include "debuginfo/dwarftypes.h"

enum { DMDV_SIGNATURE_MAX = 6 };

typedef struct dmdv_signature {
  uint64_t result_szB; /* of an integer; 0: unknown, or something else */
  bool is_signed;
  uint32_t targets[DMDV_SIGNATURE_MAX]; /* types that arguments point to, structs and unions */
  uint32_t n_targets;
} dmdv_signature_t;

/* function: of a subprogram. The types become known. */
dmdv_signature_t dmdv_signature(dmdv_dwarftypes_t *types, Dwarf_Die *function);

/* What of a result register is the result: the rest may be anything. */
uint64_t dmdv_signature_result(const dmdv_signature_t *signature, uint64_t value);

#endif

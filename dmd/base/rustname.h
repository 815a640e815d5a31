/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * rustname.h: reads the name out of a mangled Rust symbol, of both schemes.
 *
 * "_ZN5alloc7raw_vec19RawVec$LT$T$C$A$GT$16reserve_for_push17h0123456789abcdefE", the legacy
 * scheme, is alloc::raw_vec::RawVec<T,A>::reserve_for_push, and "_RINvNtC3std3mem8align_ofdE", the
 * v0 scheme, std::mem::align_of::<f64>. Hashes and lifetimes are left out.
 *
 * Rules: https://doc.rust-lang.org/rustc/symbol-mangling/index.html. Nesting and output are
 * limited, so that a made-up symbol cannot take much time.
 */
#ifndef DMD_BASE_RUSTNAME_H
#define DMD_BASE_RUSTNAME_H

#include "base/strbuf.h"

/* A cheap test whether the name can be read. */
bool dmd_is_rust_symbol(const char *symbol);

/* Appends the name. False, and nothing appended, if this is not a Rust symbol. */
bool dmd_rust_name(dmd_strbuf_t *to, const char *symbol);

#endif

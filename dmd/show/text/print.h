/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * print.h: numbers, names and frames as in all texts for people.
 */
#ifndef DMD_SHOW_TEXT_PRINT_H
#define DMD_SHOW_TEXT_PRINT_H

#include "analyse/graph/kinds.h"
#include "base/out.h"
#include "model/profile/profile.h"

/* A number with commas; estimates from sampled blocks are marked with a tilde. */
void dmd_print_number(dmd_out_t *out, int64_t v, bool sampled);
void dmd_print_unsigned(dmd_out_t *out, uint64_t v);

/* ` ± 1,234`, after an estimate with this variance; nothing if it is 0. */
void dmd_print_error(dmd_out_t *out, double variance);

/* The number and what it counts: `1 block`, `2 blocks`. */
void dmd_print_count(dmd_out_t *out, int64_t n, bool sampled, const char *one, const char *many);

/* A time since the start: `35 ms`, `0.8 s`. Returns the length. */
size_t dmd_format_elapsed(char *buf, uint64_t ms);

/* A number of instructions, as Massif has them: `12.34 Mi`. k, M, G and T are powers of 1,000.
 * Returns the length. */
size_t dmd_format_instructions(char *buf, uint64_t n);

/* `1 byte`, `1,234 bytes` */
void dmd_print_bytes(dmd_out_t *out, uint64_t bytes);

/* A line for a fault that has amounts: `100 bytes claimed, 120 bytes measured: 20 bytes too
 * few`. */
void dmd_print_amounts(dmd_out_t *out, const char *indent, const dmd_fault_t *fault);

/* The same without indent and line end. */
void dmd_print_amounts_words(dmd_out_t *out, const dmd_fault_t *fault);

/* `12.34%` */
void dmd_print_percent(dmd_out_t *out, int64_t part, int64_t whole);

/* The same as right-aligned columns of a table. */
void dmd_print_number_column(dmd_out_t *out, int64_t v, size_t width);
void dmd_print_percent_column(dmd_out_t *out, int64_t part, int64_t whole, size_t width);

/* An argument for a shell, in quotes if it needs them. */
void dmd_print_quoted(dmd_out_t *out, const char *s);

/* With a capital letter in front. */
void dmd_print_capitalized(dmd_out_t *out, const char *s);

/* The text, safe for terminals, in at most max bytes before that. A frame keeps its place and the
 * end of its function's name: "...::Arena::AllocateNewBlock (arena.cc:60)". Other texts keep their
 * beginning. */
void dmd_print_shortened(dmd_out_t *out, const char *text, size_t max);

/* A frame, without its number. */
void dmd_print_frame_text(dmd_out_t *out, const dmd_profile_t *profile, uint32_t frame);

/* A text with the type names in it shortened (base/fnname.h). */
void dmd_print_types(dmd_out_t *out, const dmd_env_t *env, const char *text);

/* The name of a kind or an edge (analyse/graph/kinds.h), also shortened. */
void dmd_print_kind(dmd_out_t *out, const dmd_kinds_t *kinds, uint32_t id);

/* A text in lines of at most 100 columns, broken at blanks. Each begins at this column, where the
 * first one already is. */
void dmd_print_wrapped(dmd_out_t *out, const char *text, size_t column);

/* `  Allocated at {` if what is "Allocated", `  At {` if it is empty. */
void dmd_print_stack_opening(dmd_out_t *out, const char *what);

/* Frames [first, end) of a stack, counted from 0, one per line: `#01: main (main.c:2)` after an
 * indent. */
void dmd_print_frames(dmd_out_t *out, const char *indent, const dmd_profile_t *profile,
                      const uint32_t *frames, size_t first, size_t end);

/* text.c: the run that a profile comes from; nothing if another program wrote it. which: "", or
 * " 1" and " 2" if two are compared. */
void dmd_print_run(dmd_out_t *out, const char *which, const dmd_profile_t *profile);

/* `# and 3 more places (--max-records=all shows them)`, if `shown` of n were printed; nothing if
 * these are all. */
void dmd_print_left_out(dmd_out_t *out, uint32_t n, uint32_t shown, const char *one,
                        const char *many);

#endif

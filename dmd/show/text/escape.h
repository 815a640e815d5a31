/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * escape.h: escapes text that is already safe for terminals (dmd_out_safe) for other formats.
 */
#ifndef DMD_SHOW_TEXT_ESCAPE_H
#define DMD_SHOW_TEXT_ESCAPE_H

#include "base/out.h"
#include "base/strbuf.h"

/* Appends a string that somebody else chose, such as the name of a file, to a line for a log, as
 * dmd_out_safe writes it. */
void dmd_escape_append(dmd_strbuf_t *line, const char *s);

/* Writes a string with the format's special characters escaped. */
typedef void (*dmd_escape_fn)(dmd_out_t *out, const char *s);

/* A buffer for text that is escaped as a whole. */
typedef struct dmd_escaped {
  dmd_out_t out;
  dmd_strbuf_t text;
} dmd_escaped_t;

/* Returns where to write the text. dmd_escaped_end writes it escaped and frees the buffer; until
 * then the struct must not be moved in memory. */
dmd_out_t *dmd_escaped_begin(dmd_escaped_t *e, const dmd_env_t *env);
void dmd_escaped_end(dmd_escaped_t *e, dmd_out_t *to, dmd_escape_fn escape);

void dmd_escape_xml(dmd_out_t *out, const char *s);

/* For the message of a GitHub workflow command, and for the value of one of its properties. */
void dmd_escape_github(dmd_out_t *out, const char *s);
void dmd_escape_github_property(dmd_out_t *out, const char *s);

/* For Markdown, also within HTML elements. Special characters become numeric character references,
 * which CommonMark never interprets as structure. Line ends stay: text of several lines belongs in
 * an element pre. */
void dmd_escape_markdown(dmd_out_t *out, const char *s);

#endif

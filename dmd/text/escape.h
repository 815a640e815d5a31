/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * escape.h: text that is safe for terminals (dmd_out_safe), so that other formats take it for
 * nothing but text.
 */
#ifndef DMD_TEXT_ESCAPE_H
#define DMD_TEXT_ESCAPE_H

#include "base/out.h"
#include "base/strbuf.h"

/* Writes a string, with what is special in a format escaped. */
typedef void (*dmd_escape_fn)(dmd_out_t *out, const char *s);

/* Text that is kept until it is escaped as a whole. */
typedef struct dmd_escaped {
  dmd_out_t out;
  dmd_strbuf_t text;
} dmd_escaped_t;

/* Where the text is to be written to; it must stay where it is until the end, which writes it,
 * escaped, and frees it. */
dmd_out_t *dmd_escaped_begin(dmd_escaped_t *e, const dmd_env_t *env);
void dmd_escaped_end(dmd_escaped_t *e, dmd_out_t *to, dmd_escape_fn escape);

void dmd_escape_xml(dmd_out_t *out, const char *s);

/* The message of a command of GitHub's workflows, and the value of one of its properties. */
void dmd_escape_github(dmd_out_t *out, const char *s);
void dmd_escape_github_property(dmd_out_t *out, const char *s);

/* For Markdown, in HTML elements too: whatever may be special is a numeric character reference,
 * which CommonMark takes for the character alone, never for structure. Line ends stay: text of
 * several lines goes into an element pre. */
void dmd_escape_markdown(dmd_out_t *out, const char *s);

#endif

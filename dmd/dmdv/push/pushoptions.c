/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/push/pushoptions.h"

#include "base/str.h"
#include "host/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SECRET = 16 << 10 };

/* ---- Options ---- */

bool dmdv_push_take_label(dmdv_push_options_t *o, const char *value, dmd_strbuf_t *why) {
  return dmdv_labels_add(&o->labels, value, "letters, digits, _ and dots", why);
}

/* Adds a header of n bytes. Errors do not repeat it, since it may be secret. */
static bool add_header(dmdv_push_options_t *o, const char *text, size_t n, dmd_strbuf_t *why) {
  size_t name = strcspn(text, ": \t");
  if (name == 0 || name >= n || text[name] != ':') {
    dmd_strbuf_str(why, "a header is not of the form NAME: VALUE");
    return false;
  }
  for (size_t i = 0; i < n; i++)
    if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) {
      dmd_strbuf_str(why, "a header has a control character");
      return false;
    }
  if (o->n_headers == DMDV_MAX_PUSH_HEADERS) {
    dmd_strbuf_str(why, "there are too many headers");
    return false;
  }
  dmd_strbuf_t header;
  dmd_strbuf_init(&header, &dmdv_env);
  dmd_strbuf_bytes(&header, text, n);
  o->headers[o->n_headers++] = dmd_strbuf_take(&header);
  return true;
}

/* Reads a small file. Returns false, with the reason in why, if it cannot be read or is too
 * large. */
static bool read_secret(const char *name, dmd_strbuf_t *text, dmd_strbuf_t *why) {
  char bytes[MAX_SECRET + 1];
  FILE *file = fopen(name, "rb");
  size_t n = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
  bool good = file != NULL && ferror(file) == 0 && n <= MAX_SECRET;
  if (file != NULL)
    fclose(file);
  if (!good) {
    dmd_strbuf_str(why, "cannot read ");
    dmd_strbuf_str(why, name);
    return false;
  }
  dmd_strbuf_bytes(text, bytes, n);
  return true;
}

/* NAME: VALUE, or @FILE with a header in each line. */
bool dmdv_push_take_header(dmdv_push_options_t *o, const char *value, dmd_strbuf_t *why) {
  if (value[0] != '@')
    return add_header(o, value, strlen(value), why);
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &dmdv_env);
  bool good = read_secret(value + 1, &text, why);
  for (const char *line = text.text; good && *line != '\0';) {
    size_t n = strcspn(line, "\r\n");
    good = n == 0 || add_header(o, line, n, why);
    line += n + (line[n] != '\0');
  }
  dmd_strbuf_destroy(&text);
  return good;
}

/* Adds the token as a header. */
static bool add_token(dmdv_push_options_t *o, dmd_strbuf_t *why) {
  const char *from_environment = getenv("DMD_PUSH_TOKEN");
  dmd_strbuf_t header;
  dmd_strbuf_init(&header, &dmdv_env);
  dmd_strbuf_str(&header, "Authorization: Bearer ");
  size_t before = header.n;
  bool good = true;
  if (o->token_file != NULL)
    good = read_secret(o->token_file, &header, why);
  else if (from_environment != NULL)
    dmd_strbuf_str(&header, from_environment);
  while (header.n > before && strchr("\r\n", header.text[header.n - 1]) != NULL)
    dmd_strbuf_cut(&header, header.n - 1);
  if (good && header.n > before)
    good = add_header(o, header.text, header.n, why);
  dmd_strbuf_destroy(&header);
  return good;
}

static dmdv_store_t store_of(const dmdv_push_options_t *o) {
  return o->store < DMDV_N_STORES ? (dmdv_store_t)o->store : dmdv_store_of_url(o->url);
}

bool dmdv_push_check(dmdv_push_options_t *o, const char *command, const char *prefix) {
  dmd_strbuf_t why;
  if (o->url == NULL)
    return dmdv_error("%s: give --%sto=URL; see dmdv %s --help", command, prefix, command);
  if (!dmd_str_begins(o->url, "http://") && !dmd_str_begins(o->url, "https://"))
    return dmdv_error("%s: --%sto: the URL begins with neither http:// nor https://", command,
                      prefix);
  if (store_of(o) == DMDV_N_STORES)
    return dmdv_error("%s: the URL does not show which kind of store it is: give --%sstore=%s",
                      command, prefix, DMDV_STORES);
  dmd_strbuf_init(&why, &dmdv_env);
  bool good = add_token(o, &why) || dmdv_error("%s: %s", command, why.text);
  dmd_strbuf_destroy(&why);
  return good;
}

/* ---- Sending ---- */

bool dmdv_push_send(const dmdv_push_options_t *o, const char *command, const char *file,
                    const dmd_profile_t *profile) {
  dmdv_push_t push = {.store = store_of(o),
                      .url = o->url,
                      .name = o->name,
                      .labels = o->labels.all,
                      .n_labels = o->labels.n,
                      .headers = (const char *const *)o->headers,
                      .n_headers = o->n_headers,
                      .ca_file = o->ca_file,
                      .time_limit = o->time_limit,
                      .for_what = file};
  dmd_strbuf_t why, shown;
  dmd_strbuf_init(&why, &dmdv_env);
  dmd_strbuf_init(&shown, &dmdv_env);
  dmdv_show_url(&shown, o->url);
  bool good = dmdv_push(&push, profile, &why) ||
              dmdv_error("%s: %s: not sent to %s: %s", command, file, shown.text, why.text);
  dmd_strbuf_destroy(&shown);
  dmd_strbuf_destroy(&why);
  return good;
}

void dmdv_push_note_sent(const dmdv_push_options_t *o, const char *what) {
  dmd_strbuf_t shown;
  dmd_strbuf_init(&shown, &dmdv_env);
  dmdv_show_url(&shown, o->url);
  dmdv_note("sent %s to %s", what, shown.text);
  dmd_strbuf_destroy(&shown);
}

void dmdv_push_options_destroy(dmdv_push_options_t *o) {
  dmdv_labels_destroy(&o->labels);
  for (size_t i = 0; i < o->n_headers; i++)
    dmd_env_free(&dmdv_env, o->headers[i]);
}

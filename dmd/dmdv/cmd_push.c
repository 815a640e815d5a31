/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv push: sends profiles to a store of profiles.
 */
#include "base/str.h"
#include "dmd-config.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/commandline/show.h"
#include "dmdv/labels.h"
#include "dmdv/pushrequest.h"
#include "host/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Options ---- */

enum { MAX_HEADERS = 32, MAX_SECRET = 16 << 10 };

typedef struct {
  const char *url;
  unsigned store; /* dmdv_store_t; DMDV_N_STORES: not given */
  const char *name;
  dmdv_labels_t labels;
  char *headers[MAX_HEADERS];
  size_t n_headers;
  const char *token_file, *ca_file;
  unsigned time_limit;
  dmd_load_options_t load;
  dmdv_files_t files;
} options_t;

static bool take_label(void *target, const char *value, dmd_strbuf_t *why) {
  options_t *o = target;
  return dmdv_labels_add(&o->labels, value, "letters, digits, _ and dots", why);
}

/* Adds a header of n bytes. Errors do not repeat it, since it may be secret. */
static bool add_header(options_t *o, const char *text, size_t n, dmd_strbuf_t *why) {
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
  if (o->n_headers == MAX_HEADERS) {
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
static bool take_header(void *target, const char *value, dmd_strbuf_t *why) {
  options_t *o = target;
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

static const dmd_option_t options[] = {
    {"to", "URL", NULL, "address of the store, http:// or https://, with or without the path",
     DMD_OPTION_TEXT, DMD_OPTION_AT(options_t, url)},
    {"store", DMDV_STORES, NULL,
     "kind of store: Grafana Pyroscope, Parca, or an OpenTelemetry collector; not needed if the "
     "URL ends in /ingest, /profiles/writeraw or /v1development/profiles",
     DMD_OPTION_WORD, DMD_OPTION_AT(options_t, store)},
    {"name", "NAME", NULL, "name of the program in the store; default: that of its file",
     DMD_OPTION_TEXT, DMD_OPTION_AT(options_t, name)},
    {"label", "NAME=VALUE", NULL, "a label of the profiles; may be given several times",
     DMD_OPTION_OWN, .take = take_label},
    {"header", "HEADER|@FILE", NULL,
     "add this header, such as NAME: VALUE, or all in FILE, one a line, which other users do not "
     "see in "
     "the list of processes; may be given several times",
     DMD_OPTION_OWN, .take = take_header},
    {"token-file", "FILE", NULL,
     "send the token in FILE as Authorization: Bearer; without it, that in the environment "
     "variable DMD_PUSH_TOKEN, if it is set",
     DMD_OPTION_TEXT, DMD_OPTION_AT(options_t, token_file), .is_file = true},
    {"ca", "FILE", NULL, "trust the authorities in FILE, in PEM, instead of the system's",
     DMD_OPTION_TEXT, DMD_OPTION_AT(options_t, ca_file), .is_file = true},
    {"timeout", "SECONDS", "60", "how long to try for each file", DMD_OPTION_NUMBER,
     DMD_OPTION_AT(options_t, time_limit), .least = 1, .most = 86400},
    DMDV_END_OR_PEAK_OPTION(options_t, load.moment,
                            DMDV_END_OR_PEAK "; end: the peak, too, under names of its own"),
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv push --to=URL [OPTION...] FILE...\n\n"
             "Sends profiles to a store: Grafana Pyroscope, Parca, or a collector of\n"
             "OpenTelemetry. If the store is not there or busy, dmdv tries again, after pauses\n"
             "that double, until --timeout. A server's certificate must be valid. dmdv export\n"
             "--format=pprof and otlp write the same to files.\n\n"
             "options:\n",
     .options = &table},
    {0},
};

/* ---- Sending ---- */

/* Adds the token as a header. */
static bool add_token(options_t *o, dmd_strbuf_t *why) {
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

static dmdv_store_t store_of(const options_t *o) {
  return o->store < DMDV_N_STORES ? (dmdv_store_t)o->store : dmdv_store_of_url(o->url);
}

static bool check_options(options_t *o) {
  dmd_strbuf_t why;
  if (o->url == NULL)
    return dmdv_error("push: give --to=URL; see dmdv push --help");
  if (!dmd_str_begins(o->url, "http://") && !dmd_str_begins(o->url, "https://"))
    return dmdv_error("push: --to: the URL begins with neither http:// nor https://");
  if (store_of(o) == DMDV_N_STORES)
    return dmdv_error("push: the URL does not show which kind of store it is: give --store=%s",
                      DMDV_STORES);
  if (o->files.n < 1)
    return dmdv_error("push: give one or more files; see dmdv push --help");
  dmd_strbuf_init(&why, &dmdv_env);
  bool good = add_token(o, &why) || dmdv_error("push: %s", why.text);
  dmd_strbuf_destroy(&why);
  return good;
}

static bool send_profile(const options_t *o, const char *file, const dmd_profile_t *profile) {
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
              dmdv_error("push: %s: not sent to %s: %s", file, shown.text, why.text);
  dmd_strbuf_destroy(&shown);
  dmd_strbuf_destroy(&why);
  return good;
}

/* A failed file does not keep the others from being sent. */
static bool send_files(options_t *o) {
  bool good = true;
  if (o->load.moment == DMD_MOMENT_END)
    o->load.moment = DMD_MOMENT_ALL;
  for (int i = 0; i < o->files.n; i++) {
    dmd_profile_t profile;
    if (!dmdv_load_or_say(&profile, o->files.names[i], &o->load)) {
      good = false;
      continue;
    }
    good = send_profile(o, o->files.names[i], &profile) && good;
    dmd_profile_destroy(&profile);
  }
  return good;
}

static int run(int argc, char **argv) {
  options_t o = {.store = DMDV_N_STORES};
  int status = dmdv_read_command_line(&dmdv_push_command, &o, argc, argv, &o.files);
  if (status < 0)
    status = check_options(&o) && send_files(&o) ? 0 : 2;
  dmdv_labels_destroy(&o.labels);
  for (size_t i = 0; i < o.n_headers; i++)
    dmd_env_free(&dmdv_env, o.headers[i]);
  return status;
}

const dmdv_command_t dmdv_push_command = {"push", "send profiles to a store of profiles", parts,
                                          run};

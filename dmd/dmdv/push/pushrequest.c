/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/push/pushrequest.h"

#include "base/jsonout.h"
#include "base/path.h"
#include "base/str.h"
#include "base/zip/gzip.h"
#include "dmd-config.h"
#include "dmdv/push/export_otlp.h"
#include "dmdv/push/export_pprof.h"
#include "host/http.h"
#include "host/output.h"
#include "host/process.h"

#include <string.h>
#include <time.h>

#ifndef DMD_HAVE_PROTOBUF
#define dmdv_export_otlp NULL
#define dmdv_export_pprof NULL
#define dmdv_otlp_accepted(answer, n, why) true
#endif

enum { MAX_HEADERS = 64 };

static const char *const paths[] = {"/ingest", "/profiles/writeraw", "/v1development/profiles"};

static bool ends_in(const char *text, size_t n, const char *end) {
  size_t m = strlen(end);
  return n >= m && memcmp(text + n - m, end, m) == 0;
}

dmdv_store_t dmdv_store_of_url(const char *url) {
  size_t n = strcspn(url, "?#");
  for (unsigned i = 0; i < DMDV_N_STORES; i++)
    if (ends_in(url, n, paths[i]))
      return (dmdv_store_t)i;
  return DMDV_N_STORES;
}

void dmdv_show_url(dmd_strbuf_t *text, const char *url) {
  size_t n = strcspn(url, "?#");
  const char *host = strstr(url, "://");
  host = host != NULL ? host + 3 : url;
  dmd_strbuf_bytes(text, url, (size_t)(host - url));
  size_t end_of_host = (size_t)(host - url) + strcspn(host, "/?#");
  for (size_t i = (size_t)(host - url); i < end_of_host; i++)
    if (url[i] == '@')
      host = &url[i + 1];
  dmd_strbuf_bytes(text, host, n - (size_t)(host - url));
}

/* Appends a text with all but letters, digits and -._~ as %XX. */
static void add_url_text(dmd_strbuf_t *url, const char *text) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
  static const char digits[] = "0123456789ABCDEF";
  for (; *text != '\0'; text++) {
    unsigned char byte = (unsigned char)*text;
    const char escaped[] = {'%', digits[byte >> 4], digits[byte & 15]};
    if (strchr(plain, byte) != NULL)
      dmd_strbuf_bytes(url, text, 1);
    else
      dmd_strbuf_bytes(url, escaped, sizeof escaped);
  }
}

/* ---- The profile ---- */

/* Appends the profile in a format, gzipped. */
static bool add_profile(dmd_strbuf_t *body, const dmd_profile_t *profile, dmd_export_fn write,
                        const dmd_export_options_t *options) {
  if (write == NULL)
    return false;
  dmd_gzip_t *gzip = dmd_gzip_open(&dmdv_gzip_way, dmd_strbuf_write, body);
  dmd_out_t out;
  dmd_out_init(&out, dmd_gzip_write, gzip);
  const char *why = write(profile, &out, options);
  bool good = dmd_out_flush(&out) && why == NULL;
  return dmd_gzip_close(gzip, true) && good;
}

static void add_name(dmd_strbuf_t *name, const dmdv_push_t *push, const dmd_profile_t *profile) {
  size_t n = 0;
  const char *program = dmd_profile_program(profile, &n);
  dmd_strbuf_t path;
  dmd_strbuf_init(&path, &dmdv_env);
  if (program != NULL)
    dmd_strbuf_bytes(&path, program, n);
  const char *base = dmd_path_base(path.text);
  dmd_strbuf_str(name, push->name != NULL ? push->name : base[0] != '\0' ? base : "unknown");
  dmd_strbuf_destroy(&path);
}

static uint64_t seconds_of(const dmd_profile_t *profile) {
  int64_t seconds = 0;
  if (profile->run.time != NULL && dmdv_parse_time(profile->run.time, &seconds) && seconds > 0)
    return (uint64_t)seconds;
  return (uint64_t)time(NULL);
}

/* ---- The requests ---- */

typedef struct {
  const dmdv_push_t *push;
  const dmd_profile_t *profile;
  dmd_strbuf_t url, body, name;
  const char *headers[MAX_HEADERS];
  size_t n_headers;
} request_t;

static void add_header(request_t *r, const char *header) {
  r->headers[r->n_headers++] = header;
}

/* The URL with the store's path, before a query if there is one. Returns whether there is one. */
static bool make_url(request_t *r) {
  const char *url = r->push->url, *path = paths[r->push->store];
  size_t n = strcspn(url, "?#");
  bool has_query = url[n] == '?';
  size_t end = n;
  if (!ends_in(url, n, path))
    while (end > 0 && url[end - 1] == '/')
      end--;
  dmd_strbuf_bytes(&r->url, url, end);
  if (!ends_in(url, n, path))
    dmd_strbuf_str(&r->url, path);
  if (has_query)
    dmd_strbuf_bytes(&r->url, url + n, strcspn(url + n, "#"));
  return has_query;
}

/* Pyroscope's names have letters, digits and some signs; in values, these separate labels. */
static bool make_pyroscope(request_t *r, dmd_strbuf_t *why) {
  static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  for (size_t i = 0; i < r->name.n; i++)
    dmd_strbuf_bytes(&name, strchr(good, r->name.text[i]) != NULL ? &r->name.text[i] : "_", 1);
  dmd_strbuf_str(&name, "{");
  for (size_t i = 0; i < r->push->n_labels; i++) {
    const dmd_export_label_t *label = &r->push->labels[i];
    if (strpbrk(label->value, ",={}\"") != NULL) {
      dmd_strbuf_str(why, "Pyroscope accepts none of , = { } \" in the value of a label");
      dmd_strbuf_destroy(&name);
      return false;
    }
    dmd_strbuf_str(&name, i > 0 ? "," : "");
    dmd_strbuf_str(&name, label->key);
    dmd_strbuf_str(&name, "=");
    dmd_strbuf_str(&name, label->value);
  }
  dmd_strbuf_str(&name, "}");
  dmd_strbuf_str(&r->url, make_url(r) ? "&name=" : "?name=");
  add_url_text(&r->url, name.text);
  dmd_strbuf_destroy(&name);
  uint64_t seconds = seconds_of(r->profile);
  dmd_strbuf_str(&r->url, "&from=");
  dmd_strbuf_u64(&r->url, seconds);
  dmd_strbuf_str(&r->url, "&until=");
  dmd_strbuf_u64(&r->url, seconds);
  dmd_strbuf_str(&r->url, "&format=pprof&spyName=dmd");
  add_header(r, "Content-Type: application/octet-stream");
  const dmd_export_options_t options = {.section = DMD_SECTION_ALL,
                                        .exporter = "dmdv " DMD_VERSION};
  return add_profile(&r->body, r->profile, dmdv_export_pprof, &options);
}

static void add_json_label(dmd_jsonout_t *json, const char *name, const char *value) {
  dmd_jsonout_object(json, DMD_JSONOUT_DENSE);
  dmd_jsonout_key_str(json, "name", name);
  dmd_jsonout_key_str(json, "value", value);
  dmd_jsonout_end(json);
}

/* Appends the profile in Base64, on one line. */
static bool add_base64(dmd_strbuf_t *text, const dmd_profile_t *profile) {
  const dmd_export_options_t options = {.section = DMD_SECTION_ALL,
                                        .exporter = "dmdv " DMD_VERSION};
  dmd_strbuf_t bytes;
  dmd_base64_t base64;
  dmd_strbuf_init(&bytes, &dmdv_env);
  bool good = add_profile(&bytes, profile, dmdv_export_pprof, &options);
  dmd_base64_init(&base64, dmd_strbuf_write, text);
  good = dmd_base64_write(&base64, bytes.text, bytes.n) && dmd_base64_end(&base64) && good;
  dmd_strbuf_destroy(&bytes);
  size_t n = 0;
  for (size_t i = 0; i < text->n; i++)
    if (text->text[i] != '\n')
      text->text[n++] = text->text[i];
  dmd_strbuf_cut(text, n);
  return good;
}

/* Parca's series has labels, of which it requires __name__. Addresses are offsets in objects. */
static bool make_parca(request_t *r) {
  dmd_strbuf_t profile;
  dmd_out_t out;
  dmd_jsonout_t json;
  dmd_strbuf_init(&profile, &dmdv_env);
  bool good = add_base64(&profile, r->profile);
  dmd_out_init(&out, dmd_strbuf_write, &r->body);
  dmd_jsonout_init(&json, &out);
  dmd_jsonout_object(&json, DMD_JSONOUT_DENSE);
  dmd_jsonout_key(&json, "series");
  dmd_jsonout_array(&json, DMD_JSONOUT_DENSE);
  dmd_jsonout_object(&json, DMD_JSONOUT_DENSE);
  dmd_jsonout_key(&json, "labels");
  dmd_jsonout_object(&json, DMD_JSONOUT_DENSE);
  dmd_jsonout_key(&json, "labels");
  dmd_jsonout_array(&json, DMD_JSONOUT_DENSE);
  add_json_label(&json, "__name__", "memory");
  add_json_label(&json, "job", r->name.text);
  for (size_t i = 0; i < r->push->n_labels; i++)
    add_json_label(&json, r->push->labels[i].key, r->push->labels[i].value);
  dmd_jsonout_end(&json);
  dmd_jsonout_end(&json);
  dmd_jsonout_key(&json, "samples");
  dmd_jsonout_array(&json, DMD_JSONOUT_DENSE);
  dmd_jsonout_object(&json, DMD_JSONOUT_DENSE);
  dmd_jsonout_key_str(&json, "rawProfile", profile.text);
  for (int level = 0; level < 4; level++)
    dmd_jsonout_end(&json);
  dmd_jsonout_key_bool(&json, "normalized", true);
  dmd_jsonout_end(&json);
  good = dmd_out_flush(&out) && good;
  dmd_strbuf_destroy(&profile);
  make_url(r);
  add_header(r, "Content-Type: application/json");
  return good;
}

static bool make_otlp(request_t *r) {
  dmd_export_label_t labels[DMD_EXPORT_MAX_LABELS + 1];
  size_t n = 0;
  labels[n++] = (dmd_export_label_t){"service.name", r->name.text};
  for (size_t i = 0; i < r->push->n_labels; i++)
    labels[n++] = r->push->labels[i];
  const dmd_export_options_t options = {
      .section = DMD_SECTION_ALL, .labels = labels, .n_labels = n};
  make_url(r);
  add_header(r, "Content-Type: application/x-protobuf");
  add_header(r, "Content-Encoding: gzip");
  return add_profile(&r->body, r->profile, dmdv_export_otlp, &options);
}

static bool make_request(request_t *r, dmd_strbuf_t *why) {
  bool good = r->push->store == DMDV_PYROSCOPE ? make_pyroscope(r, why)
              : r->push->store == DMDV_PARCA   ? make_parca(r)
                                               : make_otlp(r);
  if (!good && why->n == 0)
    dmd_strbuf_str(why, "this dmdv was built without protobuf-c, which the format needs");
  return good;
}

static bool send_request(request_t *r, dmd_strbuf_t *why) {
  dmd_strbuf_t answer;
  const dmdv_request_t request = {.url = r->url.text,
                                  .headers = r->headers,
                                  .n_headers = r->n_headers,
                                  .body = r->body.text,
                                  .n = r->body.n,
                                  .ca_file = r->push->ca_file,
                                  .time_limit = r->push->time_limit,
                                  .for_what = r->push->for_what};
  dmd_strbuf_init(&answer, &dmdv_env);
  bool good = dmdv_post(&request, &answer, why);
  if (good && r->push->store == DMDV_OTLP)
    good = dmdv_otlp_accepted(answer.text, answer.n, why);
  dmd_strbuf_destroy(&answer);
  return good;
}

bool dmdv_push(const dmdv_push_t *push, const dmd_profile_t *profile, dmd_strbuf_t *why) {
  request_t r = {.push = push, .profile = profile};
  dmd_strbuf_init(&r.url, &dmdv_env);
  dmd_strbuf_init(&r.body, &dmdv_env);
  dmd_strbuf_init(&r.name, &dmdv_env);
  add_name(&r.name, push, profile);
  for (size_t i = 0; i < push->n_headers; i++)
    add_header(&r, push->headers[i]);
  bool good = make_request(&r, why) && send_request(&r, why);
  dmd_strbuf_destroy(&r.name);
  dmd_strbuf_destroy(&r.body);
  dmd_strbuf_destroy(&r.url);
  return good;
}

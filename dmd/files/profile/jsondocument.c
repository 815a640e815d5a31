/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/profile/jsondocument.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "files/profile/jsonvalue.h"

/* ---- Cutting a document. ---- */

void dmd_jsoncutter_init(dmd_jsoncutter_t *cutter, const dmd_env_t *env,
                         const dmd_source_t *source) {
  dmd_mem_zero(cutter, sizeof *cutter);
  cutter->env = env;
  cutter->source = source;
  cutter->start = cutter->at = cutter->end = cutter->counted = "";
  cutter->line = 1;
  dmd_jsonvalues_init(&cutter->values, env, source->number);
}

void dmd_jsoncutter_destroy(dmd_jsoncutter_t *cutter) {
  dmd_jsonvalues_destroy(&cutter->values);
  dmd_env_free(cutter->env, cutter->text);
  cutter->text = NULL;
}

/* The number of line ends among eight bytes. A byte is 0 if and only if the highest bit is set
 * neither in it nor in the sum of its lower seven bits and 0x7f. */
static uint64_t line_ends(uint64_t word) {
  const uint64_t each = UINT64_C(0x0101010101010101);
  uint64_t differs = word ^ each * '\n';
  differs |= (differs & each * 0x7f) + each * 0x7f;
  return (~differs >> 7 & each) * each >> 56;
}

/* Counts line ends lazily: when the line is needed, and before the text is discarded. */
static void count_lines(dmd_jsoncutter_t *cutter) {
  const char *p = cutter->counted;
  for (; cutter->at - p >= 8; p += 8) {
    uint64_t word;
    __builtin_memcpy(&word, p, sizeof word);
    cutter->line += line_ends(word);
  }
  for (; p < cutter->at; p++)
    cutter->line += *p == '\n';
  cutter->counted = cutter->at;
}

/* How far the document has been read. */
static void cutter_place(dmd_jsoncutter_t *cutter, uint64_t *line, uint64_t *byte) {
  count_lines(cutter);
  *line = cutter->line;
  *byte = cutter->start_byte + (uint64_t)(cutter->at - cutter->start);
}

/* Marks the cutter as failed at the current place; the caller adds the reason. */
static void fail_here(dmd_jsoncutter_t *cutter) {
  cutter->failed = true;
  cutter_place(cutter, &cutter->fail.line, &cutter->fail.byte);
}

/* Records the reason together with the place, unless there was an error before. */
bool dmd_jsoncutter_reject(dmd_jsoncutter_t *cutter, const char *format, ...) {
  if (cutter->failed)
    return false;
  va_list args;
  va_start(args, format);
  dmd_fail_reason(&cutter->fail, format, args);
  va_end(args);
  fail_here(cutter);
  return false;
}

/* ---- Characters. ---- */

/* Replaces the text that was read with the next bytes; false at the end of the input. */
static bool refill(dmd_jsoncutter_t *cutter) {
  if (cutter->failed)
    return false;
  count_lines(cutter);
  cutter->start_byte += (uint64_t)(cutter->at - cutter->start);
  const char *text = cutter->at;
  size_t n;
  bool good = cutter->source->next(cutter->source->ctx, &text, &n, &cutter->fail);
  cutter->start = cutter->counted = cutter->at = text;
  cutter->end = text + (good ? n : 0);
  if (!good)
    fail_here(cutter);
  return cutter->at < cutter->end;
}

/* Makes sure that there is a character at cutter->at; false at the end of the input. */
static bool available(dmd_jsoncutter_t *cutter) {
  return cutter->at < cutter->end || refill(cutter);
}

/* The next character, without taking it; 0 at the end. (A NUL is an error anywhere in the text.) */
static char peek(dmd_jsoncutter_t *cutter) {
  return available(cutter) ? *cutter->at : '\0';
}

/* Returns true if there was any. */
static bool skip_space(dmd_jsoncutter_t *cutter) {
  bool any = false;
  while (available(cutter)) {
    const char *p = dmd_jsonscan_space(cutter->at, cutter->end);
    any |= p > cutter->at;
    cutter->at = p;
    if (p < cutter->end)
      break;
  }
  return any;
}

static bool unexpected(dmd_jsoncutter_t *cutter, const char *wanted) {
  if (!available(cutter))
    return dmd_jsoncutter_reject(cutter, "the file ends where %s should be", wanted);
  unsigned char c = (unsigned char)*cutter->at;
  if (c > 0x20 && c < 0x7f)
    return dmd_jsoncutter_reject(cutter, "'%c' found where %s should be", c, wanted);
  return dmd_jsoncutter_reject(cutter, "a byte 0x%02x found where %s should be", c, wanted);
}

/* ---- The text of a value. ---- */

static bool append(dmd_jsoncutter_t *cutter, const char *bytes, size_t n) {
  if (n > DMD_MAX_JSON_ELEMENT - cutter->n)
    return dmd_jsoncutter_reject(cutter, "a single value is larger than %d MiB",
                                 DMD_MAX_JSON_ELEMENT / (1024 * 1024));
  if (cutter->n + n + 1 > cutter->room) {
    size_t room = (cutter->n + n + 1) * 2;
    char *text = dmd_env_alloc(cutter->env, "dmd.load.text", room);
    dmd_mem_copy(text, cutter->text, cutter->n);
    dmd_env_free(cutter->env, cutter->text);
    cutter->text = text;
    cutter->room = room;
  }
  dmd_mem_copy(cutter->text + cutter->n, bytes, n);
  cutter->n += n;
  cutter->text[cutter->n] = '\0';
  return true;
}

static bool check_utf8(dmd_jsoncutter_t *cutter, const char *s) {
  return dmd_utf8_is_valid(s) || dmd_jsoncutter_reject(cutter, "a string is not UTF-8");
}

/* Takes a string including its quotes. */
static bool take_string(dmd_jsoncutter_t *cutter) {
  size_t start = cutter->n;
  bool escaped = false, open = false;
  while (available(cutter)) {
    const char *p = cutter->at;
    bool closed = false;
    for (; p < cutter->end && !closed; p++) {
      unsigned char c = (unsigned char)*p;
      if (c < 0x20)
        break;
      if (escaped)
        escaped = false;
      else if (c == '\\')
        escaped = true;
      else if (c == '"') {
        closed = open;
        open = true;
      }
    }
    size_t n = (size_t)(p - cutter->at);
    bool control = !closed && p < cutter->end;
    if (!append(cutter, cutter->at, n))
      return false;
    cutter->at += n;
    if (closed)
      return check_utf8(cutter, cutter->text + start);
    if (control)
      return dmd_jsoncutter_reject(cutter, "a control character in a string");
  }
  return dmd_jsoncutter_reject(cutter, "the file ends inside a string");
}

static bool is_scalar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '+' || c == '.';
}

static bool take_scalar(dmd_jsoncutter_t *cutter) {
  while (available(cutter) && is_scalar(*cutter->at)) {
    const char *p = cutter->at;
    while (p < cutter->end && is_scalar(*p))
      p++;
    size_t n = (size_t)(p - cutter->at);
    if (!append(cutter, cutter->at, n))
      return false;
    cutter->at += n;
  }
  return !cutter->failed;
}

/* Takes one whole value, each run of white space as one space. Matches brackets to find its end;
 * the grammar is checked later. */
static bool take_value(dmd_jsoncutter_t *cutter, bool keep) {
  char close[DMD_MAX_JSON_DEPTH];
  int depth = 0;
  cutter->n = 0;
  do {
    if (skip_space(cutter) && cutter->n > 0)
      append(cutter, " ", 1);
    char c = peek(cutter);
    if (c == '"') {
      if (!take_string(cutter))
        return false;
    } else if (is_scalar(c)) {
      if (!take_scalar(cutter))
        return false;
    } else if (c == '{' || c == '[') {
      if (cutter->depth + depth >= DMD_MAX_JSON_DEPTH)
        return dmd_jsoncutter_reject(cutter, "values nest deeper than %d", DMD_MAX_JSON_DEPTH);
      close[depth++] = c == '{' ? '}' : ']';
      append(cutter, cutter->at, 1);
      cutter->at += 1;
    } else if (depth > 0 && (c == ',' || c == ':' || c == close[depth - 1])) {
      depth -= c == close[depth - 1];
      append(cutter, cutter->at, 1);
      cutter->at += 1;
    } else {
      return unexpected(cutter, "a value");
    }
    if (!keep)
      cutter->n = 0;
  } while (depth > 0 && !cutter->failed);
  return !cutter->failed;
}

/* ---- Public functions. ---- */

bool dmd_jsoncutter_enter(dmd_jsoncutter_t *cutter, char open) {
  skip_space(cutter);
  if (cutter->failed || peek(cutter) != open)
    return unexpected(cutter, open == '{' ? "an object" : "an array");
  if (cutter->depth == DMD_MAX_JSON_DEPTH)
    return dmd_jsoncutter_reject(cutter, "values nest deeper than %d", DMD_MAX_JSON_DEPTH);
  cutter->at += 1;
  cutter->level[cutter->depth].close = open == '{' ? '}' : ']';
  cutter->level[cutter->depth].any = false;
  cutter->depth++;
  return true;
}

bool dmd_jsoncutter_begins(dmd_jsoncutter_t *cutter, char open) {
  skip_space(cutter);
  return peek(cutter) == open;
}

bool dmd_jsoncutter_next_element(dmd_jsoncutter_t *cutter) {
  if (cutter->failed)
    return false;
  skip_space(cutter);
  char close = cutter->level[cutter->depth - 1].close;
  if (peek(cutter) == close) {
    cutter->at += 1;
    cutter->depth--;
    return false;
  }
  if (!cutter->level[cutter->depth - 1].any) {
    cutter->level[cutter->depth - 1].any = true;
    return !cutter->failed;
  }
  if (peek(cutter) != ',')
    return unexpected(cutter, close == '}' ? "',' or '}'" : "',' or ']'");
  cutter->at += 1;
  skip_space(cutter);
  return peek(cutter) != close || unexpected(cutter, "a value");
}

/* Takes a key if all of it is in the buffer and it has no escapes. Otherwise returns false and
 * takes nothing. */
static bool take_plain_key(dmd_jsoncutter_t *cutter, const char **key) {
  dmd_span_t string;
  const char *end = dmd_jsonscan_string(cutter->at, cutter->end, &string);
  if (end == NULL || !append(cutter, string.at, string.n))
    return false;
  cutter->at = end;
  *key = cutter->text;
  return true;
}

static bool take_key(dmd_jsoncutter_t *cutter, const char **key) {
  cutter->n = 0;
  if (peek(cutter) != '"')
    return unexpected(cutter, "a key");
  if (take_plain_key(cutter, key))
    return true;
  if (!take_string(cutter))
    return false;
  const char *end;
  const dmd_jsonvalue_t *decoded =
      dmd_jsonvalues_parse(&cutter->values, cutter->text, cutter->n, &end);
  if (decoded == NULL)
    return dmd_jsoncutter_reject(cutter, "a key is not a JSON string");
  *key = decoded->string;
  return true;
}

bool dmd_jsoncutter_next_key(dmd_jsoncutter_t *cutter, const char **key) {
  if (!dmd_jsoncutter_next_element(cutter) || !take_key(cutter, key))
    return false;
  skip_space(cutter);
  if (peek(cutter) != ':')
    return unexpected(cutter, "':'");
  cutter->at += 1;
  return true;
}

/* Parses the next value in the buffer if all of it is there and it has no escapes. Otherwise
 * returns NULL and takes nothing. */
static const dmd_jsonvalue_t *value_in_place(dmd_jsoncutter_t *cutter) {
  skip_space(cutter);
  const char *start = cutter->at;
  const char *end = dmd_jsonscan_any(start, cutter->end, DMD_MAX_JSON_DEPTH - cutter->depth);
  if (end == NULL)
    return NULL;
  const dmd_jsonvalue_t *value =
      dmd_jsonvalues_parse(&cutter->values, start, (size_t)(end - start), &end);
  if (value != NULL)
    cutter->at = end;
  return value;
}

const dmd_jsonvalue_t *dmd_jsoncutter_value(dmd_jsoncutter_t *cutter) {
  const dmd_jsonvalue_t *value = value_in_place(cutter);
  if (value != NULL)
    return value;
  if (!take_value(cutter, true))
    return NULL;
  const char *end;
  value = dmd_jsonvalues_parse(&cutter->values, cutter->text, cutter->n, &end);
  if (value == NULL || end != cutter->text + cutter->n) {
    dmd_jsoncutter_reject(cutter, "a value is not JSON");
    return NULL;
  }
  return value;
}

bool dmd_jsoncutter_skip(dmd_jsoncutter_t *cutter) {
  return take_value(cutter, false);
}

/* Checks that only white space is left. */
static bool cutter_finish(dmd_jsoncutter_t *cutter) {
  skip_space(cutter);
  if (cutter->failed)
    return false;
  return !available(cutter) ? !cutter->failed : unexpected(cutter, "the end of the file");
}

/* ---- Documents. ---- */

typedef struct {
  dmd_jsoncutter_t *cutter;
  const dmd_jsondocument_format_t *const *formats;
  int n;
  void *ctx;
  const dmd_jsondocument_format_t *format; /* NULL: not known yet */
  unsigned seen;                           /* one bit for each of its parts that was read */
  bool has_version, version_is_number;
  double version;
  uint64_t line, byte; /* the place of the version */
} document_t;

/* ---- The version, which may come before the format is known. ---- */

static bool check_version(const document_t *d) {
  dmd_jsoncutter_t *cutter = d->cutter;
  if (cutter->failed || !d->has_version || d->format == NULL ||
      (d->version_is_number && d->version == d->format->version))
    return !cutter->failed;
  dmd_jsoncutter_reject(cutter, "%s", d->format->wrong_version);
  cutter->fail.line = d->line;
  cutter->fail.byte = d->byte;
  return false;
}

static bool load_version(document_t *d) {
  if (d->has_version)
    return dmd_jsoncutter_reject(d->cutter, "\"version\" comes twice");
  const dmd_jsonvalue_t *version = dmd_jsoncutter_value(d->cutter);
  d->has_version = true;
  d->version_is_number = dmd_jsonvalue_is(version, DMD_JSONVALUE_NUMBER);
  d->version = d->version_is_number ? version->number : 0;
  cutter_place(d->cutter, &d->line, &d->byte);
  return check_version(d);
}

/* ---- Parts. ---- */

/* The index of the format's part with this key; -1 if not found. */
static int part_of(const dmd_jsondocument_format_t *format, const char *key) {
  for (int i = 0; i < format->n; i++)
    if (dmd_str_equal(key, format->parts[i].key))
      return i;
  return -1;
}

static bool load_part(document_t *d, const char *key) {
  if (dmd_str_equal(key, "version"))
    return load_version(d);
  for (int i = 0; i < d->n && d->format == NULL; i++)
    if (part_of(d->formats[i], key) >= 0)
      d->format = d->formats[i];
  int i = d->format != NULL ? part_of(d->format, key) : -1;
  if (i < 0)
    return dmd_jsoncutter_skip(d->cutter);
  if (!check_version(d))
    return false;
  if (d->seen & 1u << i)
    return dmd_jsoncutter_reject(d->cutter, "\"%s\" comes twice", key);
  d->seen |= 1u << i;
  return d->format->parts[i].load(d->ctx);
}

static bool is_complete(const document_t *d, const char *none) {
  if (d->format == NULL)
    return dmd_jsoncutter_reject(d->cutter, "%s", none);
  if (!d->has_version)
    return dmd_jsoncutter_reject(d->cutter, "\"version\" is missing");
  for (int i = 0; i < d->format->n; i++)
    if (d->format->parts[i].required && !(d->seen & 1u << i))
      return dmd_jsoncutter_reject(d->cutter, "\"%s\" is missing", d->format->parts[i].key);
  return true;
}

const dmd_jsondocument_format_t *
dmd_jsondocument_load(dmd_jsoncutter_t *cutter, const dmd_jsondocument_format_t *const *formats,
                      int n, const char *none, void *ctx) {
  document_t d = {.cutter = cutter, .formats = formats, .n = n, .ctx = ctx};
  if (n == 1)
    d.format = formats[0];
  const char *key;
  dmd_jsoncutter_enter(cutter, '{');
  while (dmd_jsoncutter_next_key(cutter, &key))
    load_part(&d, key);
  return cutter_finish(cutter) && is_complete(&d, none) ? d.format : NULL;
}

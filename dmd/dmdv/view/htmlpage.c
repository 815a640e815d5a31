/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/view/htmlpage.h"

#include "base/out.h"
#include "dmdv/input/input.h"
#include "host/child.h"
#include "host/process.h"

#include "dmd-config.h"

#include <string.h>

enum { MAX_PAGE = 64 << 20 };

static const char element[] = "<script type=\"text/plain\" id=\"dmd-image\"></script>";
static const char element_end[] = "</script>";
static const char title_begin[] = "<title>";
static const char no_network[] = "connect-src 'none'";
static const char some_network[] = "connect-src https: http:";

/* ---- Reading. ---- */

static bool read_page(dmdv_page_t *page, const char *name) {
  dmd_fail_t fail = {0};
  dmdv_input_t *input = dmdv_input_open(name, &fail);
  if (input == NULL)
    return dmdv_error_in(name, &fail);
  const char *bytes;
  size_t n = 0;
  bool good;
  do {
    good = dmdv_input_next(input, &bytes, &n, &fail);
    if (good && n > 0)
      dmd_strbuf_bytes(&page->read, bytes, n);
  } while (good && n > 0 && page->read.n <= MAX_PAGE);
  dmdv_input_close(input);
  page->bytes = page->read.text;
  page->n = page->read.n;
  return good || dmdv_error_in(name, &fail);
}

/* The first occurrence of a word in the page's bytes from `from` on; NULL if not found. */
static const char *find(const dmdv_page_t *page, size_t from, const char *word) {
  size_t length = strlen(word);
  const char *at = page->bytes + from, *end = page->bytes + page->n;
  while ((size_t)(end - at) >= length) {
    at = memchr(at, word[0], (size_t)(end - at) - length + 1);
    if (at == NULL || memcmp(at, word, length) == 0)
      return at;
    at++;
  }
  return NULL;
}

/* False if the page has no such element. */
static bool find_element(dmdv_page_t *page) {
  const char *at = find(page, 0, element);
  if (at == NULL)
    return false;
  page->place = (size_t)(at - page->bytes) + strlen(element) - strlen(element_end);
  return find(page, page->place, element) == NULL;
}

bool dmdv_page_open(dmdv_page_t *page, const char *name) {
  *page = (dmdv_page_t){0};
  dmd_strbuf_init(&page->read, &dmdv_env);
  if (name != NULL && !read_page(page, name))
    return false;
  if (name == NULL)
    page->bytes = dmdv_built_page(&page->n);
  if (page->bytes == NULL)
    return dmdv_error(
        "view: this dmdv was built without the page; the output of configure and make names what "
        "is missing. Or give --page=FILE, a page that another dmdv wrote with view --page-only");
  return find_element(page) || dmdv_error("view: %s is not a page that dmdv view --page-only wrote",
                                          name != NULL ? name : "the built-in page");
}

void dmdv_page_close(dmdv_page_t *page) {
  dmd_strbuf_destroy(&page->read);
}

/* ---- Writing. ---- */

static void write_part(const dmdv_page_t *page, dmdv_output_t *file, size_t from, size_t to) {
  dmdv_output_write(file, page->bytes + from, to - from);
}

static void write_escaped(dmdv_output_t *file, const char *text) {
  dmd_out_t out;
  dmd_out_init(&out, dmdv_output_write, file);
  for (; *text != '\0'; text++) {
    if (*text == '<' || *text == '&') {
      dmd_out_str(&out, *text == '<' ? "&lt;" : "&amp;");
      continue;
    }
    dmd_out_char(&out, *text);
  }
  dmd_out_flush(&out);
}

/* Writes the page up to the bundle's element, with the title in front of the page's own title. */
static void write_head(const dmdv_page_t *page, dmdv_output_t *file, const char *title) {
  const char *at = find(page, 0, title_begin);
  size_t place = at == NULL ? page->place : (size_t)(at - page->bytes) + strlen(title_begin);
  if (place >= page->place) {
    write_part(page, file, 0, page->place);
    return;
  }
  write_part(page, file, 0, place);
  write_escaped(file, title);
  write_escaped(file, " - ");
  write_part(page, file, place, page->place);
}

bool dmdv_page_write(const dmdv_page_t *page, dmdv_output_t *file, const char *title,
                     dmdv_page_fill_fn fill, void *ctx) {
  dmd_base64_t base64;
  write_head(page, file, title);
  dmd_base64_init(&base64, dmdv_output_write, file);
  dmd_gzip_t *gzip = dmd_gzip_open(&dmdv_gzip_way, dmd_base64_write, &base64);
  bool good = fill(ctx, dmd_gzip_write, gzip);
  dmd_gzip_close(gzip, good);
  dmd_base64_end(&base64);
  write_part(page, file, page->place, page->n);
  return good;
}

void dmdv_page_write_alone(const dmdv_page_t *page, dmd_write_fn write, void *ctx) {
  const char *at = find(page, 0, no_network);
  size_t place = at == NULL ? page->n : (size_t)(at - page->bytes);
  write(ctx, page->bytes, place);
  if (at == NULL)
    return;
  write(ctx, some_network, strlen(some_network));
  place += strlen(no_network);
  write(ctx, page->bytes + place, page->n - place);
}

bool dmdv_page_show(const char *name) {
  const char *const argv[] = {"xdg-open", name, NULL};
  int error, status = dmdv_child_run(argv, NULL, true, NULL, &error);
  return status == 0 || dmdv_error("view: xdg-open could not open %s%s%s", name,
                                   error != 0 ? ": " : "", error != 0 ? strerror(error) : "");
}

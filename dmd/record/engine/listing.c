/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/listing.h"

#include "base/files.h"
#include "base/mem.h"
#include "show/text/escape.h"

static const char graph[] = "graph";

void dmd_listing_write(dmd_strbuf_t *line, const dmd_run_t *run, bool is_graph, const char *path) {
  dmd_strbuf_u64(line, run->pid);
  dmd_strbuf_str(line, " ");
  dmd_strbuf_u64(line, run->dump_number);
  dmd_strbuf_str(line, " ");
  dmd_strbuf_str(line, is_graph ? graph : run->trigger);
  dmd_strbuf_str(line, " ");
  for (; *path != '\0'; path++)
    if (*path == '\n')
      dmd_strbuf_str(line, "\\n");
    else if (*path == '\\')
      dmd_strbuf_str(line, "\\\\");
    else
      dmd_strbuf_bytes(line, path, 1);
  dmd_strbuf_str(line, "\n");
}

/* Sets *n to the number of bytes up to the next blank, which must follow, and returns whether there
 * are any. */
static bool find_word(const char *line, size_t end, size_t *n) {
  *n = 0;
  while (*n < end && line[*n] != ' ')
    ++*n;
  return *n > 0 && *n < end;
}

static bool read_number(uint64_t *number, const char *digits, size_t n) {
  enum { MOST_DIGITS = 19 };
  *number = 0;
  for (size_t i = 0; i < n && n <= MOST_DIGITS; i++) {
    if (digits[i] < '0' || digits[i] > '9')
      return false;
    *number = *number * 10 + (unsigned)(digits[i] - '0');
  }
  return n <= MOST_DIGITS;
}

bool dmd_listing_read(dmd_listing_t *listing, dmd_strbuf_t *path, const char *line, size_t n) {
  size_t i = 0, word;
  if (!find_word(line, n, &word) || !read_number(&listing->pid, line, word))
    return false;
  i = word + 1;
  if (!find_word(line + i, n - i, &word) || !read_number(&listing->number, line + i, word))
    return false;
  i += word + 1;
  if (!find_word(line + i, n - i, &word))
    return false;
  listing->is_graph = word == sizeof graph - 1 && dmd_mem_equal(line + i, graph, word);
  i += word + 1;
  if (i == n)
    return false;
  for (; i < n; i++) {
    char c = line[i];
    if (c == '\\') {
      if (++i == n || (line[i] != 'n' && line[i] != '\\'))
        return false;
      c = line[i] == 'n' ? '\n' : '\\';
    }
    dmd_strbuf_bytes(path, &c, 1);
  }
  return true;
}

/* ---- Files that could not be written. ---- */

/* Linux uses these numbers on every machine. */
static const struct {
  int error;
  const char *text;
} texts[] = {
    {1, "operation not permitted"},
    {2, "no such folder"},
    {5, "input/output error"},
    {13, "permission denied"},
    {20, "part of the path is not a folder"},
    {21, "it is a folder"},
    {24, "too many open files"},
    {27, "the file size limit is reached"},
    {28, "no space left on the device"},
    {30, "the file system is read-only"},
    {32, "the pipe has no reader"},
    {40, "too many symbolic links"},
    {116, "another file has taken its name"},
};

const char *dmd_error_text(int error) {
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    if (texts[i].error == error)
      return texts[i].text;
  return "unexpected error";
}

void dmd_lostfile_why(dmd_strbuf_t *why, int error, const char *text) {
  const char *ours = dmd_files_error(error);
  dmd_strbuf_str(why, ours != NULL ? ours : text);
  if (ours != NULL)
    return;
  dmd_strbuf_str(why, " (error ");
  dmd_strbuf_i64(why, error);
  dmd_strbuf_str(why, ")");
}

void dmd_lostfile_say(const dmd_env_t *env, const char *name, bool is_graph, const char *why,
                      void (*say)(void *ctx, const char *line), void *ctx) {
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, env);
  dmd_strbuf_str(&line, "dmd: cannot write ");
  dmd_escape_append(&line, name);
  dmd_strbuf_str(&line, ": ");
  dmd_strbuf_str(&line, why);
  say(ctx, line.text);
  dmd_strbuf_cut(&line, 0);
  dmd_strbuf_str(&line, "dmd: this dump's ");
  dmd_strbuf_str(&line, is_graph ? "heap graph" : "profile");
  dmd_strbuf_str(&line, " is lost; name another place with --dmd-out-file=<file>");
  say(ctx, line.text);
  dmd_strbuf_destroy(&line);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_dump.h"

#include "base/strbuf.h"
#include "model/profile/profile.h"
#include "show/text/text.h"

/* Splits text into whole lines. */
typedef struct {
  void (*say)(void *ctx, const char *line);
  void *ctx;
  dmd_strbuf_t line; /* the current line so far */
} lines_t;

static bool write_lines(void *ctx, const char *bytes, size_t n) {
  lines_t *lines = ctx;
  while (n > 0) {
    size_t part = 0;
    while (part < n && bytes[part] != '\n')
      part++;
    dmd_strbuf_bytes(&lines->line, bytes, part);
    if (part < n) {
      lines->say(lines->ctx, lines->line.text);
      dmd_strbuf_cut(&lines->line, 0);
      part++;
    }
    bytes += part;
    n -= part;
  }
  return true;
}

static const char *or_unknown(const char *s) {
  return s != NULL ? s : "(unknown)";
}

/* "dmd 1.0: dump 2 "loaded" of ./app -x (pid 123)" */
static void write_title(dmd_strbuf_t *title, const dmd_run_t *run) {
  dmd_strbuf_str(title, "dmd ");
  dmd_strbuf_str(title, or_unknown(run->version));
  dmd_strbuf_str(title, ": dump ");
  dmd_strbuf_u64(title, run->dump_number);
  if (run->label != NULL) {
    dmd_strbuf_str(title, " \"");
    dmd_strbuf_str(title, run->label);
    dmd_strbuf_str(title, "\"");
  }
  dmd_strbuf_str(title, " of ");
  dmd_strbuf_str(title, or_unknown(run->command));
  dmd_strbuf_str(title, " (pid ");
  dmd_strbuf_u64(title, run->pid);
  dmd_strbuf_str(title, ")");
}

static void print(dmd_profile_t *profile, const dmd_text_dump_options_t *options,
                  void (*say)(void *ctx, const char *line), void *ctx) {
  dmd_strbuf_t title;
  dmd_strbuf_init(&title, profile->env);
  write_title(&title, &profile->run);
  dmd_text_options_t text_options = {.title = title.text, .max_records = options->max_records};
  lines_t lines = {.say = say, .ctx = ctx};
  dmd_strbuf_init(&lines.line, profile->env);
  dmd_records_t records;
  dmd_out_t out;
  dmd_records_init(&records, profile, options->max_frames, options->sort_by);
  dmd_out_init(&out, write_lines, &lines);
  dmd_text_print(&out, &records, &text_options);
  dmd_out_flush(&out);
  dmd_records_destroy(&records);
  dmd_strbuf_destroy(&lines.line);
  dmd_strbuf_destroy(&title);
}

void dmd_text_dump(dmd_profile_t *profile, const dmd_text_dump_options_t *options,
                   void (*say)(void *ctx, const char *line), void *ctx) {
  bool is_peak = dmd_peak_matters(profile);
  dmd_moment_side_t other;
  if (is_peak) {
    dmd_moment_side_init_peak(&other, profile);
    dmd_moment_swap(profile, &other);
  }
  print(profile, options, say, ctx);
  if (is_peak) {
    dmd_moment_swap(profile, &other);
    dmd_moment_side_destroy(&other);
  }
}

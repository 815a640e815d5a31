/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text.h"

#include "analyse/records/hintsum.h"
#include "base/format.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "model/profile/profile.h"
#include "show/text/print.h"
#include "show/text/printer.h"

/* ---- The run. ---- */

/* `  Folder: /home/me`; nothing if it is not known. */
static void print_line(dmd_out_t *out, const char *what, const char *value) {
  if (value == NULL)
    return;
  dmd_out_str(out, "  ");
  dmd_out_str(out, what);
  dmd_out_str(out, ": ");
  dmd_out_safe(out, value);
  dmd_out_char(out, '\n');
}

/* The command line as a user would type it. */
static void print_command(dmd_out_t *out, const dmd_profile_t *profile) {
  uint32_t n = dmd_profile_n_arguments(profile);
  if (n == 0) {
    print_line(out, "Command", profile->run.command);
    return;
  }
  dmd_out_str(out, "  Command:");
  for (uint32_t i = 0; i < n; i++) {
    dmd_out_char(out, ' ');
    dmd_print_quoted(out, dmd_profile_argument(profile, i));
  }
  dmd_out_char(out, '\n');
}

/* `  Process: 1234, dump 2 (request)`; nothing for several processes. */
static void print_process(dmd_out_t *out, const dmd_run_t *run) {
  if (run->pid == 0)
    return;
  dmd_out_str(out, "  Process: ");
  dmd_out_u64(out, run->pid);
  if (run->dump_number > 0) {
    dmd_out_str(out, ", dump ");
    dmd_out_u64(out, run->dump_number);
  }
  if (run->trigger != NULL) {
    dmd_out_str(out, " (");
    dmd_out_safe(out, run->trigger);
    dmd_out_char(out, ')');
  }
  dmd_out_char(out, '\n');
}

void dmd_print_run(dmd_out_t *out, const char *which, const dmd_profile_t *profile) {
  const dmd_run_t *run = &profile->run;
  if (!run->is_known)
    return;
  dmd_out_str(out, "Run");
  dmd_out_str(out, which);
  dmd_out_str(out, " {\n");
  print_command(out, profile);
  print_process(out, run);
  if (dmd_run_is_attached(run))
    print_line(out, "Attached", run->attach.time);
  print_line(out, "Label", run->label);
  print_line(out, "Time", run->time);
  print_line(out, "Host", run->host);
  print_line(out, "Folder", run->folder);
  dmd_out_str(out, "}\n\n");
}

/* ---- The peak. ---- */

const char *dmd_print_moment(const dmd_run_t *run) {
  return dmd_run_is_at_exit(run)  ? "at exit"
         : dmd_run_is_at_end(run) ? "at the detach"
                                  : "at the dump";
}

void dmd_print_time(dmd_out_t *out, uint64_t ms) {
  char elapsed[DMD_FORMAT_MAX];
  dmd_format_elapsed(elapsed, ms);
  dmd_out_str(out, "after ");
  dmd_out_str(out, elapsed);
}

/* `1,234 bytes in 5 blocks, after 0.8 s` */
static void print_figures(dmd_out_t *out, const dmd_moment_t *peak, bool sampled) {
  dmd_print_count(out, (int64_t)peak->szB, sampled, "byte", "bytes");
  dmd_out_str(out, " in ");
  dmd_print_count(out, (int64_t)peak->n_blocks, sampled, "block", "blocks");
  dmd_out_str(out, ", ");
  dmd_print_time(out, peak->ms);
  if (peak->n_instructions > 0) {
    dmd_out_str(out, " and ");
    dmd_print_count(out, (int64_t)peak->n_instructions, false, "instruction", "instructions");
  }
  if (peak->error_szB == 0)
    return;
  dmd_out_str(out, " (at most ");
  dmd_print_bytes(out, peak->error_szB);
  dmd_out_str(out, " too low)");
}

/* A line, if reporters ran and there is something that none of them has covered. */
static void print_never_measured(const dmd_printer_t *p) {
  const dmd_run_t *run = &p->profile->run;
  if (run->never_measured_blocks == 0)
    return;
  bool sampled = run->sample_interval > 0;
  dmd_out_str(p->out, "never measured: ");
  dmd_print_count(p->out, (int64_t)run->never_measured_szB, sampled, "byte", "bytes");
  dmd_out_str(p->out, " in ");
  dmd_print_count(p->out, (int64_t)run->never_measured_blocks, sampled, "block", "blocks");
  dmd_out_str(p->out, " of the peak (");
  dmd_print_percent(p->out, (int64_t)run->never_measured_szB, (int64_t)run->peak.szB);
  dmd_out_str(p->out, "), of stacks that no reporter covered at any dump\n");
}

void dmd_print_peak_sentence(const dmd_printer_t *p) {
  const dmd_run_t *run = &p->profile->run;
  if (!p->profile->shows_peak || !run->peak.is_known)
    return;
  bool sampled = run->sample_interval > 0;
  dmd_out_str(p->out,
              p->profile->shows_recent ? "At the peak since the previous dump: " : "At the peak: ");
  print_figures(p->out, &run->peak, sampled);
  dmd_out_str(p->out, "; ");
  dmd_print_count(p->out, (int64_t)run->in_use_szB, sampled, "byte", "bytes");
  dmd_out_char(p->out, ' ');
  dmd_out_str(p->out, dmd_print_moment(run));
  dmd_out_char(p->out, '\n');
  print_never_measured(p);
}

/* The sentence with a hint. */
static void print_peak_opening(const dmd_printer_t *p) {
  const dmd_run_t *run = &p->profile->run;
  if (!p->profile->shows_peak || !run->peak.is_known)
    return;
  dmd_print_peak_sentence(p);
  if (run->in_use_blocks > 0)
    dmd_out_str(p->out, "dmdv print --moment=end shows the blocks that were left.\n");
  dmd_out_char(p->out, '\n');
}

void dmd_print_peak_total(const dmd_printer_t *p) {
  const dmd_run_t *run = &p->profile->run;
  if (!run->peak.is_known || p->profile->shows_peak)
    return;
  bool sampled = run->sample_interval > 0;
  dmd_out_str(p->out, "peak: ");
  print_figures(p->out, &run->peak, sampled);
  if (run->recent_peak.is_known) {
    dmd_out_str(p->out, "\npeak since the previous dump: ");
    print_figures(p->out, &run->recent_peak, sampled);
  }
  dmd_out_char(p->out, '\n');
  print_never_measured(p);
}

/* ---- Attached processes. ---- */

void dmd_print_attach(dmd_out_t *out, const dmd_run_t *run, const char *since, const char *before) {
  const dmd_attach_t *attach = &run->attach;
  if (!dmd_run_is_attached(run))
    return;
  dmd_out_str(out, since);
  dmd_out_str(out, "from the attach at ");
  dmd_out_safe(out, attach->time);
  dmd_out_str(out, " on\n");
  if (attach->older_blocks == DMD_MEMORY_UNKNOWN || attach->older_szB == DMD_MEMORY_UNKNOWN)
    return;
  dmd_out_str(out, before);
  dmd_print_count(out, (int64_t)attach->older_szB, false, "byte", "bytes");
  dmd_out_str(out, " in ");
  dmd_print_count(out, (int64_t)attach->older_blocks, false, "block was", "blocks were");
  dmd_out_str(out, " freed or reallocated since\n");
}

/* ---- The whole text. ---- */

static void print_section(const dmd_printer_t *p, dmd_section_t section) {
  dmd_out_t *out = p->out;
  if (p->only != 0 && !(p->only & 1u << section))
    return;
  const dmd_section_records_t *s = &p->records->section[section];
  dmd_out_str(out, DMD_SEPARATOR);
  dmd_out_char(out, '\n');
  if (s->n_all == 0) {
    dmd_out_str(out, "# no ");
    dmd_out_str(out, dmd_print_section_name(p, section));
    dmd_out_str(out, " heap blocks\n\n");
  }
  if (s->n_all > 0 && section == DMD_SECTION_UNREPORTED)
    dmd_print_hint_on_all(p);
  uint32_t n_printed = p->max_records == 0 || p->max_records > s->n ? s->n : p->max_records;
  int64_t cumulative = 0;
  for (uint32_t i = 0; i < n_printed; i++) {
    const dmd_record_t *r = dmd_records_at(p->records, s->ids[i]);
    cumulative += r->usable;
    dmd_print_record(p, section, i + 1, r, cumulative);
  }
  if (n_printed < s->n) {
    dmd_out_str(out, "# ");
    dmd_print_capitalized(out, dmd_print_section_name(p, section));
    dmd_out_str(out, ": the first ");
    dmd_print_number(out, n_printed, false);
    dmd_out_str(out, " of ");
    dmd_print_number(out, s->n, false);
    dmd_out_str(out, " heap block records; the others hold ");
    dmd_print_number(out, s->sum.bytes - cumulative, s->sum.sampled);
    dmd_out_str(out, " bytes (--max-records=all shows them)\n\n");
  }
}

/* ` ± 1,234 bytes, ± 5 blocks` */
static void print_errors(dmd_out_t *out, dmd_variance_t variance) {
  if (variance.blocks <= 0)
    return;
  dmd_print_error(out, variance.bytes);
  dmd_out_str(out, " bytes,");
  dmd_print_error(out, variance.blocks);
  dmd_out_str(out, " blocks");
}

/* `  Unreported:     1,234 bytes ( 12.34%) in     5 blocks (  1.23%)`, in columns. */
static void print_row(const dmd_printer_t *p, const char *name, const dmd_blocksum_t *s,
                      bool is_total) {
  dmd_out_t *out = p->out;
  char buf[DMD_FORMAT_MAX + 1] = "~";
  char *digits = s->sampled ? buf + 1 : buf;
  dmd_out_str(out, "  ");
  dmd_out_left(out, name, 15);
  dmd_out_char(out, ' ');
  dmd_format_commas(digits, s->bytes);
  dmd_out_right(out, buf, 12);
  dmd_out_str(out, " bytes (");
  dmd_format_fixed2(digits, is_total ? 100.0 : dmd_percent(s->bytes, p->records->heap.bytes));
  dmd_out_right(out, digits, 6);
  dmd_out_str(out, "%) in ");
  dmd_format_commas(digits, s->blocks);
  dmd_out_right(out, buf, 7);
  dmd_out_str(out, " blocks (");
  dmd_format_fixed2(digits, is_total ? 100.0 : dmd_percent(s->blocks, p->records->heap.blocks));
  dmd_out_right(out, digits, 6);
  dmd_out_str(out, "%)");
  print_errors(out, s->variance);
  dmd_out_char(out, '\n');
}

/* The allocator that usable sizes come from, e.g. "allocator: jemalloc (--allocator=auto)". */
static void print_allocator(dmd_out_t *out, const dmd_run_t *run) {
  if (run->allocator == NULL)
    return;
  dmd_out_str(out, "allocator: ");
  dmd_out_safe(out, run->allocator);
  if (run->allocator_chosen != NULL) {
    bool is_auto = dmd_str_equal(run->allocator_chosen, "auto");
    dmd_out_str(out, " (--allocator=");
    dmd_out_safe(out, is_auto ? "auto" : run->allocator);
    dmd_out_str(out, ")");
  }
  dmd_out_str(out, "\n");
}

static void print_replaced_new(dmd_out_t *out, const dmd_run_t *run) {
  if (run->replaced_new == NULL)
    return;
  dmd_out_str(out, "\nThe operator new of ");
  dmd_out_safe(out, run->replaced_new);
  dmd_out_str(out, " did not run: Valgrind's ran in its place.\nWith "
                   "--soname-synonyms=somalloc=nouserintercepts it runs; see the manual's "
                   "page of problems.\n");
}

static void print_resident(dmd_out_t *out, const dmd_profile_t *profile) {
  uint64_t now = profile->memory.resident, most = profile->run.most_resident_szB;
  if (most == 0)
    return;
  dmd_out_str(out, "physical memory: ");
  dmd_print_bytes(out, most);
  dmd_out_str(out, " at most");
  if (now != DMD_MEMORY_UNKNOWN) {
    dmd_out_str(out, "; ");
    dmd_print_bytes(out, now);
    dmd_out_char(out, ' ');
    dmd_out_str(out, dmd_print_moment(&profile->run));
  }
  dmd_out_char(out, '\n');
}

static void print_totals(const dmd_printer_t *p) {
  dmd_out_t *out = p->out;
  const dmd_run_t *run = &p->profile->run;
  if (!run->is_known)
    return;
  bool sampled = run->sample_interval > 0;
  dmd_out_str(out, "total heap usage: ");
  dmd_print_number(out, (int64_t)run->n_allocs, sampled);
  dmd_out_str(out, " allocs, ");
  dmd_print_number(out, (int64_t)run->n_frees, sampled);
  dmd_out_str(out, " frees, ");
  dmd_print_number(out, (int64_t)run->alloc_szB, sampled);
  dmd_out_str(out, " bytes allocated; in use: ");
  dmd_print_number(out, (int64_t)run->in_use_szB, sampled);
  dmd_out_str(out, " bytes in ");
  dmd_print_number(out, (int64_t)run->in_use_blocks, sampled);
  dmd_out_str(out, " blocks\n");
  dmd_print_peak_total(p);
  dmd_print_attach(out, run, "recorded: ", "from before the attach: ");
  print_resident(out, p->profile);
  print_allocator(out, run);
  dmd_print_unseen(out, run);
  print_replaced_new(out, run);
  const dmd_section_records_t *s = p->records->section;
  if (p->profile->mode == DMD_MODE_DARK_MATTER && run->freed_reported > 0 &&
      s[DMD_SECTION_ONCE].n == 0 && s[DMD_SECTION_TWICE].n == 0) {
    dmd_out_str(out, "\nEvery block that was reported (");
    dmd_print_number(out, (int64_t)run->freed_reported, sampled);
    dmd_out_str(out, ") was freed before this dump.\n"
                     "Call DMD_DUMP(label) of dmd.h right after the reporters have run.\n");
  }
}

static void print_mapped_entry(const dmd_printer_t *p, uint32_t number,
                               const dmd_mapped_entry_t *entry) {
  enum { FRAMES = 5 };
  size_t n;
  const uint32_t *frames = dmd_profile_frames(p->profile, entry->stack, &n);
  dmd_out_str(p->out, "  ");
  dmd_out_u64(p->out, number);
  dmd_out_str(p->out, ". ");
  dmd_print_count(p->out, (int64_t)entry->szB, false, "byte", "bytes");
  dmd_out_str(p->out, " in ");
  dmd_print_count(p->out, (int64_t)entry->num, false, "mapping\n", "mappings\n");
  dmd_print_frames(p->out, "     ", p->profile, frames, 0, n < FRAMES ? n : FRAMES);
}

static int compare_mapped(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_mapped_entry_t *x = dmd_mapped_at(ctx, a), *y = dmd_mapped_at(ctx, b);
  return (x->szB < y->szB) - (x->szB > y->szB);
}

/* What nobody reports, largest first. */
static void print_mapped(const dmd_printer_t *p, bool of_stacks) {
  enum { MOST = 5 };
  const dmd_mapped_t *mapped = &p->profile->mapped;
  dmd_mapped_entry_t all = dmd_mapped_sum(mapped, of_stacks, false);
  dmd_mapped_entry_t dark = dmd_mapped_sum(mapped, of_stacks, true);
  uint32_t shown = 0;
  if (dark.num == 0 || p->profile->mode != DMD_MODE_DARK_MATTER || p->profile->shows_peak)
    return;
  dmd_out_str(p->out, of_stacks ? "\nStacks of threads that nobody reports: "
                                : "\nMapped memory that nobody reports: ");
  dmd_print_number(p->out, (int64_t)dark.szB, false);
  dmd_out_str(p->out, " of ");
  dmd_print_count(p->out, (int64_t)all.szB, false, "byte", "bytes");
  dmd_out_str(p->out, of_stacks ? " of address space\n" : " that the program mapped\n");
  uint32_t *order =
      dmd_sorted_ids(p->profile->env, dmd_mapped_count(mapped), compare_mapped, mapped);
  for (uint32_t i = 0; i < dmd_mapped_count(mapped) && shown < MOST; i++) {
    const dmd_mapped_entry_t *entry = dmd_mapped_at(mapped, order[i]);
    if (entry->is_stack == of_stacks && !entry->is_reported)
      print_mapped_entry(p, ++shown, entry);
  }
  dmd_env_free(p->profile->env, order);
}

/* In a difference: run has the sampling of the two that are sampled. */
static void print_sampling(dmd_out_t *out, const dmd_run_t *run) {
  if (run->sample_interval == 0)
    return;
  dmd_out_str(out, "Sampled: one block for each ");
  dmd_print_unsigned(out, run->sample_interval);
  dmd_out_str(out, " bytes on average was kept.\nFigures with ~ are estimates; \xc2\xb1 is "
                   "followed by their standard error.\n\n");
}

/* By how much the program's own numbers are too high, if that is more than the blocks' sizes. */
static void print_excess(const dmd_printer_t *p, const dmd_section_records_t *twice) {
  if (twice->excess == twice->sum.bytes)
    return;
  dmd_out_str(p->out, "  Counted too often: ");
  dmd_print_number(p->out, twice->excess, twice->sum.sampled);
  dmd_out_str(p->out, twice->excess == 1 ? " byte\n" : " bytes\n");
}

static void print_summary(const dmd_printer_t *p) {
  dmd_out_t *out = p->out;
  const dmd_records_t *records = p->records;
  const dmd_section_records_t *s = records->section;
  dmd_out_str(out, DMD_SEPARATOR);
  dmd_out_char(out, '\n');
  dmd_print_opening(p, "summary", DMD_BOLD);
  if (p->profile->mode == DMD_MODE_DARK_MATTER) {
    static const dmd_section_t rows[] = {DMD_SECTION_UNREPORTED, DMD_SECTION_ONCE,
                                         DMD_SECTION_TWICE};
    static const char *const names[] = {"Unreported:", "Once-reported:", "Twice-reported:"};
    print_row(p, "Total:", &records->heap, true);
    for (int i = 0; i < 3; i++)
      print_row(p, names[i], &s[rows[i]].sum, false);
    print_excess(p, &s[DMD_SECTION_TWICE]);
  } else {
    dmd_out_str(out, "  Total: ");
    dmd_print_number(out, records->heap.bytes, records->heap.sampled);
    dmd_print_error(out, records->heap.variance.bytes);
    dmd_out_str(out, " bytes in ");
    dmd_print_number(out, records->heap.blocks, records->heap.sampled);
    dmd_print_error(out, records->heap.variance.blocks);
    dmd_out_str(out, " blocks\n");
  }
  dmd_print_fault_counts(p);
  dmd_out_str(out, "}\n\n");
  print_sampling(out, &p->profile->run);
}

/* which: "", or " 1" and " 2" in a difference. */
static void print_invocation(dmd_out_t *out, const char *which, const dmd_profile_t *profile) {
  dmd_out_str(out, "Invocation");
  dmd_out_str(out, which);
  dmd_out_str(out, " {\n");
  if (profile->options == NULL) {
    dmd_out_str(out, "  $DMD is undefined\n");
  } else {
    dmd_out_str(out, "  $DMD = '");
    dmd_out_safe(out, profile->options);
    dmd_out_str(out, "'\n");
  }
  /* Mozilla's script also calls a scan live here. */
  dmd_mode_t mode = profile->mode;
  dmd_out_str(out, "  Mode = '");
  dmd_out_str(out, dmd_mode_name(mode == DMD_MODE_SCAN ? DMD_MODE_LIVE : mode));
  dmd_out_str(out, profile->shows_peak ? "', at the peak\n}\n\n" : "'\n}\n\n");
}

void dmd_text_print(dmd_out_t *out, const dmd_records_t *records,
                    const dmd_text_options_t *options) {
  dmd_hintsum_t hint;
  dmd_allocfns_t allocfns;
  dmd_hintsum_init(&hint, records);
  dmd_allocfns_init(&allocfns, records->profile);
  dmd_printer_t p = {.out = out,
                     .records = records,
                     .profile = records->profile,
                     .hint = &hint,
                     .owners = options->owners,
                     .allocfns = &allocfns,
                     .max_records = options->max_records,
                     .only = options->only,
                     .colour = options->colour,
                     .columns = options->columns,
                     .for_testing = options->for_testing};
  dmd_out_str(out, DMD_SEPARATOR);
  dmd_out_str(out, "# ");
  dmd_out_safe(out, options->title);
  dmd_out_str(out, "\n\n");
  print_peak_opening(&p);
  bool is_difference = options->old != NULL;
  if (options->with_run && is_difference) {
    dmd_print_run(out, " 1", options->old);
    dmd_print_run(out, " 2", options->new);
  } else if (options->with_run) {
    dmd_print_run(out, "", p.profile);
  }
  if (is_difference)
    print_invocation(out, " 1", options->old);
  print_invocation(out, is_difference ? " 2" : "", p.profile);
  if (p.profile->mode == DMD_MODE_DARK_MATTER) {
    print_section(&p, DMD_SECTION_TWICE);
    print_section(&p, DMD_SECTION_UNREPORTED);
    print_section(&p, DMD_SECTION_ONCE);
  } else {
    print_section(&p, DMD_SECTION_ALL);
  }
  dmd_print_faults(&p);
  print_summary(&p);
  print_totals(&p);
  print_mapped(&p, false);
  print_mapped(&p, true);
  dmd_allocfns_destroy(&allocfns);
  dmd_hintsum_destroy(&hint);
}

/* ---- A dump in a log. ---- */

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_overview.h"

#include "analyse/records/rows.h"
#include "analyse/records/sums.h"
#include "base/format.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "model/profile/profile.h"
#include "show/text/printer.h"
#include "show/text/text_timeline.h"
#include "show/text/text_tree.h"

enum {
  COLUMNS = 98,
  MAX_COMMAND = 48,
  PLACES = 5,
  RECORDS = 3,
  FAULTS = 3,
  FRAMES = 8,
  LEAST_PERCENT = 1
};

/* ---- Parts of lines. ---- */

static void print_size(dmd_out_t *out, int64_t szB, bool sampled) {
  char text[DMD_AMOUNT_MAX];
  dmd_format_amount(text, szB, DMD_MEMREPORT_BYTES, false);
  dmd_out_str(out, sampled ? "~" : "");
  dmd_out_str(out, text);
}

/* `50.39 MB in 40,002 blocks` */
static void print_sum(dmd_out_t *out, int64_t szB, int64_t n_blocks, bool sampled) {
  print_size(out, szB, sampled);
  dmd_out_str(out, " in ");
  dmd_print_count(out, n_blocks, sampled, "block", "blocks");
}

static void print_share(dmd_out_t *out, int64_t part, int64_t whole, size_t width) {
  char text[DMD_FORMAT_MAX + 1];
  size_t n = dmd_format_fixed(text, dmd_percent(part, whole), 1);
  dmd_mem_copy(text + n, "%", 2);
  dmd_out_right(out, text, width);
}

/* The length of the first line, of at most COLUMNS after an indent if it can be broken at a
 * blank. */
static size_t line_length(const char *text, size_t indent) {
  size_t room = COLUMNS - indent, n = 0, blank = 0;
  for (; text[n] != '\0' && text[n] != '\n'; n++) {
    if (text[n] == ' ')
      blank = n;
    if (n >= room && blank > 0)
      return blank;
  }
  return n;
}

/* Prints text, which is safe for terminals, in lines after an indent. */
static void print_folded(dmd_out_t *out, const char *indent, const char *text) {
  for (size_t n; *text != '\0'; text += n + (text[n] != '\0')) {
    while (*text == ' ')
      text++;
    n = line_length(text, dmd_str_length(indent));
    dmd_out_str(out, indent);
    dmd_out_bytes(out, text, n);
    dmd_out_char(out, '\n');
  }
}

/* Prints in the same way what print prints about the subject. */
static void print_indented(const dmd_printer_t *p, const char *indent,
                           void (*print)(const dmd_printer_t *p, const void *subject),
                           const void *subject) {
  dmd_strbuf_t text;
  dmd_out_t out;
  dmd_printer_t to_text = *p;
  dmd_strbuf_init(&text, p->profile->env);
  dmd_out_init(&out, dmd_strbuf_write, &text);
  to_text.out = &out;
  print(&to_text, subject);
  dmd_out_flush(&out);
  print_folded(p->out, indent, text.text);
  dmd_strbuf_destroy(&text);
}

/* ---- The program and its figures. ---- */

static void print_header(dmd_out_t *out, const dmd_profile_t *profile, const dmd_overview_t *o) {
  const char *command = profile->run.command != NULL ? profile->run.command : o->file;
  dmd_strbuf_t shown;
  dmd_out_t to_shown;
  dmd_strbuf_init(&shown, profile->env);
  dmd_out_init(&to_shown, dmd_strbuf_write, &shown);
  dmd_out_safe(&to_shown, command);
  dmd_out_flush(&to_shown);
  size_t n = shown.n;
  if (n > MAX_COMMAND)
    for (n = MAX_COMMAND; (shown.text[n] & 0xc0) == 0x80;)
      n--;
  dmd_out_str(out, "dmd  ");
  dmd_out_bytes(out, shown.text, n);
  dmd_out_str(out, n < shown.n ? "..." : "");
  dmd_strbuf_destroy(&shown);
  if (o->how != NULL) {
    dmd_out_str(out, "    ");
    dmd_out_safe(out, o->how);
  }
  dmd_out_str(out, "\n\n");
}

static void print_peak(dmd_out_t *out, const dmd_run_t *run, bool sampled) {
  const dmd_moment_t *peak = &run->peak;
  if (!peak->is_known)
    return;
  dmd_out_str(out, "  peak      ");
  print_sum(out, (int64_t)peak->szB, (int64_t)peak->n_blocks, sampled);
  dmd_out_str(out, ", ");
  dmd_print_time(out, peak->ms);
  if (run->never_measured_blocks > 0) {
    dmd_out_str(out, "\n            of it ");
    print_sum(out, (int64_t)run->never_measured_szB, (int64_t)run->never_measured_blocks, sampled);
    dmd_out_str(out, " that no reporter has ever covered");
  }
  dmd_out_char(out, '\n');
}

static void print_run_figures(dmd_out_t *out, const dmd_run_t *run) {
  bool sampled = run->sample_interval > 0;
  print_peak(out, run, sampled);
  dmd_out_str(out, dmd_run_is_at_exit(run) ? "  at exit   " : "  at dump   ");
  if (run->in_use_blocks == 0 && !sampled)
    dmd_out_str(out, "0 bytes: everything was freed");
  else
    print_sum(out, (int64_t)run->in_use_szB, (int64_t)run->in_use_blocks, sampled);
  dmd_out_str(out, "\n  traffic   ");
  dmd_print_count(out, (int64_t)run->n_allocs, sampled, "allocation", "allocations");
  dmd_out_str(out, ", ");
  print_size(out, (int64_t)run->alloc_szB, sampled);
  dmd_out_str(out, " in all\n");
}

static void print_part(dmd_out_t *out, const dmd_blocksum_t *part, const dmd_blocksum_t *all,
                       const char *how) {
  print_size(out, part->bytes, false);
  dmd_out_str(out, " (");
  print_share(out, part->bytes, all->bytes, 0);
  dmd_out_str(out, ") ");
  dmd_out_str(out, how);
}

/* `  measured  14.10 MB (47.7%) once, 4.60 MB (17.8%) twice; 9.00 MB (34.5%) by no reporter` */
static void print_measured(dmd_out_t *out, const dmd_heapsum_t *sum) {
  dmd_out_str(out, "  measured  ");
  print_part(out, &sum->section[DMD_SECTION_ONCE], &sum->all, "once, ");
  print_part(out, &sum->section[DMD_SECTION_TWICE], &sum->all, "twice; ");
  print_part(out, &sum->section[DMD_SECTION_UNREPORTED], &sum->all, "by no reporter\n");
}

static bool has_reports(const dmd_profile_t *profile, const dmd_heapsum_t *sum) {
  return profile->mode == DMD_MODE_DARK_MATTER &&
         (sum->section[DMD_SECTION_ONCE].blocks > 0 || sum->section[DMD_SECTION_TWICE].blocks > 0 ||
          dmd_reporter_runs_count(&profile->reporter_runs) > 0);
}

/* ---- Places. ---- */

/* `  1   50.00 MB  94.4%       1 block   decode (a.cc:8)` */
static void print_line(dmd_out_t *out, uint32_t i, const dmd_tally_t *row, int64_t whole,
                       bool sampled, const char *name) {
  char number[DMD_FORMAT_MAX] = "", size[DMD_AMOUNT_MAX], blocks[DMD_FORMAT_MAX + 1] = "~";
  if (i > 0)
    dmd_format_u64(number, i);
  dmd_format_amount(size, row->total, DMD_MEMREPORT_BYTES, false);
  dmd_format_commas(blocks + sampled, row->num);
  dmd_out_right(out, number, 3);
  dmd_out_right(out, size, 13);
  print_share(out, row->total, whole, 8);
  dmd_out_right(out, blocks, 11);
  dmd_out_str(out, row->num == 1 ? " block   " : " blocks  ");
  dmd_out_safe(out, name);
  dmd_out_char(out, '\n');
}

/* The number of rows to show: none of less than a percent, but the first. */
static uint32_t n_shown(const dmd_rows_t *rows, int64_t whole) {
  uint32_t n = rows->n > 0;
  while (n < rows->n && n < PLACES &&
         dmd_percent(dmd_rows_at(rows, n)->total, whole) >= LEAST_PERCENT)
    n++;
  return n;
}

/* Prints the places of one section that allocated most, and the rest in one line. */
static void print_places(const dmd_printer_t *p, dmd_section_t section, const char *title) {
  dmd_rows_t rows;
  dmd_tally_t others = {.total = 0};
  int64_t whole = p->records->heap.bytes;
  dmd_rows_init(&rows, p->records, DMD_BY_LINE, 1u << section);
  uint32_t n = n_shown(&rows, whole);
  if (rows.n > 0) {
    dmd_out_char(p->out, '\n');
    dmd_out_str(p->out, title);
    dmd_out_char(p->out, '\n');
  }
  for (uint32_t i = 0; i < n; i++)
    print_line(p->out, i + 1, dmd_rows_at(&rows, i), whole, p->records->heap.sampled,
               dmd_rows_name(&rows, i));
  for (uint32_t i = n; i < rows.n; i++)
    dmd_tally_add(&others, section, dmd_rows_at(&rows, i)->num, dmd_rows_at(&rows, i)->total);
  if (n < rows.n) {
    char name[DMD_FORMAT_MAX + sizeof " other places"];
    dmd_format_str(name + dmd_format_commas(name, rows.n - n),
                   rows.n - n == 1 ? " other place" : " other places");
    print_line(p->out, 0, &others, whole, p->records->heap.sampled, name);
  }
  dmd_rows_destroy(&rows);
}

/* A hint on names, if the record with the most bytes has none. */
static void print_nameless(const dmd_printer_t *p, dmd_section_t section) {
  const dmd_section_records_t *s = &p->records->section[section];
  dmd_places_t places;
  const char *object;
  if (s->n == 0)
    return;
  dmd_places_init(&places, p->profile);
  const dmd_record_t *r = dmd_records_at(p->records, s->ids[0]);
  if (!dmd_places_has_name(&places, dmd_record_group(p->records, r, 0)->stack, &object) &&
      object != NULL) {
    dmd_out_str(p->out, "\nNo names are known in ");
    dmd_out_safe(p->out, dmd_path_base(object));
    dmd_out_str(p->out, ": install its debug symbols, or set DEBUGINFOD_URLS.\n");
  }
  dmd_places_destroy(&places);
}

/* ---- What reporters did. ---- */

static void print_record(const dmd_printer_t *p, dmd_places_t *places, uint32_t i,
                         const dmd_record_t *r) {
  dmd_tally_t row = {.total = r->usable, .num = r->num};
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, p->profile->env);
  uint32_t stack = dmd_record_group(p->records, r, 0)->stack;
  dmd_places_line(places, stack, &name);
  print_line(p->out, i, &row, p->records->heap.bytes, r->sampled, name.text);
  dmd_strbuf_destroy(&name);
}

/* The reporters of a block that was reported twice. */
static void print_reporters(const dmd_printer_t *p, const dmd_record_t *r) {
  const dmd_report_t *report =
      dmd_reports_at(&p->profile->reports, dmd_record_group(p->records, r, 0)->reports)->report;
  dmd_out_str(p->out, "     by ");
  if (report[0].reporter == report[1].reporter) {
    dmd_out_str(p->out, "one reporter: ");
    dmd_print_name(p, report[0].reporter);
  } else {
    dmd_print_name(p, report[0].reporter);
    dmd_out_str(p->out, " and by ");
    dmd_print_name(p, report[1].reporter);
  }
  dmd_out_char(p->out, '\n');
}

static void print_advice(const dmd_printer_t *p, const void *record) {
  dmd_print_advice(p, record);
}

static void print_section(const dmd_printer_t *p, dmd_section_t section, const char *title) {
  const dmd_section_records_t *s = &p->records->section[section];
  dmd_places_t places;
  if (s->n == 0)
    return;
  dmd_out_char(p->out, '\n');
  dmd_out_str(p->out, title);
  dmd_out_str(p->out, ": ");
  print_sum(p->out, s->sum.bytes, s->sum.blocks, s->sum.sampled);
  dmd_out_char(p->out, '\n');
  dmd_places_init(&places, p->profile);
  for (uint32_t i = 0; i < s->n && i < RECORDS; i++) {
    const dmd_record_t *r = dmd_records_at(p->records, s->ids[i]);
    if (i > 0 && dmd_percent(r->usable, p->records->heap.bytes) < LEAST_PERCENT)
      break;
    print_record(p, &places, i + 1, r);
    if (section == DMD_SECTION_TWICE)
      print_reporters(p, r);
    else
      print_indented(p, "     ", print_advice, r);
  }
  dmd_places_destroy(&places);
}

/* ---- Faults. ---- */

static void print_fault(const dmd_printer_t *p, const void *fault) {
  dmd_print_fault_sentence(p, fault);
}

static void print_faults(const dmd_printer_t *p) {
  const dmd_faults_t *faults = &p->profile->faults;
  uint32_t n = dmd_faults_count(faults);
  uint32_t *ids = dmd_faults_sorted(faults, p->profile->env);
  if (n > 0)
    dmd_out_str(p->out, "\nFaults\n");
  for (uint32_t i = 0; i < n && i < FAULTS; i++)
    print_indented(p, "  ", print_fault, dmd_faults_at(faults, ids[i]));
  if (n > FAULTS) {
    dmd_out_str(p->out, "  and ");
    dmd_print_number(p->out, n - FAULTS, false);
    dmd_out_str(p->out, " more\n");
  }
  dmd_env_free(p->profile->env, ids);
}

/* ---- The whole. ---- */

/* What to call the moment that the places are of. */
static const char *title_of(const dmd_profile_t *profile) {
  if (profile->shows_peak)
    return "At the peak";
  if (profile->mode == DMD_MODE_CUMULATIVE)
    return "Allocated in all";
  return dmd_run_is_at_exit(&profile->run) ? "At exit" : "At the dump";
}

static void print_body(const dmd_printer_t *p, bool reports) {
  bool is_dark = p->profile->mode == DMD_MODE_DARK_MATTER;
  dmd_section_t section = is_dark ? DMD_SECTION_UNREPORTED : DMD_SECTION_ALL;
  if (reports) {
    print_section(p, DMD_SECTION_UNREPORTED, "Measured by no reporter");
    print_section(p, DMD_SECTION_TWICE, "Measured twice");
  } else {
    print_places(p, section, title_of(p->profile));
  }
  print_nameless(p, section);
}

static void print_records(dmd_out_t *out, dmd_profile_t *profile, const dmd_overview_t *o,
                          bool reports) {
  dmd_records_t records;
  dmd_hintsum_t hints;
  dmd_allocfns_t allocfns;
  dmd_records_init(&records, profile, FRAMES, DMD_SORT_USABLE);
  dmd_hintsum_init(&hints, &records);
  dmd_allocfns_init(&allocfns, profile);
  dmd_printer_t p = {.out = out,
                     .records = &records,
                     .profile = profile,
                     .advice = &hints,
                     .owners = o->owners,
                     .allocfns = &allocfns};
  print_body(&p, reports);
  print_faults(&p);
  dmd_allocfns_destroy(&allocfns);
  dmd_hintsum_destroy(&hints);
  dmd_records_destroy(&records);
}

static void print_command(dmd_out_t *out, const char *command, const char *file, const char *what) {
  dmd_out_str(out, command);
  dmd_print_quoted(out, file);
  dmd_out_str(out, what);
}

/* The commands that show more. */
static void print_next(dmd_out_t *out, const dmd_overview_t *o, bool has_timeline, bool reports) {
  print_command(out, "\ndmdv view ", o->file, "  shows all of it in a browser\n");
  if (has_timeline)
    print_command(out, "dmdv timeline ", o->file, "  draws the heap over time\n");
  print_command(out, "dmdv print ", o->file, "  prints the stacks\n");
  if (reports)
    print_command(out, "dmdv tree ", o->file, "  prints what each reporter measured\n");
  if (reports && o->owners == NULL)
    dmd_out_str(out, "dmdv run --graph=yes ...  also finds the owners of unmeasured blocks\n");
}

void dmd_overview_print(dmd_out_t *out, dmd_profile_t *profile, const dmd_overview_t *overview) {
  dmd_heapsum_t sum = dmd_heapsum_of(profile);
  bool reports = has_reports(profile, &sum);
  dmd_moment_side_t other;
  print_header(out, profile, overview);
  if (profile->run.is_known)
    print_run_figures(out, &profile->run);
  dmd_print_growth(out, "  growing   steadily by ", profile);
  if (reports)
    print_measured(out, &sum);
  bool is_peak = dmd_peak_matters(profile);
  if (is_peak) {
    dmd_moment_side_init_peak(&other, profile);
    dmd_moment_swap(profile, &other);
  }
  print_records(out, profile, overview, reports);
  if (is_peak) {
    dmd_moment_swap(profile, &other);
    dmd_moment_side_destroy(&other);
  }
  bool is_unseen = dmd_print_unseen(out, &profile->run);
  if (!reports && !is_unseen && profile->mode == DMD_MODE_DARK_MATTER)
    dmd_out_str(out, "\nNo memory reporter ran: the program does not measure its own memory.\n");
  print_next(out, overview, profile->timeline.points.last > 0, reports);
}

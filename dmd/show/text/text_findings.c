/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_findings.h"

#include "show/text/print.h"
#include "show/text/text_claims.h"
#include "show/text/text_timeline.h"
#include "show/text/text_waste.h"
#include "show/text/text_waste_advice.h"

void dmd_findingnames_init(dmd_findingnames_t *names, const dmd_findings_t *findings,
                           const dmd_printer_t *printer) {
  names->printer = printer;
  names->findings = findings;
  dmd_places_init(&names->places, printer->profile);
}

void dmd_findingnames_destroy(dmd_findingnames_t *names) {
  dmd_places_destroy(&names->places);
}

static const dmd_record_t *record_of(const dmd_findingnames_t *names, const dmd_finding_t *f) {
  return dmd_records_at(names->printer->records, f->id);
}

static const dmd_waste_finding_t *waste_of(const dmd_findings_t *findings, const dmd_finding_t *f) {
  return dmd_waste_at(findings->of->waste, f->id);
}

static const dmd_claim_finding_t *claim_of(const dmd_findings_t *findings, const dmd_finding_t *f) {
  const dmd_claimrules_t *rules = findings->of->claims;
  return dmd_claimrules_finding(rules, dmd_claimrules_at(rules, f->of), 0);
}

void dmd_finding_place(dmd_findingnames_t *names, const dmd_finding_t *f, dmd_strbuf_t *to) {
  const dmd_findings_t *findings = names->findings;
  const dmd_claimrules_t *claims = findings->of->claims;
  switch (f->kind) {
  case DMD_FINDING_PLACE:
    dmd_strbuf_str(to, dmd_rows_name(&findings->places, f->id));
    break;
  case DMD_FINDING_UNREPORTED:
  case DMD_FINDING_TWICE:
    dmd_places_line(&names->places,
                    dmd_record_group(names->printer->records, record_of(names, f), 0)->stack, to);
    break;
  case DMD_FINDING_GROWTH:
    if (findings->of->growth->stack != DMD_NONE)
      dmd_places_line(&names->places, findings->of->growth->stack, to);
    break;
  case DMD_FINDING_WASTE:
    dmd_waste_what(to, findings->of->waste, waste_of(findings, f), false);
    break;
  default:
    dmd_strbuf_str(to,
                   dmd_claimcases_name(claims->cases, dmd_claimrules_at(claims, f->of)->function));
  }
}

static void print_reporter(const dmd_printer_t *p, uint32_t reporter) {
  if (reporter == DMD_NONE)
    dmd_out_str(p->out, "a report outside of any reporter");
  else
    dmd_print_name(p, reporter);
}

/* The reporters of blocks that were reported twice. */
static void print_reporters(const dmd_printer_t *p, const dmd_record_t *r) {
  const dmd_report_t *report =
      dmd_reports_at(&p->profile->reports, dmd_record_group(p->records, r, 0)->reports)->report;
  dmd_out_str(p->out, "by ");
  if (report[0].reporter != report[1].reporter) {
    print_reporter(p, report[0].reporter);
    dmd_out_str(p->out, " and by ");
    print_reporter(p, report[1].reporter);
  } else if (report[0].reporter == DMD_NONE) {
    dmd_out_str(p->out, "reports outside of any reporter");
  } else {
    dmd_out_str(p->out, "one reporter: ");
    dmd_print_name(p, report[0].reporter);
  }
}

static void add_waste(dmd_strbuf_t *to, const dmd_waste_t *waste, const dmd_waste_finding_t *f) {
  dmd_strbuf_str(to, dmd_waste_kind_name((dmd_waste_kind_t)f->kind));
  dmd_strbuf_str(to, ": ");
  dmd_waste_advice(to, waste, f);
}

void dmd_finding_sentence(dmd_findingnames_t *names, const dmd_finding_t *f, dmd_strbuf_t *to) {
  const dmd_findings_t *findings = names->findings;
  dmd_printer_t printer = *names->printer;
  dmd_out_t out;
  dmd_out_init(&out, dmd_strbuf_write, to);
  printer.out = &out;
  switch (f->kind) {
  case DMD_FINDING_PLACE:
    break;
  case DMD_FINDING_UNREPORTED:
    dmd_print_hint(&printer, record_of(names, f));
    break;
  case DMD_FINDING_TWICE:
    print_reporters(&printer, record_of(names, f));
    break;
  case DMD_FINDING_GROWTH:
    dmd_print_growth(&out, "grows steadily by ", printer.profile);
    break;
  case DMD_FINDING_WASTE:
    add_waste(to, findings->of->waste, waste_of(findings, f));
    break;
  default:
    dmd_claims_print_sentence(&out, findings->of->claims, f->of, claim_of(findings, f));
  }
  dmd_out_flush(&out);
}

const char *dmd_finding_command(const dmd_findings_t *findings, const dmd_finding_t *f) {
  static const char *const commands[DMD_N_FINDING_KINDS] = {"print",    "owners", "print",
                                                            "timeline", "waste",  "claims"};
  if (f->kind == DMD_FINDING_WASTE && waste_of(findings, f)->kind == DMD_WASTE_LOST)
    return "leaks";
  if (f->kind == DMD_FINDING_UNREPORTED && findings->of->waste == NULL)
    return "print";
  return commands[f->kind];
}

void dmd_finding_write(dmd_jsonout_t *j, dmd_findingnames_t *names, const dmd_finding_t *f) {
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, names->printer->profile->env);
  dmd_jsonout_key_str(j, "kind", dmd_finding_kind_name(f->kind));
  dmd_jsonout_key(j, "bytes");
  dmd_jsonout_i64(j, f->bytes);
  dmd_jsonout_key(j, "blocks");
  dmd_jsonout_i64(j, f->blocks);
  dmd_finding_place(names, f, &text);
  dmd_jsonout_key_str(j, "place", text.text);
  dmd_strbuf_cut(&text, 0);
  dmd_finding_sentence(names, f, &text);
  dmd_jsonout_key_str(j, "sentence", text.text);
  dmd_jsonout_key_str(j, "showMore", dmd_finding_command(names->findings, f));
  dmd_strbuf_destroy(&text);
}

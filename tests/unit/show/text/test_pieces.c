/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Single parts of text and JSON: each record and fault reads as in the whole text. */
#include "fixture.h"

#include "show/text/pieces.h"

/* Each record is printed as in the whole text, where it is the i-th of its section. */
static void records_as_in_the_whole(void **state) {
  (void)state;
  static const dmd_section_t order[] = {DMD_SECTION_TWICE, DMD_SECTION_UNREPORTED, DMD_SECTION_ONCE,
                                        DMD_SECTION_ALL};
  dice_t dice = {31};
  uint32_t n_records = 0;
  for (int round = 0; round < 200; round++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_DARK_MATTER);
    fill_at_random(&f.profile, &dice);
    const char *whole = fixture_text(&f, 3, DMD_SORT_REQ, NULL);
    fixture_records(&f, 3, DMD_SORT_REQ);
    dmd_pieces_t pieces;
    dmd_pieces_init(&pieces, &f.records);
    for (size_t k = 0; k < COUNT_OF(order); k++) {
      const dmd_section_records_t *s = &f.records.section[order[k]];
      int64_t cumulative = 0;
      for (uint32_t i = 0; i < s->n; i++, n_records++) {
        const dmd_record_t *r = dmd_records_at(&f.records, s->ids[i]);
        sink_t sink;
        sink_init(&sink);
        cumulative += r->usable;
        dmd_pieces_print_record(&pieces, &sink.out, i + 1, r, cumulative);
        const char *one = sink_text(&sink);
        const char *found = strstr(whole, one);
        assert_non_null(found);
        whole = found + strlen(one);
        sink_free(&sink);
      }
    }
    dmd_pieces_destroy(&pieces);
    fixture_end(&f);
  }
  assert_true(n_records > 300);
}

static void assert_sentence(fixture_t *f, const dmd_fault_t *fault, const char *expected) {
  sink_t sink;
  dmd_jsonout_t j;
  dmd_pieces_t pieces;
  sink_init(&sink);
  fixture_records(f, 24, DMD_SORT_USABLE);
  dmd_pieces_init(&pieces, &f->records);
  dmd_jsonout_init(&j, &sink.out);
  dmd_jsonout_object(&j, DMD_JSONOUT_INLINE);
  dmd_pieces_write_fault(&pieces, &j, fault);
  dmd_jsonout_end(&j);
  assert_has(sink_text(&sink), expected);
  dmd_pieces_destroy(&pieces);
  sink_free(&sink);
}

static void sentences_of_faults(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  uint32_t a = build_name(&f.profile, "explicit/a"), b = build_name(&f.profile, "b");
  dmd_fault_t claim = {.num = 3,
                       .kind = DMD_FAULT_CLAIM,
                       .stack = build_stack(&f.profile, "here"),
                       .reporter = a,
                       .reason = DMD_REASON_CHILD_LEFT_OUT,
                       .scope = b,
                       .claimed = 1000,
                       .measured = 2000};
  assert_sentence(&f, &claim,
                  "\"sentence\": \"Claim that does not add up, by explicit/a, 3 times, at worst "
                  "1,000 bytes claimed, 2,000 bytes measured: 1,000 bytes too few. Likely reason: "
                  "the claim lacks what was measured by b\"}");
  dmd_fault_t many = {.num = 1, .kind = DMD_FAULT_SCOPE_LEFT_OPEN, .n_names = 20};
  many.names[0] = a;
  assert_sentence(&f, &many, "\"sentence\": \"Scope that was never ended: 20 scopes\"}");
  dmd_fault_t left = {.num = 2, .kind = DMD_FAULT_SCOPE_LEFT_OPEN, .scope = b};
  assert_sentence(&f, &left, "\"sentence\": \"Scope that was never ended: b, 2 times\"}");
  dmd_fault_t interior = {.num = 1,
                          .kind = DMD_FAULT_REPORT_INTERIOR,
                          .reporter = a,
                          .memory = b,
                          .size = 104,
                          .offset = 8};
  assert_sentence(&f, &interior,
                  "\"sentence\": \"Report of an interior pointer, by explicit/a, 8 bytes into a "
                  "block of 104 bytes, in b\"}");
  dmd_fault_t freed = {.num = 2, .kind = DMD_FAULT_FREED_COUNTED, .claimed = 10, .measured = 4};
  assert_sentence(&f, &freed,
                  "\"sentence\": \"Freed block that a sum still counts, 2 blocks, at worst 10 "
                  "bytes published, 4 bytes measured: 6 bytes too many\"}");
  fixture_end(&f);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_profile_t p;
  dmd_profile_init(&p, &host->env);
  build_blocks(&p, 1, 30, 0, "new", DMD_NONE);
  build_hint(&p, "new", DMD_REFERRER_REPORTED, "explicit/a", "size", 8, 30);
  build_fault(&p, DMD_FAULT_INVALID_FREE, 1, "drop", NULL);
  dmd_records_t records;
  dmd_records_init(&records, &p, 8, DMD_SORT_USABLE);
  dmd_pieces_t pieces;
  dmd_pieces_init(&pieces, &records);
  sink_t sink;
  sink_init(&sink);
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, &sink.out);
  dmd_jsonout_object(&j, DMD_JSONOUT_INLINE);
  dmd_pieces_write_record(&pieces, &j, dmd_records_at(&records, 1));
  dmd_pieces_write_fault(&pieces, &j, dmd_faults_at(&p.faults, 1));
  dmd_jsonout_end(&j);
  assert_non_null(strstr(sink_text(&sink), "\"advice\": [{\"percent\": 100"));
  sink_free(&sink);
  dmd_pieces_destroy(&pieces);
  dmd_records_destroy(&records);
  dmd_profile_destroy(&p);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_as_in_the_whole),
      cmocka_unit_test(sentences_of_faults),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

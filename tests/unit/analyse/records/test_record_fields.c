/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The fields of a record, and the JSON that is made of them. */
#include "fixture.h"

#include "analyse/records/record.h"
#include "show/text/record_json.h"

/* Two records: blocks that agree in all names, and blocks that agree in none once their stacks are
 * cut to two frames. */
static void begin(fixture_t *f) {
  fixture_begin(f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f->profile;
  build_tagged(p, 2, 90, 10, "new|load|main",
               build_reports(p, 2, "size|a|x", "explicit/a", "size|b|x", "explicit/b"), "lua");
  build_tagged(p, 1, 190, 10, "new|load|other",
               build_reports(p, 2, "size|a|y", "explicit/a", "size|b|y", "explicit/b"), "lua");
  build_tagged(p, 1, 50, 0, "new|mixed|main",
               build_reports(p, 2, "size|a|x", "explicit/a", "size|b|x", NULL), "lua");
  build_tagged(p, 1, 20, 0, "new|mixed|other",
               build_reports(p, 2, "size|a|y", NULL, "size|b|y", "explicit/b"), "c");
  build_blocks(p, 1, 3, 1, NULL, DMD_NONE);
  fixture_records(f, 2, DMD_SORT_USABLE);
}

static const dmd_record_t *record_of(const fixture_t *f, dmd_section_t section, uint32_t i) {
  assert_true(i < f->records.section[section].n);
  return dmd_records_at(&f->records, f->records.section[section].ids[i]);
}

static void names_are_those_that_all_blocks_have(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  const dmd_record_t *same = record_of(&f, DMD_SECTION_TWICE, 0);
  const dmd_record_t *mixed = record_of(&f, DMD_SECTION_TWICE, 1);
  static const dmd_record_field_id_t fields[] = {DMD_RECORD_TAG, DMD_RECORD_REPORTER,
                                                 DMD_RECORD_REPORTER_AGAIN};
  static const char *const names[] = {"lua", "explicit/a", "explicit/b"};
  for (size_t i = 0; i < COUNT_OF(fields); i++) {
    bool several = true;
    assert_string_equal(dmd_record_name_text(&f.records, same, fields[i]), names[i]);
    assert_int_not_equal(dmd_record_name(&f.records, same, fields[i], &several), DMD_NONE);
    assert_false(several);
    assert_null(dmd_record_name_text(&f.records, mixed, fields[i]));
    assert_int_equal(dmd_record_name(&f.records, mixed, fields[i], &several), DMD_NONE);
    assert_true(several);
  }
  bool several = true;
  const dmd_record_t *dark = record_of(&f, DMD_SECTION_UNREPORTED, 0);
  for (size_t i = 0; i < COUNT_OF(fields); i++) {
    assert_int_equal(dmd_record_name(&f.records, dark, fields[i], &several), DMD_NONE);
    assert_false(several);
  }
  fixture_end(&f);
}

static void check_json(fixture_t *f, const dmd_record_t *r, unsigned fields, const char *expected) {
  sink_t sink;
  sink_init(&sink);
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, &sink.out);
  dmd_jsonout_object(&j, DMD_JSONOUT_INLINE);
  dmd_json_write_record(&j, &f->records, r, fields);
  dmd_jsonout_end(&j);
  assert_string_equal(sink_text(&sink), expected);
  sink_free(&sink);
}

static void json_has_the_fields_that_the_record_has(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  check_json(
      &f, record_of(&f, DMD_SECTION_TWICE, 0), ~0u,
      "{\"blocks\": 3, \"bytes\": 400, \"requested\": 370, \"slop\": 30, "
      "\"excess\": 400, \"sizes\": [[200, 1], [100, 2]], \"allocatedAt\": [\"new\", \"load\"], "
      "\"tag\": \"lua\", \"reporter\": \"explicit/a\", \"reportedAt\": [\"size\", \"a\"], "
      "\"reporterAgain\": \"explicit/b\", \"reportedAgainAt\": [\"size\", \"b\"]}\n");
  check_json(&f, record_of(&f, DMD_SECTION_TWICE, 1),
             1u << DMD_RECORD_BYTES | 1u << DMD_RECORD_TAG | 1u << DMD_RECORD_REPORTER |
                 1u << DMD_RECORD_REPORTED_AT,
             "{\"bytes\": 70, \"reportedAt\": [\"size\", \"a\"]}\n");
  check_json(&f, record_of(&f, DMD_SECTION_UNREPORTED, 0), ~0u,
             "{\"blocks\": 1, \"bytes\": 4, \"requested\": 3, \"slop\": 1, \"sizes\": [[4, 1]], "
             "\"allocatedAt\": null}\n");
  fixture_end(&f);
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_those_that_all_blocks_have),
      cmocka_unit_test(json_has_the_fields_that_the_record_has),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

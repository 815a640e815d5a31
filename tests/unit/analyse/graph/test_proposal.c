/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Variable names that are kept for when debug information is missing: as given, in a bundle, and in
 * a page's answers. */
#include "page_fixture.h"
#include "shelf_fixture.h"

#include "files/bundle/bundletypes.h"
#include "show/page/asks.h"
#include "show/page/pagedata.h"
#include "show/text/text_graph.h"

#include <stdlib.h>

typedef struct {
  shelf_t s;
  dmd_records_t records;
  dmd_owners_t owners;
  dmd_knownvariables_t known;
} owning_t;

/* The function of the second code, at 0x200, has a variable for jars. */
static bool name_jar(void *ctx, uint32_t object, uint64_t addr, uint32_t type, dmd_strbuf_t *to) {
  const shelf_t *s = ctx;
  if (object != DMD_NONE || addr != 0x200 || type != dmd_typing_type(&s->typing, JAR_A))
    return false;
  dmd_strbuf_str(to, "entry");
  return true;
}

static void begin(owning_t *o, const dmd_env_t *env) {
  shelf_build(&o->s, env);
  dmd_heapgraph_t *g = &o->s.graph;
  uint32_t frames[] = {dmd_frames_read_text(&g->profile.frames, "jar_size_of (shelf.c:50)"),
                       dmd_frames_read_text(&g->profile.frames, "jars_measure (shelf.c:60)")};
  uint32_t codes[] = {dmd_heapgraph_add_code(g, DMD_NONE, 0x100, &frames[0], 1),
                      dmd_heapgraph_add_code(g, DMD_NONE, 0x200, &frames[1], 1)};
  dmd_heapgraph_add_stack(g, codes, 2);
  g->profile.mode = DMD_MODE_DARK_MATTER;
  dmd_heapgraph_add_groups(g, NULL);
  dmd_records_init(&o->records, &g->profile, 8, DMD_SORT_USABLE);
  dmd_owners_init(&o->owners, g, &o->s.kinds, &o->records, NULL);
  const dmd_variable_namer_t namer = {.name = name_jar, .ctx = &o->s};
  dmd_knownvariables_init(&o->known, env);
  dmd_knownvariables_collect(&o->known, &o->owners, &namer);
}

static void end(owning_t *o) {
  dmd_knownvariables_destroy(&o->known);
  dmd_owners_destroy(&o->owners);
  dmd_records_destroy(&o->records);
  shelf_destroy(&o->s);
}

static void write_owners(sink_t *sink, const owning_t *o, const dmd_variable_namer_t *namer) {
  dmd_owners_view_t view = {.owners = &o->owners, .namer = namer};
  sink_init(sink);
  dmd_owners_json(&sink->out, &view);
}

static void write_image(sink_t *sink, owning_t *o) {
  dmd_bundlewriter_t w;
  sink_init(sink);
  dmd_bundlewriter_init(&w, o->s.graph.env, sink->out.write, sink->out.ctx);
  dmd_bundlewriter_add_graph(&w, &o->s.graph, &o->s.types, &o->s.typing);
  dmd_imagevariables_write(&w, 0, &o->known);
  dmd_bundlewriter_add_file(&w, &(dmd_bundle_file_t){.name = "shelf",
                                                     .kind = DMD_BUNDLE_IS_GRAPH,
                                                     .beside = DMD_BUNDLE_ALONE});
  assert_true(dmd_bundlewriter_end(&w));
}

static void as_they_were_said(void **state) {
  (void)state;
  host_t host;
  owning_t o;
  host_init(&host);
  begin(&o, &host.env);
  const dmd_variable_namer_t namer = {.name = name_jar, .ctx = &o.s};
  sink_t said, kept;
  write_owners(&said, &o, &namer);
  write_owners(&kept, &o, &o.known.namer);
  assert_non_null(strstr(sink_text(&said), "size += jar_size_of(entry->label);"));
  assert_string_equal(sink_text(&kept), sink_text(&said));
  assert_int_equal(dmd_knownvariables_count(&o.known), 1);
  /* The first one wins. */
  const dmd_known_variable_t *one = dmd_knownvariables_at(&o.known, 1);
  dmd_knownvariables_add(&o.known, one->object, one->addr, one->type, "other");
  assert_int_equal(dmd_knownvariables_count(&o.known), 1);
  sink_free(&kept);
  sink_free(&said);
  end(&o);
  host_done(&host);
}

/* A page gives the same owners for the graph as dmdv owners. */
static void in_a_page(void **state) {
  (void)state;
  page_fixture_t f;
  owning_t o;
  dmd_session_data_t data;
  dmd_strbuf_t why;
  sink_t said, image;
  page_begin(&f);
  begin(&o, &f.host.env);
  write_owners(&said, &o, &o.known.namer);
  write_image(&image, &o);
  void *bytes = malloc(image.n); /* where malloc aligns it */
  memcpy(bytes, sink_text(&image), image.n);
  dmd_session_data_init(&data, &f.host.env);
  dmd_strbuf_init(&why, &f.host.env);
  assert_true(dmd_session_add_image(&f.page, &data, bytes, image.n, NULL, &why));
  assert_same(member(page_ask(&f, "ask=owners&count=99"), "rows"),
              member(page_parse(&f, sink_text(&said)), "rows"));
  sink_free(&image);
  sink_free(&said);
  dmd_strbuf_destroy(&why);
  end(&o);
  sink_free(&f.sink);
  f.has_text = false;
  dmd_session_destroy(&f.page);
  dmd_session_data_destroy(&data);
  free(bytes);
  dmd_session_init(&f.page, &f.host.env);
  page_end(&f);
}

/* Varints of 7 bits a byte, and a string that is there, with its length in front. */
static void damaged(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t n;
    bool good;
  } sections[] = {
      {"\x00", 1, true},
      {"\x01\x00\x05\x01\x01\x03key", 9, true},
      {"\x01\x63\x05\x01\x01\x03key", 9, false}, /* no such object */
      {"\x01\x00\x05\x63\x01\x03key", 9, false}, /* no such type */
      {"\x01\x00\x05\x01\x00", 5, false},        /* no name */
      {"\x01\x00\x05\x01\x01\x03\xff\xfe\xfd", 9, false},
      {"\x02\x00\x05\x01\x01\x03key", 9, false},
      {"\x00\x00", 2, false},
      {"", 0, false},
  };
  host_t host;
  host_init(&host);
  for (size_t i = 0; i < COUNT_OF(sections); i++) {
    dmd_knownvariables_t known;
    dmd_bundlecursor_t c = dmd_bundlecursor_of(sections[i].bytes, sections[i].n);
    dmd_knownvariables_init(&known, &host.env);
    dmd_imagevariables_read(&c, &known, 1, 1);
    assert_int_equal(dmd_bundlecursor_is_done(&c), sections[i].good);
    dmd_knownvariables_destroy(&known);
  }
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  owning_t o;
  sink_t *image = arg;
  dmd_knownvariables_t known;
  begin(&o, &host->env);
  dmd_bundlewriter_t w;
  image->n = 0;
  dmd_bundlewriter_init(&w, &host->env, image->out.write, image->out.ctx);
  dmd_imagevariables_write(&w, 0, &o.known);
  assert_true(dmd_bundlewriter_end(&w));
  dmd_bundlecursor_t c = dmd_bundlecursor_of("\x01\x00\x05\x01\x01\x03key", 9);
  dmd_knownvariables_init(&known, &host->env);
  dmd_imagevariables_read(&c, &known, 1, 1);
  dmd_knownvariables_destroy(&known);
  end(&o);
}

static void out_of_memory(void **state) {
  (void)state;
  sink_t image;
  sink_init(&image);
  assert_true(host_fail_everywhere(use, &image) > 50);
  sink_free(&image);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_they_were_said),
      cmocka_unit_test(in_a_page),
      cmocka_unit_test(damaged),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "base/intern.h"
#include "record/heap/regions.h"

/* The model: one entry for each page. */
enum { PAGES = 200, PAGE = 4096 };

typedef struct {
  uint32_t stack, reporter, thread; /* stack 0: not mapped; thread 0: no thread's */
  bool is_reported;
} page_t;

static uint64_t at(uint32_t page) {
  return (uint64_t)(page + 16) * PAGE;
}

static void assert_same(const dmd_regions_t *r, const page_t *pages) {
  uint32_t found = 0, expected = 0;
  for (uint32_t i = 0; i < PAGES; i++)
    expected += pages[i].stack != 0;
  for (uint32_t i = 0; i < r->n; i++) {
    const dmd_region_t *region = &r->regions[i];
    assert_true(region->start < region->end);
    assert_true(i == 0 || r->regions[i - 1].end <= region->start);
    for (uint64_t addr = region->start; addr < region->end; addr += PAGE, found++) {
      const page_t *page = &pages[addr / PAGE - 16];
      assert_int_equal(region->stack, page->stack);
      assert_int_equal(region->reporter, page->reporter);
      assert_int_equal(region->thread, page->thread);
      assert_int_equal(region->is_reported, page->is_reported);
    }
  }
  assert_int_equal(found, expected);
}

static void move(page_t *pages, uint32_t from, uint32_t to, uint32_t n) {
  page_t moved[PAGES];
  for (uint32_t i = 0; i < n; i++) {
    moved[i] = pages[from + i];
    pages[from + i] = (page_t){0};
  }
  for (uint32_t i = 0; i < n; i++)
    pages[to + i] = moved[i];
}

/* From the top down to the known part. */
static void add_stack(page_t *pages, uint32_t from, uint32_t n, uint32_t stack, uint32_t thread) {
  for (uint32_t i = n; i > 0 && pages[from + i - 1].stack == 0; i--)
    pages[from + i - 1] = (page_t){.stack = stack, .thread = thread};
}

static void end_stacks(dmd_regions_t *r, page_t *pages, uint32_t thread, bool of_others) {
  if (of_others)
    dmd_regions_end_other_stacks(r, thread);
  else
    dmd_regions_end_stack(r, thread);
  for (uint32_t i = 0; i < PAGES; i++)
    if (pages[i].thread != 0 && (pages[i].thread != thread) == of_others)
      pages[i] = (page_t){0};
}

static void random_against_pages(void **state) {
  (void)state;
  host_t host;
  dmd_regions_t r;
  page_t pages[PAGES] = {{0}};
  srand(7);
  host_init(&host);
  dmd_regions_init(&r, &host.env);
  for (int round = 0; round < 20000; round++) {
    uint32_t from = (uint32_t)rand() % PAGES, n = (uint32_t)rand() % (PAGES - from), there = 0;
    uint32_t number = 1 + (uint32_t)rand() % 9, to = (uint32_t)rand() % (PAGES - n);
    switch (rand() % 8) {
    case 0:
      dmd_regions_add(&r, at(from), at(from + n), number);
      for (uint32_t i = 0; i < n; i++)
        pages[from + i] = (page_t){.stack = number};
      break;
    case 1:
      dmd_regions_remove(&r, at(from), at(from + n));
      for (uint32_t i = 0; i < n; i++)
        pages[from + i] = (page_t){0};
      break;
    case 2:
      dmd_regions_move(&r, at(from), at(to), (uint64_t)n * PAGE);
      move(pages, from, to, n);
      break;
    case 3:
      for (uint32_t i = 0; i < n; i++)
        if (pages[from + i].stack != 0) {
          pages[from + i].reporter = number;
          pages[from + i].is_reported = true;
          there++;
        }
      assert_int_equal(dmd_regions_report(&r, at(from), at(from + n), number), there * PAGE);
      break;
    case 4:
      if (rand() % 8 == 0) {
        dmd_regions_clear_reports(&r);
        for (uint32_t i = 0; i < PAGES; i++)
          pages[i] = (page_t){.stack = pages[i].stack, .thread = pages[i].thread};
      }
      break;
    case 5:
      dmd_regions_add_stack(&r, at(from), at(from + n), number, to % 9 + 1);
      add_stack(pages, from, n, number, to % 9 + 1);
      break;
    case 6:
      end_stacks(&r, pages, number, n % 8 == 0);
      break;
    default:
      dmd_regions_add(&r, at(from), at(from + 1), number);
      pages[from] = (page_t){.stack = number};
    }
    assert_same(&r, pages);
  }
  dmd_regions_destroy(&r);
  host_done(&host);
}

static void there_is_a_limit(void **state) {
  (void)state;
  host_t host;
  dmd_regions_t r;
  host_init(&host);
  dmd_regions_init(&r, &host.env);
  for (uint32_t i = 0; i < DMD_MAX_REGIONS + 10; i++)
    dmd_regions_add(&r, at(2 * i), at(2 * i + 1), 1);
  assert_int_equal(r.n, DMD_MAX_REGIONS);
  dmd_regions_remove(&r, 0, UINT64_MAX);
  assert_int_equal(r.n, 0);
  dmd_regions_destroy(&r);
  host_done(&host);
}

static void work(host_t *host, void *ctx) {
  dmd_regions_t r;
  (void)ctx;
  dmd_regions_init(&r, &host->env);
  for (uint32_t i = 0; i < 100; i++)
    dmd_regions_add(&r, at(2 * i), at(2 * i + 1), 1);
  dmd_regions_move(&r, at(0), at(1), PAGE);
  dmd_regions_destroy(&r);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(work, NULL) >= 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_pages),
      cmocka_unit_test(there_is_a_limit),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

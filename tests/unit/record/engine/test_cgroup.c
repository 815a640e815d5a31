/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The memory limit of a control group, read from files that the test makes up.
 */
#include <stdio.h>

#include "enginehost.h"
#include "record/engine/cgroup.h"

typedef struct {
  const char *name, *text;
} file_t;

typedef struct {
  const file_t *files; /* up to the first without a name */
  dmd_engine_host_t host;
  dmd_cgroup_t cgroup;
} fixture_t;

static size_t read_text(void *ctx, const char *name, char *to, size_t szB) {
  const fixture_t *f = ctx;
  for (const file_t *file = f->files; file->name != NULL; file++)
    if (strcmp(file->name, name) == 0) {
      size_t n = strlen(file->text) < szB ? strlen(file->text) : szB;
      memcpy(to, file->text, n);
      return n;
    }
  return 0;
}

/* The limit; 0: none. */
static uint64_t find(fixture_t *f, const file_t *files) {
  f->files = files;
  f->host = (dmd_engine_host_t){.read_text = read_text, .ctx = f};
  return dmd_cgroup_find(&f->cgroup, &f->host) ? f->cgroup.limit_szB : 0;
}

static void the_lowest_limit_around_the_group_counts(void **state) {
  fixture_t f;
  (void)state;
  const file_t files[] = {{"/proc/self/cgroup", "0::/a/b/c\n"},
                          {"/sys/fs/cgroup/a/b/c/memory.max", "max\n"},
                          {"/sys/fs/cgroup/a/b/c/memory.current", "1\n"},
                          {"/sys/fs/cgroup/a/b/memory.max", "1000\n"},
                          {"/sys/fs/cgroup/a/b/memory.current", "900\n"},
                          {"/sys/fs/cgroup/a/b/memory.stat",
                           "anon 5\ninactive_anon 7\ninactive_file 100\nactive_file 20\nslab 9\n"},
                          {"/sys/fs/cgroup/a/memory.max", "2000\n"},
                          {NULL, NULL}};
  assert_int_equal(find(&f, files), 1000);
  assert_int_equal(dmd_cgroup_used(&f.cgroup), 900 - 100 - 20);
}

static void a_container_sees_its_own_group_where_it_is_mounted(void **state) {
  fixture_t f;
  (void)state;
  const file_t files[] = {{"/proc/self/cgroup", "0::/system.slice/docker-1234.scope\n"},
                          {"/sys/fs/cgroup/memory.max", "536870912\n"},
                          {"/sys/fs/cgroup/memory.current", "1048576\n"},
                          {NULL, NULL}};
  assert_int_equal(find(&f, files), 536870912);
  assert_int_equal(dmd_cgroup_used(&f.cgroup), 1048576);
}

/* A path of the host, as a container may see it, leads out of the folder. */
static void a_path_out_of_the_folder_is_not_followed(void **state) {
  fixture_t f;
  (void)state;
  const file_t files[] = {{"/proc/self/cgroup", "0::/../../tmp/job\n"},
                          {"/sys/fs/cgroup/../../tmp/job/memory.max", "5\n"},
                          {"/sys/fs/cgroup/../memory.max", "6\n"},
                          {"/sys/fs/cgroup/memory.max", "1000\n"},
                          {NULL, NULL}};
  assert_int_equal(find(&f, files), 1000);
}

static void version_1_is_used_where_it_has_the_controller(void **state) {
  fixture_t f;
  (void)state;
  const file_t files[] = {
      {"/proc/self/cgroup", "9:memoryless:/q\n4:cpu,memory:/job\n0::/job\n"},
      {"/sys/fs/cgroup/memory.max", "5\n"},
      {"/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "4096\n"},
      {"/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "4000\n"},
      {"/sys/fs/cgroup/memory/job/memory.stat",
       "inactive_file 1\nactive_file 1\ntotal_inactive_file 300\ntotal_active_file 50\n"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
      {NULL, NULL}};
  assert_int_equal(find(&f, files), 4096);
  assert_int_equal(dmd_cgroup_used(&f.cgroup), 4000 - 350);
}

static void no_limit(void **state) {
  fixture_t f;
  (void)state;
  const file_t nothing[] = {{NULL, NULL}},
               first[] = {{"/proc/self/cgroup", "4:memory:/\n"},
                          {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
                          {NULL, NULL}},
               second[] = {{"/proc/self/cgroup", "0::/\n"},
                           {"/sys/fs/cgroup/memory.max", "max\n"},
                           {NULL, NULL}};
  assert_int_equal(find(&f, nothing), 0);
  assert_int_equal(find(&f, first), 0);
  assert_int_equal(find(&f, second), 0);
  f.host.read_text = NULL;
  assert_false(dmd_cgroup_find(&f.cgroup, &f.host));
}

/* A path that is too long, text that is not what the kernel writes, files that are gone. */
static void odd_files(void **state) {
  fixture_t f;
  (void)state;
  char path[2 * DMD_CGROUP_PATH];
  memset(path, 'x', sizeof path);
  memcpy(path, "0::/", 4);
  path[sizeof path - 1] = '\0';
  const file_t too_long[] = {{"/proc/self/cgroup", path},
                             {"/sys/fs/cgroup/memory.max", "77\n"},
                             {NULL, NULL}},
               odd[] = {{"/proc/self/cgroup", "\n:\n::\nx:memory\n0:"},
                        {"/sys/fs/cgroup/memory.max", "99999999999999999999999999\n"},
                        {NULL, NULL}},
               gone[] = {{"/proc/self/cgroup", "0::/g"}, {NULL, NULL}};
  assert_int_equal(find(&f, too_long), 77);
  assert_true(dmd_cgroup_used(&f.cgroup) == DMD_MEMORY_UNKNOWN);
  assert_int_equal(find(&f, odd), 0);
  assert_int_equal(find(&f, gone), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_lowest_limit_around_the_group_counts),
      cmocka_unit_test(a_container_sees_its_own_group_where_it_is_mounted),
      cmocka_unit_test(a_path_out_of_the_folder_is_not_followed),
      cmocka_unit_test(version_1_is_used_where_it_has_the_controller),
      cmocka_unit_test(no_limit),
      cmocka_unit_test(odd_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

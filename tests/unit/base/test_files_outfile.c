/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/files.h over a file system in memory that fails on request, with and without support for
 * unnamed files.
 */
#include "disk.h"

#include "base/files.h"

static void init(disk_t *disk, bool has_unnamed) {
  disk_init(disk);
  disk->has_unnamed = has_unnamed;
}

static int add_file(disk_t *disk, const char *name, const char *text) {
  return disk_add(disk, 0, name, DMD_FILE_REGULAR, DISK_US, text);
}

/* Writes "twelve bytes" to "a", in two parts; whether all went well. */
static bool write_twelve(host_t *host, disk_t *disk, bool keep, int *error) {
  dmd_files_t files = disk_files(disk);
  dmd_outfile_t file;
  bool good = dmd_outfile_open(&file, &host->env, &files, "a");
  if (good) {
    dmd_outfile_write(&file, "twelve", 6);
    dmd_outfile_write(&file, " bytes", 6);
    good = dmd_outfile_close(&file, keep);
  }
  *error = file.error;
  dmd_outfile_destroy(&file);
  assert_int_equal(disk->n_open, 0);
  return good;
}

static void appears_when_it_is_complete(void **state) {
  (void)state;
  for (int has_unnamed = 0; has_unnamed < 2; has_unnamed++) {
    host_t host;
    disk_t disk;
    host_init(&host);
    init(&disk, has_unnamed);
    add_file(&disk, "a", "older");
    dmd_files_t files = disk_files(&disk);
    dmd_outfile_t file;
    assert_true(dmd_outfile_open(&file, &host.env, &files, "a"));
    dmd_outfile_write(&file, "new", 3);
    assert_string_equal(disk_text(&disk, "a"), "older");
    if (has_unnamed)
      assert_null(disk_text(&disk, "a.tmp.7"));
    else
      assert_string_equal(disk_text(&disk, "a.tmp.7"), "new");
    assert_true(dmd_outfile_close(&file, true));
    assert_string_equal(disk_text(&disk, "a"), "new");
    assert_null(disk_text(&disk, "a.tmp.7"));
    assert_int_equal(file.written, 3);
    dmd_outfile_destroy(&file);
    host_done(&host);
  }
}

/* Where unnamed files are supported, the file never has a temporary name. */
static void a_new_file_gets_its_name_at_once(void **state) {
  (void)state;
  host_t host;
  disk_t disk;
  int error;
  host_init(&host);
  init(&disk, true);
  assert_true(write_twelve(&host, &disk, true, &error));
  assert_int_equal(disk.n_calls, 7); /* one makes it, four write, one gives the name, one closes */
  assert_int_equal(disk.n_linked, 1);
  assert_string_equal(disk_text(&disk, "a"), "twelve bytes");
  /* If call 1 fails, the file is made with a temporary name instead. */
  for (int fail_at = 2; fail_at <= 7; fail_at++) {
    init(&disk, true);
    disk.fail_at = fail_at;
    assert_false(write_twelve(&host, &disk, true, &error));
    assert_null(disk_text(&disk, "a"));
  }
  host_done(&host);
}

/* Whichever call fails, the older file is as it was and nothing else is left. */
static void a_failure_loses_no_older_file(void **state) {
  /* open, two writes of six bytes, five at a time, close, rename; and, unnamed, link */
  static const int n_calls[] = {7, 8};
  (void)state;
  host_t host;
  host_init(&host);
  for (int has_unnamed = 0; has_unnamed < 2; has_unnamed++) {
    int fail_at = 1, error;
    for (;; fail_at++) {
      disk_t disk;
      init(&disk, has_unnamed);
      add_file(&disk, "a", "older");
      disk.fail_at = fail_at;
      bool good = write_twelve(&host, &disk, true, &error);
      assert_null(disk_text(&disk, "a.tmp.7"));
      bool is_written = strcmp(disk_text(&disk, "a"), "twelve bytes") == 0;
      assert_int_equal(is_written, good);
      if (!good)
        assert_string_equal(disk_text(&disk, "a"), "older");
      assert_int_equal(error, good ? 0 : DISK_FULL);
      if (good && disk.n_calls < fail_at)
        break;
    }
    assert_int_equal(fail_at, n_calls[has_unnamed] + 1);
  }
  host_done(&host);
}

static void what_is_not_kept_leaves_nothing(void **state) {
  (void)state;
  for (int has_unnamed = 0; has_unnamed < 2; has_unnamed++) {
    host_t host;
    disk_t disk;
    int error;
    host_init(&host);
    init(&disk, has_unnamed);
    assert_true(write_twelve(&host, &disk, false, &error));
    assert_null(disk_text(&disk, "a"));
    assert_null(disk_text(&disk, "a.tmp.7"));
    host_done(&host);
  }
}

static void a_leftover_of_the_same_process_number_is_no_obstacle(void **state) {
  (void)state;
  for (int has_unnamed = 0; has_unnamed < 2; has_unnamed++) {
    host_t host;
    disk_t disk;
    int error;
    host_init(&host);
    init(&disk, has_unnamed);
    add_file(&disk, "a", "older");
    add_file(&disk, "a.tmp.7", "half a file");
    assert_true(write_twelve(&host, &disk, true, &error));
    assert_string_equal(disk_text(&disk, "a"), "twelve bytes");
    assert_null(disk_text(&disk, "a.tmp.7"));
    host_done(&host);
  }
}

static void a_pipe_is_written_to_directly(void **state) {
  (void)state;
  host_t host;
  disk_t disk;
  int error;
  host_init(&host);
  init(&disk, true);
  int pipe = disk_add(&disk, 0, "a", DMD_FILE_OTHER, DISK_OTHER, "");
  assert_true(write_twelve(&host, &disk, true, &error));
  assert_int_equal(disk_find(&disk, 0, "a"), pipe);
  assert_string_equal(disk_text(&disk, "a"), "twelve bytes");
  host_done(&host);
}

/* The link stays. Its target is emptied first, or made. */
static void a_link_of_ours_is_written_through(void **state) {
  (void)state;
  for (int exists = 0; exists < 2; exists++) {
    host_t host;
    disk_t disk;
    int error;
    host_init(&host);
    init(&disk, true);
    int link = disk_add(&disk, 0, "a", DMD_FILE_LINK, DISK_US, "b");
    int older = exists ? add_file(&disk, "b", "something that is longer") : DISK_NOWHERE;
    assert_true(write_twelve(&host, &disk, true, &error));
    assert_int_equal(disk_find(&disk, 0, "a"), link);
    assert_string_equal(disk_text(&disk, "b"), "twelve bytes");
    if (exists)
      assert_int_equal(disk_find(&disk, 0, "b"), older);
    host_done(&host);
  }
}

static void a_link_of_another_user_is_not_followed(void **state) {
  (void)state;
  host_t host;
  disk_t disk;
  int error;
  host_init(&host);
  init(&disk, true);
  disk_add(&disk, 0, "a", DMD_FILE_LINK, DISK_OTHER, "b");
  add_file(&disk, "b", "precious");
  assert_false(write_twelve(&host, &disk, true, &error));
  assert_int_equal(error, DMD_FILES_FOREIGN_LINK);
  assert_string_equal(disk_text(&disk, "b"), "precious");
  host_done(&host);
}

/* Only the owner may read a half-written file. Opening it again sets the given mode, whatever the
 * umask is by then. */
static void permissions(void **state) {
  (void)state;
  for (int has_unnamed = 0; has_unnamed < 2; has_unnamed++) {
    host_t host;
    disk_t disk;
    host_init(&host);
    init(&disk, has_unnamed);
    dmd_files_t files = disk_files(&disk);
    dmd_outfile_t file;
    assert_true(dmd_outfile_open(&file, &host.env, &files, "a"));
    dmd_outfile_write(&file, "new", 3);
    const disk_node_t *node = disk_node(&disk, file.fd);
    assert_int_equal(node->mode, 0600);
    assert_int_equal(node->n_locked, 1);
    assert_true(dmd_outfile_close(&file, true));
    assert_int_equal(node->mode, 0640);
    dmd_outfile_destroy(&file);
    assert_true(dmd_outfile_open_again(&file, &host.env, &files, "a", 0604));
    assert_true(dmd_outfile_close(&file, true));
    assert_int_equal(disk.nodes[disk_find(&disk, 0, "a")].mode, 0604);
    dmd_outfile_destroy(&file);
    host_done(&host);
  }
}

/* Replaces the target of a link of ours, and leaves the link alone. */
static void again_through_a_link_of_ours(void **state) {
  (void)state;
  host_t host;
  disk_t disk;
  host_init(&host);
  init(&disk, true);
  int link = disk_add(&disk, 0, "a", DMD_FILE_LINK, DISK_US, "b");
  int older = add_file(&disk, "b", "older");
  dmd_files_t files = disk_files(&disk);
  dmd_outfile_t file;
  assert_true(dmd_outfile_open_again(&file, &host.env, &files, "a", 0600));
  dmd_outfile_write(&file, "new", 3);
  assert_true(dmd_outfile_close(&file, true));
  dmd_outfile_destroy(&file);
  assert_int_equal(disk_find(&disk, 0, "a"), link);
  assert_int_not_equal(disk_find(&disk, 0, "b"), older);
  assert_string_equal(disk_text(&disk, "b"), "new");
  host_done(&host);
}

static void what_is_borrowed_stays_open(void **state) {
  (void)state;
  host_t host;
  disk_t disk;
  int fd = -1;
  host_init(&host);
  init(&disk, true);
  add_file(&disk, "a", "");
  dmd_files_t files = disk_files(&disk);
  assert_int_equal(files.open(files.ctx, DMD_FILES_HERE, "a", DMD_OPEN_WRITE, &fd), 0);
  dmd_outfile_t file;
  dmd_outfile_borrow(&file, &host.env, &files, "standard output", fd);
  dmd_outfile_write(&file, "new", 3);
  assert_true(dmd_outfile_close(&file, true));
  assert_string_equal(file.name, "standard output");
  dmd_outfile_destroy(&file);
  assert_int_equal(disk.n_open, 1);
  assert_string_equal(disk_text(&disk, "a"), "new");
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  int error;
  init(arg, true);
  write_twelve(host, arg, true, &error);
}

static void out_of_memory(void **state) {
  (void)state;
  disk_t disk;
  assert_true(host_fail_everywhere(use, &disk) >= 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(appears_when_it_is_complete),
      cmocka_unit_test(a_new_file_gets_its_name_at_once),
      cmocka_unit_test(a_failure_loses_no_older_file),
      cmocka_unit_test(what_is_not_kept_leaves_nothing),
      cmocka_unit_test(a_leftover_of_the_same_process_number_is_no_obstacle),
      cmocka_unit_test(a_pipe_is_written_to_directly),
      cmocka_unit_test(a_link_of_ours_is_written_through),
      cmocka_unit_test(a_link_of_another_user_is_not_followed),
      cmocka_unit_test(permissions),
      cmocka_unit_test(again_through_a_link_of_ours),
      cmocka_unit_test(what_is_borrowed_stays_open),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/files.h over a file system in memory.
 *
 * /ours is a folder that only we can write to. Anybody can write to /open.
 */
#include "disk.h"

#include "base/files.h"

typedef struct {
  host_t host;
  disk_t disk;
  dmd_files_t files;
  int ours, open;
} fixture_t;

static void begin(fixture_t *f) {
  host_init(&f->host);
  disk_init(&f->disk);
  f->files = disk_files(&f->disk);
  f->ours = disk_add(&f->disk, 0, "ours", DMD_FILE_FOLDER, DISK_US, "");
  f->open = disk_add(&f->disk, 0, "open", DMD_FILE_FOLDER, 0, "");
}

static void end(fixture_t *f) {
  assert_int_equal(f->disk.n_open, 0);
  host_done(&f->host);
}

static int link_in(fixture_t *f, int folder, const char *name, int owner, const char *target) {
  return disk_add(&f->disk, folder, name, DMD_FILE_LINK, owner, target);
}

/* The expected end of a path: the folder's node and the name in it. */
static void leads(fixture_t *f, const char *path, int folder, const char *name, bool is_there) {
  dmd_pathwalk_t walk;
  assert_int_equal(dmd_pathwalk_begin(&walk, &f->host.env, &f->files, path), 0);
  assert_int_equal(disk_folder(walk.folder), folder);
  assert_string_equal(dmd_pathwalk_name(&walk), name);
  assert_int_equal(walk.is_there, is_there);
  dmd_pathwalk_end(&walk);
}

static void fails(fixture_t *f, const char *path, int error) {
  dmd_pathwalk_t walk;
  assert_int_equal(dmd_pathwalk_begin(&walk, &f->host.env, &f->files, path), error);
  dmd_pathwalk_end(&walk);
}

static void paths_without_links(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  disk_add(&f.disk, f.ours, "a", DMD_FILE_REGULAR, DISK_US, "");
  leads(&f, "/ours/a", f.ours, "a", true);
  leads(&f, "ours//a", f.ours, "a", true);
  leads(&f, "//ours/b", f.ours, "b", false);
  leads(&f, "b", 0, "b", false);
  leads(&f, "ours", 0, "ours", true);
  fails(&f, "", DMD_FILES_NOT_THERE);
  fails(&f, "/no/b", DMD_FILES_NOT_THERE);
  fails(&f, "/ours/a/b", DMD_FILES_NOT_FOLDER);
  fails(&f, "/ours/", DMD_FILES_IS_FOLDER);
  fails(&f, "/", DMD_FILES_IS_FOLDER);
  end(&f);
}

static void links_of_root_and_ours_are_followed(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  disk_add(&f.disk, f.ours, "a", DMD_FILE_REGULAR, DISK_US, "");
  link_in(&f, f.open, "ours", DISK_US, "/ours/a");
  link_in(&f, f.open, "root's", 0, "ours");
  link_in(&f, f.ours, "up", DISK_US, "/");
  link_in(&f, f.ours, "new", DISK_US, "b");
  leads(&f, "/open/ours", f.ours, "a", true);
  leads(&f, "/open/root's", f.ours, "a", true);
  leads(&f, "/ours/up/ours/up/open/x", f.open, "x", false);
  leads(&f, "/ours/new", f.ours, "b", false);
  end(&f);
}

static void links_of_others_are_refused(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  link_in(&f, f.open, "file", DISK_OTHER, "/ours/a");
  link_in(&f, f.open, "nothing", DISK_OTHER, "nowhere");
  link_in(&f, f.open, "folder", DISK_OTHER, "/ours");
  link_in(&f, f.ours, "theirs", DISK_US, "/open/file");
  link_in(&f, f.ours, "within", DISK_US, "/open/folder/a");
  fails(&f, "/open/file", DMD_FILES_FOREIGN_LINK);
  fails(&f, "/open/nothing", DMD_FILES_FOREIGN_LINK);
  fails(&f, "/ours/theirs", DMD_FILES_FOREIGN_LINK);
  fails(&f, "/open/folder/a", DMD_FILES_FOREIGN_FOLDER);
  fails(&f, "/ours/within", DMD_FILES_FOREIGN_FOLDER);
  assert_string_equal(dmd_files_error(DMD_FILES_FOREIGN_LINK),
                      "it is a symbolic link of another user");
  assert_null(dmd_files_error(DMD_FILES_NOT_THERE));
  end(&f);
}

/* Another user replaces the link that was just checked by a link of their own. */
static void swap(disk_t *disk) {
  int folder = disk_find(disk, 0, "open");
  disk_unlink(disk, DISK_FD + folder, "link");
  disk_add(disk, folder, "link", DMD_FILE_LINK, DISK_OTHER, "/open/theirs");
  disk->before_reading_link = NULL;
}

static void the_link_that_was_looked_at_is_the_one_that_is_read(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  link_in(&f, f.open, "link", DISK_US, "/ours/a");
  f.disk.before_reading_link = swap;
  leads(&f, "/open/link", f.ours, "a", false);
  end(&f);
}

static void circles_end(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  link_in(&f, f.ours, "a", DISK_US, "b");
  link_in(&f, f.ours, "b", DISK_US, "a");
  link_in(&f, f.ours, "c", DISK_US, "c/d");
  fails(&f, "/ours/a", DMD_FILES_TOO_MANY_LINKS);
  fails(&f, "/ours/c/x", DMD_FILES_TOO_MANY_LINKS);
  end(&f);
}

/* Like /dev/stdout, which leads to /proc/self/fd/1, which leads to a file without a name. */
static void links_of_the_system_are_its_own_to_follow(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  int pipe = link_in(&f, f.ours, "1", DISK_US, "open");
  int self = link_in(&f, f.ours, "self", 0, "open");
  f.disk.nodes[pipe].is_systems = f.disk.nodes[self].is_systems = true;
  link_in(&f, f.open, "stdout", 0, "/ours/1");
  leads(&f, "/open/stdout", f.ours, "1", true);
  leads(&f, "/ours/self/x", f.open, "x", false);
  f.disk.nodes[pipe].owner = DISK_OTHER;
  fails(&f, "/open/stdout", DMD_FILES_FOREIGN_LINK);
  end(&f);
}

static void what_takes_the_name_meanwhile_is_not_opened(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  dmd_pathwalk_t walk;
  int fd = -1;
  disk_add(&f.disk, f.open, "a", DMD_FILE_REGULAR, DISK_US, "");
  assert_int_equal(dmd_pathwalk_begin(&walk, &f.host.env, &f.files, "/open/a"), 0);
  disk_unlink(&f.disk, DISK_FD + f.open, "a");
  int link = link_in(&f, f.open, "a", DISK_US, "/ours/a");
  assert_int_equal(dmd_pathwalk_open(&walk, DMD_OPEN_READ, &fd), DMD_FILES_TOO_MANY_LINKS);
  f.disk.nodes[link].kind = DMD_FILE_REGULAR;
  assert_int_equal(dmd_pathwalk_open(&walk, DMD_OPEN_READ, &fd), DMD_FILES_REPLACED);
  dmd_pathwalk_end(&walk);
  end(&f);
}

static void use(host_t *host, void *arg) {
  fixture_t *f = arg;
  dmd_pathwalk_t walk;
  f->disk.n_open = 0; /* the last time may have ended in between */
  assert_int_equal(dmd_pathwalk_begin(&walk, &host->env, &f->files, "/open/link"), 0);
  dmd_pathwalk_end(&walk);
}

static void out_of_memory(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  link_in(&f, f.open, "link", DISK_US, "/ours/a");
  assert_true(host_fail_everywhere(use, &f) >= 2);
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(paths_without_links),
      cmocka_unit_test(links_of_root_and_ours_are_followed),
      cmocka_unit_test(links_of_others_are_refused),
      cmocka_unit_test(the_link_that_was_looked_at_is_the_one_that_is_read),
      cmocka_unit_test(circles_end),
      cmocka_unit_test(links_of_the_system_are_its_own_to_follow),
      cmocka_unit_test(what_takes_the_name_meanwhile_is_not_opened),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

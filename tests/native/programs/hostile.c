/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * hostile LIBRARY PATH [LINK | mixed | graph GRAPH]: a process that looks as if it ran with the
 * native engine, and answers each request with a file of this path, and with this heap graph. With
 * a LINK, its child keeps swapping the link and the file, as fast as it can. mixed: it keeps the
 * right to become root again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { SIGNAL = 60, PAGE_SZB = 4096, SOMEBODY = 65534 };

static char g_answer[8192];

static void answer(int number, siginfo_t *info, void *context) {
  (void)number, (void)context;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int n = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "dmdv-%d-%u",
                   (int)info->si_pid, (unsigned)info->si_value.sival_int);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  socklen_t szB = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
  char request[PAGE_SZB];
  if (connect(fd, (struct sockaddr *)&address, szB) == 0 && read(fd, request, sizeof request) > 0)
    (void)!write(fd, g_answer, strlen(g_answer));
  close(fd);
}

static void map(int fd) {
  if (fd < 0 || mmap(NULL, PAGE_SZB, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
    exit(3);
}

static void swap_until_the_end(const char *path, const char *link) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;)
    renameat2(AT_FDCWD, path, AT_FDCWD, link, RENAME_EXCHANGE);
}

int main(int argc, char **argv) {
  const char *third = argc > 3 ? argv[3] : NULL;
  int mark = memfd_create("dmd-control-1", 0);
  struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_RESTART};
  bool has_graph = argc > 4 && strcmp(third, "graph") == 0;
  snprintf(g_answer, sizeof g_answer,
           "{\"number\": 1, \"files\": [{\"kind\": \"profile\", \"path\": \"%s\"}%s%s%s]}\n",
           argv[2], has_graph ? ", {\"kind\": \"graph\", \"path\": \"" : "",
           has_graph ? argv[4] : "", has_graph ? "\"}" : "");
  if (mark < 0 || ftruncate(mark, PAGE_SZB) != 0)
    return 3;
  map(mark);
  map(open(argv[1], O_RDONLY));
  sigaction(SIGNAL, &action, NULL);
  if (third != NULL && strcmp(third, "mixed") == 0) {
    if (setresuid(SOMEBODY, SOMEBODY, 0) != 0)
      return 3;
  } else if (third != NULL && !has_graph && fork() == 0) {
    swap_until_the_end(argv[2], third);
  }
  (void)!write(1, "ready\n", 6);
  char byte;
  while (read(0, &byte, 1) > 0 || errno == EINTR)
    errno = 0;
  return 0;
}

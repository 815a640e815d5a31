/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * shop.c: a server with child processes, each of which measures its own memory when somebody asks:
 *
 *   ./shop shop.socket 3 &
 *   dmdv memory --children $!
 *
 * The parent reads the prices and forks the workers. A worker takes one connection after the other;
 * each packet that arrives is an item for a basket. The reporters are registered before the fork: a
 * child has its parent's reporters, and its own data.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/dmd-reporters.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(prices_size_of)
DMD_MALLOC_SIZE_OF_FN(baskets_size_of)

enum { N_PRICES = 20000 };

struct item {
  struct item *next;
  char name[];
};

static struct shop {
  int *prices;
  struct item *baskets;
} shop;

static void report_heap(struct dmd_reporters_call *call, const char *path, size_t bytes,
                        const char *description) {
  dmd_reporters_report(call, path, DMD_REPORTERS_HEAP, DMD_REPORTERS_BYTES, (long long)bytes,
                       description);
}

static void measure_prices(struct dmd_reporters_call *call, void *closure) {
  const struct shop *s = closure;
  report_heap(call, "explicit/prices", prices_size_of(s->prices), "What each thing costs.");
}

static void measure_baskets(struct dmd_reporters_call *call, void *closure) {
  const struct shop *s = closure;
  size_t bytes = 0;
  long long n = 0;
  for (const struct item *i = s->baskets; i != NULL; i = i->next, n++)
    bytes += baskets_size_of(i);
  report_heap(call, "explicit/baskets", bytes, "What this worker's customers have chosen.");
  dmd_reporters_report(call, "baskets", DMD_REPORTERS_OTHER, DMD_REPORTERS_COUNT, n,
                       "Items in baskets.");
}

/* Waits for fd, and answers whoever asks for memory meanwhile: a signal ends poll, but not accept
 * and recv. */
static void await(int fd) {
  struct pollfd waiting = {.fd = fd, .events = POLLIN};
  while (poll(&waiting, 1, -1) <= 0)
    dmd_reporters_poll();
  dmd_reporters_poll();
}

static int take_item(int fd) {
  char name[256];
  await(fd);
  ssize_t n = recv(fd, name, sizeof name, 0);
  if (n <= 0)
    return -1;
  struct item *item = malloc(sizeof *item + (size_t)n);
  memcpy(item->name, name, (size_t)n);
  item->next = shop.baskets;
  shop.baskets = item;
  return 0;
}

static void work(int listening) {
  for (;;) {
    await(listening);
    int fd = accept(listening, NULL, NULL);
    while (fd >= 0 && take_item(fd) == 0)
      ;
    close(fd);
  }
}

static int listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 16) != 0) {
    perror(path);
    exit(1);
  }
  return fd;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: shop SOCKET WORKERS\n");
    return 2;
  }
  int listening = listen_at(argv[1]);
  shop.prices = calloc(N_PRICES, sizeof *shop.prices);
  dmd_reporters_register(measure_prices, &shop, "explicit/prices", 0);
  dmd_reporters_register(measure_baskets, &shop, "explicit/baskets", 0);
  dmd_reporters_start(0);
  for (int i = 0; i < atoi(argv[2]); i++)
    if (fork() == 0)
      work(listening);
  puts("ready");
  fflush(stdout);
  while (waitpid(-1, NULL, WNOHANG) >= 0) {
    poll(NULL, 0, 1000);
    dmd_reporters_poll();
  }
  return 0;
}

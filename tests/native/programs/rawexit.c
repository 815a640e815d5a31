/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * rawexit HOW: a program that ends with status 3 by a system call of its own, as Go's runtime does.
 *
 * plain: on its stack. small: on one of 512 bytes. thread: in several threads at once.
 * fork, vfork: after a child that ends in the same way, with status 4.
 * others: runs code that looks like the system call, but is not.
 *
 * Flags: -pthread -O1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile g_kept;

__attribute__((noinline)) static void keep(size_t szB) {
  g_kept = malloc(szB);
}

static void end(int status) {
  __asm__ volatile("movl %0, %%edi\n\tmovl $231, %%eax\n\tsyscall" ::"r"(status) : "memory");
}

static void end_on_small_stack(int status) {
  static _Alignas(16) char stack[512];
  __asm__ volatile("movl %0, %%edi\n\tmovq %1, %%rsp\n\tmovl $231, %%eax\n\tsyscall" ::"r"(status),
                   "r"(stack + sizeof stack)
                   : "memory");
}

static void *end_in_thread(void *barrier) {
  pthread_barrier_wait(barrier);
  end(3);
  return NULL;
}

static void end_in_threads(void) {
  enum { N = 4 };
  pthread_t thread[N];
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, N);
  for (int i = 0; i < N; i++)
    pthread_create(&thread[i], NULL, end_in_thread, &barrier);
  for (int i = 0; i < N; i++)
    pthread_join(thread[i], NULL);
}

static void wait_for(pid_t child) {
  int status;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 4)
    abort();
}

/* Code that looks like a call of exit_group: after a prefix the same bytes load another register,
 * and a jump skips the load. */
static int other_code(void) {
  long pid, eighth, pid_again;
  __asm__ volatile("movl $39, %%eax\n\tmovl $231, %%r8d\n\tsyscall\n\tmovq %%r8, %1"
                   : "=a"(pid), "=r"(eighth)
                   :
                   : "r8", "rcx", "r11", "memory");
  __asm__ volatile("movl $39, %%eax\n\tjmp 1f\n\tmovl $231, %%eax\n1:syscall"
                   : "=a"(pid_again)
                   :
                   : "rcx", "r11", "memory");
  return pid == getpid() && pid_again == pid && eighth == 231;
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "plain";
  pid_t child;
  keep(123);
  if (strcmp(how, "small") == 0)
    end_on_small_stack(3);
  if (strcmp(how, "thread") == 0)
    end_in_threads();
  if (strcmp(how, "fork") == 0) {
    if ((child = fork()) == 0) {
      keep(456);
      end(4);
    }
    wait_for(child);
  }
  if (strcmp(how, "vfork") == 0) {
    if ((child = vfork()) == 0)
      end(4);
    wait_for(child);
  }
  if (strcmp(how, "others") == 0 && !other_code())
    abort();
  end(3);
  return 0;
}

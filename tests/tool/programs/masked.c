/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * masked [MASK]: sets its umask to MASK, in octal, and dumps. Without MASK it does nothing.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <valgrind/dmd.h>

int main(int argc, char **argv) {
  if (argc == 1)
    return 0;
  umask((mode_t)strtoul(argv[1], NULL, 8));
  DMD_DUMP(NULL);
  return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The probes and their notes are written here rather than with SystemTap's sys/sdt.h, which lets
 * the compiler choose where the arguments are: the contract's first consumer takes them from the
 * registers of a function's arguments and ignores what the note says of them.
 */
#include "native/pl_otel.h"

#include "model/profile/profile.h"

#if defined __x86_64__
#define ARGUMENT_1 "8@%rdi"
#define ARGUMENTS_3 "8@%rdi 8@%rsi 8@%rdx"
#elif defined __aarch64__
#define ARGUMENT_1 "8@x0"
#define ARGUMENTS_3 "8@x0 8@x1 8@x2"
#else
#error "the registers of a function's arguments are unknown"
#endif

/* The provider's name is a draft of OpenTelemetry's. */
#define PROVIDER "otel_memory"

/* A function that begins with the probe. The note, as sys/sdt.h describes it: the addresses of the
 * probe, of .stapsdt.base at link time, which prelink could move, and of a counter of listeners,
 * which there is not; then the names and the arguments. */
#define PROBE(function, name, arguments)                                                           \
  __asm__(".text\n"                                                                                \
          ".type " #function ", %function\n"                                                       \
          ".hidden " #function "\n"                                                                \
          ".globl " #function "\n" #function ":\n"                                                 \
          ".cfi_startproc\n"                                                                       \
          "990: nop\n"                                                                             \
          "  ret\n"                                                                                \
          ".cfi_endproc\n"                                                                         \
          ".size " #function ", . - " #function "\n"                                               \
          ".pushsection .note.stapsdt,\"\",\"note\"\n"                                             \
          ".balign 4\n"                                                                            \
          ".4byte 992f - 991f, 994f - 993f, 3\n"                                                   \
          "991: .asciz \"stapsdt\"\n"                                                              \
          "992: .balign 4\n"                                                                       \
          "993: .8byte 990b, _.stapsdt.base, 0\n"                                                  \
          ".asciz \"" PROVIDER "\"\n"                                                              \
          ".asciz \"" name "\"\n"                                                                  \
          ".asciz \"" arguments "\"\n"                                                             \
          "994: .balign 4\n"                                                                       \
          ".popsection\n")

__asm__(".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
        ".weak _.stapsdt.base\n"
        ".hidden _.stapsdt.base\n"
        "_.stapsdt.base: .space 1\n"
        ".size _.stapsdt.base, 1\n"
        ".popsection\n");

void pl_otel_probe_alloc(uint64_t addr, uint64_t req, uint64_t weighted_szB);

PROBE(pl_otel_probe_alloc, "alloc", ARGUMENTS_3);
PROBE(pl_otel_probe_free, "free", ARGUMENT_1);

void pl_otel_fire_alloc(uint64_t addr, uint64_t req) {
  double weight = dmd_sampled_weight(g_options.sample_interval, req);
  pl_otel_probe_alloc(addr, req, (uint64_t)(weight * (double)req + 0.5));
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Code as objdump shows it, and where the function's result is known to be.
 */
#include "host.h"

#include "debuginfo/flow.h"
#include "debuginfo/instruction.h"

#include <elf.h>
#include <stdio.h>

/* The expected events, a word each: registers that hold something at the last instruction of a
 * path, and stores. In these programs the frame's address is rsp + 16, or rbp + 16, or that of sp
 * and x29. */
typedef struct {
  char text[400];
  size_t n;
  bool returns_argument; /* every function that is called */
} seen_t;

static void say(seen_t *seen, const char *format, ...) {
  va_list list;
  va_start(list, format);
  seen->n += (size_t)vsnprintf(seen->text + seen->n, sizeof seen->text - seen->n, format, list);
  va_end(list);
}

static void see_at(void *ctx, const dmdv_flow_t *flow) {
  (void)ctx, (void)flow;
}

static void see_store(void *ctx, const dmdv_flow_t *flow, const dmdv_operand_t *to,
                      int64_t offset) {
  if (to->is_fixed)
    say(ctx, "store@%x", (unsigned)to->addr);
  else {
    say(ctx, "store r%d%+d", to->base, (int)to->displacement);
    if (to->has_index)
      say(ctx, "+i*%u", to->scale);
    if (flow->registers[to->base].kind == DMDV_VALUE_SLOT)
      say(ctx, " of slot %d", (int)flow->registers[to->base].offset);
  }
  say(ctx, offset == 0 ? "; " : " value%+d; ", (int)offset);
}

static bool see_pass(void *ctx, uint64_t function, int64_t offset) {
  say(ctx, "call %x with %d; ", (unsigned)function, (int)offset);
  return ((seen_t *)ctx)->returns_argument;
}

static void see_end(void *ctx, const dmdv_value_t *value) {
  if (value->kind == DMDV_VALUE_RESULT)
    say(ctx, "returns it%+d; ", (int)value->offset);
  else
    say(ctx, value->kind == DMDV_VALUE_INSIDE ? "returns inside; " : "returns; ");
}

static bool see_slot(void *ctx, uint64_t pc, int reg, int64_t displacement, int64_t *place) {
  (void)ctx, (void)pc;
  *place = displacement - 16;
  return reg == 6 || reg == 7 || reg == 29 || reg == 31;
}

/* The code starts at 0x1000. */
static const char *follow_on(const dmdv_flow_machine_t *machine, seen_t *seen, const void *code,
                             size_t n) {
  dmdv_code_t at = {code, n, 0x1000};
  dmdv_flow_watcher_t watcher = {seen, see_at, see_store, see_pass, see_end, see_slot};
  seen->n = 0;
  seen->text[0] = '\0';
  dmdv_flow_follow(machine, &at, 0x1000, &watcher);
  return seen->text;
}

static const char *follow(seen_t *seen, const char *code, size_t n) {
  return follow_on(dmdv_flow_machine(EM_X86_64), seen, code, n);
}

#define ASSERT_FLOW(code, expected)                                                                \
  do {                                                                                             \
    seen_t seen_ = {.n = 0};                                                                       \
    assert_string_equal(follow(&seen_, code, sizeof(code) - 1), expected);                         \
  } while (0)

static void registers_carry_it(void **state) {
  (void)state;
  ASSERT_FLOW("\xc3", "returns it+0; ");              /* ret */
  ASSERT_FLOW("\x31\xc0\xc3", "returns; ");           /* xor %eax,%eax */
  ASSERT_FLOW("\x48\x89\xc3\x31\xc0\x48\x89\xd8\xc3", /* mov %rax,%rbx; xor; mov %rbx,%rax */
              "returns it+0; ");
  ASSERT_FLOW("\x49\x89\xc4\x31\xc0\x4c\x89\xe0\xc3", /* through %r12 */
              "returns it+0; ");
  ASSERT_FLOW("\x89\xc3\x48\x89\xd8\xc3", "returns; ");    /* mov %eax,%ebx: half of it */
  ASSERT_FLOW("\x48\x8d\x40\x08\xc3", "returns it+8; ");   /* lea 0x8(%rax),%rax */
  ASSERT_FLOW("\x48\x83\xc0\x10\xc3", "returns it+16; ");  /* add $0x10,%rax */
  ASSERT_FLOW("\x48\x83\xe8\x10\xc3", "returns it-16; ");  /* sub */
  ASSERT_FLOW("\x48\x01\xd8\xc3", "returns inside; ");     /* add %rbx,%rax */
  ASSERT_FLOW("\x48\x8d\x04\x18\xc3", "returns inside; "); /* lea (%rax,%rbx,1),%rax */
  ASSERT_FLOW("\x48\x8d\x04\xd8\xc3", "returns inside; "); /* lea (%rax,%rbx,8),%rax */
  ASSERT_FLOW(
      "\x48\x89\xc2\xf3\x48\xab\x48\x89\xd0\xc3", /* mov %rax,%rdx; rep stos; mov %rdx,%rax */
      "returns it+0; ");
  ASSERT_FLOW("\x48\x89\xc7\xf3\x48\xab\x48\x89\xf8\xc3", "returns; "); /* through %rdi */
  ASSERT_FLOW("\x48\x89\xc2\x41\xba\xff\xff\xff\xff\x48\x89\xd0\xc3",
              "returns it+0; "); /* mov $-1,%r10d */
  ASSERT_FLOW("\x49\x89\xc2\x41\xba\xff\xff\xff\xff\x4c\x89\xd0\xc3", "returns; ");
  ASSERT_FLOW("\xac\xc3", "returns; ");                                  /* lods */
  ASSERT_FLOW("\x0f\x95\xc1\xc3", "returns it+0; ");                     /* setne %cl */
  ASSERT_FLOW("\x0f\x95\xc0\xc3", "returns; ");                          /* setne %al */
  ASSERT_FLOW("\xc9\xc3", "returns it+0; ");                             /* leave */
  ASSERT_FLOW("\x48\x89\xc5\xc9\x48\x89\xe8\xc3", "returns; ");          /* leave loads %rbp */
  ASSERT_FLOW("\x5b\x41\x5c\xc3", "returns it+0; ");                     /* pop %rbx; pop %r12 */
  ASSERT_FLOW("\xf0\x48\x01\x05\x00\x00\x00\x00\xc3", "returns it+0; "); /* lock add %rax,(%rip) */
  ASSERT_FLOW("\x0f\x11\x00\x66\x0f\xef\xc0\xc3", "returns it+0; ");     /* movups; pxor */
}

static void memory_carries_it(void **state) {
  (void)state;
  ASSERT_FLOW("\x48\x89\x45\xf8\x31\xc0\x48\x8b\x45\xf8\xc3", /* to and from -8(%rbp) */
              "returns it+0; ");
  ASSERT_FLOW("\x48\x89\x44\x24\x08\x48\xc7\x44\x24\x08\x00\x00\x00\x00\x48\x8b\x44\x24\x08\xc3",
              "returns; "); /* 0x8(%rsp), which is overwritten with 0 */
  ASSERT_FLOW("\x48\x89\x43\x10\xc3", "store r3+16; returns it+0; ");    /* mov %rax,0x10(%rbx) */
  ASSERT_FLOW("\x48\x89\x04\xcb\xc3", "store r3+0+i*8; returns it+0; "); /* (%rbx,%rcx,8) */
  ASSERT_FLOW("\x48\x89\x05\x10\x00\x00\x00\xc3", "store@1017; returns it+0; "); /* 0x10(%rip) */
  ASSERT_FLOW("\x48\x8b\x55\xe8\x48\x89\x42\x08\xc3", /* mov -24(%rbp),%rdx; mov %rax,0x8(%rdx) */
              "store r1+8 of slot -40; returns it+0; ");
}

static void calls_and_jumps(void **state) {
  (void)state;
  ASSERT_FLOW("\x48\x89\xc3\x48\x89\xc7\xe8\x10\x00\x00\x00\x48\x89\xd8\xc3",
              "call 101b with 0; returns it+0; "); /* kept in %rbx */
  ASSERT_FLOW("\x48\x8d\x78\x08\xe8\x00\x00\x00\x00\xc3", "call 1009 with 8; returns; ");
  ASSERT_FLOW("\x48\x89\xc7\xe9\x00\x10\x00\x00", "call 2008 with 0; returns; "); /* jmp away */
  seen_t seen = {.returns_argument = true};
  static const char through[] = "\x48\x89\xc7\xe8\x00\x00\x00\x00\xc3";
  assert_string_equal(follow(&seen, through, sizeof through - 1),
                      "call 1008 with 0; returns it+0; ");
  /* test %rax,%rax; je over; ret; over: xor %eax,%eax; ret: there it is NULL. */
  ASSERT_FLOW("\x48\x85\xc0\x74\x01\xc3\x31\xc0\xc3", "returns it+0; ");
  ASSERT_FLOW("\x48\x85\xc0\x75\x03\x31\xc0\xc3\xc3", "returns it+0; "); /* jne */
  /* Another condition: both sides. */
  ASSERT_FLOW("\x48\x85\xdb\x74\x01\xc3\x48\x83\xc0\x08\xc3", "returns it+0; returns it+8; ");
  /* test %rax,%rax; cmove %rbp,%rax: it stays. cmovne %rbp,%rax: it goes. cmovne %rax,%rbp. */
  ASSERT_FLOW("\x48\x85\xc0\x48\x0f\x44\xc5\xc3", "returns it+0; ");
  ASSERT_FLOW("\x48\x85\xc0\x48\x0f\x45\xc5\xc3", "returns; ");
  ASSERT_FLOW("\x48\x85\xc0\x48\x0f\x45\xe8\x31\xc0\x48\x89\xe8\xc3", "returns it+0; ");
  ASSERT_FLOW("\x48\x85\xc0\x48\x0f\x48\xc5\xc3", "returns; ");          /* cmovs */
  ASSERT_FLOW("\x48\x85\xdb\x48\x0f\x44\xc5\xc3", "returns; ");          /* test %rbx,%rbx */
  ASSERT_FLOW("\xeb\xfe", "");                                           /* jmp to itself */
  ASSERT_FLOW("\xff\xe2\xc3", "");                                       /* jmp *%rdx */
  ASSERT_FLOW("\x48\x89\xc3\xff\xd2\x48\x89\xd8\xc3", "returns it+0; "); /* call *%rdx */
}

/* ---- AArch64, as aarch64-linux-gnu-as translates it. ---- */

#define ASSERT_ARM64(expected, ...)                                                                \
  do {                                                                                             \
    static const uint32_t words_[] = {__VA_ARGS__};                                                \
    uint8_t code_[sizeof words_];                                                                  \
    seen_t seen_ = {.n = 0};                                                                       \
    for (size_t i_ = 0; i_ < sizeof code_; i_++)                                                   \
      code_[i_] = (uint8_t)(words_[i_ / 4] >> i_ % 4 * 8);                                         \
    assert_string_equal(follow_on(dmdv_flow_machine(EM_AARCH64), &seen_, code_, sizeof code_),     \
                        expected);                                                                 \
  } while (0)

static void arm64_registers(void **state) {
  (void)state;
  /* ret */
  ASSERT_ARM64("returns it+0; ", 0xd65f03c0);
  /* mov x0, xzr; ret */
  ASSERT_ARM64("returns; ", 0xaa1f03e0, 0xd65f03c0);
  /* mov x19, x0; mov w0, #0; mov x0, x19; ret */
  ASSERT_ARM64("returns it+0; ", 0xaa0003f3, 0x52800000, 0xaa1303e0, 0xd65f03c0);
  /* mov w19, w0; mov x0, x19; ret */
  ASSERT_ARM64("returns; ", 0x2a0003f3, 0xaa1303e0, 0xd65f03c0);
  /* add x0, x0, #8; ret */
  ASSERT_ARM64("returns it+8; ", 0x91002000, 0xd65f03c0);
  /* add x0, x0, #1, lsl #12; sub x0, x0, #16; ret */
  ASSERT_ARM64("returns it+4080; ", 0x91400400, 0xd1004000, 0xd65f03c0);
  /* add x0, x0, x1; ret */
  ASSERT_ARM64("returns inside; ", 0x8b010000, 0xd65f03c0);
  /* add x0, x0, x1, lsl #3; ret */
  ASSERT_ARM64("returns inside; ", 0x8b010c00, 0xd65f03c0);
  /* add x0, x1, x0, lsl #3; ret */
  ASSERT_ARM64("returns; ", 0x8b000c20, 0xd65f03c0);
  /* add x0, x0, w1, sxtw #3; ret */
  ASSERT_ARM64("returns inside; ", 0x8b21cc00, 0xd65f03c0);
  /* madd x0, x1, x2, x0; ret */
  ASSERT_ARM64("returns inside; ", 0x9b020020, 0xd65f03c0);
  /* paciasp; autiasp; ret */
  ASSERT_ARM64("returns it+0; ", 0xd503233f, 0xd50323bf, 0xd65f03c0);
  /* fmov x0, d0; ret */
  ASSERT_ARM64("returns; ", 0x9e660000, 0xd65f03c0);
  /* fmov d0, x1; fadd d0, d0, d1; ret */
  ASSERT_ARM64("returns it+0; ", 0x9e670020, 0x1e612800, 0xd65f03c0);
  /* umov x0, v1.d[0]; ret */
  ASSERT_ARM64("returns; ", 0x4e083c20, 0xd65f03c0);
  /* ldr d0, [x0, #8]; str q0, [x0]; ret */
  ASSERT_ARM64("returns it+0; ", 0xfd400400, 0x3d800000, 0xd65f03c0);
  /* ldrb w0, [x0]; ret */
  ASSERT_ARM64("returns; ", 0x39400000, 0xd65f03c0);
  /* ldaxr x0, [x1]; ret */
  ASSERT_ARM64("returns; ", 0xc85ffc20, 0xd65f03c0);
  /* svc #0; ret */
  ASSERT_ARM64("returns; ", 0xd4000001, 0xd65f03c0);
  /* add z0.s; ret */
  ASSERT_ARM64("", 0x04a00000, 0xd65f03c0);
  /* retaa */
  ASSERT_ARM64("returns it+0; ", 0xd65f0bff);
  /* ldadd x1, x0, [x2]; ret */
  ASSERT_ARM64("returns; ", 0xf8210040, 0xd65f03c0);
  /* ccmp x1, x2, #0, eq; ret */
  ASSERT_ARM64("returns it+0; ", 0xfa420020, 0xd65f03c0);
}

static void arm64_memory(void **state) {
  (void)state;
  /* str x0, [sp, #8]; mov x0, #0; ldr x0, [sp, #8]; ret */
  ASSERT_ARM64("returns it+0; ", 0xf90007e0, 0xd2800000, 0xf94007e0, 0xd65f03c0);
  /* str x0, [sp, #8]; str wzr, [sp, #12]; ldr x0, [sp, #8]; ret */
  ASSERT_ARM64("returns; ", 0xf90007e0, 0xb9000fff, 0xf94007e0, 0xd65f03c0);
  /* stp x19, x0, [sp, #16]; mov x0, #1; ldp x1, x0, [sp, #16]; ret */
  ASSERT_ARM64("returns it+0; ", 0xa90103f3, 0xd2800020, 0xa94103e1, 0xd65f03c0);
  /* str x0, [sp, #8]; stp q0, q1, [sp, #-16]; ldr x0, [sp, #8]; ret */
  ASSERT_ARM64("returns; ", 0xf90007e0, 0xad3f87e0, 0xf94007e0, 0xd65f03c0);
  /* str x0, [x19, #16]; ret */
  ASSERT_ARM64("store r19+16; returns it+0; ", 0xf9000a60, 0xd65f03c0);
  /* str x0, [x19, x20, lsl #3]; ret */
  ASSERT_ARM64("store r19+0+i*8; returns it+0; ", 0xf8347a60, 0xd65f03c0);
  /* adrp x1, 0x4000; add x1, x1, #0x10; str x0, [x1, #8]; ret */
  ASSERT_ARM64("store@4018; returns it+0; ", 0xf0000001, 0x91004021, 0xf9000420, 0xd65f03c0);
  /* ldr x1, [sp, #24]; str x0, [x1, #8]; ret */
  ASSERT_ARM64("store r1+8 of slot 8; returns it+0; ", 0xf9400fe1, 0xf9000420, 0xd65f03c0);
  /* str x0, [x19], #8; ret */
  ASSERT_ARM64("store r19+0; returns it+0; ", 0xf8008660, 0xd65f03c0);
  /* str x0, [x19, #-8]!; ret */
  ASSERT_ARM64("store r19-8; returns it+0; ", 0xf81f8e60, 0xd65f03c0);
  /* stlr x0, [x19]; ret */
  ASSERT_ARM64("store r19+0; returns it+0; ", 0xc89ffe60, 0xd65f03c0);
  /* stp x29, x30, [sp, #-32]!; mov x29, sp; str x0, [sp, #24]; ldr x0, [sp, #24]; ldp x29, x30,
   * [sp], #32; ret */
  ASSERT_ARM64("returns it+0; ", 0xa9be7bfd, 0x910003fd, 0xf9000fe0, 0xf9400fe0, 0xa8c27bfd,
               0xd65f03c0);
}

static void arm64_calls_and_jumps(void **state) {
  (void)state;
  /* mov x19, x0; bl .+16; mov x0, x19; ret */
  ASSERT_ARM64("call 1014 with 0; returns it+0; ", 0xaa0003f3, 0x94000004, 0xaa1303e0, 0xd65f03c0);
  /* add x0, x0, #8; bl .+4; ret */
  ASSERT_ARM64("call 1008 with 8; returns; ", 0x91002000, 0x94000001, 0xd65f03c0);
  /* b .+0x1000 */
  ASSERT_ARM64("call 2000 with 0; returns; ", 0x14000400);
  /* cbz x0, 1f; ret; 1: mov x0, #0; ret */
  ASSERT_ARM64("returns it+0; ", 0xb4000040, 0xd65f03c0, 0xd2800000, 0xd65f03c0);
  /* cbnz x0, 1f; mov x0, #0; ret; 1: ret */
  ASSERT_ARM64("returns it+0; ", 0xb5000060, 0xd2800000, 0xd65f03c0, 0xd65f03c0);
  /* cbz x19, 1f; ret; 1: add x0, x0, #8; ret */
  ASSERT_ARM64("returns it+0; returns it+8; ", 0xb4000053, 0xd65f03c0, 0x91002000, 0xd65f03c0);
  /* cmp x0, #0; b.eq 1f; ret; 1: mov x0, #0; ret */
  ASSERT_ARM64("returns it+0; ", 0xf100001f, 0x54000040, 0xd65f03c0, 0xd2800000, 0xd65f03c0);
  /* cmp x0, #0; csel x0, x1, x0, eq; ret */
  ASSERT_ARM64("returns it+0; ", 0xf100001f, 0x9a800020, 0xd65f03c0);
  /* cmp x0, #0; csel x0, x1, x0, ne; ret */
  ASSERT_ARM64("returns; ", 0xf100001f, 0x9a801020, 0xd65f03c0);
  /* cmp x0, #1; csel x0, x1, x0, eq; ret */
  ASSERT_ARM64("returns; ", 0xf100041f, 0x9a800020, 0xd65f03c0);
  /* tst x0, x0; b.ne 1f; mov x0, #0; 1: ret */
  ASSERT_ARM64("returns it+0; ", 0xea00001f, 0x54000041, 0xd2800000, 0xd65f03c0);
  /* b . */
  ASSERT_ARM64("", 0x14000000);
  /* br x1 */
  ASSERT_ARM64("", 0xd61f0020);
  /* mov x19, x0; blr x1; mov x0, x19; ret */
  ASSERT_ARM64("returns it+0; ", 0xaa0003f3, 0xd63f0020, 0xaa1303e0, 0xd65f03c0);
  /* tbz w0, #3, 1f; ret; 1: add x0, x0, #16; ret */
  ASSERT_ARM64("returns it+0; returns it+16; ", 0x36180040, 0xd65f03c0, 0x91004000, 0xd65f03c0);
}

/* Wherever the code ends, and whatever it is, nothing behind its end is read (the sanitiser would
 * see that), and the walk ends. */
static void any_bytes(void **state) {
  (void)state;
  dice_t dice = {5};
  for (int i = 0; i < 20000; i++) {
    size_t n = (size_t)dice_below(&dice, 40);
    char *code = malloc(n + 1);
    assert_non_null(code);
    for (size_t j = 0; j < n; j++)
      code[j] = (char)dice_below(&dice, 256);
    char *exact = realloc(code, n > 0 ? n : 1);
    seen_t seen = {.n = 0};
    seen.n = sizeof seen.text; /* nothing is kept */
    dmdv_code_t at = {(const uint8_t *)exact, n, 0x1000};
    dmdv_flow_watcher_t watcher = {&seen, see_at, see_store, see_pass, see_end, see_slot};
    seen.n = 0;
    dmdv_flow_follow(dmdv_flow_machine(i % 2 ? EM_X86_64 : EM_AARCH64), &at, 0x1000, &watcher);
    dmdv_instruction_t instruction;
    if (dmdv_instruction_read(&instruction, (const uint8_t *)exact, n))
      assert_true(instruction.length >= 1 && instruction.length <= n);
    free(exact);
  }
}

static void assert_length(const char *code, size_t n) {
  dmdv_instruction_t instruction;
  assert_true(dmdv_instruction_read(&instruction, (const uint8_t *)code, n));
  assert_int_equal(instruction.length, n);
  assert_false(dmdv_instruction_read(&instruction, (const uint8_t *)code, n - 1));
}

#define ASSERT_LENGTH(code) assert_length(code, sizeof(code) - 1)

static void instructions_have_lengths(void **state) {
  (void)state;
  ASSERT_LENGTH("\x90");                                             /* nop */
  ASSERT_LENGTH("\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08");         /* movabs */
  ASSERT_LENGTH("\xb8\x01\x02\x03\x04");                             /* mov $..,%eax */
  ASSERT_LENGTH("\x66\xb8\x01\x02");                                 /* mov $..,%ax */
  ASSERT_LENGTH("\x48\xc7\x84\x24\x10\x01\x00\x00\x01\x00\x00\x00"); /* movq $1,0x110(%rsp) */
  ASSERT_LENGTH("\x81\x3d\x01\x02\x03\x04\x05\x06\x07\x08");         /* cmpl $..,0x..(%rip) */
  ASSERT_LENGTH("\x8b\x04\x25\x01\x02\x03\x04");                     /* mov 0x04030201,%eax */
  ASSERT_LENGTH("\xf6\x43\x08\x01");                                 /* testb $1,0x8(%rbx) */
  ASSERT_LENGTH("\xf7\xd8");                                         /* neg %eax */
  ASSERT_LENGTH("\xf7\xc1\x01\x02\x03\x04");                         /* test $..,%ecx */
  ASSERT_LENGTH("\x0f\x84\x01\x02\x03\x04");                         /* je */
  ASSERT_LENGTH("\x66\x0f\x3a\x0f\xc1\x08");                         /* palignr */
  ASSERT_LENGTH("\x66\x0f\x38\x00\xc1");                             /* pshufb */
  ASSERT_LENGTH("\xf3\x0f\x1e\xfa");                                 /* endbr64 */
  ASSERT_LENGTH("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00");         /* nopw */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(registers_carry_it),
      cmocka_unit_test(memory_carries_it),
      cmocka_unit_test(calls_and_jumps),
      cmocka_unit_test(any_bytes),
      cmocka_unit_test(instructions_have_lengths),
      cmocka_unit_test(arm64_registers),
      cmocka_unit_test(arm64_memory),
      cmocka_unit_test(arm64_calls_and_jumps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

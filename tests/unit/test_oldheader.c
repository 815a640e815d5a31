/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "engine/oldheader.h"
#include "engine/requests.h"

/* As valgrind.h has them on amd64. */
static const uint8_t request[] = {0x48, 0xc1, 0xc7, 0x03, 0x48, 0xc1, 0xc7, 0x0d, 0x48, 0xc1,
                                  0xc7, 0x3d, 0x48, 0xc1, 0xc7, 0x33, 0x48, 0x87, 0xdb};

typedef struct {
  _Alignas(8) uint8_t bytes[4096];
} code_t;

static bool is_there(const code_t *code, const code_t *data) {
  dmd_oldheader_t found = {false, false};
  dmd_oldheader_look(&found, code->bytes, sizeof code->bytes, true);
  if (data != NULL)
    dmd_oldheader_look(&found, data->bytes, sizeof data->bytes, false);
  return dmd_oldheader_is_there(&found);
}

static void put_number(code_t *code, size_t at, uint64_t number) {
  memcpy(code->bytes + at, &number, at % 8 == 0 ? sizeof number : 4);
}

/* Wherever it stands, also at the ends. */
static void a_number_near_a_request(void **state) {
  (void)state;
  for (size_t at = 4; at + sizeof request <= sizeof(code_t); at++) {
    code_t code = {{0}};
    memset(code.bytes, 0x48, sizeof code.bytes);
    memcpy(code.bytes + at, request, sizeof request);
    assert_false(is_there(&code, NULL));
    size_t near = at > 200 ? at - 200 : 0;
    memcpy(code.bytes + near, &(uint32_t){DMD_REQUEST_REPORT}, 4);
    assert_true(is_there(&code, NULL));
  }
}

static void a_number_alone_or_far_away(void **state) {
  (void)state;
  code_t code = {{0}};
  put_number(&code, 100, DMD_REQUEST_REPORT);
  assert_false(is_there(&code, NULL));
  memcpy(code.bytes + 2000, request, sizeof request);
  assert_false(is_there(&code, NULL));
}

/* Another tool's requests, and one that dmd has not. */
static void other_numbers(void **state) {
  (void)state;
  static const uint32_t others[] = {0x1001, 0x4d430001, DMD_REQUEST_END, DMD_REQUEST_RUNNING - 1};
  for (size_t i = 0; i < COUNT_OF(others); i++) {
    code_t code = {{0}};
    put_number(&code, 101, others[i]);
    memcpy(code.bytes + 150, request, sizeof request);
    assert_false(is_there(&code, NULL));
  }
}

static void a_number_in_constant_data(void **state) {
  (void)state;
  code_t code = {{0}}, data = {{0}};
  memcpy(code.bytes + 150, request, sizeof request);
  put_number(&data, 80, DMD_REQUEST_REPORT | UINT64_C(1) << 40);
  assert_false(is_there(&code, &data));
  put_number(&data, 160, DMD_REQUEST_RUNNING);
  assert_true(is_there(&code, &data));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_number_near_a_request),
      cmocka_unit_test(a_number_alone_or_far_away),
      cmocka_unit_test(other_numbers),
      cmocka_unit_test(a_number_in_constant_data),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

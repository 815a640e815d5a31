/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/oldheader.h"

#include "base/mem.h"
#include "engine/requests.h"

/* On amd64: rotations that cancel each other out, and an exchange of a register with itself
 * (valgrind.h). */
static const uint8_t request[] = {0x48, 0xc1, 0xc7, 0x03, 0x48, 0xc1, 0xc7, 0x0d, 0x48, 0xc1,
                                  0xc7, 0x3d, 0x48, 0xc1, 0xc7, 0x33, 0x48, 0x87, 0xdb};

/* How far before these the number may stand. */
enum { NEAR = DMD_OLDHEADER_OVERLAP - sizeof request };

static bool is_number(const uint8_t *bytes) {
  uint32_t number;
  dmd_mem_copy(&number, bytes, sizeof number);
  return number >= DMD_REQUEST_RUNNING && number < DMD_REQUEST_END;
}

static bool has_number(const uint8_t *bytes, size_t n) {
  for (size_t i = 0; i + sizeof(uint32_t) <= n; i++)
    if (is_number(bytes + i))
      return true;
  return false;
}

/* How far one can go on from a place whose last byte is this one, which most bytes are not in. */
static void fill_steps(uint8_t steps[256]) {
  for (size_t i = 0; i < 256; i++)
    steps[i] = sizeof request;
  for (size_t i = 0; i + 1 < sizeof request; i++)
    steps[request[i]] = (uint8_t)(sizeof request - 1 - i);
}

static void look_at_code(dmd_oldheader_t *found, const uint8_t *bytes, size_t n) {
  uint8_t steps[256];
  fill_steps(steps);
  for (size_t i = 0; i + sizeof request <= n; i += steps[bytes[i + sizeof request - 1]]) {
    if (!dmd_mem_equal(bytes + i, request, sizeof request))
      continue;
    size_t before = i < NEAR ? i : NEAR;
    found->has_request = true;
    found->has_number |= has_number(bytes + i - before, before);
  }
}

void dmd_oldheader_look(dmd_oldheader_t *found, const uint8_t *bytes, size_t n, bool is_code) {
  if (is_code) {
    look_at_code(found, bytes, n);
    return;
  }
  for (size_t i = 0; i + sizeof(uint64_t) <= n; i += sizeof(uint64_t)) {
    uint64_t word;
    dmd_mem_copy(&word, bytes + i, sizeof word);
    found->has_number |= word >> 32 == 0 && is_number(bytes + i);
  }
}

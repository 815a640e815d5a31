/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz_control: a request from another process. If it is accepted, it is within its limits, and
 * comes out the same after it is written and read again.
 */
#include "fuzz.h"

#include "host/process.h"
#include "record/engine/control.h"

static void check_again(const dmd_control_t *request) {
  dmd_control_t again;
  const char *why;
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, &dmdv_env);
  dmd_control_write(&line, request);
  FUZZ_CHECK(line.n <= DMD_MAX_CONTROL_REQUEST && line.text[line.n - 1] == '\n');
  FUZZ_CHECK(dmd_control_read(&again, line.text, line.n, &why));
  FUZZ_CHECK(again.command == request->command && again.graph == request->graph &&
             again.clear == request->clear && again.n_label == request->n_label &&
             (again.label == NULL) == (request->label == NULL));
  for (size_t i = 0; i < again.n_label; i++)
    FUZZ_CHECK(again.label[i] == (request->label[i] == '\n' ? ' ' : request->label[i]));
  dmd_strbuf_destroy(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  dmd_control_t request;
  const char *why = NULL;
  if (!dmd_control_read(&request, (const char *)data, n, &why)) {
    FUZZ_CHECK(why != NULL && why[0] != '\0');
    return 0;
  }
  FUZZ_CHECK(request.n_label <= DMD_MAX_NAME);
  FUZZ_CHECK(request.label == NULL || (const uint8_t *)request.label + request.n_label <= data + n);
  check_again(&request);
  return 0;
}

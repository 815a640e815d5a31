/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "derive/program/outputs.h"

#include "base/files.h"
#include "base/posix/posixfiles.h"
#include "host/message.h"
#include "host/output.h"
#include "host/process.h"

#include <stdio.h>
#include <string.h>

bool dmd_derive_is_output(const char *name, const dmd_strbuf_t *text) {
  FILE *file = fopen(name, "rb");
  if (file == NULL)
    return false;
  char bytes[4096];
  size_t n, at = 0;
  bool is_same = true;
  while (is_same && (n = fread(bytes, 1, sizeof bytes, file)) > 0) {
    is_same = n <= text->n - at && memcmp(bytes, text->text + at, n) == 0;
    at += n;
  }
  fclose(file);
  return is_same && at == text->n;
}

bool dmd_derive_output(const char *name, const dmd_strbuf_t *text) {
  if (name == NULL)
    return (fwrite(text->text, 1, text->n, stdout) == text->n && fflush(stdout) == 0) ||
           dmdv_error("standard output cannot be written");
  if (dmd_derive_is_output(name, text))
    return true;
  dmd_outfile_t file;
  bool good = dmd_outfile_open(&file, &dmdv_env, &dmd_posix_files, name);
  if (good) {
    dmd_outfile_write(&file, text->text, text->n);
    good = dmd_outfile_close(&file, true);
  }
  if (!good)
    dmdv_error("%s: cannot be written: %s", name, dmdv_file_error(file.error));
  dmd_outfile_destroy(&file);
  return good;
}

void dmd_derive_depend(dmd_strbuf_t *rule, const char *name) {
  if (rule->n > 0)
    dmd_strbuf_str(rule, " \\\n ");
  for (; *name != '\0'; name++) {
    if (*name == ' ' || *name == '#')
      dmd_strbuf_str(rule, "\\");
    else if (*name == '$')
      dmd_strbuf_str(rule, "$");
    dmd_strbuf_bytes(rule, name, 1);
  }
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/debugfile.h"

#include "base/strbuf.h"
#include "host/process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* libdwfl searches this folder by itself, too. */
#define USUAL_FOLDER "/usr/lib/debug"

bool dmdv_debugfiles_open(dmdv_debugfiles_t *files, const char *folder) {
  dmd_strbuf_t path;
  dmd_strbuf_init(&path, &dmdv_env);
  /* "": the object's own folder; ".debug": a folder in it. */
  dmd_strbuf_str(&path, ":.debug");
  if (folder != NULL) { /* only absolute folders are searched by build id */
    dmd_strbuf_str(&path, ":");
    dmdv_absolute_path(&path, folder);
  }
  dmd_strbuf_str(&path, ":" USUAL_FOLDER);
  files->path = dmd_strbuf_take(&path);
  files->callbacks = (Dwfl_Callbacks){.find_elf = dwfl_build_id_find_elf,
                                      .find_debuginfo = dwfl_standard_find_debuginfo,
                                      .section_address = dwfl_offline_section_address,
                                      .debuginfo_path = &files->path};
  files->dwfl = dwfl_begin(&files->callbacks);
  if (files->dwfl == NULL) {
    dmd_env_free(&dmdv_env, files->path);
    return false;
  }
  dwfl_report_begin(files->dwfl);
  dmdv_download_init(&files->download, files->dwfl);
  return true;
}

void dmdv_debugfiles_close(dmdv_debugfiles_t *files) {
  dwfl_end(files->dwfl);
  dmd_env_free(&dmdv_env, files->path);
}

/* Whether the file has the object's build id. An object without a build id accepts any file. */
static bool is_the_one(Dwfl_Module *module, const dmd_graph_object_t *object) {
  GElf_Addr bias;
  if (dwfl_module_getelf(module, &bias) == NULL)
    return false;
  if (object->n_build_id == 0)
    return true;
  const unsigned char *bits;
  GElf_Addr where;
  int n = dwfl_module_build_id(module, &bits, &where);
  return n > 0 && (size_t)n == object->n_build_id && memcmp(bits, object->build_id, (size_t)n) == 0;
}

/* Tries FOLDER/.build-id/ab/cdef.debug for each folder of the path; the first match counts. */
static Dwfl_Module *find_by_build_id(dmdv_debugfiles_t *files, const dmd_graph_object_t *object) {
  Dwfl_Module *found = NULL;
  dmd_strbuf_t name;
  if (object->n_build_id < 2)
    return NULL;
  dmd_strbuf_init(&name, &dmdv_env);
  for (const char *at = files->path; at != NULL && found == NULL; at = strchr(at, ':')) {
    at += *at == ':';
    size_t n = strcspn(at, ":");
    if (*at != '/')
      continue;
    dmd_strbuf_cut(&name, 0);
    dmd_strbuf_bytes(&name, at, n);
    dmd_strbuf_str(&name, "/.build-id/");
    dmd_build_id_text(&name, object->build_id, 1);
    dmd_strbuf_str(&name, "/");
    dmd_build_id_text(&name, object->build_id + 1, object->n_build_id - 1);
    dmd_strbuf_str(&name, ".debug");
    found = dwfl_report_offline(files->dwfl, name.text, name.text, -1);
    if (found != NULL && !is_the_one(found, object))
      found = NULL;
  }
  dmd_strbuf_destroy(&name);
  return found;
}

static Dwfl_Module *download(dmdv_debugfiles_t *files, const dmd_graph_object_t *object) {
  char *path = dmdv_download_file(&files->download, object->build_id, object->n_build_id);
  if (path == NULL)
    return NULL;
  Dwfl_Module *found = dwfl_report_offline(files->dwfl, path, path, -1);
  free(path);
  return found != NULL && is_the_one(found, object) ? found : NULL;
}

/* A graph may come from a stranger, who may have named a pipe that nobody writes to as an object.
 */
static bool is_readable(const char *path) {
  struct stat st;
  return path != NULL && stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, R_OK) == 0;
}

static dmdv_debugfile_t find(dmdv_debugfiles_t *files, const dmd_graph_object_t *object) {
  dmdv_debugfile_t file = {.module = NULL};
  /* libdwfl wants a unique name for each module; two objects may have the same path. */
  if (is_readable(object->path)) {
    file.module = dwfl_report_offline(files->dwfl, object->path, object->path, -1);
    if (file.module != NULL && !is_the_one(file.module, object)) {
      file.module = NULL;
      file.was_changed = true;
    }
  }
  if (file.module == NULL)
    file.module = find_by_build_id(files, object);
  if (file.module == NULL)
    file.module = download(files, object);
  if (file.module == NULL)
    return file;
  Dwarf_Addr shift;
  file.dwarf = dwfl_module_getdwarf(file.module, &shift);
  GElf_Addr elf_shift;
  dwfl_module_getelf(file.module, &elf_shift);
  file.shift = elf_shift;
  return file;
}

dmdv_debugfile_t dmdv_debugfile(dmdv_debugfiles_t *files, const dmd_graph_object_t *object) {
  dmdv_download_begin(&files->download);
  dmdv_debugfile_t file = find(files, object);
  dmdv_download_end(&files->download);
  return file;
}

const char *dmdv_debugfile_symbol(const dmdv_debugfile_t *file, uint64_t addr, uint64_t *into) {
  GElf_Off offset;
  GElf_Sym symbol;
  const char *name =
      dwfl_module_addrinfo(file->module, addr + file->shift, &offset, &symbol, NULL, NULL, NULL);
  *into = offset;
  return name;
}

size_t dmdv_debugfile_code(const dmdv_debugfile_t *file, uint64_t addr, const uint8_t **bytes) {
  GElf_Addr shift;
  Elf *elf = dwfl_module_getelf(file->module, &shift);
  size_t n_headers;
  if (elf == NULL || elf_getphdrnum(elf, &n_headers) != 0)
    return 0;
  for (size_t i = 0; i < n_headers; i++) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_LOAD ||
        !(header.p_flags & PF_X) || addr - header.p_vaddr >= header.p_filesz)
      continue;
    uint64_t into = addr - header.p_vaddr;
    Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)(header.p_offset + into),
                                          header.p_filesz - into, ELF_T_BYTE);
    if (data == NULL || data->d_buf == NULL)
      return 0;
    *bytes = data->d_buf;
    return data->d_size;
  }
  return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * cjson_parse: measures cJSON alone: reads a file whole, parses it whole, prints how many blocks
 * it has, and exits without taking anything down.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

int main(int argc, char **argv) {
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    fputs("usage: cjson_parse FILE\n", stderr);
    return 2;
  }
  long n = ftell(file);
  char *text = n > 0 ? malloc((size_t)n) : NULL;
  rewind(file);
  if (text == NULL || fread(text, 1, (size_t)n, file) != (size_t)n) {
    fputs("cjson_parse: cannot read\n", stderr);
    return 2;
  }
  fclose(file);
  cJSON *json = cJSON_ParseWithLength(text, (size_t)n);
  printf("%d blocks\n", cJSON_GetArraySize(cJSON_GetObjectItem(json, "blockList")));
  return json != NULL ? 0 : 1;
}

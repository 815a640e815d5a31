/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * cjson.c: trees of cJSON's, parsed and made, with references to items of the first four.
 */
#include "cjson/cJSON.h"
#include "measures.h"
#include "objects.h"

enum { N = 40 };

static cJSON *trees[N], *with_references[N];

/* {"items": [{"n": i, "name": "...", "list": [...]}, ...], "note": null} of i items, as text. */
static cJSON *parsed(int i) {
  char *text = malloc((size_t)i * 200 + 100), *end = text;
  end += sprintf(end, "{\"items\": [");
  for (int k = 0; k < i; k++)
    end += sprintf(end, "%s{\"n\": %d, \"name\": \"%*d\", \"list\": [[], {}, %d, true]}",
                   k > 0 ? "," : "", k, k % 50, k, k);
  sprintf(end, "], \"note\": null}");
  cJSON *tree = cJSON_Parse(text);
  free(text);
  return tree;
}

static cJSON *made(int i) {
  cJSON *tree = cJSON_CreateObject();
  cJSON_AddItemToObjectCS(tree, "a constant name", cJSON_CreateString("text"));
  cJSON_AddItemReferenceToObject(tree, "another's", cJSON_GetObjectItem(trees[i % 4], "items"));
  cJSON_AddItemToObject(tree, "text of the program", cJSON_CreateStringReference("static"));
  cJSON_AddItemToObject(tree, "an array of others'",
                        cJSON_CreateArrayReference(trees[i % 4]->child));
  return tree;
}

int main(void) {
  objects_t objects = {NULL, 0, 0};
  for (int i = 0; i < N; i++)
    trees[i] = parsed(i);
  for (int i = 0; i < N; i++)
    with_references[i] = made(i);
  objects_begin(&objects);
  for (int i = 0; i < N; i++) {
    OBJECT(&objects, "parsed", trees[i], cJSON_size_of_including(trees[i]));
    OBJECT(&objects, "made", with_references[i], cJSON_size_of_including(with_references[i]));
  }
  objects_end(&objects);
  return 0;
}

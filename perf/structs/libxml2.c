/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * libxml2.c: documents that libxml2 parsed and a program changed.
 */
#include "libxml/tree.h"

#include <libxml/dict.h>
#include <libxml/parser.h>
#include <string.h>

#include "libxml2_by_hand.h"
#include "measures.h"
#include "objects.h"

int is_own_by_hand(const struct _xmlDoc *doc, const unsigned char *string) {
  return !doc || !doc->dict || !xmlDictOwns(doc->dict, string);
}

enum { N = 40 };

static xmlDoc *documents[N];

/* Chapters of i paragraphs with all kinds of nodes; names are blocks of their own:
 * XML_PARSE_NODICT. */
static xmlDoc *parsed(int i) {
  char *text = malloc((size_t)i * 400 + 200), *end = text;
  end += sprintf(
      end,
      "<?xml version='1.0' encoding='UTF-8'?><book xmlns='http://example.org/b' xmlns:x='urn:x'>");
  for (int k = 0; k < i; k++)
    end += sprintf(
        end,
        "<p n='%d' x:m='%*d'>text <b>%*d</b> &amp; more<!-- a remark --><?say so?><![CDATA[<%d>]]>"
        "<deep xmlns:y='urn:%d'><y:er/></deep></p>\n",
        k, k % 70, k, k % 90, k, k, k);
  sprintf(end, "</book><!-- the end -->");
  xmlDoc *document = xmlReadMemory(text, (int)strlen(text), "made.xml", NULL,
                                   XML_PARSE_NODICT | (i % 2 ? XML_PARSE_COMPACT : 0));
  free(text);
  return document;
}

/* Attributes and elements that the program added and changed. */
static void change(xmlDoc *document) {
  xmlNode *root = xmlDocGetRootElement(document);
  xmlNode *added = xmlNewTextChild(root, NULL, BAD_CAST "added", BAD_CAST "some text");
  xmlNewProp(added, BAD_CAST "a", BAD_CAST "1");
  xmlNewProp(added, BAD_CAST "b", BAD_CAST "a long value, which is a block of its own");
  xmlSetProp(added, BAD_CAST "a", BAD_CAST "2");
  xmlNewNs(added, BAD_CAST "urn:added", BAD_CAST "new");
  xmlNodeAddContent(added, BAD_CAST ", and more of it");
}

int main(void) {
  objects_t objects = {NULL, 0, 0};
  for (int i = 0; i < N; i++)
    change(documents[i] = parsed(i));
  objects_begin(&objects);
  for (int i = 0; i < N; i++)
    OBJECT(&objects, "document", documents[i], _xmlDoc_size_of_including(documents[i]));
  objects_end(&objects);
  return 0;
}

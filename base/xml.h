/* SPDX-License-Identifier: MIT */
/* Text in XML documents (XML 1.0, https://www.w3.org/TR/xml/). */
#ifndef KTAIL_BASE_XML_H
#define KTAIL_BASE_XML_H

#include <stdio.h>

/* Write text as the content of an element, and of an attribute in double quotes. */
void kt_xml_put_text(FILE *out, const char *text);
/* Each character that XML does not allow, or that is not UTF-8, becomes '?'. */
void kt_xml_put_attribute(FILE *out, const char *text);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * XES (IEEE 1849, https://xes-standard.org): each word is a trace of the log, each letter
 * an event.
 */
#include "annotate/export/export.h"

#include <inttypes.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "base/xml.h"

static void put_string(FILE *out, const char *indent, const char *key, const char *value)
{
	fprintf(out, "%s<string key=\"%s\" value=\"", indent, key);
	kt_xml_put_attribute(out, value);
	fputs("\"/>\n", out);
}

static int put_word(FILE *out, const kt_trace *trace, size_t i)
{
	struct kt_word_info info;
	char time[KT_EXPORT_TIME];
	uint64_t n;

	KT_TRY(kt_trace_word(trace, i, &info, &n));
	fputs("\t<trace>\n", out);
	put_string(out, "\t\t", "concept:name", info.name);
	fprintf(out, "\t\t<boolean key=\"complete\" value=\"%s\"/>\n",
		info.cut_begin || info.cut_end ? "false" : "true");
	for (uint64_t j = 0; j < n; j++) {
		struct kt_trace_letter letter;

		KT_TRY(kt_trace_letter(trace, i, j, &letter));
		fputs("\t\t<event>\n", out);
		put_string(out, "\t\t\t", "concept:name", letter.name);
		fprintf(out, "\t\t\t<date key=\"time:timestamp\" value=\"%s\"/>\n",
			kt_export_time(time, letter.time));
		fprintf(out, "\t\t\t<int key=\"thread\" value=\"%" PRIu32 "\"/>\n",
			letter.tid);
		fputs("\t\t</event>\n", out);
	}
	fputs("\t</trace>\n", out);
	return KT_OK;
}

int kt_export_write_xes(FILE *out, const void *export)
{
	const struct kt_export *x = export;
	const struct kt_timeline *t = &x->timeline;
	const char *slash = strrchr(x->options->alphabet, '/');

	if (!x->words_of_part) {
		return kt_error(KT_E_USAGE, "--channel selects letters of the alphabets "
					    "submission and methods alone");
	}
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<log xes.version=\"1849-2016\" xes.features=\"\" "
	      "xmlns=\"http://www.xes-standard.org/\">\n"
	      "\t<extension name=\"Concept\" prefix=\"concept\" "
	      "uri=\"http://www.xes-standard.org/concept.xesext\"/>\n"
	      "\t<extension name=\"Time\" prefix=\"time\" "
	      "uri=\"http://www.xes-standard.org/time.xesext\"/>\n"
	      "\t<global scope=\"trace\">\n"
	      "\t\t<string key=\"concept:name\" value=\"unknown\"/>\n"
	      "\t</global>\n"
	      "\t<global scope=\"event\">\n"
	      "\t\t<string key=\"concept:name\" value=\"unknown\"/>\n"
	      "\t\t<date key=\"time:timestamp\" value=\"1970-01-01T00:00:00Z\"/>\n"
	      "\t</global>\n"
	      "\t<classifier name=\"Letter\" keys=\"concept:name\"/>\n",
	      out);
	put_string(out, "\t", "concept:name", t->traces[0].name);
	put_string(out, "\t", "creator", "ktail " KTAIL_VERSION);
	put_string(out, "\t", "alphabet", slash ? slash + 1 : x->options->alphabet);
	for (size_t i = 0; i < t->n_traces; i++) {
		const kt_trace *trace = t->traces[i].trace;

		for (size_t j = 0; j < kt_trace_words(trace); j++) {
			KT_TRY(put_word(out, trace, j));
		}
	}
	fputs("</log>\n", out);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write log") : KT_OK;
}

/* SPDX-License-Identifier: MIT */
#include "base/file-type.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <ktail/status.h>

#define BEGINNING 512 /* bytes of a file that are searched for "format" */

static const struct {
	const char *mark; /* a value of "format" in JSON, or the ending of a file name */
	const char *type;
} formats[] =
	{
		{"ktail-fsm/1", "a state machine (ktail-fsm/1)"},
		{"ktail-kgrams/1", "statistics of words (ktail-kgrams/1)"},
		{"ktail-distilled/1", "a distilled machine (ktail-distilled/1)"},
		{"ktail-sweep/1", "a sweep over k (ktail-sweep/1)"},
		{"ktail-check/1", "a report of ktail check (ktail-check/1)"},
		{"ktail-diff/1", "a report of ktail diff (ktail-diff/1)"},
		{"ktail-score/1", "a report of ktail score (ktail-score/1)"},
		{"ktail-stats/1", "a report of ktail stats (ktail-stats/1)"},
},
  endings[] = {
	  {".events", "a word (.events)"},
	  {".dat", "words (.dat)"},
	  {".kgrams", "statistics of words (.kgrams)"},
	  {".gv", "a graph (.gv)"},
	  {".dot", "a graph (.dot)"},
	  {".graphml", "a graph (.graphml)"},
	  {".svg", "a picture (.svg)"},
	  {".png", "a picture (.png)"},
	  {".pdf", "a picture (.pdf)"},
};

static const char *find_format(const char *path)
{
	char text[BEGINNING + 1];
	FILE *in = fopen(path, "re");
	size_t n = in ? fread(text, 1, BEGINNING, in) : 0;
	const char *format;

	if (in) {
		fclose(in);
	}
	text[n] = '\0';
	format = strstr(text, "\"format\"");
	for (size_t i = 0; format && i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strstr(format, formats[i].mark)) {
			return formats[i].type;
		}
	}
	return NULL;
}

const char *kt_file_type(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash ? slash + 1 : path, '.');
	const char *type = NULL;
	struct stat st;

	if (stat(path, &st) != 0) {
		return NULL;
	}
	if (S_ISDIR(st.st_mode)) {
		return "a folder";
	}
	if (S_ISREG(st.st_mode)) {
		type = find_format(path);
	}
	for (size_t i = 0; dot && !type && i < sizeof(endings) / sizeof(endings[0]); i++) {
		type = strcmp(dot, endings[i].mark) == 0 ? endings[i].type : NULL;
	}
	return type;
}

int kt_file_type_refuse(const char *path, const char *wanted)
{
	const char *type = kt_file_type(path);
	struct stat st;

	if (stat(path, &st) != 0) {
		return kt_error_errno(KT_E_IO, "read %s", path);
	}
	return type ? kt_error(KT_E_MALFORMED, "read %s: it is %s, not %s", path, type,
			       wanted)
		    : kt_error(KT_E_MALFORMED, "read %s: it is not %s", path, wanted);
}

/* SPDX-License-Identifier: MIT */
#include "tests/exchange/rig.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

static FILE *open_text(const char *text, size_t size)
{
	FILE *in = tmpfile();

	/* fmemopen() cannot open an empty buffer. */
	if (!in || fwrite(text, 1, size, in) != size) {
		abort();
	}
	rewind(in);
	return in;
}

int rig_read(rig_read_fn read, struct kt_fsm **out, const char *text, size_t size)
{
	FILE *in = open_text(text, size);
	int code = read(out, in, "x");

	fclose(in);
	return code;
}

char *rig_write(rig_write_fn write, const struct kt_fsm *fsm)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int code;

	if (!out) {
		abort();
	}
	code = write(fsm, out);
	if (fclose(out) != 0) {
		abort();
	}
	if (code) {
		free(text);
		return NULL;
	}
	return text;
}

int rig_write_ktail(const struct kt_fsm *fsm, FILE *out)
{
	return kt_fsm_write_dot(fsm, KT_DOT_KTAIL, out);
}

int rig_write_aalpy(const struct kt_fsm *fsm, FILE *out)
{
	return kt_fsm_write_dot(fsm, KT_DOT_AALPY, out);
}

int rig_write_learnlib(const struct kt_fsm *fsm, FILE *out)
{
	return kt_fsm_write_dot(fsm, KT_DOT_LEARNLIB, out);
}

char *rig_load(const char *folder, const char *name)
{
	char path[4096];
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	FILE *in;
	int c;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	in = fopen(path, "re");
	if (!in || !out) {
		perror(path);
		abort();
	}
	while ((c = getc(in)) != EOF) {
		putc(c, out);
	}
	fclose(in);
	fclose(out);
	return text;
}

int rig_read_words(kt_words *words, const char *text, size_t size,
		   struct kt_abbadingo_report *report)
{
	FILE *in = open_text(text, size);
	int code = kt_words_read_abbadingo(words, in, "x.dat", "x", report);

	fclose(in);
	return code;
}

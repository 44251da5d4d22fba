/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "annotate/listing/disassemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/files/program.h"

#define SECTION      ".section"
#define TEXT_SECTION ".text."

static char *skip_blanks(char *text)
{
	return text + strspn(text, " \t");
}

/*
 * Removes blanks at the end of the text, and replaces bytes that are not printable ASCII.
 */
static void tidy(char *text)
{
	size_t n = strlen(text);

	while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t')) {
		n--;
	}
	text[n] = '\0';
	for (; *text; text++) {
		if (*text < ' ' || *text > '~') {
			*text = '?';
		}
	}
}

/* Returns the function of a line `.section .text.NAME,...`, or NULL; changes the line. */
static const char *function_of(char *line)
{
	char *name = skip_blanks(line + strlen(SECTION));

	name += *name == '"';
	if (strncmp(name, TEXT_SECTION, strlen(TEXT_SECTION)) != 0) {
		return NULL;
	}
	name += strlen(TEXT_SECTION);
	name[strcspn(name, "\",")] = '\0';
	return name;
}

/*
 * Returns whether the line is a label, but not the label of the function itself. Removes
 * the colon.
 */
static bool is_label(char *line, const char *function)
{
	size_t n = strcspn(line, " \t:");

	if (n == 0 || strcmp(line + n, ":") != 0) {
		return false;
	}
	line[n] = '\0';
	tidy(line);
	return strcmp(line, function) != 0 &&
	       strncmp(line, TEXT_SECTION, strlen(TEXT_SECTION)) != 0;
}

/*
 * Appends a label to the labels before it, which are in the same output and end before it.
 */
static void append_label(char **labels, char *label)
{
	char *end;

	if (!*labels) {
		*labels = label;
		return;
	}
	end = *labels + strlen(*labels);
	*end = ' ';
	memmove(end + 1, label, strlen(label) + 1);
}

static bool is_instruction(struct kt_disassembled *out, char *line)
{
	char *end;
	char *text;

	if (strncmp(line, "/*", 2) != 0 ||
	    strspn(line + 2, "0123456789abcdefABCDEF") == 0) {
		return false;
	}
	out->offset = strtoull(line + 2, &end, 16);
	if (strncmp(end, "*/", 2) != 0) {
		return false;
	}
	text = skip_blanks(end + 2);
	end = strchr(text, ';');
	if (!end) {
		return false;
	}
	*end = '\0';
	tidy(text);
	out->text = text;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct kt_disassembled *x = a;
	const struct kt_disassembled *y = b;
	int order = strcmp(x->function, y->function);

	return order ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

static int read_output(struct kt_disassembly *out)
{
	const char *function = NULL;
	char *labels = NULL;
	char *rest = out->output;
	char *line;

	while ((line = strsep(&rest, "\n"))) {
		struct kt_disassembled found = {.function = function};

		line = skip_blanks(line);
		/* `.sectioninfo`, for sm_75 to sm_89, names no section. */
		if (strncmp(line, SECTION, strlen(SECTION)) == 0 &&
		    (line[strlen(SECTION)] == ' ' || line[strlen(SECTION)] == '\t')) {
			function = function_of(line);
			labels = NULL;
		} else if (function && is_instruction(&found, line)) {
			KT_TRY(kt_array_reserve(&out->lines, &out->capacity, out->n + 1));
			found.label = labels;
			labels = NULL;
			out->lines[out->n++] = found;
		} else if (function && is_label(line, function)) {
			append_label(&labels, line);
		}
	}
	if (out->n > 0) {
		qsort(out->lines, out->n, sizeof(*out->lines), compare);
	}
	return KT_OK;
}

const struct kt_disassembled *kt_disassembly_find(const struct kt_disassembly *d,
						  const char *function, uint64_t offset)
{
	const struct kt_disassembled key = {.function = function, .offset = offset};
	size_t at;

	return kt_array_find(&at, &key, d->lines, d->n, compare) ? &d->lines[at] : NULL;
}

void kt_disassembly_free(struct kt_disassembly *d)
{
	free(d->output);
	free(d->lines);
	*d = (struct kt_disassembly){0};
}

/* Seconds for which nvdisasm may print nothing. */
static int patience(void)
{
	const char *seconds = getenv("KTAIL_NVDISASM_WAIT");
	long n = seconds ? strtol(seconds, NULL, 10) : 0;

	return n > 0 && n < 1000000 ? (int)n : 60;
}

int kt_disassemble(struct kt_disassembly *out, const char *path, const void *data,
		   size_t bytes, bool *stopped)
{
	/*
	 * An instruction has 16 bytes. The line that is printed for it has about 100 bytes,
	 * and the line of a name has fewer.
	 */
	struct kt_program_limits limits = {.bytes = ((size_t)1 << 20) + 64 * bytes,
					   .seconds = patience()};
	/* The child inherits the file descriptor, and opens the file through it. */
	int cubin = memfd_create("cubin", 0);
	FILE *copy = cubin < 0 ? NULL : fdopen(cubin, "wb");
	char name[64];
	char program[] = "nvdisasm", code_only[] = "-c";
	char *argv[] = {program, code_only, name, NULL};
	int code;

	*out = (struct kt_disassembly){0};
	if (!copy || fwrite(data, 1, bytes, copy) != bytes || fflush(copy) != 0) {
		code = kt_error_errno(KT_E_IO, "give a cubin to %s", path);
		goto end;
	}
	snprintf(name, sizeof(name), "/proc/self/fd/%d", cubin);
	code = kt_program_read(&out->output, path, argv, &limits);
	*stopped = limits.exceeded;
	if (!code) {
		code = read_output(out);
	}
end:
	if (copy) {
		fclose(copy);
	} else if (cubin >= 0) {
		close(cubin);
	}
	return code;
}

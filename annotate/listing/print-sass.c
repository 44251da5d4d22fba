/* SPDX-License-Identifier: MIT */
/* The scheduling fields of a cubin's instructions, as a listing. */
#include <inttypes.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/listing/print.h"
#include "base/json-string.h"
#include "base/try.h"
#include "base/utf8.h"
#include "decode/sass.h"
#include "infer/words/file/file.h"

struct listing {
	FILE *out; /* Weak */
	bool json;
	const char *path;     /* Weak: of the cubin; NULL once it was printed */
	const char *function; /* Weak: of the instruction printed last */
};

/* Highest byte first, as disassemblers do. */
static void print_bytes(FILE *out, const uint8_t *bytes)
{
	for (int i = KT_SASS_BYTES - 1; i >= 0; i--) {
		fprintf(out, "%02x", bytes[i]);
	}
}

static const char *printable(const char *name)
{
	return kt_utf8_is_printable(name, strlen(name)) ? name : "?";
}

static void print_barrier(FILE *out, const char *name, unsigned barrier)
{
	if (barrier == KT_SASS_NO_BARRIER) {
		fprintf(out, ",\"%s\":null", name);
	} else {
		fprintf(out, ",\"%s\":%u", name, barrier);
	}
}

/* Functions of several cubins have the same names. */
static void print_path(struct listing *l)
{
	if (!l->path) {
		return;
	}
	if (l->json) {
		fputs("{\"type\":\"cubin\",\"path\":", l->out);
		kt_json_string(l->out, l->path);
		fputs("}\n", l->out);
	} else {
		fprintf(l->out, "cubin %s\n\n", l->path);
	}
	l->path = NULL;
}

static bool print_instruction(void *context, const struct kt_sass_instruction *i)
{
	const struct kt_sass_control *c = &i->control;
	struct listing *l = context;
	char text[KT_SASS_CONTROL_TEXT];

	print_path(l);
	if (l->json) {
		fputs("{\"type\":\"instruction\",\"function\":", l->out);
		kt_json_string(l->out, printable(i->function));
		fprintf(l->out, ",\"sm\":%u,\"offset\":%" PRIu64 ",\"bytes\":\"", i->sm,
			i->offset);
		print_bytes(l->out, i->bytes);
		fprintf(l->out, "\",\"stall\":%u,\"yield\":%s", c->stall,
			c->yield ? "true" : "false");
		print_barrier(l->out, "write_barrier", c->write_barrier);
		print_barrier(l->out, "read_barrier", c->read_barrier);
		fprintf(l->out, ",\"wait_mask\":%u,\"reuse\":%u}\n", c->wait_mask,
			c->reuse);
		return !ferror(l->out);
	}
	if (!l->function || strcmp(l->function, i->function) != 0) {
		fprintf(l->out, "%s%s, sm_%u:\n", l->function ? "\n" : "",
			printable(i->function), i->sm);
		l->function = i->function;
	}
	kt_sass_control_text(text, c);
	fprintf(l->out, "  %04" PRIx64 "  ", i->offset);
	print_bytes(l->out, i->bytes);
	fprintf(l->out, "  %s\n", text);
	return !ferror(l->out);
}

int kt_print_sass(FILE *out, const char *path, bool json)
{
	struct listing l = {.out = out, .json = json, .path = path};
	struct kt_sass_fault fault = {0};
	enum kt_sass_status status;
	struct kt_file file;
	int code = KT_OK;

	KT_TRY(kt_file_open(&file, path, KT_FILE_WHOLE));
	status = kt_sass_each(file.data, file.length, print_instruction, &l, &fault);
	if (status == KT_SASS_OK) {
		print_path(&l); /* it may have no instructions */
		if (!json) {
			putc('\n', out);
		}
	} else if (status == KT_SASS_MALFORMED) {
		code = kt_error(KT_E_MALFORMED,
				"read %s: byte 0x%" PRIx64 ": section %" PRIu64 " %s", path,
				fault.offset, fault.section, fault.what);
	} else {
		code = kt_error(KT_E_MALFORMED, "read %s: %s", path,
				kt_sass_status_text(status));
	}
	kt_file_close(&file);
	return code;
}

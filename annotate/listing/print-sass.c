/* SPDX-License-Identifier: MIT */
/* Lists the scheduling fields of a cubin's instructions. */
#include <inttypes.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/listing/print.h"
#include "base/json-writer.h"
#include "base/try.h"
#include "base/utf8.h"
#include "decode/sass.h"
#include "infer/words/file/file.h"

struct listing {
	FILE *out; /* Weak */
	bool as_json;
	struct kt_json_writer json;
	const char *path;     /* Weak: path of the cubin; NULL once printed */
	const char *function; /* Weak: function of the last instruction; NULL: none yet */
};

static const char *printable(const char *name)
{
	return kt_utf8_is_printable(name, strlen(name)) ? name : "?";
}

/* Prints the path once, to tell functions of the same name in several cubins apart. */
static void print_path(struct listing *l)
{
	if (!l->path) {
		return;
	}
	if (l->as_json) {
		KT_OBJECT(&l->json, NULL, KT_STR("type", "cubin"), KT_STR("path", l->path));
	} else {
		fprintf(l->out, "cubin %s\n\n", l->path);
	}
	l->path = NULL;
}

static bool print_instruction(void *context, const struct kt_sass_instruction *i)
{
	const struct kt_sass_control *c = &i->control;
	struct listing *l = context;
	char bytes[2 * KT_SASS_BYTES + 1];
	char text[KT_SASS_CONTROL_TEXT];

	print_path(l);
	/* Print the highest byte first, as disassemblers do. */
	for (int k = 0; k < KT_SASS_BYTES; k++) {
		snprintf(bytes + 2 * k, 3, "%02x", i->bytes[KT_SASS_BYTES - 1 - k]);
	}
	if (l->as_json) {
		KT_OBJECT(&l->json, NULL, KT_STR("type", "instruction"),
			  KT_STR("function", printable(i->function)), KT_U64("sm", i->sm),
			  KT_U64("offset", i->offset), KT_STR("bytes", bytes),
			  KT_U64("stall", c->stall), KT_BOOL("yield", c->yield),
			  KT_KNOWN("write_barrier", c->write_barrier,
				   c->write_barrier != KT_SASS_NO_BARRIER),
			  KT_KNOWN("read_barrier", c->read_barrier,
				   c->read_barrier != KT_SASS_NO_BARRIER),
			  KT_U64("wait_mask", c->wait_mask), KT_U64("reuse", c->reuse));
		return !ferror(l->out);
	}
	if (!l->function || strcmp(l->function, i->function) != 0) {
		fprintf(l->out, "%s%s, sm_%u:\n", l->function ? "\n" : "",
			printable(i->function), i->sm);
		l->function = i->function;
	}
	kt_sass_control_text(text, c);
	fprintf(l->out, "  %04" PRIx64 "  %s  %s\n", i->offset, bytes, text);
	return !ferror(l->out);
}

int kt_print_sass(FILE *out, const char *path, bool json)
{
	struct listing l = {.out = out,
			    .as_json = json,
			    .json = {.out = out, .compact = true},
			    .path = path};
	struct kt_sass_fault fault = {0};
	enum kt_sass_status status;
	struct kt_file file;
	int code = KT_OK;

	KT_TRY(kt_file_open(&file, path, KT_FILE_WHOLE));
	status = kt_sass_each(file.data, file.length, print_instruction, &l, &fault);
	if (status == KT_SASS_OK) {
		print_path(&l); /* not printed yet if the cubin has no instructions */
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

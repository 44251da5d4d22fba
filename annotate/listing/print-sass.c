/* SPDX-License-Identifier: MIT */
/* Lists the scheduling fields of a cubin's instructions. */
#include <inttypes.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/listing/print.h"
#include "base/json-writer.h"
#include "base/try.h"
#include "base/utf8.h"
#include "base/warn.h"
#include "decode/fatbin.h"
#include "decode/sass.h"
#include "infer/words/file/file.h"

struct listing {
	FILE *out; /* Weak */
	bool as_json;
	struct kt_json_writer json;
	const char *path; /* Weak: path of the file */
	bool path_printed;
	uint64_t offset;      /* of the cubin in a file with fatbins; 0: it is the file */
	const char *function; /* Weak: function of the last instruction; NULL: none yet */
};

static const char *printable(const char *name)
{
	return kt_utf8_is_printable(name, strlen(name)) ? name : "?";
}

/* Prints the path once, to tell functions of the same name in several cubins apart. */
static void print_path(struct listing *l)
{
	if (l->path_printed) {
		return;
	}
	l->path_printed = true;
	if (l->as_json) {
		kt_json_object(&l->json, NULL);
		KT_JSON(&l->json, KT_STR("type", "cubin"), KT_STR("path", l->path));
		if (l->offset) {
			KT_JSON(&l->json, KT_U64("offset", l->offset));
		}
		kt_json_end(&l->json);
	} else if (l->offset) {
		fprintf(l->out, "cubin %s at 0x%" PRIx64 "\n\n", l->path, l->offset);
	} else {
		fprintf(l->out, "cubin %s\n\n", l->path);
	}
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

/* Prints a cubin. KT_SASS_MALFORMED is an error with a message; *status is any other. */
static int print_cubin(struct listing *l, const void *data, size_t bytes,
		       enum kt_sass_status *status)
{
	struct kt_sass_fault fault = {0};

	l->path_printed = false;
	l->function = NULL;
	*status = kt_sass_each(data, bytes, print_instruction, l, &fault);
	if (*status == KT_SASS_MALFORMED) {
		return kt_error(KT_E_MALFORMED,
				"read %s: byte 0x%" PRIx64 ": section %" PRIu64 " %s",
				l->path, l->offset + fault.offset, fault.section,
				fault.what);
	}
	if (*status == KT_SASS_OK) {
		print_path(l); /* not printed yet if the cubin has no instructions */
		if (!l->as_json) {
			putc('\n', l->out);
		}
	}
	return KT_OK;
}

/* --- fatbins --- */

struct fatbins {
	struct listing *listing; /* Weak */
	size_t listed;           /* cubins */
	size_t compressed;
	size_t unlisted; /* cubins for GPUs older than Volta, or of another form */
	int code;
};

static bool print_entry(void *context, const struct kt_fatbin_entry *entry)
{
	struct fatbins *f = context;
	enum kt_sass_status status;

	if (entry->kind != KT_FATBIN_CUBIN) {
		return true;
	}
	if (entry->compressed) {
		f->compressed++;
		return true;
	}
	f->listing->offset = entry->offset;
	f->code = print_cubin(f->listing, entry->data, entry->bytes, &status);
	f->listed += status == KT_SASS_OK;
	f->unlisted += status != KT_SASS_OK;
	return !f->code && !ferror(f->listing->out);
}

/* Prints the cubins of all fatbins in the file. */
static int print_fatbins(struct listing *l, const struct kt_file *file)
{
	struct fatbins f = {.listing = l};
	uint64_t offset = 0;
	size_t n;

	if (!kt_fatbin_each(file->data, file->length, print_entry, &f, &n, &offset)) {
		return kt_error(KT_E_MALFORMED, "read %s: byte 0x%" PRIx64 ": %s", l->path,
				offset, "a part of a fatbin is not within it");
	}
	if (f.code) {
		return f.code;
	}
	if (n == 0) {
		return kt_error(KT_E_MALFORMED, "read %s: %s, and without fatbins", l->path,
				kt_sass_status_text(KT_SASS_NO_CUBIN));
	}
	if (f.listed == 0) {
		return kt_error(KT_E_MALFORMED,
				"read %s: no cubin to list: %zu are compressed (extract "
				"them with cuobjdump -xelf all), %zu are for GPUs older "
				"than Volta",
				l->path, f.compressed, f.unlisted);
	}
	if (f.compressed || f.unlisted) {
		kt_warn("%s: %zu cubins are not listed: %zu are compressed (extract them "
			"with cuobjdump -xelf all), %zu are for GPUs older than Volta",
			l->path, f.compressed + f.unlisted, f.compressed, f.unlisted);
	}
	return KT_OK;
}

int kt_print_sass(FILE *out, const char *path, bool json)
{
	struct listing l = {.out = out,
			    .as_json = json,
			    .json = {.out = out, .compact = true},
			    .path = path};
	enum kt_sass_status status;
	struct kt_file file;
	int code = KT_OK;

	KT_TRY(kt_file_open(&file, path, KT_FILE_WHOLE));
	code = print_cubin(&l, file.data, file.length, &status);
	if (!code && status == KT_SASS_NO_CUBIN) {
		code = print_fatbins(&l, &file);
	} else if (!code && status != KT_SASS_OK) {
		code = kt_error(KT_E_MALFORMED, "read %s: %s", path,
				kt_sass_status_text(status));
	}
	kt_file_close(&file);
	return code;
}

/* SPDX-License-Identifier: MIT */
/* Lists the instructions of cubins, and how the compiler scheduled them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktail/status.h>

#include "annotate/listing/disassemble.h"
#include "annotate/listing/fatbin-contents.h"
#include "annotate/listing/print.h"
#include "base/json-writer.h"
#include "base/try.h"
#include "base/utf8.h"
#include "base/terminal.h"
#include "decode/fatbin.h"
#include "decode/little.h"
#include "decode/sass.h"
#include "infer/files/program.h"
#include "infer/words/file/file.h"

struct listing {
	FILE *out; /* Weak */
	bool as_json;
	struct kt_json_writer json;
	const char *path; /* Weak: path of the file */
	bool path_printed;
	/* of the cubin in a file with fatbins; 0: the file is the cubin */
	uint64_t offset;
	const char *function; /* Weak: function of the last instruction; NULL: none yet */

	char *nvdisasm;    /* Owned by this: path of the program; NULL: it is not used */
	bool stopped;      /* nvdisasm took too long and was ended; it is not run again */
	const void *cubin; /* Weak: the cubin */
	size_t cubin_bytes;
	struct kt_disassembly disassembly; /* of the cubin */
	size_t cubins;
	size_t failed;     /* cubins on which nvdisasm failed */
	char failure[512]; /* the message of the first failure */
	size_t instructions;
	size_t unknown; /* number of `instructions` that nvdisasm should have printed, but
			 * did not */
	int code;
};

static const char *printable(const char *name)
{
	return kt_utf8_is_printable(name, strlen(name)) ? name : "?";
}

/* Prints the path once, because several cubins can have functions of the same name. */
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

/* Runs nvdisasm on the cubin. If it fails, the message is kept for a warning. */
static int disassemble(struct listing *l)
{
	int code = KT_OK;

	l->cubins++;
	if (!l->nvdisasm) {
		return KT_OK;
	}
	if (!l->stopped) {
		code = kt_disassemble(&l->disassembly, l->nvdisasm, l->cubin,
				      l->cubin_bytes, &l->stopped);
	}
	if (code == KT_E_IO && l->failed == 0) {
		snprintf(l->failure, sizeof(l->failure), "%s", kt_error_message());
	}
	l->failed += code == KT_E_IO || l->stopped;
	return code == KT_E_IO ? KT_OK : code;
}

static bool print_instruction(void *context, const struct kt_sass_instruction *i)
{
	const struct kt_sass_control *c = &i->control;
	const struct kt_disassembled *found;
	struct listing *l = context;
	char bytes[2 * KT_SASS_BYTES + 1];
	char text[KT_SASS_CONTROL_TEXT];

	if (!l->path_printed) {
		l->code = disassemble(l);
		if (l->code) {
			return false;
		}
	}
	print_path(l);
	found = kt_disassembly_find(&l->disassembly, i->function, i->offset);
	l->instructions += l->disassembly.output != NULL;
	l->unknown += l->disassembly.output && !found;
	/* Print the highest byte first, as disassemblers do. */
	snprintf(bytes, sizeof(bytes), "%016" PRIx64 "%016" PRIx64,
		 kt_little(i->bytes + 8, 8), kt_little(i->bytes, 8));
	if (l->as_json) {
		KT_OBJECT(&l->json, NULL, KT_STR("type", "instruction"),
			  KT_STR("function", printable(i->function)), KT_U64("sm", i->sm),
			  KT_U64("offset", i->offset), KT_STR("bytes", bytes),
			  KT_STR("label", found ? found->label : NULL),
			  KT_STR("text", found ? found->text : NULL),
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
	if (found && found->label) {
		fprintf(l->out, "%s:\n", found->label);
	}
	fprintf(l->out, "  %04" PRIx64 "  %s  %s%s%s\n", i->offset, bytes, text,
		found ? "  " : "", found ? found->text : "");
	return !ferror(l->out);
}

/* Prints a cubin and sets *status. KT_SASS_MALFORMED is also an error with a message. */
static int print_cubin(struct listing *l, const void *data, size_t bytes,
		       enum kt_sass_status *status)
{
	struct kt_sass_fault fault = {0};
	char position[40] = "";

	l->path_printed = false;
	l->function = NULL;
	l->cubin = data;
	l->cubin_bytes = bytes;
	*status = kt_sass_each(data, bytes, print_instruction, l, &fault);
	kt_disassembly_free(&l->disassembly);
	if (l->code) {
		return l->code;
	}
	if (*status == KT_SASS_MALFORMED) {
		if (l->offset) {
			snprintf(position, sizeof(position), "cubin at 0x%" PRIx64 ", ",
				 l->offset);
		}
		return kt_error(KT_E_MALFORMED,
				"read %s: %sbyte 0x%" PRIx64 ": section %" PRIu64 " %s",
				l->path, position, fault.offset, fault.section, fault.what);
	}
	if (*status == KT_SASS_OK) {
		print_path(l); /* the path is not printed yet if the cubin has no
				* instructions */
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
	size_t old;              /* cubins for GPUs older than Volta, or of another form */
	size_t packed;           /* cubins that cannot be decompressed */
	const char *reason;      /* why the first of them cannot be decompressed */
	uint64_t offset;         /* of the first such cubin */
	int code;
};

static bool print_entry(void *context, const struct kt_fatbin_entry *entry)
{
	struct fatbins *f = context;
	struct kt_fatbin_contents contents;
	enum kt_sass_status status;
	const char *reason;

	if (entry->kind != KT_FATBIN_CUBIN) {
		return true;
	}
	reason = kt_fatbin_contents(&contents, entry);
	if (reason) {
		if (f->packed++ == 0) {
			f->reason = reason;
			f->offset = entry->offset;
		}
		return true;
	}
	f->listing->offset = entry->offset;
	f->code = print_cubin(f->listing, contents.data, contents.bytes, &status);
	kt_fatbin_contents_free(&contents);
	f->listed += status == KT_SASS_OK;
	f->old += status != KT_SASS_OK;
	return !f->code && !ferror(f->listing->out);
}

/* Prints the cubins of all fatbins in the file. */
static int print_fatbins(struct listing *l, const struct kt_file *file)
{
	struct fatbins f = {.listing = l};
	uint64_t offset = 0;
	char packed[160] = "";
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
	if (f.packed) {
		snprintf(packed, sizeof(packed),
			 ", %zu cannot be decompressed: the first, at 0x%" PRIx64 ", %s",
			 f.packed, f.offset, f.reason);
	}
	if (f.listed == 0) {
		return kt_error(KT_E_MALFORMED,
				"read %s: no cubin to list: %zu are for GPUs older than "
				"Volta%s",
				l->path, f.old, packed);
	}
	if (f.packed || f.old) {
		kt_warn("%s: %zu cubins are not listed: %zu are for GPUs older than "
			"Volta%s",
			l->path, f.packed + f.old, f.old, packed);
	}
	return KT_OK;
}

/* Finds the program that the user names, if any; see kt_print_sass(). */
static int find_nvdisasm(char **out, const char *name)
{
	*out = NULL;
	if (name && strcmp(name, "none") == 0) {
		return KT_OK;
	}
	*out = name && strchr(name, '/') ? strdup(name)
					 : kt_program_find(name ? name : "nvdisasm");
	if (name && (!*out || access(*out, X_OK) != 0)) {
		free(*out);
		*out = NULL;
		return kt_error(KT_E_USAGE, "--nvdisasm: there is no program '%s'", name);
	}
	return KT_OK;
}

static void warn_of_nvdisasm(const struct listing *l)
{
	if (l->failed) {
		kt_warn("%s: nvdisasm printed no instructions of %zu of %zu cubins: %s",
			l->path, l->failed, l->cubins, l->failure);
	}
	if (l->unknown) {
		kt_warn("%s: nvdisasm printed only %zu of %zu instructions in the form "
			"that is known",
			l->path, l->instructions - l->unknown, l->instructions);
	}
}

int kt_print_sass(FILE *out, const char *path, bool json, const char *nvdisasm)
{
	struct listing l = {.out = out,
			    .as_json = json,
			    .json = {.out = out, .compact = true},
			    .path = path};
	enum kt_sass_status status;
	struct kt_file file;
	int code = KT_OK;

	KT_TRY(find_nvdisasm(&l.nvdisasm, nvdisasm));
	KT_TRY_END(kt_file_open(&file, path, KT_FILE_WHOLE));
	code = print_cubin(&l, file.data, file.length, &status);
	if (!code && status == KT_SASS_NO_CUBIN) {
		code = print_fatbins(&l, &file);
	} else if (!code && status != KT_SASS_OK) {
		code = kt_error(KT_E_MALFORMED, "read %s: %s", path,
				kt_sass_status_text(status));
	}
	kt_file_close(&file);
	warn_of_nvdisasm(&l);
end:
	free(l.nvdisasm);
	return code;
}

/* SPDX-License-Identifier: MIT */
/* ktail raw: submits the commands of a script. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/option-table.h"
#include "base/standard-files.h"
#include "base/terminal.h"
#include "base/try.h"
#include "raw/run.h"

struct options {
	struct kt_asked asked;
	int via;
	bool dry_run;
	bool force;
	bool verbose;
	const char *library;
	unsigned long device;
	unsigned long timeout;
};

static const struct kt_option table[] = {
	{"via", 0, "libcuda", "whose channel to use (default libcuda)",
	 KT_ENUM(struct options, via, "libcuda")},
	{"dry-run", 0, NULL, "only check the script and print its dwords",
	 KT_FLAG(struct options, dry_run)},
	{"force", 0, NULL, "submit what the checks refuse", KT_FLAG(struct options, force)},
	{"device", 0, "N", "the device's ordinal (default 0)",
	 KT_NUMBER(struct options, device, 0, 255)},
	{"library", 0, "FILE", "load this instead of libcuda.so.1",
	 KT_TEXT(struct options, library)},
	{"timeout", 0, "MS", "how long to wait for the device (default 10000)",
	 KT_NUMBER(struct options, timeout, 1, 3600000)},
	{"verbose", 'v', NULL, "print the channels and mappings that libcuda has",
	 KT_FLAG(struct options, verbose)},
	KT_LAST_ROWS,
};

static const struct kt_command_line command = {
	.usage = "ktail raw [OPTION]... SCRIPT",
	.summary = "Submit commands of your own to the GPU, or edited ones of a listing.",
	.table = table,
};

/* Reads the whole file, or standard input for "-". */
static int read_text(const char *path, char **text, size_t *length)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	FILE *out = file ? open_memstream(text, length) : NULL;
	char part[65536];
	size_t n;
	bool failed;

	if (!file) {
		return kt_error_errno(KT_E_IO, "open %s", path);
	}
	if (!out) {
		return kt_no_memory("read script");
	}
	while ((n = fread(part, 1, sizeof(part), file)) > 0) {
		fwrite(part, 1, n, out);
	}
	failed = ferror(file) || ferror(out);
	if (file != stdin) {
		fclose(file);
	}
	return fclose(out) || failed ? kt_error_errno(KT_E_IO, "read %s", path) : KT_OK;
}

static int run(const struct options *options, const char *path, bool *differs)
{
	const struct kt_raw_run how = {
		.out = stdout,
		.force = options->force,
		.verbose = options->verbose,
		.channel = {.library = options->library,
			    .device = (int)options->device,
			    .timeout_ms = (unsigned)options->timeout},
	};
	struct kt_raw_script script = {0};
	char *text = NULL;
	size_t length = 0;
	int code;

	KT_TRY_END(read_text(path, &text, &length));
	KT_TRY_END(kt_raw_script_read(&script, path, text, length));
	code = options->dry_run ? kt_raw_dry_run(&how, &script)
				: kt_raw_run(&how, &script, differs);
end:
	kt_raw_script_free(&script);
	free(text);
	return code;
}

int main(int argc, char **argv)
{
	struct options options = {0};
	bool differs = false;
	int n = 0;
	int code;

	kt_standard_files_open();
	code = kt_options_parse(&command, argc, argv, &options, &n);
	if (!code && !kt_options_answer(&command, &options.asked, KT_ABOUT("ktail"))) {
		code = n == 1 ? run(&options, argv[0], &differs)
			      : kt_error(KT_E_USAGE, "%s; see ktail raw --help",
					 n ? "more than one script given"
					   : "no script given");
	}
	if (!code && differs) {
		return kt_standard_files_close("ktail", 1, kt_exit_status(KT_E_IO));
	}
	return kt_standard_files_end("ktail", code, 0);
}

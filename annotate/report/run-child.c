/* SPDX-License-Identifier: MIT */
#include "annotate/report/run-child.h"

#include <stdio.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "base/try.h"

static int feed_nothing(FILE *out, const void *context)
{
	(void)out;
	(void)context;
	return KT_OK;
}

/* Reads a file from its beginning into a string. */
static int read_all(char **out, FILE *file, const char *name)
{
	long size;

	if (fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0) {
		return kt_error_errno(KT_E_IO, "read the output of %s", name);
	}
	rewind(file);
	*out = malloc((size_t)size + 1);
	if (!*out) {
		return kt_no_memory("read the output of a program");
	}
	(*out)[fread(*out, 1, (size_t)size, file)] = '\0';
	return ferror(file) ? kt_error_errno(KT_E_IO, "read the output of %s", name)
			    : KT_OK;
}

int kt_run_child(char **out, char *const *argv, int most, kt_feed_fn feed,
		 const void *context)
{
	char *path = kt_program_find(argv[0]);
	FILE *file = NULL;
	int code;

	if (!path) {
		return kt_error(KT_E_IO,
				"make report: there is no %s beside ktail or on PATH",
				argv[0]);
	}
	file = tmpfile();
	if (!file) {
		code = kt_error_errno(KT_E_IO, "make report: open a temporary file");
		goto end;
	}
	KT_TRY_END(kt_program_run_up_to(path, argv, fileno(file), most,
					feed ? feed : feed_nothing, context));
	code = read_all(out, file, argv[0]);
end:
	if (file) {
		fclose(file);
	}
	free(path);
	return code;
}

/* SPDX-License-Identifier: MIT */
/* ktail convert: converts machines between formats and dialects. */
#include <ktail/exchange.h>
#include <ktail/status.h>

#include "base/try.h"
#include "infer/files/machine.h"
#include "infer/files/output.h"
#include "infer/ktail/cmd.h"
#include "infer/ktail/parse.h"

struct convert {
	struct kt_asked asked; /* must be first: see KT_LAST_ROWS */
	enum kt_dot_dialect dialect;
	bool has_dialect;
	struct kt_outputs outputs;
};

/* --- DOT dialects --- */

static int write_ktail(FILE *out, const void *fsm)
{
	return kt_fsm_write_dot(fsm, KT_DOT_KTAIL, out);
}

/* Writes DOT for people, with the names of letters. */
static int write_names(FILE *out, const void *fsm)
{
	return kt_fsm_write_dot(fsm, KT_DOT_NAMES, out);
}

static int write_aalpy(FILE *out, const void *fsm)
{
	return kt_fsm_write_dot(fsm, KT_DOT_AALPY, out);
}

static int write_learnlib(FILE *out, const void *fsm)
{
	return kt_fsm_write_dot(fsm, KT_DOT_LEARNLIB, out);
}

static const struct kt_output_format formats[][3] = {
	[KT_DOT_KTAIL] = {{".gv", NULL, write_ktail}, {".dot", NULL, write_names}, {0}},
	[KT_DOT_AALPY] = {{".gv", NULL, write_aalpy}, {".dot", NULL, write_aalpy}, {0}},
	[KT_DOT_LEARNLIB] = {{".gv", NULL, write_learnlib},
			     {".dot", NULL, write_learnlib},
			     {0}},
};

/* --- options --- */

static int set_dialect(void *context, const char *value)
{
	struct convert *convert = context;
	int code = kt_dot_dialect_of(value, &convert->dialect);

	convert->has_dialect = true;
	return code ? kt_error_prepend(code, "--dialect") : KT_OK;
}

static int add_output(void *context, const char *value)
{
	return kt_outputs_add(&((struct convert *)context)->outputs, value);
}

static const struct kt_option table[] = {
	{"dialect", 'd', "NAME",
	 "dialect of DOT in .gv and .dot files: ktail, aalpy or learnlib",
	 KT_SET(set_dialect), KT_PROPOSE("ktail", "aalpy", "learnlib")},
	{"output", 'o', "FILE",
	 "output: .json .gv .graphml .txt .tsv .csv, drawn: .dot .svg .png .pdf; may be "
	 "repeated",
	 KT_SET(add_output)},
	{"format", 'f', "NAME",
	 "format of standard output; without it, of every FILE (default: dot)",
	 KT_TEXT(struct convert, outputs.format)},
	KT_LAST_ROWS,
};

static const struct kt_command_line command = {
	.usage = "ktail convert [--dialect NAME] MACHINE [-o FILE]...",
	.summary = "Write a machine in another format. MACHINE is a .json, .gv, .dot or "
		   ".graphml file, or - for\nJSON on standard input. Without -o: DOT on "
		   "standard output.",
	.table = table,
};

int kt_cmd_convert(int argc, char **argv)
{
	struct convert convert = {0};
	struct kt_output_kind kind = kt_output_machine;
	struct kt_fsm *fsm = NULL;
	int status;
	int code;
	int n = 0;

	if (!kt_cmd_parse(&status, &n, &command, argc, argv, &convert)) {
		kt_outputs_clear(&convert.outputs);
		return status;
	}
	if (n != 1) {
		code = kt_error(KT_E_USAGE,
				"expected one machine, not %d; see ktail convert --help",
				n);
		goto end;
	}
	/* With --dialect, DOT for another program is the only possible format. */
	if (convert.has_dialect) {
		kind.what = "machine in a dialect";
		kind.formats = formats[convert.dialect];
	}
	KT_TRY_END(kt_outputs_check(&convert.outputs, &kind));
	KT_TRY_END(kt_machine_read(&fsm, argv[0]));
	code = kt_outputs_write(&convert.outputs, fsm, &kind);
end:
	kt_fsm_free(fsm);
	kt_outputs_clear(&convert.outputs);
	return code ? kt_cmd_fail(code) : 0;
}

/* SPDX-License-Identifier: MIT */
/* make-truth: reads program points and writes their machine. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/atomic-file.h"
#include "base/cleanup.h"
#include "base/option-table.h"
#include "base/standard-files.h"
#include "base/try.h"
#include "corpus/softgpu/truth/points.h"
#include "infer/files/letter-names.h"

struct options {
	const char **assignments; /* Owned by this, but not the strings */
	size_t n_assignments;
	size_t capacity;
	const char *output;   /* Weak */
	const char *alphabet; /* Weak */
	bool help;
};

static int add_assignment(void *context, const char *value)
{
	struct options *o = context;
	int code = kt_array_reserve(&o->assignments, &o->capacity, o->n_assignments + 1);

	if (!code) {
		o->assignments[o->n_assignments++] = value;
	}
	return code;
}

static const struct kt_option table[] = {
	{"set", 's', "SETTING=VALUE", "build the machine of such a driver; may be repeated",
	 KT_SET(add_assignment)},
	{"alphabet", 'a', "NAME", "letters: table1 or roles (default: table1)",
	 KT_TEXT(struct options, alphabet)},
	{"output", 'o', "FILE", "output file (default: -, standard output)",
	 KT_TEXT(struct options, output)},
	{"help", 'h', NULL, "show this help", KT_FLAG(struct options, help)},
	{0},
};

static const struct kt_command_line command = {
	.usage = "make-truth [--set SETTING=VALUE]... [--alphabet NAME] FILE.points "
		 "[-o FILE.json]",
	.summary = "Writes the state machine of a file of program points as "
		   "fsm.json.",
	.table = table,
};

int main(int argc, char **argv)
{
	struct options o = {0};
	struct kt_points *points = NULL;
	struct kt_fsm *fsm = NULL;
	struct kt_atomic_file file;
	int n_operands = 0;
	int code;

	kt_standard_files_open();
	kt_cleanup_install();
	KT_TRY_END(kt_options_parse(&command, argc, argv, &o, &n_operands));
	if (o.help) {
		kt_options_help(&command, stdout);
		goto end;
	}
	if (n_operands != 1) {
		code = kt_error(KT_E_USAGE, "expected one file of points, not %d",
				n_operands);
		goto end;
	}
	KT_TRY_END(kt_points_read(&points, argv[0]));
	for (size_t i = 0; i < o.n_assignments; i++) {
		KT_TRY_END(kt_points_set(points, o.assignments[i]));
	}
	if (o.alphabet) {
		KT_TRY_END(kt_points_set_alphabet(points, o.alphabet));
	}
	KT_TRY_END(kt_truth_make(&fsm, points));
	KT_TRY_END(kt_machine_name_letters(fsm, KT_NAMES_ON));
	KT_TRY_END(kt_atomic_file_open(&file, o.output ? o.output : "-"));
	code = kt_fsm_write_json(fsm, file.stream);
	if (code) {
		kt_atomic_file_abort(&file);
	} else {
		code = kt_atomic_file_commit(&file);
	}
end:
	kt_fsm_free(fsm);
	kt_points_free(points);
	free(o.assignments);
	return kt_standard_files_end("make-truth", code, 0);
}

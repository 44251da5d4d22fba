/* SPDX-License-Identifier: MIT */
/*
 * The program ktail: runs a built-in subcommand or a program ktail-<word>; without either,
 * infers a machine from traces.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/cleanup.h"
#include "base/guard.h"
#include "base/progress.h"
#include "base/standard-files.h"
#include "base/terminal.h"
#include "infer/files/program.h"
#include "infer/ktail/cmd.h"

static const struct {
	const char *name;
	kt_cmd_fn run;
} commands[] = {
	/* in the order of `ktail help` */
	{"infer", kt_cmd_infer}, {"sweep", kt_cmd_sweep},     {"merge", kt_cmd_merge},
	{"words", kt_cmd_words}, {"learn", kt_cmd_learn},     {"check", kt_cmd_check},
	{"diff", kt_cmd_diff},   {"score", kt_cmd_score},     {"convert", kt_cmd_convert},
	{"help", kt_cmd_help},   {"version", kt_cmd_version},
};

kt_cmd_fn kt_cmd_find(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, name) == 0) {
			return commands[i].run;
		}
	}
	return NULL;
}

int kt_cmd_fail(int code)
{
	kt_print_message("ktail", kt_error_message());
	return kt_exit_status(code);
}

int kt_cmd_become(char **argv, const char *word)
{
	char name[256];
	char *path = NULL;

	if (snprintf(name, sizeof(name), "ktail-%s", word) >= (int)sizeof(name)) {
		return -1;
	}
	path = kt_program_find(name);
	if (!path) {
		return -1;
	}
	argv[0] = path; /* for ps, which shows argv[0] */
	execv(path, argv);
	kt_error_errno(KT_E_IO, "run %s", path);
	return kt_cmd_fail(KT_E_IO);
}

static int run(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	kt_cmd_fn command = word ? kt_cmd_find(word) : NULL;
	char hint[KT_CMD_HINT];
	int status;

	if (!word) {
		fputs("usage: ktail [infer] [--k N|auto] [OPTION]... [-o FILE]... "
		      "TRACE...\n"
		      "       ktail SUBCOMMAND [OPTION]...\n"
		      "ktail help lists the subcommands, ktail help SUBCOMMAND its "
		      "options.\n",
		      stderr);
		return kt_exit_status(KT_E_USAGE);
	}

	if (command) {
		kt_cleanup_install();
		kt_guard_install();
		kt_progress_enable("ktail");
		return command(argc - 1, argv + 1);
	}
	if (word && (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)) {
		return kt_cmd_version(argc, argv);
	}
	if (word && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
		return kt_cmd_help(1, argv);
	}
	if (word && word[0] != '-' && !strchr(word, '/')) {
		status = kt_cmd_become(argv + 1, word);
		if (status >= 0) {
			return status;
		}
		if (access(word, F_OK) != 0) {
			kt_error(KT_E_USAGE, "run %s: no such subcommand or trace; %s",
				 word, kt_cmd_hint(hint, word));
			return kt_cmd_fail(KT_E_USAGE);
		}
	}
	/*
	 * Install handlers only after kt_cmd_become(), so that other programs inherit the
	 * signals unchanged.
	 */
	kt_cleanup_install();
	kt_guard_install();
	kt_progress_enable("ktail");
	return kt_cmd_infer(argc, argv);
}

int main(int argc, char **argv)
{
	kt_standard_files_open();
	return kt_standard_files_close("ktail", run(argc, argv), kt_exit_status(KT_E_IO));
}

/* SPDX-License-Identifier: MIT */
/* ktail help and ktail version. */
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/ktail/cmd.h"

#ifndef KTAIL_VERSION
#error "KTAIL_VERSION must be defined"
#endif

static const char overview[] =
	"usage: ktail [infer] [--k N|auto] [OPTION]... [-o FILE]... TRACE...\n"
	"       ktail sweep [--k LO-HI] [OPTION]... [-o FILE]... TRACE...\n"
	"       ktail merge [OPTION]... KGRAMS... [TRACE...] [-o FILE]...\n"
	"       ktail words [OPTION]... TRACE... -o DIR|FILE.dat\n"
	"       ktail check [OPTION]... FSM TRACE...\n"
	"       ktail diff [OPTION]... OLD NEW [-o FILE]...\n"
	"       ktail score [OPTION]... MACHINE TRUTH [-o FILE]...\n"
	"       ktail convert [--dialect NAME] MACHINE [-o FILE]...\n"
	"       ktail annotate [OPTION]... FSM TRACE... [-o FILE]...\n"
	"       ktail decode [OPTION]... TRACE...\n"
	"       ktail stats [OPTION]... TRACE... [-o FILE]...\n"
	"       ktail record [OPTION]... -o DIR -- COMMAND...\n"
	"       ktail softgpu [OPTION]... COMMAND...\n"
	"       ktail render [OPTION]... [FILE.json] [-o FILE]...\n"
	"       ktail help [SUBCOMMAND]\n"
	"\n"
	"Infer the state machine of a GPU stack from traces.\n"
	"\n"
	"  infer     the machine of the words in traces, drawn or as data (the default)\n"
	"  sweep     the sizes of the machines of every k, and which k to take\n"
	"  merge     the machine of more words than are read at once, in parts\n"
	"  words     the words of traces as .events files\n"
	"  check     where the words of traces do not fit a machine\n"
	"  diff      what tells two machines, or traces, apart\n"
	"  score     how good a machine is where the truth is known\n"
	"  convert   a machine in the format of another program, or from it\n"
	"  annotate  what the states and transitions of a machine mean\n"
	"  decode    what doorbells submitted: ring entries, methods, commands\n"
	"  stats     what each call of the CUDA API did, counted\n"
	"  record    a trace of a program\n"
	"  softgpu   a program on a GPU made of software\n"
	"  render    a drawing of a machine that was kept as JSON\n"
	"  help      this, or the options of a subcommand: ktail help infer\n"
	"\n"
	"Any other SUBCOMMAND is the program ktail-SUBCOMMAND.\n"
	"A trace that could be taken for a subcommand needs a / or -- before it.\n";

int kt_cmd_help(int argc, char **argv)
{
	char option[] = "--help";
	kt_cmd_fn run = argc > 1 ? kt_cmd_find(argv[1]) : NULL;

	if (argc <= 1) {
		fputs(overview, stdout);
		return 0;
	}
	if (!run) {
		/* A program of its own: it knows its options. */
		int status = kt_cmd_become((char *[]){argv[1], option, NULL}, argv[1]);

		if (status >= 0) {
			return status;
		}
	}
	if (!run || run == kt_cmd_help || run == kt_cmd_version) {
		kt_error(KT_E_USAGE, "help with %s: no such subcommand", argv[1]);
		return kt_cmd_fail(KT_E_USAGE);
	}
	return run(2, (char *[]){argv[1], option, NULL});
}

int kt_cmd_version(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	puts("ktail " KTAIL_VERSION);
	return 0;
}

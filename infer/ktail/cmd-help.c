/* SPDX-License-Identifier: MIT */
/* ktail help and ktail version. */
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#include "base/about.h"
#include "base/nearest.h"
#include "infer/ktail/cmd.h"

/*
 * In the order of --help. `group` is the name of the group in the first row of each group,
 * and "" in the other rows.
 */
static const struct {
	const char *group;
	const char *name;
	const char *usage; /* what follows the name in the usage line */
	const char *summary;
} subcommands[] = {
	{"record", "record", "[OPTION]... -o DIR -- COMMAND...",
	 "record a trace of a program"},
	{"", "softgpu", "[OPTION]... COMMAND...", "run a program on the software GPU"},
	{"", "raw", "[OPTION]... SCRIPT", "submit commands of your own to the GPU"},
	{"infer", "infer", "[--k N|auto] [OPTION]... [-o FILE]... TRACE...",
	 "infer the machine of traces (the default)"},
	{"", "sweep", "[--k LO-HI] [OPTION]... [-o FILE]... TRACE...",
	 "compare the machines for a range of k, and choose a k"},
	{"", "merge", "[OPTION]... KGRAMS... [TRACE...] [-o FILE]...",
	 "infer the machine of many traces, part by part"},
	{"", "words", "[OPTION]... TRACE... -o DIR|FILE.dat",
	 "write the words of traces as .events files"},
	{"compare", "learn", "[OPTION]... [-o FILE]... TRACE...",
	 "make a machine for ktail check from several recordings"},
	{"", "check", "[OPTION]... FSM TRACE...",
	 "report where traces do not fit a machine"},
	{"", "diff", "[OPTION]... OLD NEW [-o FILE]...", "compare two machines, or traces"},
	{"", "score", "[OPTION]... MACHINE TRUTH [-o FILE]...",
	 "compare a machine with the known truth"},
	{"read", "annotate", "[OPTION]... FSM TRACE... [-o FILE]...",
	 "label states and transitions with their meaning"},
	{"", "decode", "[OPTION]... TRACE...",
	 "list submissions: ring entries, methods, commands"},
	{"", "replay", "[OPTION]... TRACE... [-o FILE]...",
	 "list calls, and the ioctls and doorbells inside them"},
	{"", "top", "[OPTION]... URL|TRACE",
	 "show what happens each second while it is recorded"},
	{"", "stats", "[OPTION]... TRACE... [-o FILE]...",
	 "count what each call of CUDA or another API did"},
	{"", "report", "[OPTION]... TRACE... [-o FILE]...",
	 "write a page for a browser that shows traces"},
	{"", "export", "[OPTION]... -f FORMAT TRACE... [-o FILE]...",
	 "write traces for flame graphs and viewers of timelines"},
	{"", "policy", "[OPTION]... TRACE|FSM|LIST... [-o FILE]...",
	 "list what programs need of the driver, or check a list"},
	{"draw", "render", "[OPTION]... [FILE.json] [-o FILE]...",
	 "draw a machine from its JSON file"},
	{"", "convert", "[--dialect NAME] MACHINE [-o FILE]...",
	 "convert a machine to or from other formats"},
};

#define N_SUBCOMMANDS (sizeof(subcommands) / sizeof(subcommands[0]))

/* Prints an overview of at most 23 lines; `all` adds the usage of each subcommand. */
static void print_overview(bool all)
{
	puts("usage: ktail [SUBCOMMAND] [OPTION]... [ARGUMENT]...");
	for (size_t i = 0; i < N_SUBCOMMANDS; i++) {
		printf("%-9s %-9s %s\n", subcommands[i].group, subcommands[i].name,
		       subcommands[i].summary);
	}
	puts(all ? "\nusage of each:\n"
		 : "ktail SUBCOMMAND --help lists its options; ktail help prints more.");
	for (size_t i = 0; all && i < N_SUBCOMMANDS; i++) {
		printf("  ktail %s %s\n", subcommands[i].name, subcommands[i].usage);
	}
	if (all) {
		puts("  ktail help [SUBCOMMAND]\n"
		     "  ktail version\n\n"
		     "ktail SUBCOMMAND --help has the options of one, ktail-options(7) all "
		     "of "
		     "them.\n"
		     "Any other SUBCOMMAND is the program ktail-SUBCOMMAND.\n"
		     "A trace that could be taken for a subcommand needs a / or -- before "
		     "it.");
	}
}

const char *kt_cmd_hint(char out[KT_CMD_HINT], const char *word)
{
	struct kt_nearest nearest = {.word = word};
	size_t used = 0;

	for (size_t i = 0; i < N_SUBCOMMANDS; i++) {
		kt_nearest_try(&nearest, subcommands[i].name);
	}
	kt_nearest_try(&nearest, "help");
	kt_nearest_try(&nearest, "version");
	if (nearest.found) {
		snprintf(out, KT_CMD_HINT, "did you mean '%s'?", nearest.found);
		return out;
	}
	for (size_t i = 0; i < N_SUBCOMMANDS && used < KT_CMD_HINT; i++) {
		used += (size_t)snprintf(out + used, KT_CMD_HINT - used, "%s%s",
					 i ? ", " : "subcommands are ",
					 subcommands[i].name);
	}
	return out;
}

int kt_cmd_help(int argc, char **argv)
{
	char option[] = "--help";
	char hint[KT_CMD_HINT];
	kt_cmd_fn run = argc > 1 ? kt_cmd_find(argv[1]) : NULL;

	if (argc <= 1) {
		print_overview(strcmp(argv[0], "help") == 0);
		return 0;
	}
	/* Prints the subcommands as TSV for scripts/make-completions. */
	if (strcmp(argv[1], "--list-options") == 0) {
		for (size_t i = 0; i < N_SUBCOMMANDS; i++) {
			printf("%s\t%s\t%s\n", subcommands[i].name, subcommands[i].usage,
			       subcommands[i].summary);
		}
		return 0;
	}
	if (!run) {
		/* A separate program prints its own help. */
		int status = kt_cmd_become((char *[]){argv[1], option, NULL}, argv[1]);

		if (status >= 0) {
			return status;
		}
	}
	if (!run || run == kt_cmd_help || run == kt_cmd_version) {
		kt_error(KT_E_USAGE, "help with %s: no such subcommand; %s", argv[1],
			 kt_cmd_hint(hint, argv[1]));
		return kt_cmd_fail(KT_E_USAGE);
	}
	return run(2, (char *[]){argv[1], option, NULL});
}

int kt_cmd_version(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	kt_about_print(KT_ABOUT("ktail"));
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* ktail softgpu: runs one command on the software GPU, or with its driver, unrecorded. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/option-table.h"
#include "base/standard-files.h"
#include "collect/record/command.h"
#include "collect/record/own-libraries.h"

#define OWN_FAILURE 125 /* exit status if ktail itself fails, as in env(1) */

struct options {
	struct kt_asked asked;
	struct kt_softgpu softgpu;
};

static const struct kt_option table[] = {
	{"hardware", 0, NULL, "use the user-mode driver alone, on NVIDIA's kernel module",
	 KT_FLAG(struct options, softgpu.hardware)},
	{"softgpu-driver", 0, "N", "version of the user-mode driver: 2 (default), 1",
	 KT_CHOICE(struct options, softgpu.driver, KT_SOFTGPU_DRIVERS)},
	{"softgpu-transfer", 0, "METHOD", "dma (default), mapped, window, chunk1, chunk4",
	 KT_CHOICE(struct options, softgpu.transfer, KT_SOFTGPU_TRANSFERS)},
	{"driver", 0, "N", NULL,
	 KT_CHOICE(struct options, softgpu.driver, KT_SOFTGPU_DRIVERS),
	 .instead = "--softgpu-driver"},
	{"transfer", 0, "METHOD", NULL,
	 KT_CHOICE(struct options, softgpu.transfer, KT_SOFTGPU_TRANSFERS),
	 .instead = "--softgpu-transfer"},
	KT_LAST_ROWS,
};

static const struct kt_command_line command = {
	.usage = "ktail softgpu [options] COMMAND [ARGUMENT...]",
	.summary = "Runs COMMAND on the software GPU, or with its driver on a real one.",
	.table = table,
	.posix = true,
};

int main(int argc, char **argv)
{
	struct options options = {0};
	int n_operands = 0;
	int error;
	int code;

	kt_standard_files_open();
	code = kt_options_parse(&command, argc, argv, &options, &n_operands);
	if (code || kt_options_answer(&command, &options.asked, KT_ABOUT("ktail"))) {
		return kt_standard_files_end("ktail", code, OWN_FAILURE);
	}
	argv[n_operands] = NULL;
	code = n_operands ? kt_softgpu_find(&options.softgpu)
			  : kt_error(KT_E_USAGE, "no COMMAND to run; see ktail softgpu "
						 "--help");
	if (code) {
		return kt_standard_files_end("ktail", code, OWN_FAILURE);
	}
	kt_softgpu_set_environment(&options.softgpu);
	/*
	 * Warns if the loader cannot load the two libraries of the software GPU into the
	 * command, for example because the command is statically linked.
	 */
	kt_executable_warn(argv[0],
			   "only dynamically linked programs that it starts use the "
			   "software GPU");
	execvp(argv[0], argv);
	error = errno;
	fprintf(stderr, "ktail: run %s: %s\n", argv[0], strerror(error));
	return error == ENOENT ? 127 : 126;
}

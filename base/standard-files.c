/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/standard-files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/terminal.h"

void kt_standard_files_open(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/*
		 * Use O_PATH, because a descriptor opened with O_PATH cannot be read,
		 * written, or opened again as /dev/stdout.
		 */
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/", O_PATH | O_CLOEXEC) != fd) {
			_exit(2); /* no message: standard error may be closed */
		}
	}
}

int kt_standard_files_flush(void)
{
	if (fflush(stdout) != 0) {
		return kt_error_errno(KT_E_IO, "write standard output");
	}
	if (ferror(stdout)) {
		return kt_error(KT_E_IO, "write standard output: it failed");
	}
	return KT_OK;
}

int kt_standard_files_close(const char *program, int status, int failure)
{
	int code = kt_standard_files_flush();

	/* Some file systems report only on close that no space is left. */
	if (fclose(stdout) != 0 && !code) {
		code = kt_error_errno(KT_E_IO, "write standard output");
	}
	if (!code || status == failure) {
		return status;
	}
	kt_print_message(program, kt_error_message());
	return status <= 1 ? failure : status;
}

int kt_standard_files_end(const char *program, int code, int failure)
{
	int status = code && failure ? failure : kt_exit_status(code);

	if (code) {
		kt_print_message(program, kt_error_message());
	}
	return kt_standard_files_close(program, status,
				       failure ? failure : kt_exit_status(KT_E_IO));
}

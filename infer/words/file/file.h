/* SPDX-License-Identifier: MIT */
/* A whole file as bytes in memory: mapped where that works, read where it does not. */
#ifndef KTAIL_WORDS_FILE_H
#define KTAIL_WORDS_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct kt_file {
	const char *data; /* Owned by this; not NULL */
	size_t length;
	bool mapped;
};

/* How a file will be read. */
enum kt_file_use {
	KT_FILE_WHOLE = 0, /* all of it, soon */
	KT_FILE_SPARSE,    /* here and there */
};

/* Opens a file, a pipe, or standard input for "-". KT_E_IO "read PATH: reason". */
int kt_file_open(struct kt_file *file, const char *path, enum kt_file_use use);

void kt_file_close(struct kt_file *file);

#endif

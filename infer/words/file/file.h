/* SPDX-License-Identifier: MIT */
/* The content of a file in memory: mapped if possible, else read. */
#ifndef KTAIL_WORDS_FILE_H
#define KTAIL_WORDS_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct kt_file {
	const char *data; /* Owned by this; not NULL */
	size_t length;
	bool mapped;
};

/* Access pattern of a file. */
enum kt_file_use {
	KT_FILE_WHOLE = 0, /* the whole file is read soon */
	KT_FILE_SPARSE,    /* only parts of the file are read */
};

/* Opens a file, a pipe, or standard input for "-". KT_E_IO with "read PATH: reason". */
int kt_file_open(struct kt_file *file, const char *path, enum kt_file_use use);

void kt_file_close(struct kt_file *file);

#endif

/* SPDX-License-Identifier: MIT */
/* Statistics of what is shown: by channel and by class. A kt_printer that counts. */
#ifndef KTAIL_ANNOTATE_TALLY_H
#define KTAIL_ANNOTATE_TALLY_H

#include <stdbool.h>
#include <stdio.h>

#include "annotate/listing/select.h"

#define KT_METHOD_OFFSETS 0x4000 /* of four bytes; increasing data go beyond 0x3ffc */

/* One channel of one life of a process, or one class. */
struct kt_tally_row {
	uint64_t instance; /* channel */
	uint32_t pid;
	char *process; /* Owned by this; NULL: of a class */
	uint32_t client;
	uint32_t channel;
	uint32_t class_number;
	uint64_t doorbells; /* submissions; class: with a method of it */
	uint64_t entries;   /* likewise */
	uint64_t words;     /* captured; class: of its methods, headers left out */
	uint64_t methods;
	uint64_t unnamed; /* of these, of a known class without a public name */
	uint64_t commands[KT_COMMAND_KINDS]; /* of these, that start something */
	uint64_t command_bytes[KT_COMMAND_KINDS];
	uint64_t last_submission; /* counted last */
	uint64_t last_entry;
	uint64_t *by_offset; /* Owned by this: unnamed methods of a class, known or not;
				NULL: none */
};

struct kt_tally_rows {
	struct kt_tally_row *rows;
	size_t n;
	size_t capacity;
	size_t last; /* found last */
};

struct kt_tally {
	FILE *out; /* Weak */
	bool json;
	struct kt_tally_rows channels;
	struct kt_tally_rows classes;
	uint64_t entries; /* shown, in all */
	uint64_t commands[KT_COMMAND_KINDS];
	uint64_t command_bytes[KT_COMMAND_KINDS];
	bool no_memory; /* some rows are missing */
};

extern const struct kt_printer kt_tally_printer;

/* Frees what a tally holds and sets it to nothing counted. */
void kt_tally_clear(struct kt_tally *tally);

/* Its tables, in order of channels' first submissions and of classes' numbers. */
void kt_print_tally(const struct kt_tally *tally);

#endif

/* SPDX-License-Identifier: MIT */
/* Statistics of a listing, by channel and by class: a kt_printer that counts. */
#ifndef KTAIL_ANNOTATE_TALLY_H
#define KTAIL_ANNOTATE_TALLY_H

#include <stdbool.h>
#include <stdio.h>

#include "annotate/listing/select.h"

/*
 * Size of an array indexed by offset / 4. Data of increasing methods go beyond offset
 * 0x3ffc.
 */
#define KT_METHOD_OFFSETS 0x4000

/* A channel of a process instance, or a class. */
struct kt_tally_row {
	uint64_t instance; /* of a channel */
	uint32_t pid;
	char *process; /* Owned by this; NULL for a class */
	uint32_t client;
	uint32_t channel;
	uint32_t class_number;
	uint64_t doorbells; /* submissions; for a class, those with one of its methods */
	uint64_t entries;   /* entries; for a class, those with one of its methods */
	/* Dwords captured; for a class, those of its methods without headers. */
	uint64_t words;
	uint64_t methods;
	uint64_t unnamed; /* methods of a known class without a public name */
	uint64_t commands[KT_COMMAND_KINDS]; /* methods that start a command, by kind */
	uint64_t command_bytes[KT_COMMAND_KINDS];
	uint64_t last_submission; /* the last one counted */
	uint64_t last_entry;
	/*
	 * Owned by this: number of unnamed methods of a class by offset / 4, of a known
	 * class or not; NULL: none.
	 */
	uint64_t *by_offset;
};

struct kt_tally_rows {
	struct kt_tally_row *rows;
	size_t n;
	size_t capacity;
	size_t last; /* index of the last row found */
};

struct kt_tally {
	FILE *out; /* Weak */
	bool json;
	struct kt_tally_rows channels;
	struct kt_tally_rows classes;
	uint64_t entries; /* number of entries shown */
	uint64_t commands[KT_COMMAND_KINDS];
	uint64_t command_bytes[KT_COMMAND_KINDS];
	bool no_memory; /* memory was exhausted: rows are missing */
};

extern const struct kt_printer kt_tally_printer;

/* Frees what a tally owns and empties it. */
void kt_tally_clear(struct kt_tally *tally);

/* Prints the tables: channels by first submission, classes by number. */
void kt_print_tally(const struct kt_tally *tally);

#endif

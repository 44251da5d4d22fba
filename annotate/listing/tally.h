/* SPDX-License-Identifier: MIT */
/* A kt_printer that counts by channel and by class instead of listing. */
#ifndef KTAIL_ANNOTATE_TALLY_H
#define KTAIL_ANNOTATE_TALLY_H

#include <stdbool.h>
#include <stdio.h>

#include "annotate/listing/select.h"

/*
 * Number of elements of an array indexed by offset / 4, for all 16-bit offsets. The offset
 * in a header is at most 0x3ffc, but the further methods of an increasing header have
 * higher offsets.
 */
#define KT_METHOD_OFFSETS 0x4000

/* Counts of one channel of a process instance, or of one class. */
struct kt_tally_row {
	uint64_t instance; /* ordinal of the process instance; 0 for a class */
	uint32_t pid;
	char *process; /* Owned by this: name of the process; NULL for a class */
	uint32_t client;
	uint32_t channel;
	uint32_t class_number;
	uint64_t doorbells; /* submissions; for a class, those with a method of the class */
	uint64_t entries;   /* ring entries; for a class, those with a method of the class */
	/* Captured dwords; for a class, only the values of its methods, without headers. */
	uint64_t words;
	uint64_t methods;
	uint64_t unnamed; /* methods without a public name; only of known classes */
	uint64_t commands[KT_COMMAND_KINDS]; /* methods by the kind of command they start */
	uint64_t command_bytes[KT_COMMAND_KINDS];
	uint64_t last_submission; /* number of the last submission that was counted */
	uint64_t last_entry;      /* kt_tally.entries when the last entry was counted */
	/*
	 * Owned by this: counts of methods without a public name, indexed by offset / 4, also
	 * for an unknown class. NULL: all methods have public names, or the row is a channel's.
	 */
	uint64_t *by_offset;
};

struct kt_tally_rows {
	struct kt_tally_row *rows; /* Owned by this */
	size_t n;
	size_t capacity;
	size_t last; /* index of the row that was found or added last */
};

struct kt_tally {
	FILE *out; /* Weak */
	bool json;
	struct kt_tally_rows channels;
	struct kt_tally_rows classes;
	uint64_t entries; /* number of ring entries counted */
	uint64_t commands[KT_COMMAND_KINDS];
	uint64_t command_bytes[KT_COMMAND_KINDS];
	bool no_memory; /* memory was exhausted, so counts are missing */
};

extern const struct kt_printer kt_tally_printer;

/* Frees the memory that a tally owns, and sets all counts to 0. */
void kt_tally_clear(struct kt_tally *tally);

/* Prints tables or JSON lines, with channels and classes in the order of their rows. */
void kt_print_tally(const struct kt_tally *tally);

#endif

/* SPDX-License-Identifier: MIT */
#include "collect/record/counter-table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct row {
	size_t at; /* offset of the counter in struct kt_counters or kt_kernel_counts */
	const char *name;
	const char *meaning;
};

#define ROW(counter, name, meaning)                                                        \
	{                                                                                  \
		offsetof(struct kt_counters, counter), name, meaning                       \
	}
#define ROW_KERNEL(counter, name, meaning)                                                 \
	{                                                                                  \
		offsetof(struct kt_kernel_counts, counter), name, meaning                  \
	}
#define END                                                                                \
	{                                                                                  \
		0                                                                          \
	}

static const struct row processes[] = {
	ROW(begun, "process instances", "each program after an exec or a fork"),
	ROW(device_users, "GPU processes", "opened a device file of the GPU"),
	ROW(unreadable, "unknown requests", "ioctls whose struct has no known layout"),
	END,
};

static const struct row doorbells[] = {
	ROW(idle_doorbells, "idle doorbells", "no channel's GP_PUT had moved"),
	ROW(channels, "channels", "their GP_PUT could be read"),
	ROW(lagging, "lagging channels", "GP_PUT moved after their last doorbell"),
	ROW(doorbells_by_page, "doorbell pages", "closed, to observe doorbells"),
	ROW(doorbells_watched, "watchpoints", "set, to observe doorbells"),
	ROW(bus_reads, "bus reads", "loads by the recorder from device memory"),
	END,
};

static const struct row submissions[] = {
	ROW(entries, "ring entries", "submitted by the doorbells"),
	ROW(unread, "unread entries", "could not be read completely"),
	ROW(words, "dwords", "of commands that ring entries point to"),
	END,
};

static const struct row patches[] = {
	ROW(patched_doorbells, "patched doorbells", "reported without a trap"),
	ROW(patches, "patched stores", "replaced by a jump"),
	ROW(patches_refused, "unpatched stores", "could not be patched"),
	ROW(patched_accesses, "patched accesses", "reported without a trap"),
	ROW(access_patches, "patched sites", "other loads and stores replaced by a jump"),
	ROW(access_patches_refused, "unpatched sites", "could not be patched"),
	ROW(patch_traps, "traps in patches", "threads that jumped into a patch"),
	END,
};

static const struct row rings_of_stores[] = {
	ROW(put_stores, "GP_PUT stores", "by the program, moved a GP_PUT"),
	ROW(doorbells_stored, "stored doorbells", "each moved GP_PUT was the last store"),
	ROW(puts_stored, "stored GP_PUTs", "taken from a store"),
	ROW(puts_read, "unobserved GP_PUTs", "read from memory: no store was observed"),
	ROW(entries_stored, "stored entries", "taken from stores"),
	ROW(entries_read, "unobserved entries", "read from memory: no store was observed"),
	END,
};

/*
 * Used instead of rings_of_stores[] with --rings=check, which changes the meaning of the
 * counters.
 */
static const struct row rings_compared[] = {
	ROW(put_stores, "GP_PUT stores", "by the program, moved a GP_PUT"),
	ROW(doorbells_stored, "stored doorbells", "each moved GP_PUT was the last store"),
	ROW(puts_stored, "stored GP_PUTs", "equal to the last store"),
	ROW(puts_read, "unobserved GP_PUTs", "no store was observed"),
	ROW(puts_wrong, "different GP_PUTs", "not equal to the last store"),
	ROW(entries_stored, "stored entries", "equal to the last stores"),
	ROW(entries_read, "unobserved entries", "no store was observed"),
	ROW(entries_wrong, "different entries", "not equal to the last stores"),
	END,
};

static const struct row accesses[] = {
	ROW(faults, "page faults", "taken to observe accesses"),
	ROW(emulated, "emulated accesses", "made through a second mapping"),
	ROW(windows, "page openings", "for long runs of accesses"),
	ROW(stepped, "single-steps", "instructions run with their page open"),
	END,
};

static const struct row overhead[] = {
	ROW(given_mappings, "mappings given up",
	    "their accesses are not recorded any more"),
	ROW(given_accesses, "accesses given up", "by processes, those of all mappings"),
	ROW(given_commands, "commands given up", "by processes"),
	ROW(overhead_worst, "worst overhead", "of a thread in 0.1 s, in thousandths"),
	END,
};

static const struct row api_calls[] = {
	ROW(api_calls, "API calls", "of wrapped entry points"),
	ROW(api_counted, "counted API calls", "not traced, because of --api-calls"),
	ROW(api_wrapped, "wrapped entry points", "functions of the APIs"),
	ROW(api_past, "bypassed entry points", "the program has pointers to them itself"),
	ROW(api_tables, "export tables", "bypassed tables without function names"),
	ROW(api_unseen, "unobserved entry points", "exported, but never looked up"),
	END,
};

static const struct row cupti_calls[] = {
	ROW(cupti_calls, "API calls", "reported by CUPTI"),
	ROW(api_counted, "counted API calls", "not traced, because of --api-calls"),
	ROW(cupti_on, "CUPTI processes", "in which CUPTI reports calls"),
	END,
};

static const struct row kernel_rows[] = {
	ROW_KERNEL(events, "kernel events", "reported by the modules"),
	ROW_KERNEL(begun, "process instances", "observed by the modules"),
	ROW_KERNEL(doorbells, "kernel doorbells", "observed by the modules"),
	ROW_KERNEL(undecoded, "undecoded doorbells",
		   "their value is not in the instruction"),
	END,
};

static void print_row(unsigned long long n, const char *name, const char *meaning)
{
	fprintf(stderr, "%12llu  %-24s  %s\n", n, name, meaning);
}

static void print_rows(const struct kt_counters *c, const struct row *row)
{
	for (; row->name; row++) {
		const _Atomic uint64_t *counter =
			(const _Atomic uint64_t *)((const char *)c + row->at);

		print_row(atomic_load(counter), row->name, row->meaning);
	}
}

void kt_counter_table_print(const struct kt_record_options *options,
			    const struct kt_counters *c)
{
	uint64_t begun = atomic_load(&c->begun);
	uint64_t ended = atomic_load(&c->ended);
	bool has_doorbells = strcmp(options->doorbell, "off") != 0;

	print_rows(c, processes);
	print_row(atomic_load(&c->gaps) + (begun > ended ? begun - ended : 0), "fragments",
		  "truncations of words, by gaps and kills");
	print_row(atomic_load(&c->held_ns) / 1000000, "milliseconds held",
		  "by full buffers, all processes together");
	if (has_doorbells) {
		print_rows(c, doorbells);
	}
	if (has_doorbells && strcmp(options->submissions, "off") != 0) {
		print_rows(c, submissions);
	}
	if (strcmp(options->doorbell, "auto") == 0 ||
	    strcmp(options->doorbell, "patch") == 0) {
		print_rows(c, patches);
	}
	if (has_doorbells && strcmp(options->rings, "bus") != 0) {
		print_rows(c, strcmp(options->rings, "check") == 0 ? rings_compared
								   : rings_of_stores);
	}
	print_rows(c, accesses);
	if (options->overhead) {
		print_rows(c, overhead);
	}
	if (strcmp(options->api, "wrap") == 0) {
		print_rows(c, api_calls);
	} else if (strcmp(options->api, "cupti") == 0) {
		print_rows(c, cupti_calls);
	}
}

void kt_counter_table_print_kernel(const struct kt_kernel_counts *counts)
{
	for (const struct row *row = kernel_rows; row->name; row++) {
		const uint64_t *counter =
			(const uint64_t *)((const char *)counts + row->at);

		print_row(*counter, row->name, row->meaning);
	}
}

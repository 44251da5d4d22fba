/* SPDX-License-Identifier: MIT */
/* The cost model of transfers: its table, modelled times, crossover points. */
#ifndef KTAIL_SOFTGPU_TRANSFER_TABLE_H
#define KTAIL_SOFTGPU_TRANSFER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Limits of the table, within which all computed values fit into 64 bits. */
#define KT_TRANSFER_MAX_LATENCY_NS UINT64_C(10000000) /* 10 ms */
#define KT_TRANSFER_MAX_BANDWIDTH  UINT64_C(1000000)  /* bytes per us: 1 TB/s */
#define KT_TRANSFER_MAX_BYTES      (UINT64_C(1) << 40)

/* One row. A copy of n bytes takes latency + n / bandwidth. */
struct kt_transfer_cost {
	char model[16];
	char method[16];
	bool to_device;
	uint64_t latency_ns;
	uint64_t bandwidth; /* bytes per microsecond, not 0 */
	uint64_t max_bytes; /* 0: unlimited */
	bool measured;      /* fitted to measured points; false: an order of magnitude */
};

struct kt_transfer_table {
	struct kt_transfer_cost *rows; /* Owned by this, in the file's order */
	size_t n;
};

/*
 * Reads the format described in corpus/softgpu/transfers/transfers.tsv; `name` is used in
 * messages. Returns KT_E_MALFORMED with the line number for any other input, including two
 * rows with the same model, method and direction; KT_E_IO; KT_E_MEMORY. On failure, there
 * is nothing to free.
 */
int kt_transfer_table_read(struct kt_transfer_table *out, FILE *file, const char *name);
void kt_transfer_table_free(struct kt_transfer_table *table);

/*
 * Sets *ns to the time of a copy, rounded up. Returns false if the method cannot copy this
 * many bytes.
 */
bool kt_transfer_time(const struct kt_transfer_cost *cost, uint64_t bytes, uint64_t *ns);

/*
 * Sets *bytes to the smallest size, at least 1, from which on `large` is faster than
 * `small`; no time is rounded. Returns false if there is no such size, or if `small` or
 * `large` cannot copy that many bytes.
 */
bool kt_transfer_crossover(const struct kt_transfer_cost *small,
			   const struct kt_transfer_cost *large, uint64_t *bytes);

#endif

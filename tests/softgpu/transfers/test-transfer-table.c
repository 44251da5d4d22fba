/* SPDX-License-Identifier: MIT */
/*
 * Tests the cost model: inputs that its reader accepts or refuses, times, and crossover
 * points computed by hand.
 */
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#include "corpus/softgpu/transfers/transfer-table.h"
#include "tests/suite.h"

static const char *shipped; /* path of the table in the corpus */

static int read_text(struct kt_transfer_table *table, const char *text, size_t length)
{
	union {
		const char *read_only;
		void *text;
	} memory = {.read_only = text};
	FILE *file = fmemopen(memory.text, length, "r");
	int code = file ? kt_transfer_table_read(table, file, "t") : KT_E_IO;

	if (file) {
		fclose(file);
	}
	return code;
}

static void test_reads(void)
{
	static const char text[] =
		"# a comment\n\nm\tdma\tto-device\t1000\t500\t0\torder\twhere\n"
		"m\tdma\tfrom-device\t0\t1\t16\tmeasured\t";
	struct kt_transfer_table table;

	CU_ASSERT_EQUAL_FATAL(read_text(&table, text, strlen(text)), KT_OK);
	CU_ASSERT_EQUAL_FATAL(table.n, 2);
	CU_ASSERT_STRING_EQUAL(table.rows[0].model, "m");
	CU_ASSERT_STRING_EQUAL(table.rows[0].method, "dma");
	CU_ASSERT_TRUE(table.rows[0].to_device);
	CU_ASSERT_EQUAL(table.rows[0].latency_ns, 1000);
	CU_ASSERT_EQUAL(table.rows[0].bandwidth, 500);
	CU_ASSERT_FALSE(table.rows[0].measured);
	CU_ASSERT_FALSE(table.rows[1].to_device);
	CU_ASSERT_EQUAL(table.rows[1].max_bytes, 16);
	CU_ASSERT_TRUE(table.rows[1].measured);
	kt_transfer_table_free(&table);
}

static void refuse(const char *text, const char *reason)
{
	struct kt_transfer_table table;

	CU_ASSERT_EQUAL(read_text(&table, text, strlen(text)), KT_E_MALFORMED);
	if (!strstr(kt_error_message(), reason)) {
		printf("\n'%s' is not in '%s'\n", reason, kt_error_message());
		CU_FAIL("another reason");
	}
}

static void test_refuses(void)
{
	refuse("# nothing\n", "there is no row");
	refuse("m\tdma\n", "t:1: expected 8 tab-separated fields, found 2");
	refuse("m\tdma\tto-device\t1\t1\t0\torder\n",
	       "expected 8 tab-separated fields, found 7");
	refuse("m\tdma\tto-device\t1\t1\t0\torder\tx\ty\n",
	       "expected 8 tab-separated fields, found 9");
	refuse("#\nm dma to-device 1 1 0 order x\n",
	       "t:2: expected 8 tab-separated fields, found 1");
	refuse("\tdma\tto-device\t1\t1\t0\torder\tx\n", "model must have 1 to 15");
	refuse("m\t0123456789abcdef\tto-device\t1\t1\t0\torder\tx\n", "method must have");
	refuse("m\tdma\tsideways\t1\t1\t0\torder\tx\n", "direction must be to-device");
	refuse("m\tdma\tto-device\t\t1\t0\torder\tx\n", "latency_ns must be");
	refuse("m\tdma\tto-device\t-1\t1\t0\torder\tx\n", "latency_ns must be");
	refuse("m\tdma\tto-device\t10000001\t1\t0\torder\tx\n", "latency_ns must be");
	refuse("m\tdma\tto-device\t1\t0\t0\torder\tx\n", "bandwidth_bytes_per_us must be");
	refuse("m\tdma\tto-device\t1\t1.5\t0\torder\tx\n", "bandwidth_bytes_per_us must");
	refuse("m\tdma\tto-device\t1\t1000001\t0\torder\tx\n", "bandwidth_bytes_per_us");
	refuse("m\tdma\tto-device\t1\t1\t99999999999999999999\torder\tx\n", "max_bytes");
	refuse("m\tdma\tto-device\t1\t1\t0\tguess\tx\n", "basis must be measured or order");
	refuse("m\tdma\tto-device\t1\t1\t0\torder\tx\nm\tdma\tto-device\t2\t2\t0\torder\tx",
	       "t:2: dma of model m already has a row");
}

static void test_refuses_nul(void)
{
	static const char text[] = "m\tdma\tto-device\t1\t1\t0\torder\tx\0y\n";
	struct kt_transfer_table table;

	CU_ASSERT_EQUAL(read_text(&table, text, sizeof(text) - 1), KT_E_MALFORMED);
}

static void test_times(void)
{
	struct kt_transfer_cost cost = {.latency_ns = 100, .bandwidth = 3000};
	uint64_t ns = 0;

	CU_ASSERT_TRUE(kt_transfer_time(&cost, 0, &ns));
	CU_ASSERT_EQUAL(ns, 100);
	CU_ASSERT_TRUE(kt_transfer_time(&cost, 1, &ns)); /* a third of a ns, rounded up */
	CU_ASSERT_EQUAL(ns, 101);
	CU_ASSERT_TRUE(kt_transfer_time(&cost, 3000, &ns));
	CU_ASSERT_EQUAL(ns, 1100);
	cost.max_bytes = 2999;
	CU_ASSERT_FALSE(kt_transfer_time(&cost, 3000, &ns));
	CU_ASSERT_TRUE(kt_transfer_time(&cost, 2999, &ns));
}

/*
 * By hand: 1000 ns and 1000 bytes per us against 5000 ns and 5000 bytes per us. 1000 + n =
 * 5000 + n / 5 at n = 5000, where both take 6000 ns, so the crossover is 5001.
 */
static void test_crossover(void)
{
	struct kt_transfer_cost mapped = {.latency_ns = 1000, .bandwidth = 1000};
	struct kt_transfer_cost dma = {.latency_ns = 5000, .bandwidth = 5000};
	uint64_t bytes = 0;

	CU_ASSERT_TRUE(kt_transfer_crossover(&mapped, &dma, &bytes));
	CU_ASSERT_EQUAL(bytes, 5001);
	CU_ASSERT_FALSE(kt_transfer_crossover(&dma, &mapped, &bytes));
	/* The equation has no integer solution: 1000 + n = 5001 + n / 5 at 5001.25. */
	dma.latency_ns = 5001;
	CU_ASSERT_TRUE(kt_transfer_crossover(&mapped, &dma, &bytes));
	CU_ASSERT_EQUAL(bytes, 5002);
	/* The size limit of one method is below the crossover. */
	mapped.max_bytes = 5001;
	CU_ASSERT_FALSE(kt_transfer_crossover(&mapped, &dma, &bytes));
	mapped.max_bytes = 0;
	dma.max_bytes = 5001;
	CU_ASSERT_FALSE(kt_transfer_crossover(&mapped, &dma, &bytes));
	dma.max_bytes = 5002;
	CU_ASSERT_TRUE(kt_transfer_crossover(&mapped, &dma, &bytes));
}

static void test_crossover_degenerate(void)
{
	struct kt_transfer_cost a = {.latency_ns = 10, .bandwidth = 10};
	struct kt_transfer_cost b = a;
	uint64_t bytes = 0;

	CU_ASSERT_FALSE(kt_transfer_crossover(&a, &b, &bytes)); /* equal costs */
	b.latency_ns = 9;
	CU_ASSERT_TRUE(kt_transfer_crossover(&a, &b, &bytes));
	CU_ASSERT_EQUAL(bytes, 1);
	b.bandwidth = 11;
	CU_ASSERT_TRUE(kt_transfer_crossover(&a, &b, &bytes));
	CU_ASSERT_EQUAL(bytes, 1);
	b.latency_ns = 10; /* equal at 0 bytes, faster at 1 byte */
	CU_ASSERT_TRUE(kt_transfer_crossover(&a, &b, &bytes));
	CU_ASSERT_EQUAL(bytes, 1);
}

/*
 * With the largest numbers of a table, the crossover is 10^7 * 10^6 * (10^6 - 1) / 1000 +
 * 1.
 */
static void test_crossover_limits(void)
{
	struct kt_transfer_cost a = {.bandwidth = KT_TRANSFER_MAX_BANDWIDTH - 1};
	struct kt_transfer_cost b = {.latency_ns = KT_TRANSFER_MAX_LATENCY_NS,
				     .bandwidth = KT_TRANSFER_MAX_BANDWIDTH};
	uint64_t bytes = 0;

	CU_ASSERT_TRUE(kt_transfer_crossover(&a, &b, &bytes));
	CU_ASSERT_EQUAL(bytes, UINT64_C(9999990000000001));
}

/*
 * Before each crossover the second method must not be faster than the first; after the
 * crossover it must be faster.
 */
static void test_shipped(void)
{
	struct kt_transfer_table table = {0};
	FILE *file = fopen(shipped, "r");
	size_t n = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_EQUAL(kt_transfer_table_read(&table, file, shipped), KT_OK);
	fclose(file);
	for (size_t i = 0; i < table.n; i++) {
		for (size_t j = 0; j < table.n; j++) {
			const struct kt_transfer_cost *a = &table.rows[i];
			const struct kt_transfer_cost *b = &table.rows[j];
			uint64_t bytes;
			uint64_t slow = 0;
			uint64_t fast = 0;

			if (!kt_transfer_crossover(a, b, &bytes) || bytes < 2) {
				continue;
			}
			n++;
			CU_ASSERT_TRUE(kt_transfer_time(a, bytes - 1, &fast));
			CU_ASSERT_TRUE(kt_transfer_time(b, bytes - 1, &slow));
			CU_ASSERT_TRUE(fast <= slow);
			CU_ASSERT_TRUE(kt_transfer_time(a, bytes + 1000, &slow));
			CU_ASSERT_TRUE(kt_transfer_time(b, bytes + 1000, &fast));
			CU_ASSERT_TRUE(fast < slow);
		}
	}
	CU_ASSERT_TRUE(n > 0);
	kt_transfer_table_free(&table);
}

int main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		{"reads a table", test_reads},
		{"refuses malformed tables", test_refuses},
		{"refuses NUL bytes", test_refuses_nul},
		{"times", test_times},
		{"crossover by hand", test_crossover},
		{"crossovers at the edge", test_crossover_degenerate},
		{"crossover of the largest numbers", test_crossover_limits},
		{"the corpus's table", test_shipped},
		CU_TEST_INFO_NULL,
	};

	shipped = argc > 1 ? argv[1] : "corpus/softgpu/transfers/transfers.tsv";
	return kt_run_suite("transfer-table", tests);
}

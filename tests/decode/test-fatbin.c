/* SPDX-License-Identifier: MIT */
/* Tests fatbins that are built by hand, alone and in other files, valid and malformed. */
#include <string.h>

#include "decode/fatbin.h"
#include "tests/suite.h"

/* A fatbin at byte 24 of a file: two entries of 64 bytes, each with 8 bytes of data. */
enum {
	BEFORE = 24,
	HEADER = 16,
	ENTRY = 64,
	DATA = 8,
	SIZE = BEFORE + HEADER + 2 * (ENTRY + DATA)
};

struct seen {
	size_t n;
	size_t most; /* entries after which to stop */
	struct kt_fatbin_entry entries[4];
};

static void put(uint8_t *at, unsigned n, uint64_t value)
{
	for (unsigned i = 0; i < n; i++) {
		at[i] = (uint8_t)(value >> 8 * i);
	}
}

static void build(uint8_t file[SIZE])
{
	memset(file, 0, SIZE);
	put(file + BEFORE, 4, 0xba55ed50);
	put(file + BEFORE + 4, 2, 1);
	put(file + BEFORE + 6, 2, HEADER);
	put(file + BEFORE + 8, 8, 2 * (ENTRY + DATA));
	for (unsigned i = 0; i < 2; i++) {
		uint8_t *entry = file + BEFORE + HEADER + i * (ENTRY + DATA);

		put(entry, 2, 1 + i);
		put(entry + 4, 4, ENTRY);
		put(entry + 8, 8, DATA);
		put(entry + 28, 4, 90 + i);
		put(entry + 40, 8, i ? 0x11 : 0x8011);
		put(entry + 16, 4, i ? 0 : DATA - 3);
		put(entry + 56, 8, i ? 0 : 1000);
	}
}

static bool see(void *context, const struct kt_fatbin_entry *entry)
{
	struct seen *seen = context;

	seen->entries[seen->n++ % 4] = *entry;
	return seen->n < seen->most;
}

static void reads_entries(void)
{
	struct seen seen = {.most = 4};
	uint8_t file[SIZE];
	uint64_t offset;
	size_t n;

	build(file);
	CU_ASSERT(kt_fatbin_each(file, SIZE, see, &seen, &n, &offset));
	CU_ASSERT_EQUAL(n, 1);
	CU_ASSERT_EQUAL_FATAL(seen.n, 2);
	CU_ASSERT_EQUAL(seen.entries[0].kind, KT_FATBIN_PTX);
	CU_ASSERT_EQUAL(seen.entries[0].compression, KT_FATBIN_ZSTD);
	CU_ASSERT_EQUAL(seen.entries[0].bytes, DATA - 3);
	CU_ASSERT_EQUAL(seen.entries[0].contents, 1000);
	CU_ASSERT_EQUAL(seen.entries[1].kind, KT_FATBIN_CUBIN);
	CU_ASSERT_EQUAL(seen.entries[1].compression, KT_FATBIN_PLAIN);
	CU_ASSERT_EQUAL(seen.entries[1].sm, 91);
	CU_ASSERT_EQUAL(seen.entries[1].bytes, DATA);
	CU_ASSERT_EQUAL(seen.entries[1].offset, SIZE - DATA);
	CU_ASSERT_PTR_EQUAL(seen.entries[1].data, file + SIZE - DATA);
	/* `see` ends the reading; nothing is found at other offsets than multiples of 8. */
	seen = (struct seen){.most = 1};
	CU_ASSERT(kt_fatbin_each(file, SIZE, see, &seen, &n, &offset));
	CU_ASSERT_EQUAL(seen.n, 1);
	seen = (struct seen){.most = 4};
	CU_ASSERT(kt_fatbin_each(file + 1, SIZE - 1, see, &seen, &n, &offset));
	CU_ASSERT_EQUAL(n, 0);
	CU_ASSERT(kt_fatbin_each(file, 0, see, &seen, &n, &offset));
	CU_ASSERT_EQUAL(seen.n, 0);
}

static void refuses_malformed_entries(void)
{
	static const struct {
		size_t at;
		unsigned bytes;
		uint64_t value;
		size_t given; /* entries before the malformed one */
		uint64_t offset;
	} cases[] = {
		{BEFORE + 8, 8, 2 * (ENTRY + DATA) + 1, 0, BEFORE},
		{BEFORE + 8, 8, UINT64_MAX, 0, BEFORE},
		{BEFORE + 8, 8, ENTRY + DATA + 1, 1, BEFORE + HEADER + ENTRY + DATA},
		{BEFORE + HEADER + 4, 4, ENTRY - 1, 0, BEFORE + HEADER},
		{BEFORE + HEADER + 4, 4, UINT32_MAX, 0, BEFORE + HEADER},
		{BEFORE + HEADER + 8, 8, UINT64_MAX, 0, BEFORE + HEADER},
		{BEFORE + HEADER + 16, 4, DATA + 1, 0, BEFORE + HEADER},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct seen seen = {.most = 4};
		uint8_t file[SIZE];
		uint64_t offset = 0;
		size_t n;

		build(file);
		put(file + cases[i].at, cases[i].bytes, cases[i].value);
		CU_ASSERT_FALSE(kt_fatbin_each(file, SIZE, see, &seen, &n, &offset));
		CU_ASSERT_EQUAL(seen.n, cases[i].given);
		CU_ASSERT_EQUAL(offset, cases[i].offset);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"reads entries", reads_entries},
		{"refuses malformed entries", refuses_malformed_entries},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("fatbin", tests);
}

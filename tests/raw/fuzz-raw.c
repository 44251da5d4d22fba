/* SPDX-License-Identifier: MIT */
/*
 * Reads any text as a script, places its buffers and checks it: no memory is accessed out
 * of bounds, and what was read is consistent.
 */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "decode/gpfifo.h"
#include "raw/check/check.h"
#include "raw/text/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds) {
		abort();
	}
}

static void ignore(void *context, const char *message)
{
	(void)context;
	require(strlen(message) > 0);
}

static void check_script(const struct kt_raw_script *s)
{
	size_t entries = 0;

	for (size_t i = 0; i < s->n_steps; i++) {
		const struct kt_raw_step *step = &s->steps[i];

		require(step->kind != KT_RAW_SUBMIT ||
			(step->n > 0 && step->first == entries));
		require(step->kind == KT_RAW_SUBMIT || step->first + step->n <= s->n_words);
		entries += step->kind == KT_RAW_SUBMIT ? step->n : 0;
	}
	require(entries == s->n_entries);
	for (size_t i = 0; i < s->n_entries; i++) {
		const struct kt_raw_entry *e = &s->entries[i];
		struct kt_gpfifo_entry decoded;

		kt_gpfifo_decode(&decoded, e->raw);
		require(decoded.words == e->n_words);
		require(e->first_word + e->n_words <= s->n_words);
	}
	for (size_t i = 0; i < s->n_fixups; i++) {
		require(s->fixups[i].word < s->n_words &&
			s->fixups[i].buffer < s->n_buffers);
		require(i == 0 || s->fixups[i].word >= s->fixups[i - 1].word);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t engines[] = {0xcbc0, 0xc8b5};
	/* The copy has the exact size, so that sanitizers detect reads past its end. */
	char *text = malloc(size + !size);
	struct kt_raw_script script;
	uint64_t *addresses;
	size_t problems;

	require(text);
	if (size > 0) {
		memcpy(text, data, size);
	}
	if (kt_raw_script_read(&script, "script", text, size) == KT_OK) {
		check_script(&script);
		addresses = malloc((script.n_buffers + 1) * sizeof(*addresses));
		require(addresses);
		for (size_t i = 0; i < script.n_buffers; i++) {
			addresses[i] = UINT64_C(0x7f0000000000) + (i << 20);
		}
		if (kt_raw_script_resolve(&script, addresses) == KT_OK) {
			const struct kt_raw_target target = {.channel_class = 0xc86f,
							     .engines = engines,
							     .n_engines = 2,
							     .addresses = addresses,
							     .ring_entries = 1000,
							     .segment_words = 100000};

			require(!kt_raw_check(&script, &target, ignore, NULL, &problems));
		}
		free(addresses);
	}
	kt_raw_script_free(&script);
	free(text);
	return 0;
}

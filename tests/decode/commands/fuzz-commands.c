/* SPDX-License-Identifier: MIT */
/*
 * Decodes any dwords, on a channel of any class and in any segments: each command agrees
 * with the oracle, and the counts add up. Input: the channel's class, then segments, each a
 * length in dwords and the dwords.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/commands.h"
#include "tests/decode/commands/command-oracle.h"
#include "tests/decode/methods/method-oracle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct run {
	struct kt_channel_decoder *decoder;
	struct kt_command_oracle *oracle;
	struct kt_method_open open;
	struct kt_method *methods; /* expected in the segment */
	size_t n;
	size_t at;
	struct kt_decode_counts counts;
};

static void check(bool holds)
{
	if (!holds) {
		abort();
	}
}

static void each(void *context, const struct kt_decoded *decoded)
{
	struct run *run = context;
	struct kt_decoded expected;

	check(run->at < run->n);
	check(decoded->method.offset == run->methods[run->at].offset &&
	      decoded->method.value == run->methods[run->at].value);
	kt_command_oracle_next(run->oracle, &run->methods[run->at++], &expected);
	check(kt_command_oracle_agrees(run->oracle, &expected, decoded));
	run->counts.unbound += !decoded->class_;
	run->counts.unnamed += decoded->class_ && !decoded->named;
	run->counts.commands[expected.command.kind]++;
}

static void check_counts(const struct run *run, size_t n, enum kt_method_status end,
			 size_t at)
{
	struct kt_decode_counts counts;
	size_t bad = end == KT_METHOD_NO_MORE && at < n ? n - at - 1 : n - at;

	kt_channel_decoder_counts(run->decoder, &counts);
	check(counts.words == run->counts.words + n);
	check(counts.methods == run->counts.methods + run->n);
	check(counts.bad == run->counts.bad + bad);
	check(counts.words == counts.headers + counts.methods + counts.bad);
	check(counts.unbound == run->counts.unbound);
	check(counts.unnamed == run->counts.unnamed);
	check(!memcmp(counts.commands, run->counts.commands, sizeof(counts.commands)));
}

/*
 * Decodes a segment in memory of its exact size, so that sanitizers detect reads past its
 * end.
 */
static void segment(struct run *run, const uint8_t *data, size_t n)
{
	uint32_t *words = malloc(n * 4);
	enum kt_method_status end;
	size_t at;

	run->methods = calloc(n + 1, sizeof(*run->methods));
	check(run->methods && (words || !n));
	if (n) {
		memcpy(words, data, n * 4);
	}
	run->at = 0;
	end = kt_method_oracle(&run->open, words, n, run->methods, &run->n, &at);
	kt_channel_decode(run->decoder, words, n, each, run);
	check(run->at == run->n);
	check_counts(run, n, end, at);
	kt_channel_decoder_counts(run->decoder, &run->counts);
	free(run->methods);
	free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run run = {0};
	uint32_t word;

	if (size < 4) {
		return 0;
	}
	memcpy(&word, data, 4);
	check(kt_channel_decoder_new(&run.decoder, word & 0xffff) == 0);
	run.oracle = kt_command_oracle_new(word & 0xffff);
	check(run.oracle);
	for (size_t at = 4; at + 4 <= size;) {
		size_t n;

		memcpy(&word, data + at, 4);
		at += 4;
		n = (size - at) / 4 < word ? (size - at) / 4 : word;
		segment(&run, data + at, n);
		at += n * 4;
	}
	kt_command_oracle_free(run.oracle);
	kt_channel_decoder_free(run.decoder);
	return 0;
}

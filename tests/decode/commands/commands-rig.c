/* SPDX-License-Identifier: MIT */
#include "tests/decode/commands/commands-rig.h"

#include <string.h>

#include "tests/suite.h"

static void each(void *context, const struct kt_decoded *decoded)
{
	struct seen *seen = context;
	const struct kt_command *command = &decoded->command;

	if (!seen->methods++) {
		seen->first = *decoded;
	}
	seen->last = *decoded;
	if (command->kind == KT_COMMAND_NONE) {
		return;
	}
	if (command->qmd) {
		memcpy(seen->qmd, command->qmd, command->qmd_bytes);
	}
	if (command->data) {
		memcpy(seen->data, command->data,
		       command->data_words < 8 ? command->data_words * 4 : 32);
	}
	if (seen->n < N(seen->given)) {
		seen->given[seen->n] = *decoded;
	}
	seen->n++;
}

void begin(struct seen *seen, uint32_t channel_class)
{
	memset(seen, 0, sizeof(*seen));
	CU_ASSERT_EQUAL_FATAL(kt_channel_decoder_new(&seen->decoder, channel_class), 0);
}

void feed(struct seen *seen, const uint32_t *words, size_t n)
{
	seen->methods = 0;
	seen->n = 0;
	kt_channel_decode(seen->decoder, words, n, each, seen);
}

void end(struct seen *seen, uint64_t headers, uint64_t methods, uint64_t bad)
{
	struct kt_decode_counts counts;
	uint64_t sum = 0;

	kt_channel_decoder_counts(seen->decoder, &counts);
	CU_ASSERT_EQUAL(counts.headers, headers);
	CU_ASSERT_EQUAL(counts.methods, methods);
	CU_ASSERT_EQUAL(counts.bad, bad);
	CU_ASSERT_EQUAL(counts.words, headers + methods + bad);
	for (unsigned i = 0; i < KT_COMMAND_KINDS; i++) {
		sum += counts.commands[i];
	}
	CU_ASSERT_EQUAL(sum, methods);
	kt_channel_decoder_free(seen->decoder);
}

const struct kt_command *only(const struct seen *seen, enum kt_command_kind kind)
{
	CU_ASSERT_EQUAL_FATAL(seen->n, 1);
	CU_ASSERT_EQUAL(seen->given[0].command.kind, kind);
	return &seen->given[0].command;
}

size_t inline_write(uint32_t *words, uint64_t to, uint32_t bytes, uint8_t byte)
{
	size_t n = 0;

	words[n++] = 0x20022062;
	words[n++] = (uint32_t)(to >> 32);
	words[n++] = (uint32_t)to;
	words[n++] = 0x20022060;
	words[n++] = bytes;
	words[n++] = 1;
	words[n++] = 0x8041206c;
	words[n++] = 0x6000206d | (bytes + 3) / 4 << 16;
	memset(words + n, byte, (bytes + 3) / 4 * 4);
	return n + (bytes + 3) / 4;
}

void write_inline(struct seen *seen, uint64_t to, uint32_t bytes, uint8_t byte)
{
	static uint32_t words[0x1008];

	feed(seen, words, inline_write(words, to, bytes, byte));
	CU_ASSERT_EQUAL(only(seen, KT_COMMAND_INLINE)->to, to);
}

const struct kt_command *send_qmd(struct seen *seen, uint64_t address,
				  enum kt_command_kind kind)
{
	const uint32_t words[] = {0x200120ad, (uint32_t)(address >> 8), 0x800a20b0};

	feed(seen, words, N(words));
	CU_ASSERT_EQUAL(only(seen, kind)->address, address);
	return &seen->given[0].command;
}

const struct kt_command *launch(struct seen *seen, uint64_t address)
{
	return send_qmd(seen, address, KT_COMMAND_LAUNCH);
}

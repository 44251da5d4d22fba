/* SPDX-License-Identifier: MIT */
/*
 * Decodes any dwords as the oracle does; any ring entry keeps its fields when it is
 * decoded, encoded and decoded again.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/gpfifo.h"
#include "decode/method-stream.h"
#include "tests/decode/methods/method-oracle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds) {
		abort();
	}
}

static void check_segment(struct kt_method_stream *stream, struct kt_method_open *open,
			  const uint32_t *words, size_t n, struct kt_method *expected)
{
	struct kt_method method;
	size_t found, at;
	enum kt_method_status end = kt_method_oracle(open, words, n, expected, &found, &at);

	kt_method_stream_continue(stream, words, n);
	for (size_t i = 0; i < found; i++) {
		check(kt_method_next(stream, &method) == KT_METHOD_GIVEN);
		check(method.subchannel == expected[i].subchannel &&
		      method.offset == expected[i].offset &&
		      method.value == expected[i].value && method.at == expected[i].at &&
		      method.last == expected[i].last);
	}
	check(kt_method_next(stream, &method) == end && stream->at == at);
	check(kt_method_next(stream, &method) == end && stream->at == at);
}

/*
 * Decodes the same dwords as two successive segments. The last header of the first segment
 * may be incomplete; the first dwords of the second segment are then its data.
 */
static void check_methods(const uint32_t *words, size_t n, struct kt_method *expected)
{
	struct kt_method_stream stream = {0};
	struct kt_method_open open = {0};

	check_segment(&stream, &open, words, n, expected);
	check_segment(&stream, &open, words, n, expected);
}

static void check_entry(const uint32_t *words)
{
	struct kt_gpfifo_entry first, second;
	uint32_t again[2];

	kt_gpfifo_decode(&first, words);
	kt_gpfifo_encode(again, &first);
	kt_gpfifo_decode(&second, again);
	check(first.address == second.address && first.words == second.words &&
	      first.opcode == second.opcode && first.operand == second.operand &&
	      first.wait == second.wait && first.subroutine == second.subroutine &&
	      first.conditional == second.conditional);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = size / 4;
	uint32_t *words = malloc(n * 4);
	struct kt_method *expected = calloc(n + 1, sizeof(*expected));

	if (expected && (words || !n)) {
		if (n) {
			memcpy(words, data, n * 4);
		}
		check_methods(words, n, expected);
		for (size_t i = 0; i + 1 < n; i += 2) {
			check_entry(words + i);
		}
	}
	free(expected);
	free(words);
	return 0;
}

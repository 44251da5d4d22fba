/* SPDX-License-Identifier: MIT */
#include "tests/decode/methods/method-oracle.h"

static uint16_t step(uint32_t op, uint32_t i)
{
	switch (op) {
	case 0:
	case 1: return (uint16_t)(4 * i);
	case 5: return i > 0 ? 4 : 0;
	default: return 0;
	}
}

enum kt_method_status kt_method_oracle(const uint32_t *words, size_t n,
				       struct kt_method *out, size_t *found, size_t *at)
{
	*found = 0;
	for (*at = 0; *at < n;) {
		uint32_t word = words[*at];
		uint32_t op = word >> 29;
		int old = op == 0 || op == 2;
		uint32_t count =
			old ? (word & 0x1fffffff) >> 18 : (word & 0x1fffffff) >> 16;
		uint32_t offset = old ? word & 0x1ffc : (word & 0xfff) << 2;
		uint32_t data = op == 4 ? 1 : count;

		if (op == 7) {
			return KT_METHOD_NO_MORE;
		}
		if (op == 6 || (old && (word & 0x30000))) {
			return KT_METHOD_BAD;
		}
		if (op != 4 && *at + 1 + count > n) {
			return KT_METHOD_CUT;
		}
		for (uint32_t i = 0; i < data; i++) {
			size_t position = op == 4 ? *at : *at + 1 + i;
			struct kt_method *method = &out[(*found)++];

			method->subchannel = (uint8_t)(word >> 13 & 7);
			method->offset = (uint16_t)(offset + step(op, i));
			method->value = op == 4 ? count : words[position];
			method->at = position;
			method->last = i + 1 == data;
		}
		*at += op == 4 ? 1 : 1 + count;
	}
	return KT_METHOD_NO_MORE;
}

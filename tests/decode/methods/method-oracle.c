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

static int is_old(uint32_t op)
{
	return op == 0 || op == 2;
}

enum kt_method_status kt_method_oracle(struct kt_method_open *open, const uint32_t *words,
				       size_t n, struct kt_method *out, size_t *found,
				       size_t *at)
{
	*found = 0;
	for (*at = 0; *at < n || open->header;) {
		uint32_t word = open->header ? open->header : words[*at];
		uint32_t op = word >> 29;
		uint32_t count =
			is_old(op) ? (word & 0x1fffffff) >> 18 : (word & 0x1fffffff) >> 16;
		uint32_t offset = is_old(op) ? word & 0x1ffc : (word & 0xfff) << 2;
		uint32_t data = op == 4 ? 1 : count;

		if (op == 7) {
			return KT_METHOD_NO_MORE;
		}
		if (op == 6 || (op == 2 && (word & 0x30000))) {
			return KT_METHOD_BAD;
		}
		*at += !open->header && op != 4;
		if (op == 0 && (word & 0x30000)) {
			continue; /* a mask of subdevices */
		}
		while (open->given < data && *at < n) {
			struct kt_method *method = &out[(*found)++];

			method->subchannel = (uint8_t)(word >> 13 & 7);
			method->offset = (uint16_t)(offset + step(op, open->given));
			method->value = op == 4 ? count : words[*at];
			method->at = (*at)++;
			method->last = ++open->given == data;
		}
		if (open->given < data) {
			open->header = word;
			return KT_METHOD_CUT;
		}
		*open = (struct kt_method_open){0};
	}
	return KT_METHOD_NO_MORE;
}

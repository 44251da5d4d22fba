/* SPDX-License-Identifier: MIT */
/* Keeps a log of recent inline data, and reconstructs memory contents from it. */
#include "decode/command-state.h"

#include <string.h>

static struct kt_inline_write *write_at(struct kt_inline_log *log, uint32_t i)
{
	return &log->writes[(log->first + i) % KT_INLINE_WRITES];
}

/* Returns one past the last address that a write may reach. */
static uint64_t end_of(const struct kt_inline_write *write)
{
	uint64_t span = write->length;
	uint64_t end;

	if (write->lines > 1) {
		span += (uint64_t)(write->lines - 1) * write->pitch;
	}
	return __builtin_add_overflow(write->address, span, &end) ? UINT64_MAX : end;
}

/*
 * Returns the index of a block's counter. The log counts the writes that reach each block,
 * so that a launch whose QMD was not written inline need not search every write. The block
 * number is hashed because drivers lay out memory at regular distances, at which many
 * blocks would otherwise have the same counter.
 */
static size_t slot_of(uint64_t block)
{
	return (size_t)(block * UINT64_C(0x9e3779b97f4a7c15) >> 52);
}

static void count(struct kt_inline_log *log, const struct kt_inline_write *write, int step)
{
	uint64_t end = end_of(write);

	if (!write->known || end <= write->address) {
		return;
	}
	if (end - write->address > KT_INLINE_WORDS * 4) {
		log->wide += (uint32_t)step;
		return;
	}
	for (uint64_t block = write->address / KT_INLINE_BLOCK;
	     block <= (end - 1) / KT_INLINE_BLOCK; block++) {
		uint16_t *n = &log->blocks[slot_of(block)];

		*n = (uint16_t)(*n + step);
	}
}

static void forget_oldest(struct kt_inline_log *log)
{
	count(log, write_at(log, 0), -1);
	log->first = (log->first + 1) % KT_INLINE_WRITES;
	log->n--;
}

/*
 * The dwords of a write are contiguous in the ring. If the dwords do not fit between
 * log->end and the last index, they begin at index 0, and all writes whose dwords begin at
 * or after log->end are dropped; those are the oldest.
 */
struct kt_inline_write *kt_inline_log_begin(struct kt_inline_log *log, uint64_t bytes)
{
	uint64_t words = bytes / 4 + (bytes % 4 != 0);
	uint32_t need = words < KT_INLINE_WORDS ? (uint32_t)words : KT_INLINE_WORDS;
	struct kt_inline_write *write;

	if (need > KT_INLINE_WORDS - log->end) {
		while (log->n && write_at(log, 0)->at >= log->end) {
			forget_oldest(log);
		}
		log->end = 0;
	}
	while (log->n &&
	       (log->n == KT_INLINE_WRITES || (write_at(log, 0)->at >= log->end &&
					       write_at(log, 0)->at < log->end + need))) {
		forget_oldest(log);
	}
	write = write_at(log, log->n++);
	memset(write, 0, sizeof(*write));
	write->at = log->end;
	return write;
}

void kt_inline_log_add(struct kt_inline_log *log, uint32_t word)
{
	struct kt_inline_write *write = write_at(log, log->n - 1);

	if (write->words < KT_INLINE_WORDS) {
		log->words[log->end++] = word;
		write->words++;
	}
}

const struct kt_inline_write *kt_inline_log_end(struct kt_inline_log *log, bool known)
{
	struct kt_inline_write *write = write_at(log, log->n - 1);

	write->known = known;
	count(log, write, 1);
	return write;
}

void kt_inline_log_lose(struct kt_inline_log *log, uint64_t address, uint64_t bytes)
{
	const uint32_t most = UINT32_C(1) << 31;
	struct kt_inline_write *write;
	bool known = false;

	for (uint32_t i = 0; i < log->n && !known; i++) {
		write = write_at(log, i);
		known = write->known && write->words > 0 && address < end_of(write) &&
			(write->address < address || write->address - address < bytes);
	}
	if (!known) {
		return;
	}
	write = kt_inline_log_begin(log, 0);
	write->address = address;
	write->length = bytes < most ? (uint32_t)bytes : most;
	write->pitch = write->length;
	write->lines = bytes < most                ? 1
		       : bytes / most < UINT32_MAX ? (uint32_t)(bytes / most) + 1
						   : UINT32_MAX;
	kt_inline_log_end(log, true);
}

void kt_inline_log_drop(struct kt_inline_log *log)
{
	log->end = write_at(log, log->n - 1)->at;
	log->n--;
}

/*
 * Sets *byte to the index, in a write's data, of the byte that is written `distance` bytes
 * after the write's address. Returns false if the write puts no byte there.
 */
static bool byte_of(const struct kt_inline_write *write, uint64_t distance, uint64_t *byte)
{
	/*
	 * Use the last line that begins at or before `distance`: later lines overwrite
	 * earlier ones.
	 */
	uint64_t line = write->lines - 1;

	if (write->pitch && distance / write->pitch < line) {
		line = distance / write->pitch;
	}
	distance -= line * write->pitch;
	*byte = line * write->length + distance;
	return distance < write->length;
}

enum byte_state { OPEN = 0, KNOWN, LOST };

struct window {
	uint64_t address;
	uint64_t bytes;
	uint64_t open;
	uint8_t state[KT_QMD_WORDS * 4];
};

/*
 * Returns whether this write, and no newer one, gives all bytes of the window, as whole
 * dwords. This is the usual case.
 */
static bool holds_all(const struct window *window, const struct kt_inline_write *write)
{
	uint64_t distance = window->address - write->address;

	return window->open == sizeof(window->state) && write->lines == 1 &&
	       write->address <= window->address && distance % 4 == 0 &&
	       distance + window->bytes <= write->length &&
	       distance + window->bytes <= (uint64_t)write->words * 4;
}

size_t kt_inline_log_read(const struct kt_inline_log *log, uint64_t address,
			  uint32_t out[static KT_QMD_WORDS])
{
	struct window window = {.address = address};
	size_t n = 0;

	if (!log->wide && !log->blocks[slot_of(address / KT_INLINE_BLOCK)]) {
		return 0;
	}
	/* If the window would wrap around the end of the address space, read nothing. */
	window.bytes =
		UINT64_MAX - address < sizeof(window.state) ? 0 : sizeof(window.state);
	window.open = window.bytes;
	memset(out, 0, sizeof(window.state));
	for (uint32_t at = log->n; at-- > 0 && window.open;) {
		const struct kt_inline_write *write =
			&log->writes[(log->first + at) % KT_INLINE_WRITES];
		uint64_t end = end_of(write);

		if (!write->known || !write->lines) {
			continue;
		}
		if (holds_all(&window, write)) {
			uint64_t word = (address - write->address) / 4;

			memcpy(out, log->words + write->at + word, sizeof(window.state));
			return KT_QMD_WORDS;
		}
		/* Take only bytes that no newer write has covered. */
		for (uint64_t i = write->address > address ? write->address - address : 0;
		     i < window.bytes && address + i < end; i++) {
			uint64_t byte = 0;

			if (window.state[i] != OPEN ||
			    !byte_of(write, address + i - write->address, &byte)) {
				continue;
			}
			window.open--;
			window.state[i] = LOST;
			if (byte / 4 < write->words) {
				uint32_t word = log->words[write->at + byte / 4];

				window.state[i] = KNOWN;
				out[i / 4] |= (word >> byte % 4 * 8 & 0xff) << i % 4 * 8;
			}
		}
	}
	while (n < window.bytes && window.state[n] == KNOWN) {
		n++;
	}
	return n / 4;
}

const uint32_t *kt_inline_log_find(const struct kt_inline_log *log, uint64_t address,
				   size_t *bytes)
{
	for (uint32_t at = log->n; at-- > 0;) {
		const struct kt_inline_write *write =
			&log->writes[(log->first + at) % KT_INLINE_WRITES];
		uint64_t distance = address - write->address;

		if (!write->known || !write->lines || address < write->address ||
		    address >= end_of(write)) {
			continue;
		}
		if (write->lines > 1 || distance % 4 != 0 ||
		    write->length > (uint64_t)write->words * 4) {
			return NULL;
		}
		*bytes = (size_t)(write->length - distance);
		return log->words + write->at + distance / 4;
	}
	return NULL;
}

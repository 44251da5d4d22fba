/* SPDX-License-Identifier: MIT */
/*
 * Sizes of CTF 1.8 packets, read from packet headers as LTTng writes them. The layouts
 * below are those of the metadata (TSDL) that lttng-sessiond generates for user-space and
 * kernel streams. A layout is used only if the sizes and timestamps that it gives are
 * consistent.
 */
#define _GNU_SOURCE
#include "infer/words/read/ctf-folder.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PACKET_MAGIC   UINT32_C(0xc1fc1fc1)
#define PAGE           4096 /* in bytes; packet sizes are multiples of it */
#define METADATA_MAGIC UINT32_C(0x75d11d57)

/* Metadata packets: magic, uuid[16], checksum, content_size, packet_size (bits), ... */
#define METADATA_CONTENT 24
#define METADATA_PACKET  28
#define METADATA_HEADER  37

/* Offsets in the header of a packet of a stream, in bytes. */
struct layout {
	uint64_t begin;   /* timestamp_begin, u64 */
	uint64_t content; /* content_size in bits, u64 */
	uint64_t packet;  /* packet_size in bits, u64 */
	uint64_t header;  /* size of the header up to the end of packet_size */
	bool has_number;  /* packet_seq_num (u64) and events_discarded follow the header */
};

static const struct layout layouts[] = {
	/* LTTng since 2.8: magic, uuid, stream_id, stream_instance_id, context */
	{32, 48, 56, 64, true},
	/* LTTng before 2.8: magic, uuid, stream_id, context */
	{24, 40, 48, 56, false},
};

static uint64_t get(const unsigned char *data, size_t size, bool swapped)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++) {
		value |= (uint64_t)data[swapped ? size - 1 - i : i] << 8 * i;
	}
	return value;
}

/*
 * Returns whether data[0..4) is the magic number in either byte order. *swapped is set to
 * true if the byte order is big-endian, else to false.
 */
static bool read_magic(const unsigned char *data, uint32_t magic, bool *swapped)
{
	*swapped = get(data, 4, true) == magic;
	return *swapped || get(data, 4, false) == magic;
}

/*
 * Returns the size in bytes of the packet at the start of data[0..length), or 0 if its
 * header is inconsistent.
 */
static uint64_t packet_size(const unsigned char *data, uint64_t length, bool swapped,
			    const struct layout *layout)
{
	uint64_t content;
	uint64_t packet;

	if (length < layout->header) {
		return 0;
	}
	content = get(data + layout->content, 8, swapped);
	packet = get(data + layout->packet, 8, swapped);
	if (packet % 8 != 0 || content > packet || content < 8 * layout->header ||
	    get(data + layout->begin, 8, swapped) >
		    get(data + layout->begin + 8, 8, swapped)) {
		return 0;
	}
	return packet / 8;
}

/*
 * Returns whether data[0..length) is all zeros. After a crash, a stream file can end with
 * zeros: space that LTTng reserved for packets and did not use.
 */
static bool is_zero(const unsigned char *data, uint64_t length)
{
	return data[0] == 0 && memcmp(data, data + 1, length - 1) == 0;
}

/*
 * Stores the total size of the complete packets in *whole. Returns false if the layout does
 * not fit the packets.
 */
static bool walk(const unsigned char *data, uint64_t length, const struct layout *layout,
		 uint64_t *whole)
{
	uint64_t at = 0;

	while (at < length) {
		uint64_t size;
		bool swapped;

		*whole = at;
		if (length - at < layout->header) {
			return true;
		}
		if (!read_magic(data + at, PACKET_MAGIC, &swapped)) {
			return at % PAGE == 0 && is_zero(data + at, length - at);
		}
		size = packet_size(data + at, length - at, swapped, layout);
		if (size == 0) {
			return false;
		}
		if (size > length - at) {
			return true;
		}
		at += size;
	}
	*whole = at;
	return true;
}

uint64_t kt_ctf_whole_packets(const unsigned char *data, uint64_t length, bool *known)
{
	uint64_t whole = 0;
	bool swapped;

	*known = length < 4 || read_magic(data, PACKET_MAGIC, &swapped) ||
		 is_zero(data, length);
	for (size_t i = 0; *known && i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (walk(data, length, &layouts[i], &whole)) {
			return whole;
		}
	}
	*known = false;
	return length;
}

/* --- damage --- */

static bool has_text(const unsigned char *data, uint64_t length, const char *text)
{
	return memmem(data, length, text, strlen(text)) != NULL;
}

enum kt_ctf_headers kt_ctf_headers_of(const unsigned char *metadata, uint64_t length)
{
	/*
	 * Requires LTTng's name and its declaration of the headers, because a trace that
	 * sink.ctf.fs of Babeltrace 2 has rewritten keeps the tracer's name but has other
	 * headers.
	 */
	if (!has_text(metadata, length, "tracer_name = \"lttng-") ||
	    !has_text(metadata, length, "uint32_t stream_id;")) {
		return KT_CTF_HEADERS_UNKNOWN;
	}
	return has_text(metadata, length, "stream_instance_id") ? KT_CTF_HEADERS_NEW
								: KT_CTF_HEADERS_OLD;
}

static const struct layout *layout_of(enum kt_ctf_headers headers)
{
	return &layouts[headers == KT_CTF_HEADERS_OLD];
}

bool kt_ctf_find_damage(struct kt_ctf_damage *out, const unsigned char *data,
			uint64_t length, enum kt_ctf_headers headers)
{
	const struct layout *layout = layout_of(headers);

	*out = (struct kt_ctf_damage){.packet = 0};
	if (headers == KT_CTF_HEADERS_UNKNOWN) {
		return false;
	}
	while (out->offset < length && length - out->offset >= layout->header) {
		const unsigned char *at = data + out->offset;
		uint64_t left = length - out->offset;
		uint64_t content;
		uint64_t packet;
		bool swapped;

		if (out->offset % PAGE == 0 && is_zero(at, left)) {
			return false;
		}
		if (!read_magic(at, PACKET_MAGIC, &swapped)) {
			snprintf(out->what, sizeof(out->what), "its magic number is wrong");
			return true;
		}
		content = get(at + layout->content, 8, swapped);
		packet = get(at + layout->packet, 8, swapped);
		if (packet % 8 != 0 || packet > INT64_MAX || content > packet ||
		    content < 8 * layout->header) {
			snprintf(out->what, sizeof(out->what),
				 "its sizes are impossible: content %" PRIu64
				 " bits, packet %" PRIu64 " bits",
				 content, packet);
			return true;
		}
		/*
		 * Compares magic number, uuid and stream numbers with those of the first
		 * packet.
		 */
		if (memcmp(data, at, layout->begin) != 0) {
			snprintf(out->what, sizeof(out->what),
				 "it belongs to another stream than the file's first");
			return true;
		}
		if (packet / 8 > left) {
			return false;
		}
		out->offset += packet / 8;
		out->packet++;
	}
	return false;
}

/* --- indexes --- */

/*
 * The header of an index, in big-endian u32: magic number, major and minor version, size of
 * an entry in bytes. The entries follow.
 */
#define INDEX_MAGIC  UINT32_C(0xc1f1dcc1)
#define INDEX_HEADER 16
/* Size of the beginning of an entry: offset, packet_size and content_size, u64 each. */
#define INDEX_ENTRY 24

bool kt_ctf_index_agrees(const unsigned char *index, uint64_t length,
			 const unsigned char *data, uint64_t data_length,
			 enum kt_ctf_headers headers)
{
	const struct layout *layout = layout_of(headers);
	uint64_t entry;
	uint64_t at = 0;
	bool swapped;

	if (headers == KT_CTF_HEADERS_UNKNOWN || length < INDEX_HEADER ||
	    get(index, 4, true) != INDEX_MAGIC || data_length < 4 ||
	    !read_magic(data, PACKET_MAGIC, &swapped)) {
		return true;
	}
	entry = get(index + 12, 4, true);
	if (entry < INDEX_ENTRY || (length - INDEX_HEADER) % entry != 0) {
		return false;
	}
	for (uint64_t i = INDEX_HEADER; i < length; i += entry) {
		if (get(index + i, 8, true) != at || data_length - at < layout->header ||
		    memcmp(data, data + at, layout->begin) != 0 ||
		    get(index + i + 8, 8, true) !=
			    get(data + at + layout->packet, 8, swapped) ||
		    get(index + i + 16, 8, true) !=
			    get(data + at + layout->content, 8, swapped) ||
		    get(index + i + 8, 8, true) / 8 > data_length - at) {
			return false;
		}
		at += get(index + i + 8, 8, true) / 8;
	}
	return at == data_length;
}

uint64_t kt_ctf_discarded_first(const unsigned char *data, uint64_t length)
{
	bool swapped;

	if (length < 4 || !read_magic(data, PACKET_MAGIC, &swapped)) {
		return 0;
	}
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		const struct layout *l = &layouts[i];
		uint64_t value;

		if (packet_size(data, length, swapped, l) == 0) {
			continue;
		}
		if (!l->has_number || length < l->header + 16 ||
		    get(data + l->header, 8, swapped) != 0) {
			return 0;
		}
		/*
		 * events_discarded is an unsigned long of the traced machine. If that type
		 * has 32 bits there, only the first 4 of the 8 bytes read here are the
		 * count, and the others are the CPU number. A count never reaches 2^32 in
		 * one packet.
		 */
		value = get(data + l->header + 8, 8, swapped);
		return swapped && value > UINT32_MAX ? value >> 32 : value & UINT32_MAX;
	}
	return 0;
}

bool kt_ctf_numbers(const unsigned char *data, uint64_t length, uint64_t *class_id,
		    uint64_t *id)
{
	bool swapped;

	/* The header since LTTng 2.8: magic, uuid, stream_id, stream_instance_id. */
	if (length < 32 || !read_magic(data, PACKET_MAGIC, &swapped)) {
		return false;
	}
	*class_id = get(data + 20, 4, swapped);
	*id = get(data + 24, 8, swapped);
	return true;
}

bool kt_ctf_is_timeless(const unsigned char *data, uint64_t length)
{
	bool swapped;

	if (length < 4 || !read_magic(data, PACKET_MAGIC, &swapped)) {
		return false;
	}
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (packet_size(data, length, swapped, &layouts[i]) > 0) {
			return get(data + layouts[i].begin, 8, swapped) == UINT64_MAX;
		}
	}
	return false;
}

bool kt_ctf_metadata_is_whole(const unsigned char *data, uint64_t length)
{
	bool swapped;

	if (length < 4 || !read_magic(data, METADATA_MAGIC, &swapped)) {
		return length > 0;
	}
	for (uint64_t at = 0; at < length;) {
		uint64_t content;
		uint64_t packet;

		if (length - at < METADATA_HEADER) {
			return false;
		}
		content = get(data + at + METADATA_CONTENT, 4, swapped);
		packet = get(data + at + METADATA_PACKET, 4, swapped);
		if (packet % 8 != 0 || packet < 8 * METADATA_HEADER || content > packet ||
		    packet / 8 > length - at) {
			return false;
		}
		at += packet / 8;
	}
	return true;
}

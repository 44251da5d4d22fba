/* SPDX-License-Identifier: MIT */
/*
 * Finds CTF traces in folders, and makes a private copy of a trace if a file of it is
 * truncated or damaged. The copy is needed because Babeltrace refuses a trace in which a
 * stream file ends inside a packet, and may crash on wrong packet headers.
 */
#ifndef KTAIL_WORDS_CTF_FOLDER_H
#define KTAIL_WORDS_CTF_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A folder with a `metadata` file. */
struct kt_ctf_folder {
	char *path;       /* Owned by this: absolute */
	char *copy;       /* Owned by this: path of the private copy; NULL: no copy */
	uint64_t bytes;   /* total size of the files in the folder */
	size_t n_cut;     /* stream files that end inside a packet */
	uint64_t cut_off; /* total of the bytes after the last usable packet of each file */
	size_t n_damaged; /* stream files with a damaged packet, used up to that packet */
	/* Owned by this: names file, packet and kind of the first damage; NULL: none */
	char *damage;
};

struct kt_ctf_folders {
	struct kt_ctf_folder *folders;
	size_t n;
	size_t capacity;
};

/*
 * Finds all CTF traces at or below a folder. The entries of each folder are visited in byte
 * order of their names, and links to folders are not followed. KT_E_EMPTY if there is no
 * trace. On failure *out needs no free.
 */
int kt_ctf_find(struct kt_ctf_folders *out, const char *path);

/*
 * Checks the packet headers of every stream file. If a file is truncated inside a packet or
 * has a damaged packet, or if an index is wrong, makes a temporary copy of the trace. In
 * the copy, intact files are links, truncated and damaged files end after their last usable
 * packet, and no file has an index. KT_E_MALFORMED if the metadata is truncated, or if the
 * first packet of a file is damaged or has no timestamp. O(packets).
 */
int kt_ctf_repair(struct kt_ctf_folder *folder);

/* Removes the copies and frees everything. */
void kt_ctf_free(struct kt_ctf_folders *folders);

/*
 * Returns the total size in bytes of the complete packets at the start of a stream file
 * data[0..length). If the file does not begin with a packet header as LTTng writes it,
 * *known is false and the result is `length`.
 */
uint64_t kt_ctf_whole_packets(const unsigned char *data, uint64_t length, bool *known);

/*
 * Returns the number of events that the tracer discarded up to the end of the first packet
 * of a file. The result is 0 if that packet is not the first of its stream since tracing
 * began. Babeltrace does not report these events, because it only compares the counts of
 * successive packets. data[0..length) is the start of the file.
 */
uint64_t kt_ctf_discarded_first(const unsigned char *data, uint64_t length);

/*
 * Returns whether the first packet of a stream file has a begin timestamp of all ones.
 * Babeltrace takes such a timestamp for "no timestamp" and aborts if other streams have
 * timestamps.
 */
bool kt_ctf_is_timeless(const unsigned char *data, uint64_t length);

/*
 * Reads the numbers of stream class and stream from the first packet of a stream file.
 * Returns false if the file does not begin with a packet header. The packet headers must be
 * those of LTTng since 2.8.
 */
bool kt_ctf_numbers(const unsigned char *data, uint64_t length, uint64_t *class_id,
		    uint64_t *id);

/* A stream file and the numbers of its stream. */
struct kt_ctf_stream {
	char *path; /* Owned by this */
	uint64_t class_id;
	uint64_t id;
};

struct kt_ctf_streams {
	struct kt_ctf_stream *streams;
	size_t n;
	size_t capacity;
};

/*
 * Lists the stream files in the folder of a trace with the numbers of their streams, so
 * that messages can name the file of a stream. Files that are unreadable or do not begin
 * with a packet header are left out. The caller frees *out with kt_ctf_free_list(), even on
 * failure.
 */
int kt_ctf_list(struct kt_ctf_streams *out, const char *folder);

/*
 * Returns the path of the file of a stream, or NULL if the list does not contain the
 * stream.
 */
const char *kt_ctf_path(const struct kt_ctf_streams *streams, uint64_t class_id,
			uint64_t id);

void kt_ctf_free_list(struct kt_ctf_streams *streams);

/* Layout of a trace's packet headers, according to its metadata. */
enum kt_ctf_headers {
	KT_CTF_HEADERS_UNKNOWN = 0, /* not LTTng's; headers are not checked */
	KT_CTF_HEADERS_NEW,         /* LTTng's, with a stream_instance_id */
	KT_CTF_HEADERS_OLD,         /* LTTng's before 2.8 */
};

enum kt_ctf_headers kt_ctf_headers_of(const unsigned char *metadata, uint64_t length);

/* Kind and position of a damaged packet. */
struct kt_ctf_damage {
	uint64_t packet; /* ordinal of the packet in its file, from 0 */
	uint64_t offset; /* position of the packet in its file, in bytes */
	char what[128];
};

/*
 * Finds the first packet of a stream file data[0..length) whose header has impossible
 * values or belongs to another stream; returns false if there is none. Babeltrace aborts,
 * loops or exhausts memory on some damaged headers. A file that only ends inside a packet,
 * or has zeros after its packets, does not count as damaged.
 */
bool kt_ctf_find_damage(struct kt_ctf_damage *out, const unsigned char *data,
			uint64_t length, enum kt_ctf_headers headers);

/*
 * Returns whether an index file of LTTng agrees with the packet headers of its stream file.
 * Also returns true if `headers` is unknown, if the stream file does not begin with a
 * packet, or if Babeltrace would not accept the file as an index.
 */
bool kt_ctf_index_agrees(const unsigned char *index, uint64_t length,
			 const unsigned char *data, uint64_t data_length,
			 enum kt_ctf_headers headers);

/*
 * Returns whether metadata is complete: packetized metadata must end at the end of a
 * packet, and metadata in plain text must not be empty.
 */
bool kt_ctf_metadata_is_whole(const unsigned char *data, uint64_t length);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * CTF traces as folders: finding them, and a private copy of one whose files are cut short
 * or damaged, since Babeltrace refuses a trace in which a stream file ends inside a packet,
 * and may not survive wrong packet headers.
 */
#ifndef KTAIL_WORDS_CTF_FOLDER_H
#define KTAIL_WORDS_CTF_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A folder that holds a file `metadata`. */
struct kt_ctf_folder {
	char *path;       /* Owned by this: absolute */
	char *copy;       /* Owned by this: the private copy, or NULL if none was needed */
	uint64_t bytes;   /* of all its files */
	size_t n_cut;     /* stream files that end inside a packet */
	uint64_t cut_off; /* bytes after the last packets of use */
	size_t n_damaged; /* stream files with a damaged packet, used up to there */
	char *damage;     /* Owned by this: where and what the first is; or NULL */
};

struct kt_ctf_folders {
	struct kt_ctf_folder *folders;
	size_t n;
	size_t capacity;
};

/*
 * Finds all CTF traces at or below a folder, in byte order of their paths; links below it
 * are not followed. KT_E_EMPTY if there is none. On failure *out needs no free.
 */
int kt_ctf_find(struct kt_ctf_folders *out, const char *path);

/*
 * Looks at the packet headers of every stream file. Where one ends inside a packet, or a
 * packet is damaged, makes a temporary copy of links in which that file ends at its last
 * whole packet and that has no index; likewise where an index is wrong. KT_E_MALFORMED if
 * the metadata is cut, or the first packet of a file is damaged. O(packets).
 */
int kt_ctf_repair(struct kt_ctf_folder *folder);

/* Removes the copies and frees all. */
void kt_ctf_free(struct kt_ctf_folders *folders);

/*
 * The whole packets at the start of a stream file data[0..length), in bytes. *known is
 * false if this is no stream file with headers as LTTng writes them: nothing can be said
 * then.
 */
uint64_t kt_ctf_whole_packets(const unsigned char *data, uint64_t length, bool *known);

/*
 * The events that a stream's first packet says were discarded up to its end, where that is
 * the first since tracing began; Babeltrace, which looks at differences, says nothing of
 * those. data[0..length) is the start of its file.
 */
uint64_t kt_ctf_discarded_first(const unsigned char *data, uint64_t length);

/*
 * Whether the first packet of a stream file has all ones for its time: Babeltrace takes
 * that for "none", and ends the program over it where other streams have one.
 */
bool kt_ctf_is_timeless(const unsigned char *data, uint64_t length);

/* What the first packet of a stream file says of its stream; false: it says nothing. */
bool kt_ctf_numbers(const unsigned char *data, uint64_t length, uint64_t *class_id,
		    uint64_t *id);

/* A stream file, and the stream that it is of. */
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
 * Lists the stream files in the folder of a trace, for messages: those that cannot be read
 * are left out. The caller frees *out.
 */
int kt_ctf_list(struct kt_ctf_streams *out, const char *folder);

/* The path of a stream's file; NULL: it is not known. */
const char *kt_ctf_path(const struct kt_ctf_streams *streams, uint64_t class_id,
			uint64_t id);

void kt_ctf_free_list(struct kt_ctf_streams *streams);

/* Which layout a trace's packet headers have, by what its metadata says. */
enum kt_ctf_headers {
	KT_CTF_HEADERS_UNKNOWN = 0, /* not LTTng's: nothing is expected of them */
	KT_CTF_HEADERS_NEW,         /* LTTng's, with a stream_instance_id */
	KT_CTF_HEADERS_OLD,         /* LTTng's before 2.8 */
};

enum kt_ctf_headers kt_ctf_headers_of(const unsigned char *metadata, uint64_t length);

/* What is wrong with a packet, and where it is in its file. */
struct kt_ctf_damage {
	uint64_t packet; /* its ordinal, from 0 */
	uint64_t offset; /* in bytes */
	char what[128];
};

/*
 * Looks for the first packet header of a stream file data[0..length) that cannot be one of
 * its trace. Babeltrace aborts, loops or takes all memory over some of those. A file that
 * ends inside a packet, or has zeros after its packets, is not damaged by that.
 */
bool kt_ctf_find_damage(struct kt_ctf_damage *out, const unsigned char *data,
			uint64_t length, enum kt_ctf_headers headers);

/*
 * Whether an index file of LTTng says of all packets of a stream file what their headers
 * say. True as well where Babeltrace does not take the index for one.
 */
bool kt_ctf_index_agrees(const unsigned char *index, uint64_t length,
			 const unsigned char *data, uint64_t data_length,
			 enum kt_ctf_headers headers);

/* Whether packetized metadata (or plain text) ends where a packet does. */
bool kt_ctf_metadata_is_whole(const unsigned char *data, uint64_t length);

#endif

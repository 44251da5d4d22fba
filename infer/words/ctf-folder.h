/* SPDX-License-Identifier: MIT */
/*
 * CTF traces as folders: finding them, and a private copy of one whose files are cut short,
 * since Babeltrace refuses a trace in which a stream file ends inside a packet.
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
	size_t n_cut;     /* stream files that end inside a packet */
	uint64_t cut_off; /* bytes behind their last whole packets */
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
 * Looks at the packet headers of every stream file. Where one ends inside a packet, makes a
 * temporary copy of links in which that file ends at its last whole packet and that has no
 * index. KT_E_MALFORMED if the metadata is cut. O(packets).
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

/* Whether a stream file's first packet is of the stream with these numbers. */
bool kt_ctf_is_stream(const unsigned char *data, uint64_t length, uint64_t class_id,
		      uint64_t id);

/*
 * The path of a file of that stream in the folder of a trace, for messages; the caller
 * frees it. NULL if none can be found.
 */
char *kt_ctf_find_stream(const char *folder, uint64_t class_id, uint64_t id);

/* Whether packetized metadata (or plain text) ends where a packet does. */
bool kt_ctf_metadata_is_whole(const unsigned char *data, uint64_t length);

#endif

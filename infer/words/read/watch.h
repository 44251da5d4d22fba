/* SPDX-License-Identifier: MIT */
/*
 * A filter between the source and the muxer of each stream, which notes how far the stream
 * was read. If Babeltrace crashes, the message can then name the stream that it was
 * decoding (base/guard.h).
 */
#ifndef KTAIL_WORDS_WATCH_H
#define KTAIL_WORDS_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <babeltrace2/babeltrace.h>

/* A watched stream. */
struct kt_watched {
	char *file;        /* Owned by this: path, or URL of a live session */
	size_t trace;      /* index of the trace's folder */
	uint64_t class_id; /* number of the stream class */
	uint64_t id;       /* number of the stream */
	uint64_t begun;    /* number of packets begun */
	bool open;         /* the last packet has not ended */
};

/* If all members are zero, there are no streams. */
struct kt_watch {
	struct kt_watched **streams; /* Owned by this: the array and the streams */
	size_t n;
	size_t capacity;
};

/* Adds a stream and copies its file name. *out belongs to the watch. */
int kt_watch_add(struct kt_watch *watch, struct kt_watched **out, const char *file);

/*
 * Returns the class of the filter, or NULL if memory is exhausted; the caller must put the
 * reference. The initialization data of a component is the struct kt_watched of its stream.
 */
const bt_component_class_filter *kt_watch_class(void);

/* Returns the stream with these numbers, or NULL. */
const struct kt_watched *kt_watch_find(const struct kt_watch *watch, size_t trace,
				       uint64_t class_id, uint64_t id);

/* Returns a stream whose last packet has not ended, or NULL. */
const struct kt_watched *kt_watch_open(const struct kt_watch *watch);

void kt_watch_free(struct kt_watch *watch);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * How far each stream of a trace is read, noted between its source and the muxer: there it
 * is known which stream Babeltrace decodes when that goes wrong (base/guard.h).
 */
#ifndef KTAIL_WORDS_WATCH_H
#define KTAIL_WORDS_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <babeltrace2/babeltrace.h>

/* A stream that is watched. */
struct kt_watched {
	char *file; /* Owned by this: its path, or the URL of a live session */
	size_t trace;
	uint64_t class_id; /* of the stream's class */
	uint64_t id;       /* of the stream */
	uint64_t begun;    /* packets */
	bool open;         /* the last of them has not ended */
};

/* Start with all zero. */
struct kt_watch {
	struct kt_watched **streams; /* Owned by this, each as well */
	size_t n;
	size_t capacity;
};

/* Adds a stream; its file is copied. *out belongs to the watch. */
int kt_watch_add(struct kt_watch *watch, struct kt_watched **out, const char *file);

/* A filter of one stream; its initialization data is the struct kt_watched. */
const bt_component_class_filter *kt_watch_class(void);

/* The stream with these numbers; NULL: there is none. */
const struct kt_watched *kt_watch_find(const struct kt_watch *watch, size_t trace,
				       uint64_t class_id, uint64_t id);

/* A stream within whose packet reading has ended; NULL: there is none. */
const struct kt_watched *kt_watch_open(const struct kt_watch *watch);

void kt_watch_free(struct kt_watch *watch);

#endif

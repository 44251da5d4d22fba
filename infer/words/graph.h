/* SPDX-License-Identifier: MIT */
/* The Babeltrace graph: source.ctf.fs -> filter.utils.muxer -> sink.ktail.words. */
#ifndef KTAIL_WORDS_GRAPH_H
#define KTAIL_WORDS_GRAPH_H

#include <stddef.h>

#include "infer/words/components.h"

/*
 * Runs all CTF traces in folders[0..n) through a graph into `data`. Where a trace stops
 * making sense after it was opened, returns KT_OK with the reason in stopped[0..size),
 * which is "" otherwise. KT_E_MALFORMED if a trace cannot be opened.
 */
int kt_graph_run(const char *const *folders, size_t n, struct kt_sink_data *data,
		 char *stopped, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The Babeltrace graph: source.ctf.fs -> a filter per stream (watch.h) ->
 * filter.utils.muxer -> sink.ktail.words. For a session that is being recorded, the source
 * is source.ctf.lttng-live.
 */
#ifndef KTAIL_WORDS_GRAPH_H
#define KTAIL_WORDS_GRAPH_H

#include <stdbool.h>
#include <stddef.h>

#include "infer/words/read/components.h"
#include "infer/words/read/ctf-folder.h"

struct kt_graph;

/*
 * Returns whether an input is the URL of a live session, net://HOST/host/NAME/SESSION or
 * net4://..., rather than a folder.
 */
bool kt_graph_is_live(const char *input);

/*
 * Builds a graph over all CTF traces in folders[0..n), or over their copies. A live session
 * is given as one folder, whose path is the URL. The sink passes events to `data`; folders
 * and `data` must outlive the graph. The caller owns *out. KT_E_MALFORMED if a trace cannot
 * be opened, KT_E_IO if a live session cannot be reached.
 */
int kt_graph_new(struct kt_graph **out, const struct kt_ctf_folder *folders, size_t n,
		 struct kt_sink_data *data);

/* `graph` may be NULL. */
void kt_graph_free(struct kt_graph *graph);

/*
 * Runs the graph for the next few messages. *more is false at the end; a live session ends
 * when it is destroyed or data->stop is set. If a trace becomes unreadable after it was
 * opened, returns KT_OK and writes the reason to stopped[0..size), which is "" otherwise. A
 * stream that ends inside an event is also reported in `stopped`, although the other
 * streams are read to their ends.
 */
int kt_graph_step(struct kt_graph *graph, bool *more, char *stopped, size_t size);

#endif

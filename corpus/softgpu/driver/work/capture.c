/* SPDX-License-Identifier: MIT */
/* Streams that capture: one list of them for the process, under one lock. */
#include <stdlib.h>

#include "corpus/softgpu/driver/work/graph.h"

enum { MODE_GLOBAL = 0, MODE_THREAD_LOCAL, MODE_RELAXED };

static struct kt_stream *captures;
static atomic_uint n_captures; /* so that most calls need not take the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int kt_capture_begin(struct kt_stream *stream, int mode)
{
	struct kt_graph *graph;

	if (mode < MODE_GLOBAL || mode > MODE_RELAXED) {
		return KT_CU_INVALID_VALUE;
	}
	graph = calloc(1, sizeof(*graph));
	if (!graph) {
		return KT_CU_OUT_OF_MEMORY;
	}
	graph->end = &graph->nodes;
	pthread_mutex_lock(&lock);
	if (atomic_load(&stream->capturing)) {
		pthread_mutex_unlock(&lock);
		free(graph);
		return KT_CU_ILLEGAL_STATE;
	}
	stream->graph = graph;
	stream->invalidated = false;
	stream->mode = mode;
	stream->owner = pthread_self();
	stream->next_capture = captures;
	captures = stream;
	atomic_fetch_add(&n_captures, 1);
	atomic_store(&stream->capturing, true);
	pthread_mutex_unlock(&lock);
	return KT_CU_OK;
}

/* Takes it out of the list; the lock is held. */
static struct kt_graph *end(struct kt_stream *stream)
{
	struct kt_graph *graph = stream->graph;

	for (struct kt_stream **at = &captures; *at; at = &(*at)->next_capture) {
		if (*at == stream) {
			*at = stream->next_capture;
			break;
		}
	}
	stream->graph = NULL;
	atomic_fetch_sub(&n_captures, 1);
	atomic_store(&stream->capturing, false);
	return graph;
}

int kt_capture_end(struct kt_stream *stream, struct kt_graph **graph)
{
	struct kt_graph *got = NULL;
	int code = KT_CU_OK;

	*graph = NULL;
	pthread_mutex_lock(&lock);
	if (!atomic_load(&stream->capturing)) {
		code = KT_CU_ILLEGAL_STATE;
	} else if (stream->mode != MODE_RELAXED &&
		   !pthread_equal(stream->owner, pthread_self())) {
		code = KT_CU_CAPTURE_WRONG_THREAD;
	} else {
		code = stream->invalidated ? KT_CU_CAPTURE_INVALIDATED : KT_CU_OK;
		got = end(stream);
	}
	pthread_mutex_unlock(&lock);
	if (got && code) {
		kt_graph_free(got);
	} else if (got) {
		kt_object_add(&got->object, KT_OBJECT_GRAPH, NULL);
		*graph = got;
	}
	return code;
}

void kt_capture_drop(struct kt_stream *stream)
{
	struct kt_graph *graph = NULL;

	pthread_mutex_lock(&lock);
	if (atomic_load(&stream->capturing)) {
		graph = end(stream);
	}
	pthread_mutex_unlock(&lock);
	if (graph) {
		kt_graph_free(graph);
	}
}

/* Puts a copy of the node at the graph's end, if the stream is capturing. */
static int capture(struct kt_stream *stream, const struct kt_node *node, bool *captured)
{
	struct kt_node *copy;
	int code = KT_CU_OK;

	*captured = false;
	if (!stream || !atomic_load(&stream->capturing)) {
		return KT_CU_OK;
	}
	copy = malloc(sizeof(*copy));
	pthread_mutex_lock(&lock);
	*captured = atomic_load(&stream->capturing);
	if (*captured && stream->invalidated) {
		code = KT_CU_CAPTURE_INVALIDATED;
	} else if (*captured && !copy) {
		stream->invalidated = true;
		code = KT_CU_OUT_OF_MEMORY;
	} else if (*captured) {
		*copy = *node;
		*stream->graph->end = copy;
		stream->graph->end = &copy->next;
		stream->graph->n++;
		copy = NULL;
	}
	pthread_mutex_unlock(&lock);
	free(copy);
	return code;
}

int kt_capture_launch(struct kt_stream *stream, const struct kt_launch *launch,
		      bool *captured)
{
	return capture(stream, &(struct kt_node){.launch = *launch}, captured);
}

int kt_capture_copy(struct kt_stream *stream, uint64_t to, uint64_t from, uint64_t bytes,
		    bool *captured)
{
	return capture(stream,
		       &(struct kt_node){
			       .is_copy = true,
			       .to = to,
			       .from = from,
			       .bytes = bytes,
		       },
		       captured);
}

int kt_capture_refuse(struct kt_stream *stream)
{
	int code = KT_CU_OK;

	if (!stream || !atomic_load(&stream->capturing)) {
		return KT_CU_OK;
	}
	pthread_mutex_lock(&lock);
	if (atomic_load(&stream->capturing)) {
		code = stream->invalidated ? KT_CU_CAPTURE_INVALIDATED
					   : KT_CU_CAPTURE_UNSUPPORTED;
		stream->invalidated = true;
	}
	pthread_mutex_unlock(&lock);
	return code;
}

int kt_capture_unsafe(void)
{
	int code = KT_CU_OK;

	if (atomic_load(&n_captures) == 0) {
		return KT_CU_OK;
	}
	pthread_mutex_lock(&lock);
	for (struct kt_stream *at = captures; at; at = at->next_capture) {
		/* A global capture forbids it to every thread, a thread-local one to its
		 * own.
		 */
		if (at->mode == MODE_GLOBAL || (at->mode == MODE_THREAD_LOCAL &&
						pthread_equal(at->owner, pthread_self()))) {
			at->invalidated = true;
			code = KT_CU_CAPTURE_UNSUPPORTED;
		}
	}
	pthread_mutex_unlock(&lock);
	return code;
}

int kt_capture_implicit(const struct kt_context *context)
{
	int code = KT_CU_OK;

	if (atomic_load(&n_captures) == 0) {
		return KT_CU_OK;
	}
	pthread_mutex_lock(&lock);
	for (struct kt_stream *at = captures; at; at = at->next_capture) {
		if (at->object.context == context && at->channel->index == 0) {
			at->invalidated = true;
			code = KT_CU_CAPTURE_IMPLICIT;
		}
	}
	pthread_mutex_unlock(&lock);
	return code;
}

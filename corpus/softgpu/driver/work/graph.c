/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/driver/work/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "corpus/softgpu/driver/work/copies.h"

/*
 * A launch of all nodes must fit into half a pushbuffer. A node takes at most 40 bytes, or
 * more if it copies more than 2 GiB: if a graph with such nodes is too large, its launch
 * fails.
 */
enum { MAX_NODES = KT_PUSHBUFFER_BYTES / 2 / 40 };

static void free_nodes(struct kt_node *node)
{
	while (node) {
		struct kt_node *next = node->next;

		free(node);
		node = next;
	}
}

void kt_graph_free(struct kt_graph *graph)
{
	free_nodes(graph->nodes);
	free(graph);
}

/* --- instantiation --- */

/* Uploads the slots of all nodes to device memory. */
static int upload_slots(struct kt_graph_exec *executable, struct kt_context *context)
{
	size_t bytes = executable->n * KT_LAUNCH_SLOT_BYTES;
	uint8_t *image;
	uint8_t *at;
	uint64_t slot;
	int code;

	if (bytes == 0) {
		return KT_CU_OK;
	}
	at = image = calloc(1, bytes);
	if (!image) {
		return KT_CU_OUT_OF_MEMORY;
	}
	KT_TRY_END(kt_memory_create(&executable->memory, KT_MEMORY_DEVICE_LOW, bytes));
	slot = executable->memory.address;
	for (const struct kt_node *node = executable->nodes; node; node = node->next) {
		if (!node->is_copy) {
			uint32_t qmd[KT_QMD_BYTES / 4];

			kt_launch_describe(qmd, &node->launch, slot);
			memcpy(at + KT_LAUNCH_QMD, qmd, sizeof(qmd));
			memcpy(at + KT_LAUNCH_CONSTANTS + KT_LAUNCH_DIMENSIONS,
			       &node->launch.constants, node->launch.constants_bytes);
		}
		at += KT_LAUNCH_SLOT_BYTES;
		slot += KT_LAUNCH_SLOT_BYTES;
	}
	code = kt_copy_upload(context, executable->memory.address, image, bytes);
end:
	free(image);
	return code;
}

static void discard(struct kt_graph_exec *executable)
{
	if (executable->memory.bytes) {
		kt_memory_destroy(&executable->memory);
	}
	free_nodes(executable->nodes);
	pthread_mutex_destroy(&executable->lock);
	free(executable);
}

int kt_graph_instantiate(struct kt_graph_exec **out, struct kt_context *context,
			 const struct kt_graph *graph)
{
	struct kt_graph_exec *executable;
	struct kt_node **last;
	int code;

	if (graph->n > MAX_NODES) {
		return KT_CU_OUT_OF_MEMORY;
	}
	executable = calloc(1, sizeof(*executable));
	if (!executable) {
		return KT_CU_OUT_OF_MEMORY;
	}
	pthread_mutex_init(&executable->lock, NULL);
	last = &executable->nodes;
	for (const struct kt_node *node = graph->nodes; node; node = node->next) {
		struct kt_node *copy = malloc(sizeof(*copy));

		if (!copy) {
			code = KT_CU_OUT_OF_MEMORY;
			goto end;
		}
		*copy = *node;
		copy->next = NULL;
		*last = copy;
		last = &copy->next;
		executable->n++;
	}
	KT_TRY_END(upload_slots(executable, context));
	kt_object_add(&executable->object, KT_OBJECT_GRAPH_EXEC, context);
	*out = executable;
end:
	if (code) {
		discard(executable);
	}
	return code;
}

/* --- launch --- */

int kt_graph_launch(struct kt_graph_exec *executable, const struct kt_target *target)
{
	KT_SUBMITTING(GRAPH);
	struct kt_push push = {0};
	uint64_t slot = executable->memory.address;
	size_t parts[32]; /* end of each part's dwords; there are fewer than 32 parts */
	size_t n = 0;
	size_t left = 1; /* nodes left in the part */
	uint64_t value = 0;
	int code = KT_CU_OK;

	/*
	 * Version 1 of the driver submits parts of 1, 2, 4, 8, ... nodes, each part with a
	 * doorbell; version 2 submits all nodes at once.
	 */
	for (const struct kt_node *node = executable->nodes; node; node = node->next) {
		if (node->is_copy) {
			kt_push_copy(&push, node->to, node->from, node->bytes);
		} else {
			kt_push_launch(&push, slot);
		}
		slot += KT_LAUNCH_SLOT_BYTES;
		if (--left == 0 || !node->next) {
			parts[n++] = push.n;
			left = (size_t)1 << n;
		}
	}
	if (n > 0) {
		code = kt_driver_get()->version == 1
			       ? kt_target_submit_parts(target, &push, parts, n, &value)
			       : kt_target_submit(target, &push, &value);
	}
	kt_push_free(&push);
	pthread_mutex_lock(&executable->lock);
	if (executable->last[target->channel->index] < value) {
		executable->last[target->channel->index] = value;
	}
	pthread_mutex_unlock(&executable->lock);
	return code;
}

int kt_graph_exec_free(struct kt_graph_exec *executable)
{
	struct kt_context *context = executable->object.context;
	int code = KT_CU_OK;

	for (unsigned i = 0; i < KT_CHANNELS && !code; i++) {
		struct kt_channel *channel = &context->channels[i];

		if (executable->last[i]) {
			struct kt_semaphore goal =
				kt_progress_goal(channel, executable->last[i]);

			code = kt_wait(channel, &goal, goal.value);
		}
	}
	discard(executable);
	return code;
}

/* --- capturing streams: one list per process, under one lock --- */

enum { MODE_GLOBAL = 0, MODE_THREAD_LOCAL, MODE_RELAXED };

static struct kt_stream *captures;
static atomic_uint n_captures; /* lets most calls skip the lock */
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

/* Removes the capture from the list; the lock must be held. */
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

/* If the stream is capturing, sets *captured and appends a copy of `node` to the graph. */
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
		/*
		 * A global capture forbids the call in every thread, a thread-local
		 * capture only in the thread that began it.
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

int kt_capture_none(const struct kt_target *target)
{
	return target->stream ? kt_capture_refuse(target->stream)
			      : kt_capture_implicit(target->context);
}

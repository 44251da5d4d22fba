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

/*
 * If the slots have more than about this size in total, the first slots are submitted
 * before the launch, and only the rest with the launch.
 */
enum { UPLOAD_BYTES = KT_PUSHBUFFER_BYTES / 4 };

enum { MAX_PARTS = 32 }; /* the parts have 1, 2, 4, ... nodes, so there are fewer */

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
	if (executable->n > 0) {
		KT_TRY_END(kt_memory_create(&executable->memory, KT_MEMORY_DEVICE_LOW,
					    executable->n * KT_LAUNCH_SLOT_BYTES));
	}
	kt_object_add(&executable->object, KT_OBJECT_GRAPH_EXEC, context);
	*out = executable;
end:
	if (code) {
		discard(executable);
	}
	return code;
}

/* --- upload --- */

/*
 * Returns whether kernel `number` since the last copy begins a group that waits for a
 * command. A counter of dependences lasts for one launch on hardware, unless the descriptor
 * copies itself on completion, which the model does not have; so there is one group there.
 */
static bool begins_group(size_t number)
{
	return !kt_driver_get()->runs_machine_code && number > 0 &&
	       number % KT_GRAPH_GROUP == 0;
}

/* Encodes the slots of all nodes, with the chains of graph.h. */
static void describe_slots(const struct kt_graph_exec *executable, uint8_t *image)
{
	const bool chained = kt_driver_get()->version != 1;
	uint64_t slot = executable->memory.address;
	size_t number = 0; /* number of kernels since the last copy */

	for (const struct kt_node *node = executable->nodes; node; node = node->next) {
		uint32_t qmd[KT_QMD_BYTES / 4];
		const uint64_t next = slot + KT_LAUNCH_SLOT_BYTES;

		if (!node->is_copy) {
			kt_launch_describe(qmd, &node->launch, slot);
			if (chained && begins_group(number)) {
				kt_launch_depend(qmd, 2);
			}
			if (chained && node->next && !node->next->is_copy) {
				kt_launch_chain(qmd, next, begins_group(number + 1));
			}
			memcpy(image + KT_LAUNCH_QMD, qmd, sizeof(qmd));
			memcpy(image + KT_LAUNCH_CONSTANTS, &node->launch.constants,
			       sizeof(node->launch.constants));
			memcpy(image + KT_LAUNCH_CONSTANTS + KT_LAUNCH_TAIL,
			       &node->launch.tail, node->launch.tail_bytes);
		}
		number = node->is_copy ? 0 : number + 1;
		image += KT_LAUNCH_SLOT_BYTES;
		slot = next;
	}
}

/* Submits the commands, and notes that the channel uses the graph. */
static int submit(struct kt_graph_exec *executable, const struct kt_target *target,
		  struct kt_push *push, const size_t *parts, size_t n)
{
	const unsigned index = target->channel->index;
	uint64_t value = 0;
	int code = kt_target_submit_parts(target, push, parts, n, &value);

	if (!code) {
		executable->last[index] = value;
		executable->newest = index;
	}
	return code;
}

/*
 * If the last use of the graph was submitted to another channel, adds a wait for that use:
 * the device changes the dependence counters in the graph's QMDs, so two uses must not run
 * at the same time.
 */
static void push_order(struct kt_push *push, const struct kt_graph_exec *executable,
		       const struct kt_target *target)
{
	struct kt_channel *other = &target->context->channels[executable->newest];
	uint64_t last = executable->last[executable->newest];

	if (last && other != target->channel) {
		const struct kt_semaphore goal = kt_progress_goal(other, last);

		kt_push_acquire(push, kt_semaphore_address(target->context, goal.index),
				goal.value);
	}
}

/*
 * Adds the slots as inline data, unless they are uploaded. Submits the commands whenever
 * they exceed UPLOAD_BYTES; the caller submits the rest, then sets `uploaded`.
 */
static int push_upload(struct kt_push *push, struct kt_graph_exec *executable,
		       const struct kt_target *target)
{
	const size_t bytes = executable->n * KT_LAUNCH_SLOT_BYTES;
	uint8_t *image;
	int code = KT_CU_OK;

	if (executable->uploaded) {
		return KT_CU_OK;
	}
	image = calloc(1, bytes);
	if (!image) {
		return KT_CU_OUT_OF_MEMORY;
	}
	describe_slots(executable, image);
	for (size_t done = 0; done < bytes && !code; done += KT_INLINE_BYTES) {
		const size_t left = bytes - done;

		if (push->n * sizeof(*push->words) > UPLOAD_BYTES) {
			KT_SUBMITTING(INLINE);

			code = submit(executable, target, push, &push->n, 1);
			kt_push_free(push);
		}
		kt_push_inline(push, executable->memory.address + done, image + done,
			       left < KT_INLINE_BYTES ? left : KT_INLINE_BYTES);
	}
	free(image);
	return code;
}

int kt_graph_upload(struct kt_graph_exec *executable, const struct kt_target *target)
{
	KT_SUBMITTING(INLINE);
	struct kt_push push = {0};
	int code = KT_CU_OK;

	pthread_mutex_lock(&executable->lock);
	if (executable->n > 0 && !executable->uploaded) {
		push_order(&push, executable, target);
		KT_TRY_END(push_upload(&push, executable, target));
		KT_TRY_END(submit(executable, target, &push, &push.n, 1));
		executable->uploaded = true;
	}
end:
	pthread_mutex_unlock(&executable->lock);
	kt_push_free(&push);
	return code;
}

/* --- launch --- */

/* Adds the commands of a kernel; `number` counts the kernels since the last copy. */
static void push_kernel(struct kt_push *push, uint64_t slot, size_t number)
{
	if (kt_driver_get()->version == 1) {
		if (number > 0) {
			kt_push_method(push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_WAIT_FOR_IDLE,
				       0);
		}
		kt_push_launch(push, slot);
	} else if (number == 0) {
		kt_push_launch(push, slot);
	} else if (begins_group(number)) {
		kt_push_decrement(push, slot);
	}
}

/*
 * Adds the commands of all nodes, and sets parts[i] to the end of the i-th part: parts of
 * 1, 2, 4, 8, ... nodes. Returns the number of parts.
 */
static size_t push_nodes(struct kt_push *push, const struct kt_graph_exec *executable,
			 size_t parts[static MAX_PARTS])
{
	uint64_t slot = executable->memory.address;
	size_t n = 0;
	size_t left = 1;   /* nodes left in the part */
	size_t number = 0; /* number of kernels since the last copy */

	for (const struct kt_node *node = executable->nodes; node; node = node->next) {
		if (node->is_copy) {
			kt_push_copy(push, node->to, node->from, node->bytes);
			number = 0;
		} else {
			push_kernel(push, slot, number++);
		}
		slot += KT_LAUNCH_SLOT_BYTES;
		if (--left == 0 || !node->next) {
			parts[n++] = push->n;
			left = (size_t)1 << n;
		}
	}
	return n;
}

int kt_graph_launch(struct kt_graph_exec *executable, const struct kt_target *target)
{
	KT_SUBMITTING(GRAPH);
	struct kt_push push = {0};
	size_t parts[MAX_PARTS];
	size_t n;
	int code = KT_CU_OK;

	pthread_mutex_lock(&executable->lock);
	if (executable->n > 0) {
		push_order(&push, executable, target);
		KT_TRY_END(push_upload(&push, executable, target));
		n = push_nodes(&push, executable, parts);
		/*
		 * Version 1 writes a doorbell for each part, version 2 writes one doorbell
		 * for all parts.
		 */
		code = kt_driver_get()->version == 1
			       ? submit(executable, target, &push, parts, n)
			       : submit(executable, target, &push, &push.n, 1);
		KT_TRY_END(code);
		executable->uploaded = true;
	}
end:
	pthread_mutex_unlock(&executable->lock);
	kt_push_free(&push);
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
static atomic_uint n_captures; /* while it is 0, calls need not take the lock */
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
		 * A global capture forbids the call in every thread, a thread-local capture
		 * only in the thread that began the capture.
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

/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/driver/work/graph.h"

#include <stdlib.h>
#include <string.h>

#include "corpus/softgpu/driver/work/copies.h"

/* A launch of all nodes is one submission, which half a pushbuffer must hold. */
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

static int copy_nodes(struct kt_graph_exec *executable, const struct kt_graph *graph)
{
	struct kt_node **end = &executable->nodes;

	for (const struct kt_node *node = graph->nodes; node; node = node->next) {
		struct kt_node *copy = malloc(sizeof(*copy));

		if (!copy) {
			return KT_CU_OUT_OF_MEMORY;
		}
		*copy = *node;
		copy->next = NULL;
		*end = copy;
		end = &copy->next;
		executable->n++;
	}
	return KT_CU_OK;
}

/* The slots of all nodes as they will be in device memory. */
static void draw(uint8_t *image, const struct kt_graph_exec *executable)
{
	uint64_t slot = executable->memory.address;

	for (const struct kt_node *node = executable->nodes; node; node = node->next) {
		if (!node->is_copy) {
			uint32_t qmd[KT_QMD_BYTES / 4];

			kt_launch_describe(qmd, &node->launch, slot);
			memcpy(image + KT_LAUNCH_QMD, qmd, sizeof(qmd));
			memcpy(image + KT_LAUNCH_CONSTANTS + KT_LAUNCH_DIMENSIONS,
			       &node->launch.constants, node->launch.constants_bytes);
		}
		image += KT_LAUNCH_SLOT_BYTES;
		slot += KT_LAUNCH_SLOT_BYTES;
	}
}

static int upload(struct kt_graph_exec *executable, struct kt_context *context)
{
	size_t bytes = executable->n * KT_LAUNCH_SLOT_BYTES;
	uint8_t *image;
	int code;

	if (bytes == 0) {
		return KT_CU_OK;
	}
	image = calloc(1, bytes);
	if (!image) {
		return KT_CU_OUT_OF_MEMORY;
	}
	code = kt_memory_create(&executable->memory, KT_MEMORY_DEVICE_LOW, bytes);
	if (!code) {
		draw(image, executable);
		code = kt_copy_upload(context, executable->memory.address, image, bytes);
	}
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
	int code;

	if (graph->n > MAX_NODES) {
		return KT_CU_OUT_OF_MEMORY;
	}
	executable = calloc(1, sizeof(*executable));
	if (!executable) {
		return KT_CU_OUT_OF_MEMORY;
	}
	pthread_mutex_init(&executable->lock, NULL);
	code = copy_nodes(executable, graph);
	if (!code) {
		code = upload(executable, context);
	}
	if (code) {
		discard(executable);
		return code;
	}
	kt_object_add(&executable->object, KT_OBJECT_GRAPH_EXEC, context);
	*out = executable;
	return KT_CU_OK;
}

/* --- launch --- */

static void push_node(struct kt_push *push, const struct kt_node *node, uint64_t slot)
{
	if (node->is_copy) {
		kt_push_copy(push, node->to, node->from, node->bytes);
	} else {
		kt_push_launch(push, slot);
	}
}

/*
 * The driver of version 1 rings after 1, 2, 4, 8, ... nodes: parts[i] is where the words of
 * part i end. There are less than 32 of them.
 */
static size_t push_nodes(struct kt_push *push, const struct kt_graph_exec *executable,
			 size_t parts[32])
{
	uint64_t slot = executable->memory.address;
	size_t n_parts = 0;
	size_t left = 1;

	for (const struct kt_node *node = executable->nodes; node; node = node->next) {
		push_node(push, node, slot);
		slot += KT_LAUNCH_SLOT_BYTES;
		if (--left == 0 || !node->next) {
			parts[n_parts++] = push->n;
			left = (size_t)1 << n_parts;
		}
	}
	return n_parts;
}

int kt_graph_launch(struct kt_graph_exec *executable, const struct kt_target *target)
{
	KT_SUBMITTING(GRAPH);
	struct kt_push push = {0};
	size_t parts[32];
	size_t n = push_nodes(&push, executable, parts);
	uint64_t value = 0;
	int code = KT_CU_OK;

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

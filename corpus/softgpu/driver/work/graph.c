/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/driver/work/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
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

/* The slots of all nodes as they are to be, into device memory. */
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
	size_t parts[32]; /* part i's words end there; there are less than 32 of them */
	size_t n = 0;
	size_t left = 1; /* nodes of the part */
	uint64_t value = 0;
	int code = KT_CU_OK;

	/* The driver of version 1 rings after 1, 2, 4, 8, ... nodes. */
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

/* SPDX-License-Identifier: MIT */
/*
 * Graphs: the captured work of a stream, executed in the order of the capture. A node is a
 * kernel launch or a copy by the copy engine; any other work on a capturing stream
 * invalidates the capture.
 *
 * Version 1 of the driver starts each kernel by commands of its own, after a wait for the
 * previous kernel. In version 2 the descriptor of a kernel names the next kernel, so
 * commands start only the first kernel of the graph, and the first kernel after each copy.
 * As with NVIDIA's driver on an H200, the first kernel of each further group of
 * KT_GRAPH_GROUP kernels also waits for a command of the launch, on the model.
 */
#ifndef KTAIL_SOFTGPU_GRAPH_H
#define KTAIL_SOFTGPU_GRAPH_H

#include "corpus/softgpu/driver/work/launch.h"
#include "corpus/softgpu/driver/work/stream.h"

#define KT_GRAPH_GROUP 17 /* kernels */

struct kt_node {
	struct kt_node *next;
	bool is_copy;
	struct kt_launch launch;
	uint64_t to; /* of a copy: GPU addresses `to` and `from` */
	uint64_t from;
	uint64_t bytes;
};

struct kt_graph {
	struct kt_object object;
	struct kt_node *nodes; /* Owned by this */
	struct kt_node **end;  /* where the next node is appended */
	size_t n;
};

struct kt_graph_exec {
	struct kt_object object;
	struct kt_node *nodes; /* Owned by this, n nodes */
	size_t n;
	struct kt_memory memory; /* one slot per node (launch.h) */
	pthread_mutex_t lock;    /* protects the following members */
	/* the slots are written, or commands that write them are submitted */
	bool uploaded;
	uint64_t last[KT_CHANNELS]; /* per channel: progress after the last use, or 0 */
	unsigned newest;            /* index of the channel that used the graph last */
};

void kt_graph_free(struct kt_graph *graph);
int kt_graph_instantiate(struct kt_graph_exec **out, struct kt_context *context,
			 const struct kt_graph *graph);
/* Submits the slots as inline data, unless that was done before. */
int kt_graph_upload(struct kt_graph_exec *executable, const struct kt_target *target);
/*
 * Uploads the graph if needed, and launches it so that it runs after its earlier launches.
 */
int kt_graph_launch(struct kt_graph_exec *executable, const struct kt_target *target);
/*
 * Waits until all launches are done and frees the executable graph, which must have been
 * removed from the object table.
 */
int kt_graph_exec_free(struct kt_graph_exec *executable);

/* --- capture --- */

int kt_capture_begin(struct kt_stream *stream, int mode);
/* Ends the capture. *graph is in the object table and belongs to the program. */
int kt_capture_end(struct kt_stream *stream, struct kt_graph **graph);
/* Drops the capture of a stream that is being destroyed. */
void kt_capture_drop(struct kt_stream *stream);

/*
 * Capture the call's work as a graph node. If *captured is set, the caller must return this
 * function's result, which is an error if no node was added. If *captured is not set, the
 * result is KT_CU_OK and the stream is not capturing (the default stream never captures).
 */
int kt_capture_launch(struct kt_stream *stream, const struct kt_launch *launch,
		      bool *captured);
int kt_capture_copy(struct kt_stream *stream, uint64_t to, uint64_t from, uint64_t bytes,
		    bool *captured);
/*
 * For a call that cannot be captured: if the stream is capturing, invalidates the capture
 * and returns an error.
 */
int kt_capture_refuse(struct kt_stream *stream);
/*
 * For a call that may be forbidden during a capture, for example an allocation. Returns an
 * error if a capture forbids it; relaxed captures forbid nothing.
 */
int kt_capture_unsafe(void);
/*
 * For work that a graph cannot hold: calls kt_capture_implicit() if the target is the
 * default stream, kt_capture_refuse() if it is another stream.
 */
int kt_capture_none(const struct kt_target *target);
/*
 * For a call that waits for the context's default stream or works in it. Returns an error
 * if a stream ordered with the default stream is capturing.
 */
int kt_capture_implicit(const struct kt_context *context);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Graphs: what a stream captured, in the order of the capture, which is the order of their
 * execution too. A node is a launch of a kernel or a copy by the copy engine; whatever else
 * is called on a capturing stream ends the capture as invalid.
 */
#ifndef KTAIL_SOFTGPU_GRAPH_H
#define KTAIL_SOFTGPU_GRAPH_H

#include "corpus/softgpu/driver/work/launch.h"
#include "corpus/softgpu/driver/work/stream.h"

struct kt_node {
	struct kt_node *next;
	bool is_copy;
	struct kt_launch launch;
	uint64_t to; /* of a copy: GPU addresses */
	uint64_t from;
	uint64_t bytes;
};

struct kt_graph {
	struct kt_object object;
	struct kt_node *nodes; /* Owned by this */
	struct kt_node **end;  /* where the next one is put */
	size_t n;
};

struct kt_graph_exec {
	struct kt_object object;
	struct kt_node *nodes; /* Owned by this, n of them */
	size_t n;
	struct kt_memory memory;    /* a slot for each node (launch.h) */
	pthread_mutex_t lock;       /* of `last` */
	uint64_t last[KT_CHANNELS]; /* of each channel's progress; 0: not launched there */
};

void kt_graph_free(struct kt_graph *graph);
int kt_graph_instantiate(struct kt_graph_exec **out, struct kt_context *context,
			 const struct kt_graph *graph);
int kt_graph_launch(struct kt_graph_exec *executable, const struct kt_target *target);
/* Of one that no handle leads to any more; waits until its launches are done. */
int kt_graph_exec_free(struct kt_graph_exec *executable);

/* --- capture --- */

int kt_capture_begin(struct kt_stream *stream, int mode);
/* *graph is known and the program's from now on. */
int kt_capture_end(struct kt_stream *stream, struct kt_graph **graph);
/* Of a stream that goes. */
void kt_capture_drop(struct kt_stream *stream);

/*
 * *captured: the call's work is a node of a graph now, or cannot be one: then the result
 * says so. False, and OK: the stream is not capturing (the default one never is).
 */
int kt_capture_launch(struct kt_stream *stream, const struct kt_launch *launch,
		      bool *captured);
int kt_capture_copy(struct kt_stream *stream, uint64_t to, uint64_t from, uint64_t bytes,
		    bool *captured);
/* A call on the stream that cannot be captured: an error if it is capturing. */
int kt_capture_refuse(struct kt_stream *stream);
/* A call that a capture which is not relaxed forbids, such as an allocation. */
int kt_capture_unsafe(void);
/* A call on a stream, or in the default one, whose work no graph can hold: either of the
 * two above and below. */
int kt_capture_none(const struct kt_target *target);
/* A call that waits for the default stream of the context, or works in it. */
int kt_capture_implicit(const struct kt_context *context);

#endif

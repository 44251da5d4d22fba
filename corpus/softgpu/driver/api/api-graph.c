/* SPDX-License-Identifier: MIT */
#include "base/try.h"
#include "corpus/softgpu/driver/api.h"
#include "corpus/softgpu/driver/work/graph.h"

kt_cu_result cuStreamBeginCapture(kt_cu_stream stream, int mode)
{
	KT_API(cuStreamBeginCapture);
	struct kt_target target;

	KT_TRY(kt_target_find(&target, stream));
	return target.stream ? kt_capture_begin(target.stream, mode)
			     : KT_CU_CAPTURE_UNSUPPORTED;
}

kt_cu_result cuStreamEndCapture(kt_cu_stream stream, kt_cu_graph *graph)
{
	KT_API(cuStreamEndCapture);
	struct kt_target target;
	struct kt_graph *captured = NULL;
	int code;

	KT_TRY(kt_target_find(&target, stream));
	if (!graph) {
		return KT_CU_INVALID_VALUE;
	}
	*graph = NULL;
	if (!target.stream) {
		return KT_CU_ILLEGAL_STATE;
	}
	code = kt_capture_end(target.stream, &captured);
	*graph = (kt_cu_graph)captured;
	return code;
}

/* Requires no current context, because graphs do not belong to a context. */
static int enter(struct kt_graph **out, kt_cu_graph handle)
{
	int code = kt_enter_driver();

	*out = kt_object_find(handle, KT_OBJECT_GRAPH);
	return code || *out ? code : KT_CU_INVALID_VALUE;
}

kt_cu_result cuGraphGetNodes(kt_cu_graph graph, kt_cu_graph_node *nodes, size_t *count)
{
	KT_API(cuGraphGetNodes);
	struct kt_graph *found;
	size_t capacity;
	size_t n = 0;

	KT_TRY(enter(&found, graph));
	if (!count) {
		return KT_CU_INVALID_VALUE;
	}
	if (!nodes) {
		*count = found->n;
		return KT_CU_OK;
	}
	capacity = *count;
	for (struct kt_node *node = found->nodes; node && n < capacity; node = node->next) {
		nodes[n++] = (kt_cu_graph_node)node;
	}
	*count = n;
	while (n < capacity) {
		nodes[n++] = NULL;
	}
	return KT_CU_OK;
}

/* Flags of cuGraphInstantiateWithFlags: free memory, upload, device launch, priorities. */
enum { INSTANTIATE_FLAGS = 0xf, DEVICE_LAUNCH = 4 };

kt_cu_result cuGraphInstantiate(kt_cu_graph_exec *executable, kt_cu_graph graph,
				unsigned long long flags)
{
	KT_API(cuGraphInstantiate);
	struct kt_context *context;
	struct kt_graph *found;
	struct kt_graph_exec *created = NULL;

	KT_TRY(kt_enter(&context));
	KT_TRY(enter(&found, graph));
	if (!executable || flags > INSTANTIATE_FLAGS) {
		return KT_CU_INVALID_VALUE;
	}
	if (flags & DEVICE_LAUNCH) {
		return KT_CU_NOT_SUPPORTED;
	}
	KT_TRY(kt_capture_unsafe());
	KT_TRY(kt_graph_instantiate(&created, context, found));
	*executable = (kt_cu_graph_exec)created;
	return KT_CU_OK;
}

/* Finds the executable graph of the target's context; fails if the stream is capturing. */
static int find_executable(struct kt_graph_exec **out, struct kt_target *target,
			   kt_cu_graph_exec executable, kt_cu_stream stream)
{
	KT_TRY(kt_target_find(target, stream));
	*out = kt_object_find(executable, KT_OBJECT_GRAPH_EXEC);
	if (!*out || (*out)->object.context != target->context) {
		return KT_CU_INVALID_VALUE;
	}
	return kt_capture_none(target);
}

kt_cu_result cuGraphUpload(kt_cu_graph_exec executable, kt_cu_stream stream)
{
	KT_API(cuGraphUpload);
	struct kt_graph_exec *found;
	struct kt_target target;

	KT_TRY(find_executable(&found, &target, executable, stream));
	return kt_graph_upload(found, &target);
}

kt_cu_result cuGraphLaunch(kt_cu_graph_exec executable, kt_cu_stream stream)
{
	KT_API(cuGraphLaunch);
	struct kt_graph_exec *found;
	struct kt_target target;

	KT_TRY(find_executable(&found, &target, executable, stream));
	return kt_graph_launch(found, &target);
}

kt_cu_result cuGraphExecDestroy(kt_cu_graph_exec executable)
{
	KT_API(cuGraphExecDestroy);
	struct kt_graph_exec *found;

	KT_TRY(kt_enter_driver());
	found = kt_object_take(executable, KT_OBJECT_GRAPH_EXEC);
	return found ? kt_graph_exec_free(found) : KT_CU_INVALID_VALUE;
}

kt_cu_result cuGraphDestroy(kt_cu_graph graph)
{
	KT_API(cuGraphDestroy);
	struct kt_graph *found;

	KT_TRY(kt_enter_driver());
	found = kt_object_take(graph, KT_OBJECT_GRAPH);
	if (!found) {
		return KT_CU_INVALID_VALUE;
	}
	kt_graph_free(found);
	return KT_CU_OK;
}

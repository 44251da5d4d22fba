/* SPDX-License-Identifier: MIT */
#include "annotate/pairs/pair-counts.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"

/*
 * Names as in decode/tables/ioctls.tsv and decode/tables/api.tsv. UVM_FREE may outnumber
 * UVM_CREATE_EXTERNAL_RANGE, because UVM_FREE also frees managed memory, which mmap(2)
 * creates.
 */
static const struct pair {
	const char *up[3];
	const char *down[2];
} table[] = {
	{{"NV_ESC_ALLOC_OS_EVENT"}, {"NV_ESC_FREE_OS_EVENT"}},
	{{"NV_ESC_RM_MAP_MEMORY"}, {"NV_ESC_RM_UNMAP_MEMORY"}},
	{{"NV_ESC_RM_MAP_MEMORY_DMA"}, {"NV_ESC_RM_UNMAP_MEMORY_DMA"}},
	{{"UVM_CREATE_EXTERNAL_RANGE"}, {"UVM_FREE"}},
	{{"UVM_CREATE_RANGE_GROUP"}, {"UVM_DESTROY_RANGE_GROUP"}},
	{{"UVM_ENABLE_PEER_ACCESS"}, {"UVM_DISABLE_PEER_ACCESS"}},
	{{"UVM_REGISTER_CHANNEL"}, {"UVM_UNREGISTER_CHANNEL"}},
	{{"UVM_REGISTER_GPU"}, {"UVM_UNREGISTER_GPU"}},
	{{"UVM_REGISTER_GPU_VASPACE"}, {"UVM_UNREGISTER_GPU_VASPACE"}},
	{{"cuArrayCreate", "cuArray3DCreate"}, {"cuArrayDestroy"}},
	{{"cuCtxCreate", "cuCtxCreate_v3", "cuCtxCreate_v4"}, {"cuCtxDestroy"}},
	{{"cuDevicePrimaryCtxRetain"}, {"cuDevicePrimaryCtxRelease"}},
	{{"cuEventCreate"}, {"cuEventDestroy"}},
	{{"cuGraphCreate", "cuStreamEndCapture", "cuGraphClone"}, {"cuGraphDestroy"}},
	{{"cuGraphInstantiate", "cuGraphInstantiateWithFlags",
	  "cuGraphInstantiateWithParams"},
	 {"cuGraphExecDestroy"}},
	{{"cuLibraryLoadData", "cuLibraryLoadFromFile"}, {"cuLibraryUnload"}},
	{{"cuMemAddressReserve"}, {"cuMemAddressFree"}},
	{{"cuMemAlloc", "cuMemAllocManaged", "cuMemAllocPitch"}, {"cuMemFree"}},
	{{"cuMemAllocAsync", "cuMemAllocFromPoolAsync"}, {"cuMemFreeAsync"}},
	{{"cuMemAllocHost", "cuMemHostAlloc"}, {"cuMemFreeHost"}},
	{{"cuMemCreate"}, {"cuMemRelease"}},
	{{"cuMemHostRegister"}, {"cuMemHostUnregister"}},
	{{"cuMemMap"}, {"cuMemUnmap"}},
	{{"cuMemPoolCreate"}, {"cuMemPoolDestroy"}},
	{{"cuModuleLoad", "cuModuleLoadData", "cuModuleLoadDataEx"}, {"cuModuleUnload"}},
	{{"cuStreamBeginCapture"}, {"cuStreamEndCapture"}},
	{{"cuStreamCreate", "cuStreamCreateWithPriority"}, {"cuStreamDestroy"}},
	{{"cudaEventCreate", "cudaEventCreateWithFlags"}, {"cudaEventDestroy"}},
	{{"cudaGraphInstantiate", "cudaGraphInstantiateWithFlags"},
	 {"cudaGraphExecDestroy"}},
	{{"cudaHostAlloc", "cudaMallocHost"}, {"cudaFreeHost"}},
	{{"cudaHostRegister"}, {"cudaHostUnregister"}},
	{{"cudaMalloc", "cudaMallocManaged", "cudaMallocPitch"}, {"cudaFree"}},
	{{"cudaMallocAsync"}, {"cudaFreeAsync"}},
	{{"cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority"},
	 {"cudaStreamDestroy"}},
};

#define PAIRS (sizeof(table) / sizeof(table[0]))

static bool is_among(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n && names[i]; i++) {
		if (strcmp(names[i], name) == 0) {
			return true;
		}
	}
	return false;
}

/*
 * Counts a call in every pair that contains its name. For example, cuStreamEndCapture() is in
 * two pairs: it ends a capture and creates a graph.
 */
static int count(struct kt_pair_counts *counts, const char *name)
{
	if (!counts->up) {
		counts->up = calloc(PAIRS, sizeof(*counts->up));
	}
	if (!counts->down) {
		counts->down = calloc(PAIRS, sizeof(*counts->down));
	}
	if (!counts->up || !counts->down) {
		return kt_no_memory("count pairs");
	}
	for (size_t i = 0; i < PAIRS; i++) {
		counts->up[i] += is_among(table[i].up, 3, name);
		counts->down[i] += is_among(table[i].down, 2, name);
	}
	return KT_OK;
}

int kt_pair_counts_ioctl(struct kt_pair_counts *counts, const struct kt_call *call)
{
	return kt_call_failed(call) || !call->what.request
		       ? KT_OK
		       : count(counts, call->what.request);
}

int kt_pair_counts_call(struct kt_pair_counts *counts, const struct kt_activity_call *call)
{
	const bool done = kt_activity_done(call);

	return done && call->function ? count(counts, call->function->name) : KT_OK;
}

/* --- the table --- */

enum column {
	UP,
	DOWN,
	MADE,
	GONE,
	COLUMNS,
};

static const struct kt_column columns[COLUMNS] = {
	[UP] = {"set_up", "set up by", KT_COLUMN_TEXT, 0},
	[DOWN] = {"taken_down", "taken down by", KT_COLUMN_TEXT, 0},
	[MADE] = {"set_up_count", "set up", KT_COLUMN_COUNT, 0},
	[GONE] = {"taken_down_count", "taken down", KT_COLUMN_COUNT, 0},
};

int kt_pair_counts_table(struct kt_table *out, const struct kt_pair_counts *counts)
{
	*out = (struct kt_table){.columns = columns, .n_columns = COLUMNS};
	for (size_t i = 0; i < PAIRS && counts->up && counts->down; i++) {
		struct kt_cell *row;

		if (!counts->up[i] && !counts->down[i]) {
			continue;
		}
		KT_TRY(kt_table_add(out, &row));
		row[UP].text = table[i].up[0];
		row[DOWN].text = table[i].down[0];
		row[MADE] = (struct kt_cell){.number = counts->up[i], .known = true};
		row[GONE] = (struct kt_cell){.number = counts->down[i], .known = true};
	}
	return KT_OK;
}

void kt_pair_counts_free(struct kt_pair_counts *counts)
{
	free(counts->up);
	free(counts->down);
	memset(counts, 0, sizeof(*counts));
}

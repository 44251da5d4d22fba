/* SPDX-License-Identifier: MIT */
#include "base/try.h"
#include "corpus/softgpu/driver/api.h"
#include "corpus/softgpu/driver/work/graph.h"

kt_cu_result cuModuleLoadData(kt_cu_module *module, const void *image)
{
	KT_API(cuModuleLoadData);
	struct kt_context *context;
	struct kt_module *loaded = NULL;

	KT_TRY(kt_enter(&context));
	if (!module || !image) {
		return KT_CU_INVALID_VALUE;
	}
	KT_TRY(kt_capture_unsafe());
	KT_TRY(kt_module_load(&loaded, context, image));
	*module = (kt_cu_module)loaded;
	return KT_CU_OK;
}

kt_cu_result cuModuleGetFunction(kt_cu_function *function, kt_cu_module module,
				 const char *name)
{
	KT_API(cuModuleGetFunction);
	struct kt_module *found = kt_object_find(module, KT_OBJECT_MODULE);
	struct kt_function *entry = NULL;

	KT_TRY(kt_enter_object(found ? &found->object : NULL));
	if (!function || !name) {
		return KT_CU_INVALID_VALUE;
	}
	KT_TRY(kt_module_function(found, name, &entry));
	*function = (kt_cu_function)entry;
	return KT_CU_OK;
}

kt_cu_result cuModuleUnload(kt_cu_module module)
{
	KT_API(cuModuleUnload);
	struct kt_module *found = kt_object_find(module, KT_OBJECT_MODULE);

	KT_TRY(kt_enter_object(found ? &found->object : NULL));
	KT_TRY(kt_capture_unsafe());
	if (!kt_object_take(module, KT_OBJECT_MODULE)) {
		return KT_CU_INVALID_HANDLE; /* another thread unloaded it first */
	}
	return kt_module_free(found);
}

kt_cu_result cuLaunchKernel(kt_cu_function function, unsigned grid_x, unsigned grid_y,
			    unsigned grid_z, unsigned block_x, unsigned block_y,
			    unsigned block_z, unsigned shared_bytes, kt_cu_stream stream,
			    void **parameters, void **extra)
{
	KT_API(cuLaunchKernel);
	const unsigned grid[3] = {grid_x, grid_y, grid_z};
	const unsigned block[3] = {block_x, block_y, block_z};
	struct kt_target target;
	struct kt_function *found;
	struct kt_launch launch;
	bool captured = false;

	KT_TRY(kt_target_find(&target, stream));
	found = kt_object_find(function, KT_OBJECT_FUNCTION);
	if (!found || found->object.context != target.context) {
		return KT_CU_INVALID_HANDLE;
	}
	if (!target.stream) {
		KT_TRY(kt_capture_implicit(target.context));
	}
	KT_TRY(kt_launch_make(&launch, found, grid, block, shared_bytes, parameters,
			      extra));
	KT_TRY(kt_capture_launch(target.stream, &launch, &captured));
	return captured ? KT_CU_OK : kt_launch_submit(&target, &launch);
}

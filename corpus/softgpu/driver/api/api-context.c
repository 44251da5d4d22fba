/* SPDX-License-Identifier: MIT */
#include "base/try.h"
#include "corpus/softgpu/driver/api.h"
#include "corpus/softgpu/driver/work/graph.h"

enum { MAX_CONTEXT_FLAGS = 0xff, MAX_PUSHED = 512 };

/* Stack of contexts below the current one, see cuCtxPushCurrent. */
static _Thread_local struct kt_current pushed[MAX_PUSHED];
static _Thread_local unsigned n_pushed;

static void pop(void)
{
	kt_context_set_current(n_pushed ? pushed[--n_pushed] : (struct kt_current){0});
}

static int push(struct kt_context *next)
{
	struct kt_current before = kt_context_current();

	/* If the stack is full, drops destroyed contexts from it. */
	if (n_pushed == MAX_PUSHED) {
		unsigned n = 0;

		for (unsigned i = 0; i < n_pushed; i++) {
			if (kt_current_is_alive(pushed[i])) {
				pushed[n++] = pushed[i];
			}
		}
		n_pushed = n;
	}
	if (before.context && n_pushed == MAX_PUSHED) {
		return KT_CU_OUT_OF_MEMORY;
	}
	if (before.context) {
		pushed[n_pushed++] = before;
	}
	kt_context_make_current(next);
	return KT_CU_OK;
}

static int check(struct kt_context *context)
{
	if (!kt_context_is_alive(context)) {
		return KT_CU_CONTEXT_IS_DESTROYED;
	}
	return kt_context_error(context);
}

int kt_enter(struct kt_context **context)
{
	struct kt_current current;

	KT_TRY(kt_enter_driver());
	current = kt_context_current();
	if (!current.context) {
		return KT_CU_INVALID_CONTEXT;
	}
	*context = current.context;
	return kt_current_is_alive(current) ? kt_context_error(current.context)
					    : KT_CU_CONTEXT_IS_DESTROYED;
}

int kt_enter_object(const struct kt_object *found)
{
	KT_TRY(kt_enter_driver());
	return found ? check(found->context) : KT_CU_INVALID_HANDLE;
}

/* --- creation and destruction --- */

void kt_context_clear(struct kt_context *context)
{
	void *object;

	while ((object = kt_object_take_any(context, KT_OBJECT_GRAPH_EXEC))) {
		(void)kt_graph_exec_free(object);
	}
	while ((object = kt_object_take_any(context, KT_OBJECT_MODULE))) {
		(void)kt_module_free(object);
	}
	while ((object = kt_object_take_any(context, KT_OBJECT_EVENT))) {
		kt_event_free(object);
	}
	while ((object = kt_object_take_any(context, KT_OBJECT_STREAM))) {
		kt_stream_free(object);
	}
	kt_host_clear(context);
}

static bool blocks(unsigned flags)
{
	return (flags & KT_CU_CTX_SCHED_BLOCKING_SYNC) != 0;
}

static int create(kt_cu_context *context, unsigned flags, kt_cu_device device)
{
	struct kt_context *created = NULL;
	int code;

	KT_TRY(kt_enter_driver());
	if (!context || flags > MAX_CONTEXT_FLAGS) {
		return KT_CU_INVALID_VALUE;
	}
	if (device != 0) {
		return KT_CU_INVALID_DEVICE;
	}
	KT_TRY(kt_capture_unsafe());
	KT_TRY(kt_context_create(&created, false, blocks(flags)));
	code = push(created);
	if (code) {
		kt_context_destroy(created);
		return code;
	}
	*context = (kt_cu_context)created;
	return KT_CU_OK;
}

kt_cu_result cuCtxCreate(kt_cu_context *context, unsigned flags, kt_cu_device device)
{
	KT_API(cuCtxCreate);

	return create(context, flags, device);
}

/*
 * An execution affinity reserves multiprocessors for a context. It is not supported, so
 * `n` must be 0.
 */
kt_cu_result cuCtxCreate_v3(kt_cu_context *context, const void *affinities, int n,
			    unsigned flags, kt_cu_device device)
{
	KT_API(cuCtxCreate_v3);

	if (n < 0 || (n > 0 && !affinities)) {
		return KT_CU_INVALID_VALUE;
	}
	return n > 0 ? KT_CU_NOT_SUPPORTED : create(context, flags, device);
}

kt_cu_result cuCtxCreate_v4(kt_cu_context *context, const void *parameters, unsigned flags,
			    kt_cu_device device)
{
	KT_API(cuCtxCreate_v4);

	return parameters ? KT_CU_NOT_SUPPORTED : create(context, flags, device);
}

kt_cu_result cuCtxDestroy(kt_cu_context context)
{
	KT_API(cuCtxDestroy);
	struct kt_context *destroyed = (struct kt_context *)context;

	KT_TRY(kt_enter_driver());
	if (!destroyed) {
		return KT_CU_INVALID_VALUE;
	}
	if (!kt_context_is_alive(destroyed) || destroyed->primary) {
		return KT_CU_INVALID_CONTEXT;
	}
	/*
	 * If the thread's current context is destroyed, the context below it on the stack
	 * becomes current, as in NVIDIA's driver.
	 */
	if (kt_context_current().context == destroyed) {
		pop();
	}
	kt_context_destroy(destroyed);
	return KT_CU_OK;
}

kt_cu_result cuDevicePrimaryCtxRetain(kt_cu_context *context, kt_cu_device device)
{
	KT_API(cuDevicePrimaryCtxRetain);
	struct kt_context *primary = NULL;

	KT_TRY(kt_enter_driver());
	if (!context) {
		return KT_CU_INVALID_VALUE;
	}
	if (device != 0) {
		return KT_CU_INVALID_DEVICE;
	}
	KT_TRY(kt_context_retain_primary(&primary));
	*context = (kt_cu_context)primary;
	return KT_CU_OK;
}

kt_cu_result cuDevicePrimaryCtxRelease(kt_cu_device device)
{
	KT_API(cuDevicePrimaryCtxRelease);

	KT_TRY(kt_enter_driver());
	return device == 0 ? kt_context_release_primary() : KT_CU_INVALID_DEVICE;
}

kt_cu_result cuDevicePrimaryCtxSetFlags(kt_cu_device device, unsigned flags)
{
	KT_API(cuDevicePrimaryCtxSetFlags);

	KT_TRY(kt_enter_driver());
	if (device != 0) {
		return KT_CU_INVALID_DEVICE;
	}
	if (flags > MAX_CONTEXT_FLAGS) {
		return KT_CU_INVALID_VALUE;
	}
	kt_context_set_primary_blocking(blocks(flags));
	return KT_CU_OK;
}

/* --- current context of the thread --- */

kt_cu_result cuCtxSetCurrent(kt_cu_context context)
{
	KT_API(cuCtxSetCurrent);
	struct kt_context *next = (struct kt_context *)context;

	KT_TRY(kt_enter_driver());
	if (next && !kt_context_is_alive(next)) {
		return KT_CU_INVALID_CONTEXT;
	}
	if (next) {
		kt_context_make_current(next);
	} else {
		pop();
	}
	return KT_CU_OK;
}

kt_cu_result cuCtxGetCurrent(kt_cu_context *context)
{
	KT_API(cuCtxGetCurrent);

	KT_TRY(kt_enter_driver());
	if (!context) {
		return KT_CU_INVALID_VALUE;
	}
	*context = (kt_cu_context)kt_context_current().context;
	return KT_CU_OK;
}

kt_cu_result cuCtxPushCurrent(kt_cu_context context)
{
	KT_API(cuCtxPushCurrent);
	struct kt_context *next = (struct kt_context *)context;

	KT_TRY(kt_enter_driver());
	if (!next || !kt_context_is_alive(next)) {
		return KT_CU_INVALID_CONTEXT;
	}
	return push(next);
}

kt_cu_result cuCtxPopCurrent(kt_cu_context *context)
{
	KT_API(cuCtxPopCurrent);
	struct kt_context *current = kt_context_current().context;

	KT_TRY(kt_enter_driver());
	if (!current) {
		return KT_CU_INVALID_CONTEXT;
	}
	if (context) {
		*context = (kt_cu_context)current;
	}
	pop();
	return KT_CU_OK;
}

/* Like kt_enter, for `context`; NULL stands for the thread's current context. */
static int enter_either(struct kt_context **out, kt_cu_context context)
{
	if (!context) {
		return kt_enter(out);
	}
	*out = (struct kt_context *)context;
	KT_TRY(kt_enter_driver());
	return check(*out);
}

static int get_device(kt_cu_device *device, kt_cu_context context)
{
	struct kt_context *found;

	KT_TRY(enter_either(&found, context));
	if (!device) {
		return KT_CU_INVALID_VALUE;
	}
	*device = 0;
	return KT_CU_OK;
}

kt_cu_result cuCtxGetDevice(kt_cu_device *device)
{
	KT_API(cuCtxGetDevice);

	return get_device(device, NULL);
}

kt_cu_result cuCtxGetDevice_v2(kt_cu_device *device, kt_cu_context context)
{
	KT_API(cuCtxGetDevice_v2);

	return get_device(device, context);
}

static int synchronize(kt_cu_context context)
{
	struct kt_context *found;

	KT_TRY(enter_either(&found, context));
	KT_TRY(kt_capture_unsafe());
	return kt_wait_all(found);
}

kt_cu_result cuCtxSynchronize(void)
{
	KT_API(cuCtxSynchronize);

	return synchronize(NULL);
}

kt_cu_result cuCtxSynchronize_v2(kt_cu_context context)
{
	KT_API(cuCtxSynchronize_v2);

	return synchronize(context);
}

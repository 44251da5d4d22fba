/* SPDX-License-Identifier: MIT */
/*
 * libktail-cupti.so: reports the process's CUDA API calls to the recorder, which is
 * preloaded into the same process. When libcuda is initialized, it loads the library that
 * CUDA_INJECTION64_PATH names and calls InitializeInjection(). If the recorder or CUPTI is
 * missing, the library reports nothing and lets the program run: no failure here may affect
 * the program.
 *
 * The subscription stays until the process ends, because CUPTI may be unloaded before an
 * exit handler could unsubscribe. The recorder ignores calls that are reported after the
 * end of the process's word.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/api-injection.h"
#include "collect/cupti/cupti.h"
#include "decode/api-functions.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))
#define RUNTIME     "libcudart.so"

/* --- from CUPTI's callbacks to the recorder's events --- */

/*
 * Limit of nested calls. Usually at most two are open: a runtime function and the driver
 * function that it calls.
 */
#define DEEPEST 64

/* The thread's calls that have not returned, the outermost first. */
static _Thread_local struct {
	size_t depth;
	struct kt_api_call calls[DEEPEST];
} open;

/*
 * What is to be done with the calls of a function, by CUPTI's domain and number of the
 * function: found by name at the first call, because that takes longer than to count a
 * call.
 */
enum { UNKNOWN, TRACED, COUNTED, COUNTED_GIVES_KERNEL };
enum { DOMAINS = 3, FUNCTIONS = 4096 };

static unsigned char handling_of(const struct kt_record_api *api, uint32_t domain,
				 uint32_t id, const char *name)
{
	static _Atomic unsigned char known[DOMAINS][FUNCTIONS];
	unsigned char what = id < FUNCTIONS ? atomic_load(&known[domain][id]) : UNKNOWN;

	if (what == UNKNOWN) {
		const struct kt_api_function *function = kt_api_function_find(name);

		what = api->is_chosen(name, function)  ? TRACED
		       : kt_api_gives_kernel(function) ? COUNTED_GIVES_KERNEL
						       : COUNTED;
		if (id < FUNCTIONS) {
			atomic_store(&known[domain][id], what);
		}
	}
	return what;
}

/* Reports the kernel that a successful call has given the program. */
static void report_kernel(const struct kt_record_api *api, const struct kt_api_call *call,
			  const struct kt_cupti_data *data)
{
	const struct kt_api_function *function = kt_api_function_find(call->name);
	const int32_t *result = data->return_value;
	uint64_t arguments[KT_API_ARGUMENTS];
	size_t n;

	if (result && *result == 0) {
		n = kt_api_arguments_of_struct(arguments, function, data->function_params);
		api->kernel(call, function, arguments, n);
	}
}

/* A kt_cupti_callback; `context` is the recorder's const struct kt_record_api. */
static void on_call(void *context, uint32_t domain, uint32_t id, const void *argument)
{
	const struct kt_record_api *api = context;
	const struct kt_cupti_data *data = argument;
	const int32_t *result;
	uint64_t depth;
	uint64_t arguments[KT_API_ARGUMENTS];
	struct kt_api_call call;
	unsigned char handling;
	size_t n;

	if ((domain != KT_CUPTI_DRIVER && domain != KT_CUPTI_RUNTIME) ||
	    !data->function_name || !data->correlation_data) {
		return;
	}
	call = (struct kt_api_call){
		.api = domain == KT_CUPTI_DRIVER ? "driver" : "runtime",
		.name = data->function_name,
		.by = "cupti",
	};
	handling = handling_of(api, domain, id, call.name);
	if (data->site == KT_CUPTI_ENTER) {
		*data->correlation_data = 0;
		if (handling != TRACED) {
			api->counted();
			return;
		}
		if (open.depth == DEEPEST) {
			api->missed();
			return;
		}
		n = kt_api_arguments_of_struct(arguments, kt_api_function_find(call.name),
					       data->function_params);
		open.calls[open.depth++] = call;
		*data->correlation_data = open.depth;
		api->enter(&open.calls[open.depth - 1], arguments, n);
	} else if (data->site == KT_CUPTI_EXIT) {
		if (handling == COUNTED_GIVES_KERNEL) {
			report_kernel(api, &call, data);
		}
		/*
		 * Ignores a call that was entered before the subscription, such as cuInit:
		 * its correlation data are arbitrary. Drops open calls that are nested in
		 * the returning call: an exception or the cancellation of the thread has
		 * ended them without an exit.
		 */
		depth = *data->correlation_data;
		result = data->return_value;
		if (handling != TRACED || depth == 0 || depth > open.depth ||
		    strcmp(open.calls[depth - 1].name, data->function_name) != 0) {
			return;
		}
		open.depth = depth - 1;
		report_kernel(api, &open.calls[depth - 1], data);
		api->exit(&open.calls[depth - 1], result != NULL, result ? *result : 0);
	}
}

/* --- a subscription --- */

/* The result of the libcupti files tried so far. */
struct attempt {
	const struct kt_record_api *api;
	enum kt_cupti_state state;
	int code;
};

struct functions {
	kt_cupti_subscribe subscribe;
	kt_cupti_enable_domain enable_domain;
	kt_cupti_unsubscribe unsubscribe;
};

/* Subscribes to the calls of the driver API and the runtime API. Returns CUPTI's code. */
static int subscribe(const struct functions *cupti, const struct kt_record_api *api)
{
	void *subscriber = NULL;
	int code = cupti->subscribe(&subscriber, on_call, (void *)(uintptr_t)api);

	if (code != KT_CUPTI_SUCCESS) {
		return code;
	}
	code = cupti->enable_domain(1, subscriber, KT_CUPTI_RUNTIME);
	if (code == KT_CUPTI_SUCCESS) {
		code = cupti->enable_domain(1, subscriber, KT_CUPTI_DRIVER);
	}
	if (code != KT_CUPTI_SUCCESS) {
		cupti->unsubscribe(subscriber);
	}
	return code;
}

/*
 * Tries to subscribe with one libcupti; `file` is a path or a name for dlopen(). With
 * `loaded`, uses the library only if the process has loaded it already.
 *
 * Returns false if `file` could not be loaded or returned an error: another version may
 * succeed, so the next file is to be tried. Returns true after success, and also if another
 * tool has the subscription, since no version allows a second subscription.
 */
static bool try_file(struct attempt *attempt, const char *file, bool loaded)
{
	void *library = dlopen(file, RTLD_NOW | (loaded ? RTLD_NOLOAD : 0));
	struct functions cupti;
	void *symbol;

	if (!library) {
		return false;
	}
	symbol = dlsym(library, "cuptiSubscribe");
	memcpy(&cupti.subscribe, &symbol, sizeof(symbol));
	symbol = dlsym(library, "cuptiEnableDomain");
	memcpy(&cupti.enable_domain, &symbol, sizeof(symbol));
	symbol = dlsym(library, "cuptiUnsubscribe");
	memcpy(&cupti.unsubscribe, &symbol, sizeof(symbol));
	if (!cupti.subscribe || !cupti.enable_domain || !cupti.unsubscribe) {
		attempt->state = KT_CUPTI_REFUSED;
		return false;
	}
	attempt->code = subscribe(&cupti, attempt->api);
	if (attempt->code == KT_CUPTI_SUCCESS) {
		attempt->state = KT_CUPTI_ON;
	} else if (attempt->code == KT_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS) {
		attempt->state = KT_CUPTI_HELD;
	} else {
		attempt->state = KT_CUPTI_REFUSED;
	}
	return attempt->state != KT_CUPTI_REFUSED;
}

/* --- search for libcupti --- */

static const char *const names[] = {
	"libcupti.so.13",   "libcupti.so.12",   "libcupti.so.11.8", "libcupti.so.11.7",
	"libcupti.so.11.6", "libcupti.so.11.5", "libcupti.so.11.4", "libcupti.so.11.3",
	"libcupti.so.11.2", "libcupti.so.11.1", "libcupti.so.11.0", "libcupti.so",
};

static const char *const toolkit[] = {
	"/usr/local/cuda/extras/CUPTI/lib64",
	"/usr/local/cuda/lib64",
	"/usr/local/cuda/targets/x86_64-linux/lib",
};

/*
 * Folders that may hold libcupti, as paths from the folder of libcudart: this folder itself
 * (in a toolkit, or Python's nvidia/cu13/lib); extras/CUPTI of a toolkit, whose libcudart
 * may be in one of two folders; and Python's nvidia/cuda_cupti/lib, if libcudart is in
 * nvidia/cuda_runtime/lib.
 */
static const char *const beside_runtime[] = {
	"",
	"/../extras/CUPTI/lib64",
	"/../../../extras/CUPTI/lib64",
	"/../../cuda_cupti/lib",
};

static bool try_names(struct attempt *attempt, bool loaded)
{
	for (size_t i = 0; i < N_OF(names); i++) {
		if (try_file(attempt, names[i], loaded)) {
			return true;
		}
	}
	return false;
}

/*
 * Tries all names in one folder, whose path is the first `length` characters of `folder`,
 * followed by `below`.
 */
static bool try_folder(struct attempt *attempt, const char *folder, size_t length,
		       const char *below)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < N_OF(names); i++) {
		int n = snprintf(path, sizeof(path), "%.*s%s/%s", (int)length, folder,
				 below, names[i]);

		if (n > 0 && (size_t)n < sizeof(path) && try_file(attempt, path, false)) {
			return true;
		}
	}
	return false;
}

/* The folder of the libcudart that the process has loaded; length 0: none is loaded. */
struct runtime {
	char folder[PATH_MAX];
	size_t length;
};

/*
 * Callback of dl_iterate_phdr(). Only copies the folder and loads nothing, because
 * dl_iterate_phdr() holds the loader's lock during the callback.
 */
static int find_runtime(struct dl_phdr_info *info, size_t size, void *context)
{
	struct runtime *runtime = context;
	const char *slash = strrchr(info->dlpi_name, '/');

	(void)size;
	if (!slash || strncmp(slash + 1, RUNTIME, strlen(RUNTIME)) != 0 ||
	    (size_t)(slash - info->dlpi_name) >= sizeof(runtime->folder)) {
		return 0;
	}
	runtime->length = (size_t)(slash - info->dlpi_name);
	memcpy(runtime->folder, info->dlpi_name, runtime->length);
	return 1;
}

/*
 * If KTAIL_RECORD_CUPTI names a file, tries only that file. Otherwise tries in this order:
 * a library that the process has loaded; the folders near the loaded CUDA runtime, whose
 * version should match; the loader's search path; the CUDA toolkit's folders.
 */
static void find_cupti(struct attempt *attempt)
{
	const char *file = getenv(KT_CUPTI_VARIABLE);
	struct runtime runtime = {.length = 0};
	bool found;

	if (file && *file) {
		try_file(attempt, file, false);
		return;
	}
	found = try_names(attempt, true);
	if (!found) {
		dl_iterate_phdr(find_runtime, &runtime);
	}
	for (size_t i = 0; !found && runtime.length && i < N_OF(beside_runtime); i++) {
		found = try_folder(attempt, runtime.folder, runtime.length,
				   beside_runtime[i]);
	}
	found = found || try_names(attempt, false);
	for (size_t i = 0; !found && i < N_OF(toolkit); i++) {
		found = try_folder(attempt, toolkit[i], strlen(toolkit[i]), "");
	}
}

__attribute__((visibility("default"))) int InitializeInjection(void);

/* Always returns 1, success. */
__attribute__((visibility("default"))) int InitializeInjection(void)
{
	static bool begun;
	struct attempt attempt = {.state = KT_CUPTI_MISSING};
	void *symbol = dlsym(RTLD_DEFAULT, KT_RECORD_API_SYMBOL);
	const struct kt_record_api *(*get)(void);

	memcpy(&get, &symbol, sizeof(symbol));
	attempt.api = get ? get() : NULL;
	if (!attempt.api || __atomic_exchange_n(&begun, true, __ATOMIC_SEQ_CST)) {
		return 1;
	}
	attempt.api->report(KT_CUPTI_LOADED, 0);
	find_cupti(&attempt);
	attempt.api->report(attempt.state, attempt.code);
	return 1;
}

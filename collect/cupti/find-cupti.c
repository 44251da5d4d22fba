/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/cupti/find-cupti.h"

#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/api-injection.h"

#define RUNTIME "libcudart.so"

struct search {
	kt_cupti_visitor visit;
	void *context;
};

static const char *const names[] = {
	"libcupti.so.13",   "libcupti.so.12",   "libcupti.so.11.8", "libcupti.so.11.7",
	"libcupti.so.11.6", "libcupti.so.11.5", "libcupti.so.11.4", "libcupti.so.11.3",
	"libcupti.so.11.2", "libcupti.so.11.1", "libcupti.so.11.0", "libcupti.so",
};

#define N_NAMES (sizeof(names) / sizeof(names[0]))

static const char *const toolkit[] = {
	"/usr/local/cuda/extras/CUPTI/lib64",
	"/usr/local/cuda/lib64",
	"/usr/local/cuda/targets/x86_64-linux/lib",
};

/*
 * From the folder of libcudart: the toolkit's own and Python's nvidia/cu13/lib; the
 * toolkit's extras; Python's nvidia/cuda_runtime/lib.
 */
static const char *const beside_runtime[] = {
	"",
	"/../extras/CUPTI/lib64",
	"/../../../extras/CUPTI/lib64",
	"/../../cuda_cupti/lib",
};

static bool visit_names(const struct search *search, bool loaded)
{
	for (size_t i = 0; i < N_NAMES; i++) {
		if (search->visit(search->context, names[i], loaded)) {
			return true;
		}
	}
	return false;
}

/* In the first `length` characters of folder, then below. */
static bool visit_folder(const struct search *search, const char *folder, size_t length,
			 const char *below)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < N_NAMES; i++) {
		int n = snprintf(path, sizeof(path), "%.*s%s/%s", (int)length, folder,
				 below, names[i]);

		if (n > 0 && (size_t)n < sizeof(path) &&
		    search->visit(search->context, path, false)) {
			return true;
		}
	}
	return false;
}

/* The folder of the process's libcudart; *length 0: it has none. */
struct runtime {
	char folder[PATH_MAX];
	size_t length;
};

/* dl_iterate_phdr() holds the loader's lock: look only. */
static int look_for_runtime(struct dl_phdr_info *info, size_t size, void *context)
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

bool kt_cupti_find(kt_cupti_visitor visit, void *context)
{
	const struct search search = {.visit = visit, .context = context};
	const char *file = getenv(KT_CUPTI_VARIABLE);
	struct runtime runtime = {.length = 0};

	if (file && *file) {
		return visit(context, file, false);
	}
	if (visit_names(&search, true)) {
		return true;
	}
	dl_iterate_phdr(look_for_runtime, &runtime);
	for (size_t i = 0;
	     runtime.length && i < sizeof(beside_runtime) / sizeof(beside_runtime[0]);
	     i++) {
		if (visit_folder(&search, runtime.folder, runtime.length,
				 beside_runtime[i])) {
			return true;
		}
	}
	if (visit_names(&search, false)) {
		return true;
	}
	for (size_t i = 0; i < sizeof(toolkit) / sizeof(toolkit[0]); i++) {
		if (visit_folder(&search, toolkit[i], strlen(toolkit[i]), "")) {
			return true;
		}
	}
	return false;
}

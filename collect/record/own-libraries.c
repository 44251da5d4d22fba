/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/own-libraries.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/option-table.h"
#include "base/try.h"

int kt_own_library_find(char path[static PATH_MAX], const char *name, const char *what)
{
	static const char *const folders[] = {("../" KTAIL_LIBDIR "/ktail"),
					      ("../" KTAIL_LIBDIR), "../lib", "."};
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	if (strrchr(self, '/')) {
		*strrchr(self, '/') = '\0';
	}
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		char candidate[2 * PATH_MAX];

		snprintf(candidate, sizeof(candidate), "%s/%s/%s", self, folders[i], name);
		if (!realpath(candidate, path)) {
			continue;
		}
		if (strpbrk(path, " :;")) {
			return kt_error(KT_E_IO,
					"%s %s: the dynamic loader does not accept a path "
					"with a space, colon or semicolon",
					what, path);
		}
		return KT_OK;
	}
	return kt_error(KT_E_IO, "%s %s: it is not in %s/../lib", what, name, self);
}

void kt_own_library_put_first(const char *variable, const char *path)
{
	const char *others = getenv(variable);
	size_t length = strlen(path);
	char *list;

	if (!others || !others[0]) {
		setenv(variable, path, 1);
		return;
	}
	if (strncmp(others, path, length) == 0 &&
	    (others[length] == ':' || others[length] == '\0')) {
		return;
	}
	if (asprintf(&list, "%s:%s", path, others) > 0) {
		setenv(variable, list, 1);
		free(list);
	} else {
		setenv(variable, path, 1);
	}
}

/* --- the software GPU --- */

#define FOLDER "ktail-softgpu"
#define KMD    "libktail-softgpu.so"
#define DRIVER "libcuda.so.1"

int kt_softgpu_find(struct kt_softgpu *softgpu)
{
	static const char *const drivers[] = {KT_SOFTGPU_DRIVERS, NULL};
	static const char *const transfers[] = {KT_SOFTGPU_TRANSFERS, NULL};
	static const char what[] = "find the software GPU";
	const char *driver = getenv(KT_SOFTGPU_DRIVER_VARIABLE);
	const char *transfer = getenv(KT_SOFTGPU_TRANSFER_VARIABLE);
	char library[PATH_MAX];

	/*
	 * Options take precedence over the environment, and the environment over the
	 * defaults.
	 */
	if (!softgpu->driver) {
		KT_TRY(kt_parse_choice(&softgpu->driver, driver && driver[0] ? driver : "2",
				       drivers, KT_SOFTGPU_DRIVER_VARIABLE));
	}
	if (!softgpu->transfer) {
		KT_TRY(kt_parse_choice(&softgpu->transfer,
				       transfer && transfer[0] ? transfer : "dma",
				       transfers, KT_SOFTGPU_TRANSFER_VARIABLE));
	}
	KT_TRY(kt_own_library_find(softgpu->kmd, FOLDER "/" KMD, what));
	KT_TRY(kt_own_library_find(library, FOLDER "/" DRIVER, what));
	snprintf(softgpu->folder, sizeof(softgpu->folder), "%s", softgpu->kmd);
	*strrchr(softgpu->folder, '/') = '\0';
	return KT_OK;
}

void kt_softgpu_set_environment(const struct kt_softgpu *softgpu)
{
	if (!softgpu->hardware) {
		kt_own_library_put_first("LD_PRELOAD", softgpu->kmd);
	}
	kt_own_library_put_first("LD_LIBRARY_PATH", softgpu->folder);
	setenv(KT_SOFTGPU_DRIVER_VARIABLE, softgpu->driver, 1);
	setenv(KT_SOFTGPU_TRANSFER_VARIABLE, softgpu->transfer, 1);
}

int kt_softgpu_mark(const struct kt_softgpu *softgpu, const char *folder)
{
	char path[PATH_MAX + 16];
	FILE *file;
	bool wrong;
	int fd;

	snprintf(path, sizeof(path), "%s/softgpu.json", folder);
	/* Mode 0600, because only the user who records may read a trace. */
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file) {
		int code = kt_error_errno(KT_E_IO, "write %s", path);

		if (fd >= 0) {
			close(fd);
		}
		return code;
	}
	wrong = fprintf(file,
			"{\"gpu\": \"software\", \"driver_version\": %s, "
			"\"transfer\": \"%s\"}\n",
			softgpu->driver, softgpu->transfer) < 0;
	wrong = fclose(file) != 0 || wrong;
	return wrong ? kt_error_errno(KT_E_IO, "write %s", path) : KT_OK;
}

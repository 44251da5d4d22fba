/* SPDX-License-Identifier: MIT */
#include "collect/record/softgpu.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktail/status.h>

#include "collect/record/own-libraries.h"

#define FOLDER "ktail-softgpu"
#define FACE   "libktail-softgpu.so"
#define DRIVER "libcuda.so.1"

/* `choices` ends with NULL; `named` is how a message names them. */
static int choose(const char **slot, const char *value, const char *const choices[],
		  const char *what, const char *named)
{
	for (size_t i = 0; choices[i]; i++) {
		if (strcmp(value, choices[i]) == 0) {
			*slot = choices[i];
			return KT_OK;
		}
	}
	return kt_error(KT_E_USAGE, "parse options: %s must be %s, not '%s'", what, named,
			value);
}

int kt_softgpu_set_driver(struct kt_softgpu *softgpu, const char *value, const char *option)
{
	static const char *const versions[] = {"1", "2", NULL};

	return choose(&softgpu->driver, value, versions, option, "1 or 2");
}

int kt_softgpu_set_transfer(struct kt_softgpu *softgpu, const char *value,
			    const char *option)
{
	static const char *const methods[] = {"dma",    "mapped", "window",
					      "chunk1", "chunk4", NULL};

	return choose(&softgpu->transfer, value, methods, option,
		      "dma, mapped, window, chunk1 or chunk4");
}

/* Options, else the environment, else what the driver does by itself. */
static int settle(struct kt_softgpu *softgpu)
{
	const char *driver = getenv(KT_SOFTGPU_DRIVER_VARIABLE);
	const char *transfer = getenv(KT_SOFTGPU_TRANSFER_VARIABLE);
	int code = KT_OK;

	if (!softgpu->driver) {
		code = kt_softgpu_set_driver(softgpu, driver && driver[0] ? driver : "2",
					     KT_SOFTGPU_DRIVER_VARIABLE);
	}
	if (code == KT_OK && !softgpu->transfer) {
		code = kt_softgpu_set_transfer(softgpu,
					       transfer && transfer[0] ? transfer : "dma",
					       KT_SOFTGPU_TRANSFER_VARIABLE);
	}
	return code;
}

int kt_softgpu_find(struct kt_softgpu *softgpu)
{
	static const char what[] = "find the software GPU";
	char driver[PATH_MAX];
	int code = settle(softgpu);

	code = code ? code : kt_own_library_find(softgpu->face, FOLDER "/" FACE, what);
	code = code ? code : kt_own_library_find(driver, FOLDER "/" DRIVER, what);
	if (code == KT_OK) {
		snprintf(softgpu->folder, sizeof(softgpu->folder), "%s", softgpu->face);
		*strrchr(softgpu->folder, '/') = '\0';
	}
	return code;
}

void kt_softgpu_set_environment(const struct kt_softgpu *softgpu)
{
	kt_own_library_put_first("LD_PRELOAD", softgpu->face);
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
	/* Only the recording's user may read a trace. */
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

/* SPDX-License-Identifier: MIT */
#include "collect/record/softgpu.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/option-table.h"
#include "base/try.h"
#include "collect/record/own-libraries.h"

#define FOLDER "ktail-softgpu"
#define FACE   "libktail-softgpu.so"
#define DRIVER "libcuda.so.1"

int kt_softgpu_find(struct kt_softgpu *softgpu)
{
	static const char *const drivers[] = {KT_SOFTGPU_DRIVERS, NULL};
	static const char *const transfers[] = {KT_SOFTGPU_TRANSFERS, NULL};
	static const char what[] = "find the software GPU";
	const char *driver = getenv(KT_SOFTGPU_DRIVER_VARIABLE);
	const char *transfer = getenv(KT_SOFTGPU_TRANSFER_VARIABLE);
	char library[PATH_MAX];

	/* Options, else the environment, else what the driver does by itself. */
	if (!softgpu->driver) {
		KT_TRY(kt_parse_choice(&softgpu->driver, driver && driver[0] ? driver : "2",
				       drivers, KT_SOFTGPU_DRIVER_VARIABLE));
	}
	if (!softgpu->transfer) {
		KT_TRY(kt_parse_choice(&softgpu->transfer,
				       transfer && transfer[0] ? transfer : "dma",
				       transfers, KT_SOFTGPU_TRANSFER_VARIABLE));
	}
	KT_TRY(kt_own_library_find(softgpu->face, FOLDER "/" FACE, what));
	KT_TRY(kt_own_library_find(library, FOLDER "/" DRIVER, what));
	snprintf(softgpu->folder, sizeof(softgpu->folder), "%s", softgpu->face);
	*strrchr(softgpu->folder, '/') = '\0';
	return KT_OK;
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

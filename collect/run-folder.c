/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/run-folder.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktail/status.h>

#include "collect/trace-folder.h"

#define TEMPLATE "/ktail-record-XXXXXX"

/*
 * Root's programs may take another user's rights (a server, setpriv), and must reach the
 * counters and the daemon all the same: there the name's randomness keeps others out.
 */
static mode_t folder_mode(void)
{
	return geteuid() == 0 ? 0711 : 0700;
}

static int make_folder(struct kt_run_folder *folder)
{
	const char *parent = getenv("TMPDIR");

	if (!parent || parent[0] != '/' ||
	    strlen(parent) + sizeof(TEMPLATE) > sizeof(folder->path)) {
		parent = "/tmp";
	}
	snprintf(folder->path, sizeof(folder->path), "%.55s" TEMPLATE, parent);
	if (!mkdtemp(folder->path)) {
		int code = kt_error_errno(KT_E_IO, "make folder %s", folder->path);

		folder->path[0] = '\0';
		return code;
	}
	if (chmod(folder->path, folder_mode()) != 0) {
		return kt_error_errno(KT_E_IO, "make folder %s", folder->path);
	}
	return KT_OK;
}

static int make_counters(const char *path, struct kt_counters **out)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	void *page;

	if (fd < 0) {
		return kt_error_errno(KT_E_IO, "make counters %s", path);
	}
	if (ftruncate(fd, sizeof(**out)) != 0 || fchmod(fd, 0666) != 0) {
		close(fd);
		return kt_error_errno(KT_E_IO, "make counters %s", path);
	}
	page = mmap(NULL, sizeof(**out), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (page == MAP_FAILED) {
		return kt_error_errno(KT_E_IO, "map counters %s", path);
	}
	*out = page;
	return KT_OK;
}

int kt_run_folder_make(struct kt_run_folder *folder, struct kt_counters **counters)
{
	int code = make_folder(folder);

	if (code) {
		kt_run_folder_remove(folder);
		return code;
	}
	snprintf(folder->counters, sizeof(folder->counters), "%s/counters", folder->path);
	code = make_counters(folder->counters, counters);
	if (code) {
		kt_run_folder_remove(folder);
	}
	return code;
}

void kt_run_folder_remove(const struct kt_run_folder *folder)
{
	if (folder->path[0]) {
		kt_trace_folder_discard(folder->path, true);
	}
}

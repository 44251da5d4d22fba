/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/run-folder.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/acl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/try.h"
#include "collect/record/trace-folder.h"

#define TEMPLATE     "/ktail-record-XXXXXX"
#define ROOTS_FOLDER "/run/ktail"
#define ENTRY_SIZE   32 /* "u:4294967295:--x," */

/*
 * Whether only the user, and root, can make files in that folder. When a recording has
 * ended, its folder's name is still in the environment of processes that live on: nobody
 * else may be able to make it again and have them connect to it.
 */
static bool is_private(const char *folder, bool for_others)
{
	char path[PATH_MAX];
	size_t n;

	if (!realpath(folder, path)) {
		return false;
	}
	n = strlen(path);
	for (size_t i = 1; i <= n; i++) {
		char next = path[i];
		bool is_shared;
		struct stat st;

		if (next != '/' && next != '\0') {
			continue;
		}
		path[i] = '\0';
		/* Nobody but the user and root may rename it, or put another in its place;
		 * and all can pass through it, where others are to be let in. */
		if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode) ||
		    (st.st_uid != 0 && st.st_uid != geteuid()) ||
		    (for_others && !(st.st_mode & S_IXOTH))) {
			return false;
		}
		is_shared = st.st_mode & (S_IWGRP | S_IWOTH);
		if (is_shared && (next == '\0' || !(st.st_mode & S_ISVTX))) {
			return false;
		}
		path[i] = next;
	}
	return true;
}

/*
 * The first of these that will do: those of the environment, then those that stay, which
 * are made. The last one is kept in `own`. KT_E_IO if none will do.
 */
static int choose_parent(const char **out, char *own, size_t size, bool for_others)
{
	const struct {
		const char *path;
		mode_t mode; /* 0: it is not made */
	} choices[] = {
		{getenv("TMPDIR"), 0},
		{getenv("XDG_RUNTIME_DIR"), 0},
		{geteuid() == 0 ? ROOTS_FOLDER : NULL, 0755},
		{own, 0711}, /* nothing in it is open to others but by --also-user */
	};

	snprintf(own, size, "/tmp/ktail-%lu", (unsigned long)geteuid());
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		*out = choices[i].path;
		if (*out && choices[i].mode) {
			/* Whatever the umask. One that is there is left as it is. */
			if (mkdir(*out, 0700) == 0) {
				chmod(*out, choices[i].mode);
			}
		}
		if (*out && (*out)[0] == '/' &&
		    strlen(*out) + sizeof(TEMPLATE) <= KT_RUN_FOLDER_SIZE &&
		    is_private(*out, for_others) && access(*out, W_OK | X_OK) == 0) {
			return KT_OK;
		}
	}
	return kt_error(
		KT_E_IO,
		"make a folder for the recording: %s is not this user's alone%s; set "
		"TMPDIR to a folder that nobody else can write to%s",
		own, for_others ? ", or is closed to --also-user" : "",
		for_others ? ", and that all can enter" : "");
}

/* The users may pass through, to what they know the name of; they cannot list it. */
static int let_in(const char *path, const uid_t *users, size_t n_users)
{
	char *text = calloc(n_users + 3, ENTRY_SIZE);
	char *end = text;
	acl_t acl;
	int code = KT_OK;

	if (!text) {
		return kt_error(KT_E_MEMORY, "open folder %s: out of memory", path);
	}
	end += sprintf(end, "u::rwx,g::---,o::---,m::--x");
	for (size_t i = 0; i < n_users; i++) {
		end += sprintf(end, ",u:%lu:--x", (unsigned long)users[i]);
	}
	acl = acl_from_text(text);
	if (!acl || acl_set_file(path, ACL_TYPE_ACCESS, acl) != 0) {
		code = kt_error_errno(KT_E_IO, "open folder %s to --also-user", path);
	}
	acl_free(acl);
	free(text);
	return code;
}

int kt_run_folder_make(struct kt_run_folder *folder, const uid_t *users, size_t n_users,
		       struct kt_counters **counters)
{
	unsigned char bytes[KT_KEY_SIZE / 2];
	char own[KT_RUN_FOLDER_SIZE];
	void *page = MAP_FAILED;
	const char *parent;
	int code;
	int fd;

	KT_TRY(choose_parent(&parent, own, sizeof(own), n_users > 0));
	snprintf(folder->path, sizeof(folder->path), "%.55s" TEMPLATE, parent);
	if (!mkdtemp(folder->path)) { /* 0700 */
		code = kt_error_errno(KT_E_IO, "make folder %s", folder->path);
		folder->path[0] = '\0';
		return code;
	}
	if (n_users) {
		KT_TRY_END(let_in(folder->path, users, n_users));
	}
	snprintf(folder->socket, sizeof(folder->socket), "%s/processes", folder->path);
	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
		KT_TRY_END(kt_error_errno(KT_E_IO, "make a key"));
	}
	for (size_t i = 0; i < sizeof(bytes); i++) {
		sprintf(folder->key + 2 * i, "%02x", bytes[i]);
	}
	fd = memfd_create("ktail-counters", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd >= 0 && ftruncate(fd, sizeof(**counters)) == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
		page = mmap(NULL, sizeof(**counters), PROT_READ | PROT_WRITE, MAP_SHARED,
			    fd, 0);
	}
	if (page == MAP_FAILED) {
		code = kt_error_errno(KT_E_IO, "make counters");
		if (fd >= 0) {
			close(fd);
		}
		goto end;
	}
	folder->counters = fd;
	*counters = page;
	code = KT_OK;
end:
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

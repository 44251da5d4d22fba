/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/folders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/acl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/output-target.h"
#include "base/try.h"

#define CTF_MAGIC     0x75d11d57 /* start of a metadata packet (CTF 1.8, 7.1) */
#define MOST_DEFAULTS 10000
#define REPLACED      "/.replaced" /* keeps the old trace until the recording has begun */

static bool is_metadata(const char *path)
{
	uint32_t magic = 0;
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool is_read = fd >= 0 && read(fd, &magic, sizeof(magic)) == sizeof(magic);

	if (fd >= 0) {
		close(fd);
	}
	return is_read && magic == CTF_MAGIC;
}

/*
 * Returns whether the entry belongs to this user and has a name and type that a recording
 * creates in the folder of its trace. Names of event files begin with the name of the LTTng
 * channel (CHANNEL in session.c).
 */
static bool is_of_trace(const FTSENT *entry)
{
	const char *name = entry->fts_name;
	bool is_folder = entry->fts_info == FTS_D || entry->fts_info == FTS_DP;

	if ((!is_folder && entry->fts_info != FTS_F) ||
	    entry->fts_statp->st_uid != geteuid()) {
		return false;
	}
	if (entry->fts_level == 1) {
		return strcmp(name, is_folder ? "ust" : "softgpu.json") == 0 ||
		       (is_folder && strcmp(name, "kernel") == 0);
	}
	return is_folder || strcmp(name, "metadata") == 0 ||
	       strncmp(name, "gpu_stack_", strlen("gpu_stack_")) == 0;
}

/* Returns KT_E_USAGE unless the folder contains a trace of this user and nothing else. */
static int check_is_trace(char *absolute)
{
	char *const roots[] = {absolute, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	bool has_metadata = false;
	int code = KT_OK;
	FTSENT *entry;

	if (!walk) {
		return kt_error_errno(KT_E_IO, "--force");
	}
	while ((entry = fts_read(walk))) {
		if (!is_of_trace(entry)) {
			code = kt_error(KT_E_USAGE,
					"--force replaces only this user's LTTng traces, "
					"and %s is not part of one",
					entry->fts_path);
			goto end;
		}
		has_metadata |= entry->fts_info == FTS_F &&
				strcmp(entry->fts_name, "metadata") == 0 &&
				is_metadata(entry->fts_path);
	}
	if (!has_metadata) {
		code = kt_error(KT_E_USAGE,
				"--force replaces only LTTng traces, and this is not one");
	}
end:
	fts_close(walk);
	return code;
}

static bool is_empty(DIR *dir)
{
	int entries = 0;

	rewinddir(dir);
	while (entries <= 2 && readdir(dir)) {
		entries++;
	}
	return entries <= 2;
}

/* --- replacing a trace --- */

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (kind != FTW_DP) {
		unlink(path);
	} else {
		rmdir(path);
	}
	return 0;
}

/* Removes a file or a folder with its contents. */
static void remove_all(const char *path)
{
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Entries at the top of the folder of a trace; is_of_trace() accepts no others there. */
static const char *const parts[] = {"ust", "kernel", "softgpu.json"};

/* Moves those parts of a trace that exist. On KT_E_IO, errno is the reason. */
static int move_parts(const char *from, const char *to)
{
	char old[PATH_MAX];
	char new[PATH_MAX];

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if ((size_t)snprintf(old, sizeof(old), "%s/%s", from, parts[i]) >=
			    sizeof(old) ||
		    (size_t)snprintf(new, sizeof(new), "%s/%s", to, parts[i]) >=
			    sizeof(new)) {
			errno = ENAMETOOLONG;
			return KT_E_IO;
		}
		if (rename(old, new) != 0 && errno != ENOENT) {
			return KT_E_IO;
		}
	}
	return KT_OK;
}

static bool find_replaced(char out[PATH_MAX], const struct kt_trace_folder *folder)
{
	return (size_t)snprintf(out, PATH_MAX, "%s" REPLACED, folder->absolute) < PATH_MAX;
}

static void restore(struct kt_trace_folder *folder)
{
	char replaced[PATH_MAX];

	if (find_replaced(replaced, folder)) {
		move_parts(replaced, folder->absolute);
		rmdir(replaced);
	}
	folder->replaces = false;
}

/*
 * Moves the old trace to a subfolder, so that the old trace is not lost if the new
 * recording cannot begin.
 */
static int keep_replaced(struct kt_trace_folder *folder)
{
	char replaced[PATH_MAX];

	if (!find_replaced(replaced, folder) || mkdir(replaced, 0700) != 0) {
		return kt_error(KT_E_IO, "the trace in it cannot be replaced: %s",
				strerror(errno));
	}
	if (move_parts(folder->absolute, replaced) != KT_OK) {
		int error = errno;

		restore(folder);
		return kt_error(KT_E_IO, "the trace in it cannot be replaced: %s",
				strerror(error));
	}
	folder->replaces = true;
	return KT_OK;
}

void kt_trace_folder_replace(struct kt_trace_folder *folder)
{
	char replaced[PATH_MAX];

	if (folder->replaces && find_replaced(replaced, folder)) {
		remove_all(replaced);
	}
	folder->replaces = false;
}

void kt_trace_folder_discard(struct kt_trace_folder *folder)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder->absolute,
				     parts[i]) < sizeof(path)) {
			remove_all(path);
		}
	}
	if (folder->replaces) {
		restore(folder);
	} else if (folder->created) {
		remove_all(folder->absolute);
	}
}

/* --- claiming the folder --- */

/* Messages do not name the folder, because the caller prepends the name. */
static int claim(struct kt_trace_folder *folder, bool force)
{
	int code = KT_OK;
	int fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : opendir(folder->path);
	struct stat st;

	if (!dir || fstat(fd, &st) != 0 || !realpath(folder->path, folder->absolute)) {
		code = kt_error(KT_E_IO, "%s", strerror(errno));
		goto end;
	}
	/*
	 * Repeats the check of make_named(), because another user may have created the
	 * folder since then.
	 */
	if (!folder->created && kt_output_target_is_planted(folder->absolute, st.st_uid)) {
		code = kt_error(KT_E_IO, "it belongs to another user");
		goto end;
	}
	/*
	 * Takes a lock, because two recordings that start at once would both find the
	 * folder empty. Errors other than EWOULDBLOCK are ignored, because some file
	 * systems have no locks.
	 */
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		code = kt_error(KT_E_USAGE, "another recording uses it");
		goto end;
	}
	if (!is_empty(dir)) {
		if (!force) {
			code = kt_error(KT_E_USAGE,
					"it is not empty; choose another, or --force");
			goto end;
		}
		KT_TRY_END(check_is_trace(folder->absolute));
		KT_TRY_END(keep_replaced(folder));
	}
	folder->lock = fd;
	folder->claimed = true;
	fd = -1;
end:
	if (dir) {
		closedir(dir);
	}
	if (fd >= 0) {
		close(fd);
	}
	return code;
}

static int make_default(struct kt_trace_folder *folder)
{
	for (unsigned n = 0; n < MOST_DEFAULTS; n++) {
		snprintf(folder->path, sizeof(folder->path),
			 n ? KT_TRACE_FOLDER_DEFAULT ".%u" : KT_TRACE_FOLDER_DEFAULT, n);
		folder->created = mkdir(folder->path, 0700) == 0;
		if (folder->created) {
			return KT_OK;
		}
		if (errno != EEXIST) {
			break;
		}
	}
	return kt_error(KT_E_IO, "%s", strerror(errno));
}

static int make_named(struct kt_trace_folder *folder, const char *path)
{
	struct kt_output_target output = {0};
	int code = kt_output_target_find(&output, path);
	struct stat st;

	snprintf(folder->path, sizeof(folder->path), "%s", path);
	/*
	 * Refuses a folder of another user within a sticky folder such as /tmp, because
	 * that user could replace the contents.
	 */
	if (!code && output.kind == KT_TARGET_FOLDER && stat(output.path, &st) == 0 &&
	    kt_output_target_is_planted(output.path, st.st_uid)) {
		code = kt_error(
			KT_E_IO,
			"it belongs to another user (uid %u), in a sticky folder that "
			"others may write to",
			(unsigned)st.st_uid);
	}
	free(output.path);
	if (code) {
		return KT_E_IO;
	}
	folder->created = mkdir(path, 0700) == 0;
	return folder->created || errno == EEXIST
		       ? KT_OK
		       : kt_error(KT_E_IO, "%s", strerror(errno));
}

int kt_trace_folder_prepare(struct kt_trace_folder *folder, const char *path, bool force)
{
	int code = path || force ? make_named(folder, path ? path : KT_TRACE_FOLDER_DEFAULT)
				 : make_default(folder);

	if (!code) {
		code = claim(folder, force);
		if (code == KT_E_IO && folder->created) {
			/*
			 * With KT_E_USAGE the folder must stay, because another recording
			 * has claimed it since mkdir().
			 */
			rmdir(folder->path);
		}
	}
	return code ? kt_error_prepend(code, "create trace folder %s", folder->path)
		    : KT_OK;
}

int kt_trace_folder_check_space(const char *absolute)
{
	struct statvfs fs;

	if (statvfs(absolute, &fs) == 0 && fs.f_bavail == 0) {
		return kt_error(
			KT_E_IO,
			"write trace %s: the file system is full: the last events are "
			"missing",
			absolute);
	}
	return KT_OK;
}

/* --- access --- */

static int narrow_all(int folder);

/*
 * Removes the access of group and others to an entry and its contents; returns whether that
 * failed. Skips entries of other users, links, and files with several names, which LTTng
 * does not create.
 */
static int narrow(int folder, const char *name)
{
	int fd = openat(folder, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int failed = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0) {
		failed = fd >= 0 || (errno != ELOOP && errno != ENOENT);
	} else if (st.st_uid == geteuid() && S_ISDIR(st.st_mode)) {
		failed = fchmod(fd, st.st_mode & 0700) != 0;
		return narrow_all(fd) || failed; /* fd is closed by narrow_all() */
	} else if (st.st_uid == geteuid() && S_ISREG(st.st_mode) && st.st_nlink == 1) {
		failed = fchmod(fd, st.st_mode & 0600) != 0;
	}
	if (fd >= 0) {
		close(fd);
	}
	return failed;
}

/*
 * Calls narrow() for all entries of `folder`, even after a failure. Returns whether any
 * call failed. Closes `folder`.
 */
static int narrow_all(int folder)
{
	DIR *dir = fdopendir(folder);
	const struct dirent *entry;
	int failed = 0;

	if (!dir) {
		close(folder);
		return 1;
	}
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
			failed |= narrow(folder, entry->d_name);
		}
	}
	closedir(dir);
	return failed;
}

int kt_trace_folder_close(const char *absolute)
{
	int folder = open(absolute, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (folder < 0 || narrow_all(folder)) {
		return kt_error(KT_E_IO,
				"close trace %s: the modes of some of its files cannot be "
				"changed: the user's group can read them",
				absolute);
	}
	return KT_OK;
}

/* --- the private resources of a recording --- */

#define TEMPLATE     "/ktail-record-XXXXXX"
#define ROOTS_FOLDER "/run/ktail"
#define ENTRY_SIZE   32 /* at least strlen("u:4294967295:--x,") */

/*
 * Returns whether only the user and root can create entries in `folder` and, with
 * `for_others`, all users can pass through it. Processes that outlive a recording still try
 * to connect to the path of its run folder. If other users could create entries in
 * `folder`, they could create a run folder of the same name there and receive these
 * connections.
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
		/*
		 * Checks each folder of the path. Only the user and root may have the right
		 * to rename or replace the folder; with `for_others`, other users must be
		 * able to pass through it.
		 */
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
 * Writes the first suitable parent folder to *out: one from the environment, or else a
 * permanent one, which is created if it does not exist. Writes the name of the last
 * candidate to own[]. KT_E_IO if no candidate is suitable.
 */
static int choose_parent(const char **out, char *own, size_t size, bool for_others)
{
	const struct {
		const char *path;
		mode_t mode; /* of a created folder; 0: the folder is not created */
	} choices[] = {
		{getenv("TMPDIR"), 0},
		{getenv("XDG_RUNTIME_DIR"), 0},
		{geteuid() == 0 ? ROOTS_FOLDER : NULL, 0755},
		{own, 0711}, /* others can pass through, but not list it */
	};

	snprintf(own, size, "/tmp/ktail-%lu", (unsigned long)geteuid());
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		*out = choices[i].path;
		if (*out && choices[i].mode) {
			/*
			 * chmod() sets the mode regardless of the umask. If mkdir() fails
			 * because the folder exists, the mode is not changed.
			 */
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
		"create a folder for the recording: %s is not private to this user%s; set "
		"TMPDIR to a folder that only this user can write to%s",
		own, for_others ? ", or is closed to --also-user" : "",
		for_others ? " and all users can enter" : "");
}

/* Lets the given users access entries of the folder by name, but not list the folder. */
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
	if (!mkdtemp(folder->path)) { /* mode 0700 */
		code = kt_error_errno(KT_E_IO, "create folder %s", folder->path);
		folder->path[0] = '\0';
		return code;
	}
	if (n_users) {
		KT_TRY_END(let_in(folder->path, users, n_users));
	}
	snprintf(folder->socket, sizeof(folder->socket), "%s/processes", folder->path);
	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
		KT_TRY_END(kt_error_errno(KT_E_IO, "create a key"));
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
		code = kt_error_errno(KT_E_IO, "create counters");
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
		remove_all(folder->path);
	}
}

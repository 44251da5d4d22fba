/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/files/inputs.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/try.h"

#define MOST_BYTES (INT64_C(16) << 30)
#define BLOCK      ((size_t)1 << 16)

static bool ends_in(const char *text, const char *ending)
{
	size_t n = strlen(text);
	size_t m = strlen(ending);

	return n > m && strcmp(text + n - m, ending) == 0;
}

static int add_path(struct kt_inputs *inputs, const char *path)
{
	KT_TRY(kt_array_reserve(&inputs->paths, &inputs->capacity, inputs->n + 1));
	inputs->paths[inputs->n] = strdup(path);
	if (!inputs->paths[inputs->n]) {
		return kt_no_memory("read inputs");
	}
	inputs->n++;
	return KT_OK;
}

/* --- temporary files --- */

/*
 * Creates a folder or a file, and registers it for removal if a signal ends the program. A
 * folder that exists is not an error. *fd is -1 for a folder.
 */
static int create(const char *path, bool is_folder, int *fd)
{
	sigset_t before;
	int code = KT_OK;

	*fd = -1;
	kt_cleanup_hold(&before);
	if (is_folder ? mkdir(path, 0700) != 0 && errno != EEXIST
		      : (*fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) <
				0) {
		code = kt_error_errno(KT_E_IO, "write %s", path);
	} else {
		code = kt_cleanup_add(path);
	}
	kt_cleanup_release(&before);
	return code;
}

/* Creates the temporary folder of all inputs, unless it exists. */
static int create_folder(struct kt_inputs *inputs)
{
	const char *parent = getenv("TMPDIR");
	sigset_t before;
	int code = KT_OK;

	if (inputs->folder) {
		return KT_OK;
	}
	if (asprintf(&inputs->folder, "%s/ktail-input-XXXXXX",
		     parent && parent[0] ? parent : "/tmp") < 0) {
		inputs->folder = NULL;
		return kt_no_memory("read inputs");
	}
	kt_cleanup_hold(&before);
	if (mkdtemp(inputs->folder)) {
		code = kt_cleanup_add(inputs->folder);
	} else {
		code = kt_error_errno(KT_E_IO, "create %s", inputs->folder);
		free(inputs->folder);
		inputs->folder = NULL;
	}
	kt_cleanup_release(&before);
	return code;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	kt_cleanup_forget(path);
	return 0;
}

void kt_inputs_free(struct kt_inputs *inputs)
{
	for (size_t i = 0; i < inputs->n; i++) {
		free(inputs->paths[i]);
	}
	free(inputs->paths);
	if (inputs->folder) {
		nftw(inputs->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
		free(inputs->folder);
	}
	*inputs = (struct kt_inputs){.n = 0};
}

/* --- unpacking --- */

static int fail(struct archive *archive, const char *path)
{
	const char *why = archive_error_string(archive);

	return kt_error(KT_E_MALFORMED, "unpack %s: %s", path, why ? why : "damaged");
}

/*
 * Copies the data of the current entry to fd. *left is the number of bytes that may still
 * be unpacked from this archive.
 */
static int copy_data(struct archive *archive, int fd, int64_t *left, const char *path)
{
	static char block[BLOCK];
	la_ssize_t n;

	while ((n = archive_read_data(archive, block, sizeof(block))) > 0) {
		*left -= n;
		if (*left < 0) {
			return kt_error(KT_E_MALFORMED,
					"unpack %s: it has more than 16 GiB of data", path);
		}
		for (la_ssize_t done = 0; done < n;) {
			ssize_t written = write(fd, block + done, (size_t)(n - done));

			if (written < 0 && errno != EINTR) {
				return kt_error_errno(KT_E_IO, "unpack %s", path);
			}
			done += written > 0 ? written : 0;
		}
	}
	return n < 0 ? fail(archive, path) : KT_OK;
}

/* Returns whether a path is relative and cannot leave the folder that it starts from. */
static bool is_below(const char *name)
{
	if (!name || !name[0] || name[0] == '/') {
		return false;
	}
	for (const char *part = name; part; part = strchr(part, '/')) {
		part += *part == '/';
		if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) {
			return false;
		}
	}
	return true;
}

/*
 * Creates the file or folder `name` of an archive below `folder`, with all folders on its
 * path.
 */
static int create_entry(char **out, const char *folder, const char *name, bool is_folder,
			int *fd)
{
	int code = KT_OK;
	int none;

	if (asprintf(out, "%s/%s", folder, name) < 0) {
		*out = NULL;
		return kt_no_memory("unpack archive");
	}
	for (char *slash = strchr(*out + strlen(folder) + 1, '/'); slash && !code;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		code = create(*out, true, &none);
		*slash = '/';
	}
	KT_TRY(code);
	return (*out)[strlen(*out) - 1] == '/' ? KT_OK : create(*out, is_folder, fd);
}

static int unpack_entry(struct archive *archive, struct archive_entry *entry,
			const char *folder, int64_t *left, const char *path)
{
	const char *name = archive_entry_pathname(entry);
	const bool is_folder = archive_entry_filetype(entry) == AE_IFDIR;
	char *to = NULL;
	int fd = -1;
	int code;

	if (!is_folder && archive_entry_filetype(entry) != AE_IFREG) {
		return KT_OK; /* skip links and devices: traces and words contain none */
	}
	if (!is_below(name)) {
		return kt_error(KT_E_MALFORMED, "unpack %s: entry outside of it: %s", path,
				name ? name : "");
	}
	code = create_entry(&to, folder, name, is_folder, &fd);
	if (!code && fd >= 0) {
		code = copy_data(archive, fd, left, path);
	}
	if (fd >= 0 && close(fd) != 0 && !code) {
		code = kt_error_errno(KT_E_IO, "unpack %s", path);
	}
	free(to);
	return code;
}

/*
 * Unpacks an archive into `folder`. If `single` is not NULL, `path` is a single compressed
 * file, which is unpacked to folder/single.
 */
static int unpack(const char *path, const char *folder, const char *single)
{
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	int64_t left = MOST_BYTES;
	bool any = false;
	int code = KT_OK;
	int status;

	if (!archive) {
		return kt_no_memory("unpack archive");
	}
	archive_read_support_filter_zstd(archive);
	if (single) {
		archive_read_support_format_raw(archive);
	} else {
		archive_read_support_format_tar(archive);
	}
	if (archive_read_open_filename(archive, path, BLOCK) != ARCHIVE_OK) {
		code = archive_errno(archive) == ENOENT || archive_errno(archive) == EACCES
			       ? kt_error(KT_E_IO, "read %s: %s", path,
					  strerror(archive_errno(archive)))
			       : fail(archive, path);
		goto end;
	}
	while ((status = archive_read_next_header(archive, &entry)) != ARCHIVE_EOF) {
		if (status != ARCHIVE_OK && status != ARCHIVE_WARN) {
			code = fail(archive, path);
			goto end;
		}
		if (single) {
			archive_entry_set_pathname(entry, single);
			archive_entry_set_filetype(entry, AE_IFREG);
		}
		KT_TRY_END(unpack_entry(archive, entry, folder, &left, path));
		any = true;
	}
	if (!any) {
		code = kt_error(KT_E_EMPTY, "unpack %s: it is empty", path);
	}
end:
	archive_read_free(archive);
	return code;
}

/* --- words --- */

static int is_events(const struct dirent *entry)
{
	return ends_in(entry->d_name, ".events") || ends_in(entry->d_name, ".events.zst");
}

static int add_packed(struct kt_inputs *inputs, const char *path);

/*
 * Adds the .events and .events.zst files of a folder in the order of their names; *n is the
 * number of files.
 */
static int add_events(struct kt_inputs *inputs, const char *folder, int *n)
{
	struct dirent **entries = NULL;
	int code = KT_OK;

	*n = scandir(folder, &entries, is_events, versionsort);
	for (int i = 0; i < *n; i++) {
		char *path = NULL;

		if (!code) {
			if (asprintf(&path, "%s/%s", folder, entries[i]->d_name) < 0) {
				path = NULL;
				code = kt_no_memory("read inputs");
			} else if (ends_in(path, ".zst")) {
				code = add_packed(inputs, path);
			} else {
				code = add_path(inputs, path);
			}
			free(path);
		}
		free(entries[i]);
	}
	free(entries);
	return code;
}

/*
 * Adds the words of a folder. If the folder has none, adds the folder itself, as a trace.
 */
static int add_folder(struct kt_inputs *inputs, const char *path)
{
	int n = 0;

	KT_TRY(add_events(inputs, path, &n));
	return n > 0 ? KT_OK : add_path(inputs, path);
}

/*
 * Returns the path of the only entry of a folder if that entry is a folder, else NULL. Many
 * archives have a single folder at the top.
 */
static char *only_folder(const char *path)
{
	struct dirent **entries = NULL;
	int n = scandir(path, &entries, NULL, NULL);
	char *out = NULL;
	struct stat st;

	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;

		/* The listing includes "." and "..". */
		if (n == 3 && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
		    asprintf(&out, "%s/%s", path, name) < 0) {
			out = NULL;
		}
		free(entries[i]);
	}
	free(entries);
	if (out && (stat(out, &st) != 0 || !S_ISDIR(st.st_mode))) {
		free(out);
		out = NULL;
	}
	return out;
}

/* --- inputs --- */

/*
 * Sets *out to the path to which an input is unpacked: the input's name without `ending`,
 * in a new numbered folder within the temporary folder.
 */
static int name_of(char **out, struct kt_inputs *inputs, const char *path,
		   const char *ending)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	int none;

	/*
	 * Inputs from different folders may have the same name, so each gets a numbered
	 * folder.
	 */
	if (asprintf(out, "%s/%zu", inputs->folder, inputs->n) < 0) {
		*out = NULL;
		return kt_no_memory("read inputs");
	}
	KT_TRY(create(*out, true, &none));
	free(*out);
	if (asprintf(out, "%s/%zu/%.*s", inputs->folder, inputs->n,
		     (int)(strlen(name) - strlen(ending)), name) < 0) {
		*out = NULL;
		return kt_no_memory("read inputs");
	}
	return KT_OK;
}

static int add_packed(struct kt_inputs *inputs, const char *path)
{
	const bool single = ends_in(path, ".events.zst");
	char *to = NULL;
	char *inner = NULL;
	char *slash;
	int none;
	int code;

	KT_TRY(create_folder(inputs));
	KT_TRY_END(name_of(&to, inputs, path, single ? ".zst" : ".tar.zst"));
	if (single) {
		slash = strrchr(to, '/');
		*slash = '\0';
		code = unpack(path, to, slash + 1);
		*slash = '/';
		KT_TRY_END(code);
		code = add_path(inputs, to);
		goto end;
	}
	KT_TRY_END(create(to, true, &none));
	KT_TRY_END(unpack(path, to, NULL));
	inner = only_folder(to);
	code = add_folder(inputs, inner ? inner : to);
end:
	free(inner);
	free(to);
	return code;
}

int kt_inputs_open(struct kt_inputs *out, char *const *paths, size_t n)
{
	*out = (struct kt_inputs){.n = 0};
	for (size_t i = 0; i < n; i++) {
		struct stat st;

		if (ends_in(paths[i], ".events.zst") || ends_in(paths[i], ".tar.zst")) {
			KT_TRY(add_packed(out, paths[i]));
		} else if (stat(paths[i], &st) == 0 && S_ISDIR(st.st_mode)) {
			KT_TRY(add_folder(out, paths[i]));
		} else {
			KT_TRY(add_path(out, paths[i]));
		}
	}
	return KT_OK;
}

/* SPDX-License-Identifier: MIT */
/* Makes a private copy of a trace without incomplete or damaged packets. */
#define _GNU_SOURCE
#include "infer/words/read/ctf-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/cleanup.h"
#include "base/try.h"
#include "infer/words/file/file.h"

#define COPY_SIZE ((size_t)1 << 16)

/* A file of a trace, of which the first `whole` bytes of `length` are usable. */
struct stream_file {
	char *name; /* Owned by this */
	uint64_t length;
	uint64_t whole;
};

struct stream_files {
	struct stream_file *files;
	size_t n;
	enum kt_ctf_headers headers; /* according to the metadata */
	bool wrong_index;            /* at least one stream has a wrong index */
};

static char *join(const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* --- inspection --- */

static int inspect_metadata(const char *folder, enum kt_ctf_headers *headers)
{
	char *path = join(folder, "metadata");
	struct kt_file file;
	struct stat st;
	int code;

	if (!path) {
		return kt_no_memory("check packets");
	}
	/*
	 * Checks the file type first, because opening a FIFO would block until a writer
	 * appears.
	 */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		code = kt_error(KT_E_MALFORMED, "read %s: not a regular file", path);
		goto end;
	}
	KT_TRY_END(kt_file_open(&file, path, KT_FILE_SPARSE));
	if (!kt_ctf_metadata_is_whole((const unsigned char *)file.data, file.length)) {
		code = kt_error(KT_E_MALFORMED, "read %s: the metadata is truncated", path);
	}
	*headers = kt_ctf_headers_of((const unsigned char *)file.data, file.length);
	kt_file_close(&file);
end:
	free(path);
	return code;
}

/*
 * Returns whether a stream file has an index that disagrees with its packets. Babeltrace
 * would follow such an index to offsets where there is no packet.
 */
static bool has_wrong_index(const char *folder, const char *name,
			    const struct kt_file *stream, enum kt_ctf_headers headers)
{
	struct kt_file index;
	struct stat st;
	bool wrong;
	char *path;

	if (asprintf(&path, "%s/index/%s.idx", folder, name) < 0) {
		return false;
	}
	if (stat(path, &st) != 0) {
		wrong = false; /* the stream has no index */
	} else if (!S_ISREG(st.st_mode) || kt_file_open(&index, path, KT_FILE_SPARSE)) {
		wrong = true;
	} else {
		wrong = !kt_ctf_index_agrees(
			(const unsigned char *)index.data, index.length,
			(const unsigned char *)stream->data, stream->length, headers);
		kt_file_close(&index);
	}
	free(path);
	return wrong;
}

/* Inspects a file and adds it to `files`, whose member `headers` must be set. */
static int inspect_file(struct kt_ctf_folder *folder, const char *path, const char *name,
			struct stream_files *files)
{
	struct stream_file *grown;
	struct stream_file *file;
	const unsigned char *bytes;
	struct kt_ctf_damage damage;
	struct kt_file data;
	bool known;
	int code = KT_OK;

	grown = realloc(files->files, (files->n + 1) * sizeof(*grown));
	if (!grown) {
		return kt_no_memory("check packets");
	}
	files->files = grown;
	file = &grown[files->n];
	file->name = strdup(name);
	if (!file->name) {
		return kt_no_memory("check packets");
	}
	files->n++;
	KT_TRY(kt_file_open(&data, path, KT_FILE_SPARSE));
	file->length = file->whole = data.length;
	if (strcmp(name, "metadata") == 0 || data.length == 0) {
		goto end;
	}
	bytes = (const unsigned char *)data.data;
	if (files->headers == KT_CTF_HEADERS_UNKNOWN) {
		file->whole = data.length; /* packets cannot be checked: all are used */
	} else if (kt_ctf_is_timeless(bytes, data.length)) {
		code = kt_error(KT_E_MALFORMED,
				"read %s: its first packet has no timestamp", path);
		goto end;
	} else if (!kt_ctf_find_damage(&damage, bytes, data.length, files->headers)) {
		file->whole = kt_ctf_whole_packets(bytes, data.length, &known);
	} else if (damage.packet == 0) {
		code = kt_error(KT_E_MALFORMED, "read %s: packet 0 is damaged: %s", path,
				damage.what);
		goto end;
	} else {
		file->whole = damage.offset;
		folder->n_damaged++;
		/* Describes only the first damage in the folder. */
		if (!folder->damage &&
		    asprintf(&folder->damage,
			     "%s: packet %" PRIu64 " at byte %" PRIu64 " is damaged: %s",
			     path, damage.packet, damage.offset, damage.what) < 0) {
			folder->damage = NULL;
			code = kt_no_memory("check packets");
			goto end;
		}
	}
	files->wrong_index = files->wrong_index ||
			     has_wrong_index(folder->path, name, &data, files->headers);
end:
	kt_file_close(&data);
	return code;
}

/* --- copying --- */

static int copy_file(const char *path, const char *copy, uint64_t length)
{
	char buffer[COPY_SIZE];
	int from = open(path, O_RDONLY | O_CLOEXEC);
	int to = from < 0 ? -1 : open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int code = KT_OK;

	if (to < 0) {
		code = kt_error_errno(KT_E_IO, "copy %s to %s", path, copy);
	}
	while (length > 0 && !code) {
		size_t want = length < sizeof(buffer) ? (size_t)length : sizeof(buffer);
		ssize_t n = copy_file_range(from, NULL, to, NULL, (size_t)length, 0);

		if (n <= 0) {
			n = read(from, buffer, want);
			if (n > 0 && write(to, buffer, (size_t)n) != n) {
				n = -1;
			}
		}
		if (n <= 0) {
			errno = n == 0 ? EIO : errno;
			code = kt_error_errno(KT_E_IO, "copy %s", path);
		} else {
			length -= (uint64_t)n;
		}
	}
	if (from >= 0) {
		close(from);
	}
	if (to >= 0) {
		close(to);
	}
	return code;
}

static int copy_stream(const struct kt_ctf_folder *folder, const struct stream_file *file)
{
	char *path = join(folder->path, file->name);
	char *copy = join(folder->copy, file->name);
	int code = KT_OK;

	if (!path || !copy) {
		code = kt_no_memory("check packets");
		goto end;
	}
	if (file->whole == 0 && file->length > 0) {
		goto end;
	}
	KT_TRY_END(kt_cleanup_add(copy));
	if (file->whole < file->length) {
		code = copy_file(path, copy, file->whole);
	} else if (symlink(path, copy) != 0) {
		code = kt_error_errno(KT_E_IO, "link %s", copy);
	}
end:
	free(path);
	free(copy);
	return code;
}

static int make_copy(struct kt_ctf_folder *folder, const struct stream_files *files)
{
	const char *tmp = getenv("TMPDIR");
	sigset_t before;
	int code;

	folder->copy = join(tmp && *tmp ? tmp : "/tmp", "ktail-trace.XXXXXX");
	if (!folder->copy) {
		return kt_no_memory("check packets");
	}
	/*
	 * Holds signals until the folder is registered, so that any signal removes the
	 * folder.
	 */
	kt_cleanup_hold(&before);
	if (!mkdtemp(folder->copy)) {
		code = kt_error_errno(KT_E_IO, "create folder %s", folder->copy);
	} else {
		code = kt_cleanup_add(folder->copy);
		if (code) {
			rmdir(folder->copy);
		}
	}
	kt_cleanup_release(&before);
	if (code) {
		free(folder->copy);
		folder->copy = NULL;
		return code;
	}
	for (size_t i = 0; i < files->n && !code; i++) {
		code = copy_stream(folder, &files->files[i]);
	}
	return code;
}

int kt_ctf_repair(struct kt_ctf_folder *folder)
{
	struct stream_files files = {0};
	DIR *dir = opendir(folder->path);
	struct dirent *entry;
	int code;

	if (!dir) {
		code = kt_error_errno(KT_E_IO, "read %s", folder->path);
	} else {
		code = inspect_metadata(folder->path, &files.headers);
	}
	/*
	 * Inspects the files that Babeltrace would read: regular, not hidden, not in a
	 * subfolder.
	 */
	while (!code && (entry = readdir(dir))) {
		char *path =
			entry->d_name[0] == '.' ? NULL : join(folder->path, entry->d_name);
		struct stat st;

		if (path && stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
			code = inspect_file(folder, path, entry->d_name, &files);
		}
		free(path);
	}
	if (dir) {
		closedir(dir);
	}
	for (size_t i = 0; i < files.n && !code; i++) {
		folder->bytes += files.files[i].length;
		folder->n_cut += files.files[i].whole < files.files[i].length;
		folder->cut_off += files.files[i].length - files.files[i].whole;
	}
	if (!code && (folder->n_cut > 0 || files.wrong_index)) {
		code = make_copy(folder, &files);
	}
	folder->n_cut -= folder->n_damaged;
	for (size_t i = 0; i < files.n; i++) {
		free(files.files[i].name);
	}
	free(files.files);
	return code;
}

void kt_ctf_free(struct kt_ctf_folders *folders)
{
	for (size_t i = 0; i < folders->n; i++) {
		struct kt_ctf_folder *folder = &folders->folders[i];
		DIR *dir = folder->copy ? opendir(folder->copy) : NULL;
		struct dirent *entry;

		while (dir && (entry = readdir(dir))) {
			char *path = join(folder->copy, entry->d_name);

			unlinkat(dirfd(dir), entry->d_name, 0);
			if (path) {
				kt_cleanup_forget(path);
			}
			free(path);
		}
		if (dir) {
			closedir(dir);
		}
		if (folder->copy) {
			rmdir(folder->copy);
			kt_cleanup_forget(folder->copy);
		}
		free(folder->copy);
		free(folder->damage);
		free(folder->path);
	}
	free(folders->folders);
	memset(folders, 0, sizeof(*folders));
}

/* SPDX-License-Identifier: MIT */
/* A private copy of a trace without the packets that are not whole, or damaged. */
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
#include "infer/words/file/file.h"

#define COPY_SIZE ((size_t)1 << 16)

/* A file of a trace, and how much of it is of use. */
struct stream_file {
	char *name; /* Owned by this */
	uint64_t length;
	uint64_t whole;
};

struct stream_files {
	struct stream_file *files;
	size_t n;
	enum kt_ctf_headers headers; /* as the metadata says */
	bool wrong_index;            /* of one of them */
};

static int no_memory(void)
{
	return kt_error(KT_E_MEMORY, "look at packets: out of memory");
}

static void free_files(struct stream_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		free(files->files[i].name);
	}
	free(files->files);
}

static char *join(const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* --- looking --- */

static int look_at_metadata(const char *folder, enum kt_ctf_headers *headers)
{
	char *path = join(folder, "metadata");
	struct kt_file file;
	struct stat st;
	int code = path ? KT_OK : no_memory();

	/* To open a pipe would be to wait for somebody who writes. */
	if (!code && stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		code = kt_error(KT_E_MALFORMED, "read %s: it is no file", path);
	}
	code = code ? code : kt_file_open(&file, path, KT_FILE_SPARSE);
	if (!code) {
		const unsigned char *data = (const unsigned char *)file.data;

		if (!kt_ctf_metadata_is_whole(data, file.length)) {
			code = kt_error(KT_E_MALFORMED, "read %s: the metadata is cut",
					path);
		}
		*headers = kt_ctf_headers_of(data, file.length);
		kt_file_close(&file);
	}
	free(path);
	return code;
}

/* Notes the first damage of all files. */
static int note_damage(struct kt_ctf_folder *folder, const char *path,
		       const struct kt_ctf_damage *damage)
{
	folder->n_damaged++;
	if (!folder->damage &&
	    asprintf(&folder->damage,
		     "%s: packet %" PRIu64 " at byte %" PRIu64 " is damaged: %s", path,
		     damage->packet, damage->offset, damage->what) < 0) {
		folder->damage = NULL;
		return no_memory();
	}
	return KT_OK;
}

/* How much of a stream file is of use. */
static int measure(struct kt_ctf_folder *folder, const char *path,
		   const unsigned char *data, uint64_t length, enum kt_ctf_headers headers,
		   uint64_t *whole)
{
	struct kt_ctf_damage damage;
	bool known;

	if (headers == KT_CTF_HEADERS_UNKNOWN) {
		return KT_OK; /* all of it: nothing is known of its packets */
	}
	if (kt_ctf_is_timeless(data, length)) {
		return kt_error(KT_E_MALFORMED, "read %s: its first packet has no time",
				path);
	}
	if (!kt_ctf_find_damage(&damage, data, length, headers)) {
		*whole = kt_ctf_whole_packets(data, length, &known);
		return KT_OK;
	}
	if (damage.packet == 0) {
		return kt_error(KT_E_MALFORMED, "read %s: packet 0 is damaged: %s", path,
				damage.what);
	}
	*whole = damage.offset;
	return note_damage(folder, path, &damage);
}

/* Whether an index would lead Babeltrace to where no packet is. */
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
		wrong = false; /* there is none */
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

/* A stream file; the metadata has been looked at. */
static int look_at_stream(struct kt_ctf_folder *folder, const char *path,
			  struct stream_file *file, struct stream_files *files)
{
	struct kt_file data;
	int code = kt_file_open(&data, path, KT_FILE_SPARSE);

	if (code) {
		return code;
	}
	file->length = file->whole = data.length;
	if (strcmp(file->name, "metadata") != 0 && data.length > 0) {
		code = measure(folder, path, (const unsigned char *)data.data, data.length,
			       files->headers, &file->whole);
		files->wrong_index =
			files->wrong_index ||
			has_wrong_index(folder->path, file->name, &data, files->headers);
	}
	kt_file_close(&data);
	return code;
}

static int look_at_file(struct kt_ctf_folder *folder, const char *name,
			struct stream_files *files)
{
	struct stream_file *grown;
	struct stream_file file = {.name = strdup(name)};
	char *path = join(folder->path, name);
	int code = path && file.name ? look_at_stream(folder, path, &file, files)
				     : no_memory();

	free(path);
	grown = code ? NULL : realloc(files->files, (files->n + 1) * sizeof(*grown));
	if (!grown) {
		free(file.name);
		return code ? code : no_memory();
	}
	files->files = grown;
	grown[files->n++] = file;
	return KT_OK;
}

static bool is_file(const char *folder, const char *name)
{
	char *path = join(folder, name);
	struct stat st;
	bool is = path && stat(path, &st) == 0 && S_ISREG(st.st_mode);

	free(path);
	return is;
}

/* The files that Babeltrace would read: regular, not hidden, not in a folder below. */
static int look_at_folder(struct kt_ctf_folder *folder, struct stream_files *files)
{
	DIR *dir = opendir(folder->path);
	struct dirent *entry;
	int code;

	if (!dir) {
		return kt_error_errno(KT_E_IO, "read %s", folder->path);
	}
	code = look_at_metadata(folder->path, &files->headers);
	while (!code && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.' && is_file(folder->path, entry->d_name)) {
			code = look_at_file(folder, entry->d_name, files);
		}
	}
	closedir(dir);
	return code;
}

/* --- copying --- */

static int copy_bytes(int from, int to, uint64_t length, const char *path)
{
	char buffer[COPY_SIZE];

	while (length > 0) {
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
			return kt_error_errno(KT_E_IO, "copy %s", path);
		}
		length -= (uint64_t)n;
	}
	return KT_OK;
}

static int copy_file(const char *path, const char *copy, uint64_t length)
{
	int from = open(path, O_RDONLY | O_CLOEXEC);
	int to = from < 0 ? -1 : open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int code = to < 0 ? kt_error_errno(KT_E_IO, "copy %s to %s", path, copy)
			  : copy_bytes(from, to, length, path);

	if (from >= 0) {
		close(from);
	}
	if (to >= 0) {
		close(to);
	}
	return code;
}

static int place(const struct kt_ctf_folder *folder, const struct stream_file *file)
{
	char *path = join(folder->path, file->name);
	char *copy = join(folder->copy, file->name);
	int code = KT_OK;

	if (!path || !copy) {
		code = no_memory();
	} else if (file->whole > 0 || file->whole == file->length) {
		code = kt_cleanup_add(copy);
	}
	if (code) {
		free(path);
		free(copy);
		return code;
	}
	if (file->whole == file->length) {
		if (symlink(path, copy) != 0) {
			code = kt_error_errno(KT_E_IO, "link %s", copy);
		}
	} else if (file->whole > 0) {
		code = copy_file(path, copy, file->whole);
	}
	free(path);
	free(copy);
	return code;
}

/* The folder of a copy; from then on a signal removes it. */
static int make_folder(char *path)
{
	sigset_t before;
	int code = KT_OK;

	kt_cleanup_hold(&before);
	if (!mkdtemp(path)) {
		code = kt_error_errno(KT_E_IO, "make folder %s", path);
	} else {
		code = kt_cleanup_add(path);
		if (code) {
			rmdir(path);
		}
	}
	kt_cleanup_release(&before);
	return code;
}

static int make_copy(struct kt_ctf_folder *folder, const struct stream_files *files)
{
	const char *tmp = getenv("TMPDIR");
	int code;

	folder->copy = join(tmp && *tmp ? tmp : "/tmp", "ktail-trace.XXXXXX");
	if (!folder->copy) {
		return no_memory();
	}
	code = make_folder(folder->copy);
	if (code) {
		free(folder->copy);
		folder->copy = NULL;
		return code;
	}
	for (size_t i = 0; i < files->n && !code; i++) {
		code = place(folder, &files->files[i]);
	}
	return code;
}

int kt_ctf_repair(struct kt_ctf_folder *folder)
{
	struct stream_files files = {0};
	int code = look_at_folder(folder, &files);

	for (size_t i = 0; i < files.n && !code; i++) {
		folder->bytes += files.files[i].length;
		folder->n_cut += files.files[i].whole < files.files[i].length;
		folder->cut_off += files.files[i].length - files.files[i].whole;
	}
	if (!code && (folder->n_cut > 0 || files.wrong_index)) {
		code = make_copy(folder, &files);
	}
	folder->n_cut -= folder->n_damaged;
	free_files(&files);
	return code;
}

static void remove_copy(const char *copy)
{
	DIR *dir = opendir(copy);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *path = join(copy, entry->d_name);

		unlinkat(dirfd(dir), entry->d_name, 0);
		if (path) {
			kt_cleanup_forget(path);
		}
		free(path);
	}
	if (dir) {
		closedir(dir);
	}
	rmdir(copy);
	kt_cleanup_forget(copy);
}

void kt_ctf_free(struct kt_ctf_folders *folders)
{
	for (size_t i = 0; i < folders->n; i++) {
		if (folders->folders[i].copy) {
			remove_copy(folders->folders[i].copy);
		}
		free(folders->folders[i].copy);
		free(folders->folders[i].damage);
		free(folders->folders[i].path);
	}
	free(folders->folders);
	memset(folders, 0, sizeof(*folders));
}

/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/words/read/ctf-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <ktail/status.h>

#include "base/array.h"
#include "infer/words/file/file.h"

static int add_folder(struct kt_ctf_folders *found, const char *path, size_t length)
{
	int code = kt_array_reserve(&found->folders, &found->capacity, found->n + 1);
	char *copy = code ? NULL : strndup(path, length);

	if (!code && !copy) {
		code = kt_error(KT_E_MEMORY, "look for traces: out of memory");
	}
	if (!code) {
		found->folders[found->n++] = (struct kt_ctf_folder){.path = copy};
	}
	return code;
}

static int compare_entries(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int take_entry(struct kt_ctf_folders *found, const FTSENT *entry)
{
	switch (entry->fts_info) {
	case FTS_F:
	case FTS_SL:
		if (strcmp(entry->fts_name, "metadata") == 0) {
			return add_folder(
				found, entry->fts_path,
				(size_t)(entry->fts_pathlen - entry->fts_namelen - 1));
		}
		break;
	case FTS_DNR:
	case FTS_ERR:
		errno = entry->fts_errno;
		return kt_error_errno(KT_E_IO, "read %s", entry->fts_path);
	default: break;
	}
	return KT_OK;
}

int kt_ctf_find(struct kt_ctf_folders *out, const char *path)
{
	char *root = realpath(path, NULL);
	char *roots[] = {root, NULL};
	FTS *walk =
		root ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, compare_entries) : NULL;
	FTSENT *entry;
	int code = KT_OK;

	memset(out, 0, sizeof(*out));
	if (!walk) {
		code = kt_error_errno(KT_E_IO, "read %s", path);
		free(root);
		return code;
	}
	while (!code && (entry = fts_read(walk))) {
		code = take_entry(out, entry);
	}
	fts_close(walk);
	free(root);
	if (!code && out->n == 0) {
		code = kt_error(KT_E_EMPTY,
				"read %s: no CTF trace in it (no file metadata)", path);
	}
	if (code) {
		kt_ctf_free(out);
	}
	return code;
}

/* Reads the numbers of the stream that a file is of. */
static bool read_numbers(const char *path, struct kt_ctf_stream *stream)
{
	struct kt_file file;
	struct stat st;
	bool has;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
	    kt_file_open(&file, path, KT_FILE_SPARSE)) {
		return false;
	}
	has = kt_ctf_numbers((const unsigned char *)file.data, file.length,
			     &stream->class_id, &stream->id);
	kt_file_close(&file);
	return has;
}

static int list_one(struct kt_ctf_streams *out, const char *folder, const char *name)
{
	struct kt_ctf_stream stream = {.path = NULL};
	int code = kt_array_reserve(&out->streams, &out->capacity, out->n + 1);

	if (!code && asprintf(&stream.path, "%s/%s", folder, name) < 0) {
		return kt_error(KT_E_MEMORY, "look for streams: out of memory");
	}
	if (!code && read_numbers(stream.path, &stream)) {
		out->streams[out->n++] = stream;
	} else {
		free(stream.path);
	}
	return code;
}

int kt_ctf_list(struct kt_ctf_streams *out, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int code = KT_OK;

	*out = (struct kt_ctf_streams){.n = 0};
	while (dir && !code && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.') {
			code = list_one(out, folder, entry->d_name);
		}
	}
	if (dir) {
		closedir(dir);
	}
	return code;
}

const char *kt_ctf_path(const struct kt_ctf_streams *streams, uint64_t class_id,
			uint64_t id)
{
	for (size_t i = 0; i < streams->n; i++) {
		const struct kt_ctf_stream *s = &streams->streams[i];

		if (s->class_id == class_id && s->id == id) {
			return s->path;
		}
	}
	return NULL;
}

void kt_ctf_free_list(struct kt_ctf_streams *streams)
{
	for (size_t i = 0; i < streams->n; i++) {
		free(streams->streams[i].path);
	}
	free(streams->streams);
	*streams = (struct kt_ctf_streams){.n = 0};
}

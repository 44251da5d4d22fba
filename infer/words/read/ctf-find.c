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
#include "base/file-type.h"
#include "base/try.h"
#include "infer/words/file/file.h"

static int compare_entries(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

int kt_ctf_find(struct kt_ctf_folders *out, const char *path)
{
	char *root = realpath(path, NULL);
	char *roots[] = {root, NULL};
	FTS *walk = NULL;
	FTSENT *entry;
	struct stat st;
	int code = KT_OK;

	memset(out, 0, sizeof(*out));
	/*
	 * Checks the file type before fts_open(), because glibc leaks memory if fts_close()
	 * is called before the first fts_read().
	 */
	if (root && stat(root, &st) == 0 && !S_ISDIR(st.st_mode)) {
		code = kt_file_type_refuse(path, "the folder of a trace");
		free(root);
		return code;
	}
	if (root) {
		walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, compare_entries);
	}
	if (!walk) {
		code = kt_error_errno(KT_E_IO, "read %s", path);
		free(root);
		return code;
	}
	while ((entry = fts_read(walk))) {
		char *folder;

		if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR) {
			errno = entry->fts_errno;
			code = kt_error_errno(KT_E_IO, "read %s", entry->fts_path);
			goto end;
		}
		if ((entry->fts_info != FTS_F && entry->fts_info != FTS_SL) ||
		    strcmp(entry->fts_name, "metadata") != 0) {
			continue;
		}
		KT_TRY_END(kt_array_reserve(&out->folders, &out->capacity, out->n + 1));
		folder = strndup(entry->fts_path,
				 (size_t)(entry->fts_pathlen - entry->fts_namelen - 1));
		if (!folder) {
			code = kt_no_memory("find traces");
			goto end;
		}
		out->folders[out->n++] = (struct kt_ctf_folder){.path = folder};
	}
end:
	fts_close(walk);
	free(root);
	if (!code && out->n == 0) {
		code = kt_error(KT_E_EMPTY, "read %s: no CTF trace (no file metadata)",
				path);
	}
	if (code) {
		kt_ctf_free(out);
	}
	return code;
}

int kt_ctf_list(struct kt_ctf_streams *out, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int code = KT_OK;

	*out = (struct kt_ctf_streams){.n = 0};
	while (dir && (entry = readdir(dir))) {
		struct kt_ctf_stream stream = {.path = NULL};
		struct kt_file file;
		struct stat st;
		bool has = false;

		if (entry->d_name[0] == '.') {
			continue;
		}
		KT_TRY_END(kt_array_reserve(&out->streams, &out->capacity, out->n + 1));
		if (asprintf(&stream.path, "%s/%s", folder, entry->d_name) < 0) {
			code = kt_no_memory("find streams");
			goto end;
		}
		/*
		 * Leaves out files that do not begin with a packet header: the numbers of
		 * their streams are unknown.
		 */
		if (stat(stream.path, &st) == 0 && S_ISREG(st.st_mode) &&
		    !kt_file_open(&file, stream.path, KT_FILE_SPARSE)) {
			has = kt_ctf_numbers((const unsigned char *)file.data, file.length,
					     &stream.class_id, &stream.id);
			kt_file_close(&file);
		}
		if (has) {
			out->streams[out->n++] = stream;
		} else {
			free(stream.path);
		}
	}
end:
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

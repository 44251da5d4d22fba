/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/words/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktail/status.h>

#define READ_SIZE ((size_t)1 << 20)

/* Reads fd to its end. */
static int read_all(struct kt_file *file, int fd, const char *name)
{
	size_t capacity = 0;
	char *data = NULL;
	ssize_t n = 1;

	while (n > 0) {
		if (capacity - file->length < READ_SIZE) {
			char *grown =
				realloc(data, capacity + capacity / 2 + 2 * READ_SIZE);

			if (!grown) {
				free(data);
				return kt_error(KT_E_MEMORY, "read %s: out of memory",
						name);
			}
			data = grown;
			capacity += capacity / 2 + 2 * READ_SIZE;
		}
		n = read(fd, data + file->length, READ_SIZE);
		if (n < 0 && errno == EINTR) {
			n = 1;
		} else if (n > 0) {
			file->length += (size_t)n;
		}
	}
	if (n < 0) {
		int code = kt_error_errno(KT_E_IO, "read %s", name);

		free(data);
		return code;
	}
	file->data = data;
	return KT_OK;
}

static int map_or_read(struct kt_file *file, int fd, const char *name, int flags)
{
	struct stat st;
	void *data;

	if (fstat(fd, &st) != 0) {
		return kt_error_errno(KT_E_IO, "read %s", name);
	}
	if (!S_ISREG(st.st_mode) || st.st_size == 0 || lseek(fd, 0, SEEK_CUR) != 0) {
		return read_all(file, fd, name);
	}
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | flags, fd, 0);
	if (data == MAP_FAILED) {
		return read_all(file, fd, name);
	}
	file->data = data;
	file->length = (size_t)st.st_size;
	file->mapped = true;
	return KT_OK;
}

int kt_file_open(struct kt_file *file, const char *path, enum kt_file_use use)
{
	int flags = use == KT_FILE_WHOLE ? MAP_POPULATE : 0;
	int code;
	int fd;

	memset(file, 0, sizeof(*file));
	if (strcmp(path, "-") == 0) {
		return map_or_read(file, STDIN_FILENO, "standard input", flags);
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return kt_error_errno(KT_E_IO, "read %s", path);
	}
	code = map_or_read(file, fd, path, flags);
	close(fd);
	return code;
}

void kt_file_close(struct kt_file *file)
{
	union {
		const char *read_only;
		void *memory;
	} data = {.read_only = file->data};

	if (file->mapped) {
		munmap(data.memory, file->length);
	} else {
		free(data.memory);
	}
	memset(file, 0, sizeof(*file));
}

/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/atomic-file.h"
#include "tests/suite.h"

static char folder[] = "/tmp/ktail-atomic-XXXXXX";

static const char *read_all(const char *path)
{
	static char text[64];
	FILE *in = fopen(path, "r");
	size_t n = in ? fread(text, 1, sizeof(text) - 1, in) : 0;

	text[n] = '\0';
	if (in) {
		fclose(in);
	}
	return in ? text : NULL;
}

static void write_all(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	fputs(text, out);
	fclose(out);
}

static int count_files(void)
{
	DIR *dir = opendir(".");
	int n = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(dir);
	while (readdir(dir)) {
		n++;
	}
	closedir(dir);
	return n - 2;
}

/* Every test begins and ends with an empty folder. */
static void clean(void)
{
	CU_ASSERT_EQUAL(system("rm -rf ./*"), 0);
}

static void appears_on_commit_only(void)
{
	struct kt_atomic_file file;
	struct stat st;
	mode_t mask = umask(027);

	CU_ASSERT_EQUAL_FATAL(kt_atomic_file_open(&file, "a"), KT_OK);
	fputs("new", file.stream);
	CU_ASSERT_NOT_EQUAL(access("a", F_OK), 0);
	CU_ASSERT_EQUAL(kt_atomic_file_commit(&file), KT_OK);
	CU_ASSERT_STRING_EQUAL(read_all("a"), "new");
	CU_ASSERT_EQUAL(stat("a", &st), 0);
	CU_ASSERT_EQUAL(st.st_mode & 0777, 0640);
	CU_ASSERT_EQUAL(count_files(), 1);
	kt_atomic_file_abort(&file);
	CU_ASSERT_STRING_EQUAL(read_all("a"), "new");
	umask(mask);
	clean();
}

static void leaves_the_old_file_on_abort(void)
{
	struct kt_atomic_file file;

	write_all("a", "old");
	CU_ASSERT_EQUAL_FATAL(kt_atomic_file_open(&file, "a"), KT_OK);
	fputs("new", file.stream);
	kt_atomic_file_abort(&file);
	CU_ASSERT_STRING_EQUAL(read_all("a"), "old");
	CU_ASSERT_EQUAL(count_files(), 1);
	clean();
}

static void refuses_what_cannot_be_written(void)
{
	struct kt_atomic_file file;

	CU_ASSERT_EQUAL(kt_atomic_file_open(&file, "none/a"), KT_E_IO);
	CU_ASSERT_STRING_EQUAL(kt_error_message(),
			       "write none/a: No such file or directory");
	CU_ASSERT_EQUAL(mkdir("d", 0777), 0);
	CU_ASSERT_EQUAL(kt_atomic_file_open(&file, "d"), KT_E_IO);
	CU_ASSERT_STRING_EQUAL(kt_error_message(), "write d: Is a directory");
	CU_ASSERT_EQUAL(count_files(), 1);
	clean();
}

static void says_when_the_device_is_full(void)
{
	struct kt_atomic_file file;

	CU_ASSERT_EQUAL_FATAL(kt_atomic_file_open(&file, "/dev/full"), KT_OK);
	fputs("x", file.stream);
	CU_ASSERT_EQUAL(kt_atomic_file_commit(&file), KT_E_IO);
	CU_ASSERT_STRING_EQUAL(kt_error_message(),
			       "write /dev/full: No space left on device");
}

static void leaves_nothing_when_the_move_fails(void)
{
	struct kt_atomic_file file;

	CU_ASSERT_EQUAL_FATAL(kt_atomic_file_open(&file, "a"), KT_OK);
	CU_ASSERT_EQUAL(mkdir("a", 0777), 0);
	CU_ASSERT_EQUAL(kt_atomic_file_commit(&file), KT_E_IO);
	CU_ASSERT_EQUAL(rmdir("a"), 0);
	CU_ASSERT_EQUAL(count_files(), 0);
}

static void writes_devices_in_place(void)
{
	struct kt_atomic_file file;
	struct stat st;

	CU_ASSERT_EQUAL_FATAL(kt_atomic_file_open(&file, "/dev/null"), KT_OK);
	fputs("x", file.stream);
	CU_ASSERT_EQUAL(kt_atomic_file_commit(&file), KT_OK);
	CU_ASSERT_EQUAL(stat("/dev/null", &st), 0);
	CU_ASSERT_TRUE(S_ISCHR(st.st_mode));
}

/* /dev/fd/N is a regular file here: neither it nor the link to it may be replaced. */
static void writes_descriptors_in_place(void)
{
	struct kt_atomic_file file;
	char path[32];
	struct stat before;
	struct stat after;
	int fd = open("a", O_RDWR | O_CREAT, 0666);

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(fstat(fd, &before), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	CU_ASSERT_EQUAL_FATAL(kt_atomic_file_open(&file, path), KT_OK);
	fputs("x", file.stream);
	CU_ASSERT_EQUAL(kt_atomic_file_commit(&file), KT_OK);
	CU_ASSERT_EQUAL(stat("a", &after), 0);
	CU_ASSERT_EQUAL(before.st_ino, after.st_ino);
	CU_ASSERT_STRING_EQUAL(read_all("a"), "x");
	close(fd);
	clean();
}

static void follows_symbolic_links(void)
{
	struct kt_atomic_file file;
	struct stat st;

	CU_ASSERT_EQUAL(mkdir("d", 0777), 0);
	write_all("d/target", "old");
	CU_ASSERT_EQUAL(symlink("d/target", "link"), 0);
	CU_ASSERT_EQUAL_FATAL(kt_atomic_file_open(&file, "link"), KT_OK);
	fputs("new", file.stream);
	CU_ASSERT_EQUAL(kt_atomic_file_commit(&file), KT_OK);
	CU_ASSERT_EQUAL(lstat("link", &st), 0);
	CU_ASSERT_TRUE(S_ISLNK(st.st_mode));
	CU_ASSERT_STRING_EQUAL(read_all("d/target"), "new");
	clean();
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"appears on commit only", appears_on_commit_only},
		{"leaves the old file on abort", leaves_the_old_file_on_abort},
		{"refuses what cannot be written", refuses_what_cannot_be_written},
		{"says when the device is full", says_when_the_device_is_full},
		{"leaves nothing when the move fails", leaves_nothing_when_the_move_fails},
		{"writes devices in place", writes_devices_in_place},
		{"writes descriptors in place", writes_descriptors_in_place},
		{"follows symbolic links", follows_symbolic_links},
		CU_TEST_INFO_NULL,
	};
	int status;

	if (!mkdtemp(folder) || chdir(folder) != 0) {
		perror(folder);
		return 1;
	}
	status = kt_run_suite("atomic-file", tests);
	return rmdir(folder) != 0 || status;
}

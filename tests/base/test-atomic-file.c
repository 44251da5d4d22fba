/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
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

static void writes_into_devices(void)
{
	struct kt_atomic_file file;
	struct stat st;

	CU_ASSERT_EQUAL_FATAL(kt_atomic_file_open(&file, "/dev/null"), KT_OK);
	fputs("x", file.stream);
	CU_ASSERT_EQUAL(kt_atomic_file_commit(&file), KT_OK);
	CU_ASSERT_EQUAL(stat("/dev/null", &st), 0);
	CU_ASSERT_TRUE(S_ISCHR(st.st_mode));
}

/* /dev/fd/N is a link to a regular file here: neither link nor file may be replaced. */
static void writes_into_descriptors(void)
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

#define OTHER 65534 /* another user */

static int write_atomically(const char *path, const char *text)
{
	struct kt_atomic_file file;
	int code = kt_atomic_file_open(&file, path);

	if (code) {
		return code;
	}
	fputs(text, file.stream);
	return kt_atomic_file_commit(&file);
}

static void keeps_what_it_replaces(void)
{
	struct stat old;
	struct stat st;
	char value[8] = "";

	write_all("a", "old");
	CU_ASSERT_EQUAL(chmod("a", 06600), 0);
	CU_ASSERT_EQUAL(setxattr("a", "user.note", "kept", 4, 0), 0);
	CU_ASSERT_EQUAL(link("a", "b"), 0);
	CU_ASSERT_EQUAL(stat("a", &old), 0);
	CU_ASSERT_EQUAL(write_atomically("a", "new"), KT_OK);
	CU_ASSERT_EQUAL(stat("a", &st), 0);
	CU_ASSERT_EQUAL(st.st_mode & 07777, 0600);
	CU_ASSERT_NOT_EQUAL(st.st_ino, old.st_ino);
	CU_ASSERT_EQUAL(getxattr("a", "user.note", value, sizeof(value)), 4);
	CU_ASSERT_STRING_EQUAL(value, "kept");
	CU_ASSERT_STRING_EQUAL(read_all("a"), "new");
	CU_ASSERT_STRING_EQUAL(read_all("b"), "old");
	CU_ASSERT_EQUAL(count_files(), 2);
	clean();
}

/* A folder's default access control list grants no access to a file that had no list. */
static void keeps_out_whom_the_folder_lets_in(void)
{
	/* version 2; user::rw-, user:OTHER:rw-, group::---, mask::rw-, other::--- */
	static const unsigned char list[] = {2,    0, 0, 0,                         /**/
					     0x01, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, /**/
					     0x02, 0, 6, 0, 0xfe, 0xff, 0,    0,    /**/
					     0x04, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, /**/
					     0x10, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, /**/
					     0x20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
	char value[128];

	CU_ASSERT_EQUAL(mkdir("d", 0755), 0);
	write_all("d/a", "old");
	CU_ASSERT_EQUAL(chmod("d/a", 0640), 0);
	CU_ASSERT_EQUAL(setxattr("d", "system.posix_acl_default", list, sizeof(list), 0),
			0);
	CU_ASSERT_EQUAL(write_atomically("d/a", "new"), KT_OK);
	CU_ASSERT_EQUAL(getxattr("d/a", "system.posix_acl_access", value, sizeof(value)),
			-1);
	CU_ASSERT_EQUAL(write_atomically("d/b", "new"), KT_OK);
	CU_ASSERT_EQUAL(getxattr("d/b", "system.posix_acl_access", value, sizeof(value)),
			(ssize_t)sizeof(list));
	CU_ASSERT_EQUAL(setxattr("d/a", "system.posix_acl_access", list, sizeof(list), 0),
			0);
	CU_ASSERT_EQUAL(write_atomically("d/a", "newer"), KT_OK);
	CU_ASSERT_EQUAL(getxattr("d/a", "system.posix_acl_access", value, sizeof(value)),
			(ssize_t)sizeof(list));
	CU_ASSERT_EQUAL(memcmp(value, list, sizeof(list)), 0);
	clean();
}

/*
 * Runs a check in a child process, as another user if this process is root. Returns the
 * child's exit status.
 */
static int as_other(int (*check)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		if (geteuid() == 0 && (setgid(OTHER) != 0 || setuid(OTHER) != 0)) {
			_exit(99);
		}
		_exit(check());
	}
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int write_denied(void)
{
	return write_atomically("d/a", "new") == KT_E_IO &&
			       strcmp(kt_error_message(), "write d/a: Permission denied") ==
				       0
		       ? 0
		       : 1;
}

static int write_both(void)
{
	struct kt_atomic_file file;

	if (kt_atomic_file_open(&file, "d/a") != KT_OK) {
		return 1;
	}
	fputs("never", file.stream);
	kt_atomic_file_abort(&file);
	return write_atomically("d/a", "new") == KT_OK ? 0 : 2;
}

/* A file that may be written to but not replaced keeps its inode. */
static void writes_into_what_cannot_be_replaced(void)
{
	struct stat before;
	struct stat st;

	CU_ASSERT_EQUAL(mkdir("d", 0755), 0);
	write_all("d/a", "old and longer");
	CU_ASSERT_EQUAL(chmod("d/a", 0444), 0);
	CU_ASSERT_EQUAL(as_other(write_denied), 0);
	CU_ASSERT_STRING_EQUAL(read_all("d/a"), "old and longer");
	CU_ASSERT_EQUAL(chmod("d/a", 0666), 0);
	CU_ASSERT_EQUAL(chmod("d", 0555), 0);
	CU_ASSERT_EQUAL(stat("d/a", &before), 0);
	CU_ASSERT_EQUAL(as_other(write_both), 0);
	CU_ASSERT_EQUAL(stat("d/a", &st), 0);
	CU_ASSERT_EQUAL(st.st_ino, before.st_ino);
	CU_ASSERT_STRING_EQUAL(read_all("d/a"), "new");
	/* The folder may be written to, but the owner cannot be kept. */
	CU_ASSERT_EQUAL(chmod("d", 0777), 0);
	CU_ASSERT_EQUAL(as_other(write_both), 0);
	CU_ASSERT_EQUAL(stat("d/a", &st), 0);
	CU_ASSERT_EQUAL(st.st_uid, before.st_uid);
	CU_ASSERT_EQUAL(st.st_mode & 07777, 0666);
	CU_ASSERT_STRING_EQUAL(read_all("d/a"), "new");
	clean();
}

static int write_mount(void)
{
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("a", "b", NULL, MS_BIND, NULL) != 0) {
		return 1;
	}
	return write_atomically("b", "new") == KT_OK ? 0 : 2;
}

static void keeps_owners(void)
{
	struct stat st;

	write_all("a", "old");
	CU_ASSERT_EQUAL(chown("a", OTHER, 12345), 0);
	CU_ASSERT_EQUAL(write_atomically("a", "new"), KT_OK);
	CU_ASSERT_EQUAL(stat("a", &st), 0);
	CU_ASSERT_EQUAL(st.st_uid, OTHER);
	CU_ASSERT_EQUAL(st.st_gid, 12345);
	clean();
}

static void writes_into_mounted_files(void)
{
	pid_t pid;
	int status = -1;

	write_all("a", "old");
	write_all("b", "");
	pid = fork();
	if (pid == 0) {
		_exit(write_mount());
	}
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_STRING_EQUAL(read_all("a"), "new");
	CU_ASSERT_EQUAL(count_files(), 2);
	clean();
}

/*
 * Links, pipes and files that another user may have put into a folder like /tmp are
 * refused, whatever fs.protected_symlinks, protected_regular and protected_fifos are.
 */
static void refuses_what_others_planted(void)
{
	struct stat st;

	CU_ASSERT_EQUAL(mkdir("private", 0700), 0);
	write_all("private/victim", "old");
	CU_ASSERT_EQUAL(mkdir("sticky", 0777), 0);
	CU_ASSERT_EQUAL(chmod("sticky", 01777), 0);
	CU_ASSERT_EQUAL(symlink("../private/victim", "sticky/link"), 0);
	CU_ASSERT_EQUAL(symlink("../private/none", "sticky/dangling"), 0);
	CU_ASSERT_EQUAL(symlink("sticky/link", "outer"), 0);
	CU_ASSERT_EQUAL(mkfifo("sticky/pipe", 0666), 0);
	write_all("sticky/file", "old");
	/* Our own links are followed. */
	CU_ASSERT_EQUAL(write_atomically("outer", "first"), KT_OK);
	CU_ASSERT_STRING_EQUAL(read_all("private/victim"), "first");
	CU_ASSERT_EQUAL(lchown("sticky/link", OTHER, OTHER), 0);
	CU_ASSERT_EQUAL(lchown("sticky/dangling", OTHER, OTHER), 0);
	CU_ASSERT_EQUAL(lchown("sticky/pipe", OTHER, OTHER), 0);
	CU_ASSERT_EQUAL(lchown("sticky/file", OTHER, OTHER), 0);
	CU_ASSERT_EQUAL(write_atomically("sticky/link", "new"), KT_E_IO);
	CU_ASSERT_STRING_EQUAL(
		kt_error_message(),
		"write sticky/link: it is a symbolic link of another user (uid 65534) in a "
		"sticky folder that others may write to, and is not followed");
	CU_ASSERT_EQUAL(write_atomically("outer", "new"), KT_E_IO);
	CU_ASSERT_EQUAL(write_atomically("sticky/dangling", "new"), KT_E_IO);
	CU_ASSERT_EQUAL(write_atomically("sticky/pipe", "new"), KT_E_IO);
	CU_ASSERT_EQUAL(write_atomically("sticky/file", "new"), KT_E_IO);
	CU_ASSERT_STRING_EQUAL(
		kt_error_message(),
		"write sticky/file: it is a file of another user (uid 65534) in a sticky "
		"folder that others may write to, and is not written to");
	/* A folder that only a group may write to is refused too. */
	CU_ASSERT_EQUAL(chmod("sticky", 01770), 0);
	CU_ASSERT_EQUAL(write_atomically("sticky/link", "new"), KT_E_IO);
	CU_ASSERT_STRING_EQUAL(read_all("private/victim"), "first");
	CU_ASSERT_STRING_EQUAL(read_all("sticky/file"), "old");
	CU_ASSERT_NOT_EQUAL(access("private/none", F_OK), 0);
	/*
	 * A link of another user is followed if that user owns the folder, or if the folder
	 * is not sticky.
	 */
	CU_ASSERT_EQUAL(chown("sticky", OTHER, OTHER), 0);
	CU_ASSERT_EQUAL(write_atomically("sticky/link", "second"), KT_OK);
	CU_ASSERT_STRING_EQUAL(read_all("private/victim"), "second");
	CU_ASSERT_EQUAL(chown("sticky", 0, 0), 0);
	CU_ASSERT_EQUAL(chmod("sticky", 0777), 0);
	CU_ASSERT_EQUAL(write_atomically("sticky/link", "third"), KT_OK);
	CU_ASSERT_STRING_EQUAL(read_all("private/victim"), "third");
	CU_ASSERT_EQUAL(lstat("sticky/link", &st), 0);
	CU_ASSERT_TRUE(S_ISLNK(st.st_mode));
	clean();
}

static void refuses_links_without_end(void)
{
	CU_ASSERT_EQUAL(symlink("b", "a"), 0);
	CU_ASSERT_EQUAL(symlink("a", "b"), 0);
	CU_ASSERT_EQUAL(write_atomically("a", "new"), KT_E_IO);
	CU_ASSERT_STRING_EQUAL(kt_error_message(),
			       "write a: Too many levels of symbolic links");
	CU_ASSERT_EQUAL(write_atomically("", "new"), KT_E_IO);
	CU_ASSERT_STRING_EQUAL(kt_error_message(), "write : No such file or directory");
	CU_ASSERT_EQUAL(write_atomically("c/", "new"), KT_E_IO);
	CU_ASSERT_STRING_EQUAL(kt_error_message(), "write c/: Is a directory");
	write_all("c", "old");
	CU_ASSERT_EQUAL(write_atomically("c/d", "new"), KT_E_IO);
	CU_ASSERT_STRING_EQUAL(kt_error_message(), "write c/d: Not a directory");
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
		{"writes devices in place", writes_into_devices},
		{"writes descriptors in place", writes_into_descriptors},
		{"follows symbolic links", follows_symbolic_links},
		{"keeps what it replaces", keeps_what_it_replaces},
		{"keeps out whom the folder lets in", keeps_out_whom_the_folder_lets_in},
		{"writes into what cannot be replaced",
		 writes_into_what_cannot_be_replaced},
		{"refuses links without end", refuses_links_without_end},
		/* Only root can change owners and mount files, as these tests do. */
		{"keeps owners", keeps_owners},
		{"writes into mounted files", writes_into_mounted_files},
		{"refuses what others planted", refuses_what_others_planted},
		CU_TEST_INFO_NULL,
	};
	size_t n = sizeof(tests) / sizeof(tests[0]);
	int status;

	if (!mkdtemp(folder) || chdir(folder) != 0) {
		perror(folder);
		return 1;
	}
	if (geteuid() != 0) {
		tests[n - 4] = tests[n - 1];
	} else if (chmod(folder, 0755) != 0) { /* so that the other user can enter */
		perror(folder);
		return 1;
	}
	status = kt_run_suite("atomic-file", tests);
	return rmdir(folder) != 0 || status;
}

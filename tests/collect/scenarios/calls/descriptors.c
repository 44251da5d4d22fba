/* SPDX-License-Identifier: MIT */
/* A program's descriptors keep their numbers and contents under the recorder. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

#define FIRST 3
#define LAST  99
#define MOST  4096
#define CALLS 1000 /* enough that their events fill several sub-buffers */

/*
 * Makes ioctls after the program's files have taken all low descriptor numbers. The
 * recorder must not write to these files.
 */
static void use_files(const char *what, int (*duplicate)(int file, int number))
{
	struct fake_control control = {
		.client = CLIENT, .object = DEVICE, .cmd = 0x20800a01};
	FILE *files[LAST];
	int good = 0;

	for (int fd = FIRST; fd < LAST; fd++) {
		files[fd] = tmpfile();
		if (!files[fd] || duplicate(fileno(files[fd]), fd + LAST) < 0) {
			printf("%s: errno %d\n", what, errno);
			return;
		}
	}
	for (int i = 0; i < CALLS; i++) {
		call(0x2a, &control, sizeof(control));
	}
	for (int fd = FIRST; fd < LAST; fd++) {
		struct stat st;

		good += fstat(fd + LAST, &st) == 0 && st.st_size == 0;
		close(fd + LAST);
		good += fstat(fileno(files[fd]), &st) == 0 && st.st_size == 0;
		fclose(files[fd]);
	}
	printf("%s: %d of %d as they were\n", what, good, 2 * (LAST - FIRST));
}

static int by_dup2(int file, int number)
{
	return dup2(file, number);
}

static int by_system_call(int file, int number)
{
	return (int)syscall(SYS_dup2, file, number);
}

static void close_each(void)
{
	int closed = 0;

	for (int fd = FIRST; fd < MOST; fd++) {
		closed += close(fd) == 0;
	}
	printf("closed %d\n", closed);
}

int main(void)
{
	int status = 0;

	printf("first %d\n", open("/dev/null", O_RDONLY));
	set_up();
	printf("control %d\n", control_fd);
	use_files("dup2", by_dup2);
	close_each();
	set_up();
	use_files("close", by_dup2);
	printf("close_range %ld\n", syscall(SYS_close_range, FIRST, MOST, 0));
	set_up();
	use_files("close_range", by_system_call);
	fflush(stdout);
	if (fork() == 0) {
		closefrom(FIRST);
		set_up();
		use_files("closefrom", by_dup2);
		fflush(stdout);
		_exit(0);
	}
	wait(&status);
	printf("child gave %d\n", status);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Takes a lock in its fork handlers, and changes its root folder. In the new root LTTng
 * finds neither its daemon nor its files, and no library can be loaded, so the program is
 * not recorded after the chroot. Needs root.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int taken;

static void take(void)
{
	pthread_mutex_lock(&lock);
	taken++;
}

static void give_back(void)
{
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	char folder[] = "/tmp/scenario-root-folder-XXXXXX";
	int status = 0;
	pid_t child;

	pthread_atfork(take, give_back, give_back);
	if (!mkdtemp(folder) || chroot(folder) != 0 || chdir("/") != 0) {
		perror("chroot");
		return 1;
	}
	child = fork();
	if (child == 0) {
		_exit(3);
	}
	waitpid(child, &status, 0);
	printf("child gave %d, the lock was taken %d time\n", WEXITSTATUS(status), taken);
	return 0;
}

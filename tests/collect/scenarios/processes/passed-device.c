/* SPDX-License-Identifier: MIT */
/*
 * A child receives device descriptors through a socket after the fork. The recorder must
 * recognise them in the child.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

static void send_descriptor(int socket, int fd)
{
	char control[CMSG_SPACE(sizeof(fd))] = {0};
	char byte = 'd';
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&message);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	sendmsg(socket, &message, 0);
}

static int receive_descriptor(int socket, int raw)
{
	char control[CMSG_SPACE(sizeof(int))];
	char byte = 0;
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	long n = raw ? syscall(SYS_recvmsg, socket, &message, 0)
		     : recvmsg(socket, &message, 0);
	int fd = -1;

	if (n == 1 && message.msg_controllen) {
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	}
	return fd;
}

/* Uses devices that its parent opened after the fork. */
static int child(int socket)
{
	volatile char *mapped;
	int fd;

	control_fd = receive_descriptor(socket, 0);
	fd = receive_descriptor(socket, 1);
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	mapped = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	mapped[1] = 'c';
	printf("child %c%c, %d\n", mapped[0], mapped[1], receive_descriptor(socket, 0) > 0);
	fflush(stdout);
	close(control_fd);
	return 3;
}

int main(void)
{
	struct fake_map m = {
		.client = CLIENT, .device = DEVICE, .memory = SYS, .length = PAGE};
	int sockets[2];
	int status = 0;
	volatile char *mapped;
	pid_t pid;

	socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets);
	pid = fork();
	if (pid == 0) {
		_exit(child(sockets[1]));
	}
	set_up();
	m.fd = open("/dev/nvidia0", O_RDWR);
	call(0x4e, &m, sizeof(m));
	mapped = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, m.fd, 0);
	mapped[0] = 'p';
	send_descriptor(sockets[0], control_fd);
	send_descriptor(sockets[0], m.fd);
	send_descriptor(sockets[0], sockets[0]);
	waitpid(pid, &status, 0);
	printf("parent %c%c, child gave %d\n", mapped[0], mapped[1], WEXITSTATUS(status));
	release(CLIENT);
	return 0;
}

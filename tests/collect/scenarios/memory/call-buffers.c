/* SPDX-License-Identifier: MIT */
/*
 * System calls read and write watched memory; the struct of an ioctl is in such memory,
 * too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

#define TEXT "what the kernel has put there\n"
#define SIZE sizeof(TEXT)

static void check(const char *name, ssize_t n, const char *memory)
{
	printf("%s %d %d\n", name, n == (ssize_t)SIZE, memcmp(memory, TEXT, SIZE) == 0);
}

static void files(char *memory, char *far)
{
	struct iovec parts[2] = {{memory, 5}, {far, SIZE - 5}};
	char path[] = "/tmp/ktail-buffers-XXXXXX";
	char plain[SIZE];
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w+");
	ssize_t n;

	unlink(path);
	strcpy(memory, TEXT);
	check("pwrite", pwrite(fd, memory, SIZE, 0), memory);
	check("pread", pread(fd, plain, SIZE, 0), plain);
	memset(memory, 0, SIZE);
	check("read", pread(fd, memory, SIZE, 0), memory);
	n = preadv(fd, parts, 2, 0);
	memcpy(plain, memory, 5);
	memcpy(plain + 5, far, SIZE - 5);
	check("readv", n, plain);
	n = pwritev(fd, parts, 2, 0);
	check("writev", n == pread(fd, plain, SIZE, 0) ? n : -1, plain);
	memset(memory, 0, SIZE);
	check("fread", (ssize_t)fread(memory, 1, SIZE, file), memory);
	fseek(file, 0, SEEK_SET);
	check("fwrite", (ssize_t)fwrite(memory, 1, SIZE, file), memory);
	fclose(file);
}

static void sockets(char *memory)
{
	struct iovec part = {memory, SIZE};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	int pair[2];
	char plain[SIZE];

	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	strcpy(memory, TEXT);
	check("send", send(pair[0], memory, SIZE, 0), memory);
	memset(memory, 0, SIZE);
	check("recv", recv(pair[1], memory, SIZE, 0), memory);
	check("sendmsg", sendmsg(pair[0], &message, 0), memory);
	memset(memory, 0, SIZE);
	check("recvmsg", recvmsg(pair[1], &message, 0), memory);
	check("write", write(pair[0], memory, SIZE), memory);
	check("read", read(pair[1], plain, SIZE), plain);
	printf("no memory %d", (int)write(pair[0], (char *)PAGE, SIZE));
	printf(" %d\n", errno == EFAULT);
	printf("no vector %d", (int)writev(pair[0], (struct iovec *)PAGE, 2));
	printf(" %d\n", errno == EFAULT);
}

int main(void)
{
	struct fake_control *control;
	char *memory;
	char *other;

	set_up();
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	memory = map(SYS, 4 * PAGE, PROT_READ | PROT_WRITE);
	alloc(DEVICE, FB, 0x40, NULL, 0);
	other = map(FB, 4 * PAGE, PROT_READ | PROT_WRITE);
	files(memory, other);
	sockets(memory);
	printf("random %d\n", (int)getrandom(memory, PAGE, 0));
	printf("mlock %d %d\n", mlock(memory, 2 * PAGE), munlock(memory, 2 * PAGE));
	printf("populate %d\n", madvise(memory, 4 * PAGE, MADV_POPULATE_WRITE));
	control = (struct fake_control *)(void *)other;
	*control = (struct fake_control){
		.client = CLIENT, .object = DEVICE, .cmd = 0x20800a01};
	printf("ioctl %d\n", call(0x2a, control, sizeof(*control)));
	release(CLIENT);
	return 0;
}

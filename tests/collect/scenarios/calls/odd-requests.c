/* SPDX-License-Identifier: MIT */
/*
 * Covers registered memory, an unknown class, a failed request, a failed mmap, and a nested
 * request.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

int main(void)
{
	static char buffer[2 * PAGE];
	struct fake_register pin = {.root = CLIENT,
				    .parent = DEVICE,
				    .object = PIN,
				    .class_ = 0x71,
				    .address = (uintptr_t)buffer,
				    .limit = sizeof(buffer) - 1};
	struct fake_control bad = {
		.client = CLIENT, .object = DEVICE, .cmd = FAKE_BAD_COMMAND};
	struct fake_control inner = {.client = CLIENT, .object = DEVICE, .cmd = 0x20800a01};
	struct fake_xfer xfer = {
		.command = 0x2a, .size = sizeof(inner), .pointer = (uintptr_t)&inner};
	int uvm;
	int fd;
	void *odd;
	void *failed;

	set_up();
	uvm = open("/dev/nvidia-uvm", O_RDWR);
	printf("uvm %d\n", ioctl(uvm, 0x30000001, NULL));
	fd = call(0x2a, &bad, sizeof(bad));
	printf("bad %d %d\n", fd, errno == EINVAL);
	printf("xfer %d\n", call(0xd3, &xfer, sizeof(xfer)));
	fd = open("/dev/nvidia9", O_RDWR);
	printf("open %d %d\n", fd, errno == ENODEV);
	pin.fd = -1;
	call(0x27, &pin, sizeof(pin));
	alloc(DEVICE, SYS, 0xb1, NULL, 0);
	odd = map(SYS, PAGE, PROT_READ | PROT_WRITE);
	fd = dup(control_fd);
	failed = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | 0x80000000, fd, 1);
	printf("mmap failed %d\n", failed == MAP_FAILED);
	strcpy(odd, "hello");
	printf("odd %s\n", (char *)odd);
	munmap(odd, PAGE);
	release(DEVICE);
	close(fd);
	close(uvm);
	close(control_fd);
	return 0;
}

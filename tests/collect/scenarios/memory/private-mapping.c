/* SPDX-License-Identifier: MIT */
/* In a private mapping, only the program sees its stores. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

int main(void)
{
	struct fake_map m = {
		.client = CLIENT, .device = DEVICE, .memory = SYS, .length = 2 * PAGE};
	volatile char *mine;
	volatile char *shared;

	set_up();
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	m.fd = open("/dev/nvidiactl", O_RDWR);
	call(0x4e, &m, sizeof(m));
	mine = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, m.fd, 0);
	shared = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, m.fd, 0);
	mine[0] = 'm';
	shared[1] = 's';
	printf("%c%d %d%c\n", mine[0], mine[1], shared[0], shared[1]);
	release(CLIENT);
	return 0;
}

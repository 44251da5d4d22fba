/* SPDX-License-Identifier: MIT */
/* The program and system calls access registered user memory, which is then freed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

int main(void)
{
	char *buffer = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct fake_register pin = {.root = CLIENT,
				    .parent = DEVICE,
				    .object = PIN,
				    .class_ = 0x71,
				    .address = (uintptr_t)buffer + 100,
				    .limit = 6 * PAGE - 1,
				    .fd = -1};
	int file = open("/proc/self/exe", O_RDONLY);
	long sum = 0;

	set_up();
	call(0x27, &pin, sizeof(pin));
	for (int i = 0; i < 8 * PAGE; i++) {
		buffer[i] = (char)i;
	}
	release(SYS); /* separates the runs by a letter; the object does not exist */
	for (int i = 0; i < 8 * PAGE; i++) {
		sum += buffer[i];
	}
	printf("sum %ld, read %zd\n", sum, read(file, buffer + PAGE, 3 * PAGE));
	printf("magic %d\n", memcmp(buffer + PAGE, "\177ELF", 4) == 0);
	release(PIN);
	buffer[2 * PAGE] = 1;
	munmap(buffer, 8 * PAGE);
	release(CLIENT);
	return 0;
}

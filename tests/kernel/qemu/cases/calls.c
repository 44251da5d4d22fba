/* SPDX-License-Identifier: MIT */
/*
 * Calls to the device: calls bad (with arbitrary arguments), calls pin (three pages), or
 * calls wait (in the kernel, until a signal arrives).
 */
#define _GNU_SOURCE
#include <signal.h>

#include "bare.h"

static int fd;

static char *page_of_memory(int protection)
{
	char *pages = mmap(NULL, 2L * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages, PAGE, protection) != 0) {
		fail("mmap: %s", strerror(errno));
	}
	return pages;
}

static void call(unsigned long request, const void *argument)
{
	ioctl(fd, request, argument);
	ioctl(-1, request, argument);
	ioctl(1 << 20, request, argument);
}

static void bad_calls(void)
{
	char *whole = page_of_memory(PROT_READ | PROT_WRITE);
	char *closed = page_of_memory(PROT_NONE);
	char *fresh = page_of_memory(PROT_READ);
	const char *const arguments[] = {
		NULL,
		(char *)1,
		(char *)-1,
		(char *)-4096,
		whole,
		whole + PAGE,
		whole + PAGE - 1,
		whole + PAGE - 16,
		whole - 8,
		closed,
		fresh,
		fresh + PAGE - 1,
		(char *)(1ul << 47),
		(char *)(~0ul << 47),
		(char *)0xffffffff81000000ul,
	};
	const unsigned long requests[] = {
		BARE_STATE,
		BARE_STORE,
		BARE_PIN,
		0,
		~0ul,
		0xffffffff,
		_IOC(3, 'G', 2, 0x3fff),
		_IOC(3, 'G', 77, 0),
		_IOC(3, 'F', 0x2b, 48),
		_IOC(3, 'F', 0xd3, 16),
		1ul << 40 | BARE_STATE,
	};

	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++) {
		for (size_t j = 0; j < sizeof(requests) / sizeof(requests[0]); j++) {
			call(requests[j], arguments[i]);
		}
	}
}

static void pin_pages(void)
{
	char *memory = mmap(NULL, 3L * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct bare_pin pin = {.address = (uintptr_t)memory, .pages = 3};

	if (ioctl(fd, BARE_PIN, &pin) != 0 || pin.result != 3) {
		fail("pin: %s, %d", strerror(errno), pin.result);
	}
	pin.address = (uintptr_t)page_of_memory(PROT_NONE);
	if (ioctl(fd, BARE_PIN, &pin) != 0 || pin.result != -EFAULT) {
		fail("pin nothing: %s, %d", strerror(errno), pin.result);
	}
}

static void interrupted(int signal)
{
	(void)signal;
}

static void wait_in_kernel(void)
{
	const struct sigaction action = {.sa_handler = interrupted};

	sigaction(SIGTERM, &action, NULL);
	say_begun();
	if (ioctl(fd, BARE_WAIT, 1000000ul) == 0 || errno != EINTR) {
		fail("wait: no signal arrived");
	}
	bare_state(fd);
}

int main(int argc, char **argv)
{
	const char *how = argc == 2 ? argv[1] : "";

	fd = bare_open();
	if (strcmp(how, "bad") == 0) {
		bad_calls();
	} else if (strcmp(how, "pin") == 0) {
		pin_pages();
	} else if (strcmp(how, "wait") == 0) {
		wait_in_kernel();
	} else {
		fail("usage: calls bad|pin|wait");
	}
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * A large mapping whose pages are mapped one by one: large PAGES. Accesses each page, from
 * the first to the last.
 */
#define _GNU_SOURCE
#include "bare.h"

int main(int argc, char **argv)
{
	int fd = bare_open();
	long n = argc == 2 ? atol(argv[1]) : 0;
	const volatile char *at;

	if (n <= 0) {
		fail("usage: large PAGES");
	}
	at = bare_map(fd, (size_t)n, BARE_LARGE);
	for (long i = 0; i < n; i++) {
		(void)at[i * PAGE];
	}
	return 0;
}

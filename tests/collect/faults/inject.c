/* SPDX-License-Identifier: MIT */
/*
 * Fault injection, only in test builds. In each process, KTAIL_FAULT=N makes the Nth call
 * that can fail return an error. KTAIL_FAULT="SITE K" selects the Kth call at that site:
 * unlike N, K does not count calls of other threads at other sites. Each call that can fail
 * appends a line "PID NUMBER SITE" to the file named by KTAIL_FAULT_LOG.
 */
#define _GNU_SOURCE
#include "collect/preload/process/faults.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "collect/preload/process/kernel.h"

extern char **environ;

static _Atomic unsigned calls;
static _Atomic unsigned calls_of_site; /* calls at the site selected by KTAIL_FAULT */

/* Does not use libc's getenv(): other tests trap calls of libc in signal handlers. */
static const char *variable(const char *name)
{
	size_t n = strlen(name);

	for (char **entry = environ; entry && *entry; entry++) {
		if (strncmp(*entry, name, n) == 0 && (*entry)[n] == '=') {
			return *entry + n + 1;
		}
	}
	return NULL;
}

/* Writes the number in decimal and returns the end of its digits. */
static char *put_number(char *to, unsigned number)
{
	unsigned power = 1;

	while (number / power >= 10) {
		power *= 10;
	}
	for (; power; power /= 10) {
		*to++ = (char)('0' + number / power % 10);
	}
	return to;
}

static void write_log(const char *path, unsigned number, const char *site)
{
	char line[160];
	char *end = put_number(line, (unsigned)KT_KERNEL(SYS_getpid, 0));
	size_t n = strnlen(site, 100);
	long fd;

	*end++ = ' ';
	end = put_number(end, number);
	*end++ = ' ';
	memcpy(end, site, n);
	end += n;
	*end++ = '\n';
	fd = KT_KERNEL(SYS_open, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (!kt_kernel_failed(fd)) {
		KT_KERNEL(SYS_write, fd, line, end - line);
		KT_KERNEL(SYS_close, fd);
	}
}

/*
 * Parses "SITE K" or "N" and returns K or N. Sets *by_site if only the calls at that site
 * count.
 */
static unsigned wanted_call(const char *wanted, const char *site, bool *by_site)
{
	size_t n = strlen(site);
	unsigned number = 0;

	*by_site = wanted && (*wanted < '0' || *wanted > '9');
	if (*by_site) {
		bool ours = strncmp(wanted, site, n) == 0 && wanted[n] == ' ';

		wanted = ours ? wanted + n + 1 : NULL;
	}
	for (; wanted && *wanted >= '0' && *wanted <= '9'; wanted++) {
		number = number * 10 + (unsigned)(*wanted - '0');
	}
	return number;
}

bool kt_fault_now(const char *site)
{
	const char *log = variable("KTAIL_FAULT_LOG");
	unsigned number = atomic_fetch_add(&calls, 1) + 1;
	bool by_site;
	unsigned which = wanted_call(variable("KTAIL_FAULT"), site, &by_site);

	if (log) {
		write_log(log, number, site);
	}
	if (by_site && which) {
		number = atomic_fetch_add(&calls_of_site, 1) + 1;
	}
	return which && number == which;
}

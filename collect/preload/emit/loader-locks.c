/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/emit/loader-locks.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "collect/preload/emit/lock.h"
#include "collect/preload/process/counters.h"

/* MILLISECOND is in ns, the two waits are in ms. */
enum { MILLISECOND = 1000000, SHORT_WAIT = 200, LONG_WAIT = 10000 };

/*
 * glibc's loader locks, adjacent members of a private table (_dl_load_lock and
 * _dl_load_write_lock of struct rtld_global, sysdeps/generic/ldsodefs.h, from 2.3 to 2.41).
 * `loading` is held while libraries are loaded and unloaded, `list` while the list of
 * libraries is changed or walked.
 */
struct locks {
	pthread_mutex_t loading;
	pthread_mutex_t list;
};

static struct locks *locks; /* NULL if not found */

/* --- search --- */

/*
 * Returns whether this is a recursive mutex that the calling thread holds. The members that
 * are read here are part of glibc's ABI.
 */
static bool is_mine(const pthread_mutex_t *mutex)
{
	return mutex->__data.__kind == PTHREAD_MUTEX_RECURSIVE_NP &&
	       mutex->__data.__lock != 0 && mutex->__data.__count > 0 &&
	       (uint32_t)mutex->__data.__owner == kt_tid();
}

struct search {
	struct locks *first;
	struct locks *end;
	struct locks *found;
};

/*
 * Callback of dl_iterate_phdr(), which holds the list lock but not the loading lock.
 * Searches the table for two adjacent mutexes of which this thread holds only the second.
 */
static int search_table(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct search *search = argument;

	(void)info;
	(void)size;
	for (char *at = (char *)search->first;
	     at + sizeof(struct locks) <= (char *)search->end; at += sizeof(void *)) {
		struct locks *candidate = (struct locks *)(void *)at;

		if (is_mine(&candidate->list) && !is_mine(&candidate->loading) &&
		    candidate->loading.__data.__kind == PTHREAD_MUTEX_RECURSIVE_NP) {
			search->found = candidate;
			return 1;
		}
	}
	return 1; /* ends the iteration: the whole table has been searched */
}

void kt_loader_locks_init(void)
{
	void *table = dlsym(RTLD_DEFAULT, "_rtld_global");
	void *symbol = NULL;
	struct search search = {.first = table};
	Dl_info info;

	if (table && dladdr1(table, &info, &symbol, RTLD_DL_SYMENT) && symbol &&
	    info.dli_saddr == table) {
		search.end = (struct locks *)(void *)((char *)table +
						      ((const ElfW(Sym) *)symbol)->st_size);
		dl_iterate_phdr(search_table, &search);
	}
	/*
	 * dl_iterate_phdr() has released the list lock. If this thread still holds the
	 * mutex that was found, that mutex is not the list lock.
	 */
	locks = search.found && !is_mine(&search.found->list) ? search.found : NULL;
	if (!locks) {
		kt_count(&kt_counters->setup_failures);
	}
}

/* --- around a fork --- */

static bool wait_for(pthread_mutex_t *mutex, unsigned milliseconds)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += milliseconds / 1000;
	end.tv_nsec += (long)(milliseconds % 1000) * MILLISECOND;
	if (end.tv_nsec >= 1000L * MILLISECOND) {
		end.tv_sec++;
		end.tv_nsec -= 1000L * MILLISECOND;
	}
	return pthread_mutex_timedlock(mutex, &end) == 0;
}

static int read_changes(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(uint64_t *)context = (uint64_t)info->dlpi_adds + (uint64_t)info->dlpi_subs;
	return 1;
}

uint64_t kt_loader_changes(void)
{
	uint64_t changes = 0;

	dl_iterate_phdr(read_changes, &changes);
	return changes;
}

/*
 * Like kt_loader_changes(), but returns `otherwise` if the list lock is held for long: its
 * owner may be waiting for a lock of the forking thread.
 */
static uint64_t changes_soon(uint64_t otherwise)
{
	uint64_t changes = otherwise;

	if (wait_for(&locks->list, SHORT_WAIT)) {
		changes = kt_loader_changes(); /* the lock is recursive */
		pthread_mutex_unlock(&locks->list);
	}
	return changes;
}

void kt_loader_hold(struct kt_loader_locks *held)
{
	uint64_t changes;
	uint64_t before;

	*held = (struct kt_loader_locks){.loading = false};
	if (!locks) {
		return;
	}
	changes = changes_soon(0);
	for (unsigned waited = 0; waited < LONG_WAIT && !held->loading;
	     waited += SHORT_WAIT) {
		held->loading = wait_for(&locks->loading, SHORT_WAIT);
		before = changes;
		changes = changes_soon(before);
		/*
		 * If libraries were loaded or unloaded meanwhile, the lock was free at
		 * times, and its owner may be about to load the next one.
		 */
		if (_r_debug.r_state == RT_CONSISTENT && changes == before) {
			break;
		}
	}
	held->list = wait_for(&locks->list, SHORT_WAIT);
}

void kt_loader_in_parent(const struct kt_loader_locks *held)
{
	if (held->list) {
		pthread_mutex_unlock(&locks->list);
	}
	if (held->loading) {
		pthread_mutex_unlock(&locks->loading);
	}
}

void kt_loader_in_child(void)
{
	static const pthread_mutex_t free_mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

	/*
	 * Reinitialises both locks, as glibc's fork() does with its own locks. A thread
	 * that held one of them in the parent does not exist in the child and cannot
	 * release it.
	 */
	if (locks) {
		locks->loading = free_mutex;
		locks->list = free_mutex;
	}
}

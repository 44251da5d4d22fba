/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/cleanup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktail/status.h>

static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGXCPU, SIGABRT};

#define N_SIGNALS (sizeof(signals) / sizeof(signals[0]))

struct entry {
	char *path; /* Owned by this */
	struct entry *next;
};

static struct entry *entries; /* the youngest first */
static pid_t owner;
static pid_t child;

/* Only what is safe within a signal handler; entries change only while it is held off. */
static void remove_all(int number)
{
	int saved = errno;

	if (getpid() == owner) {
		if (child > 0) {
			kill(child, SIGTERM);
		}
		for (const struct entry *e = entries; e; e = e->next) {
			if (unlink(e->path) != 0) {
				rmdir(e->path);
			}
		}
	}
	/* Its handler is gone by now (SA_RESETHAND): this ends the program. */
	raise(number);
	errno = saved;
}

static void fill(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < N_SIGNALS; i++) {
		sigaddset(set, signals[i]);
	}
}

void kt_cleanup_install(void)
{
	struct sigaction action = {.sa_handler = remove_all, .sa_flags = (int)SA_RESETHAND};

	owner = getpid();
	fill(&action.sa_mask);
	for (size_t i = 0; i < N_SIGNALS; i++) {
		struct sigaction before;

		if (sigaction(signals[i], NULL, &before) == 0 &&
		    before.sa_handler == SIG_DFL) {
			sigaction(signals[i], &action, NULL);
		}
	}
	signal(SIGXFSZ, SIG_IGN);
}

void kt_cleanup_hold(sigset_t *before)
{
	sigset_t set;

	fill(&set);
	pthread_sigmask(SIG_BLOCK, &set, before);
}

void kt_cleanup_release(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

int kt_cleanup_add(const char *path)
{
	struct entry *e = malloc(sizeof(*e));
	sigset_t before;

	if (e) {
		e->path = strdup(path);
	}
	if (!e || !e->path) {
		free(e);
		return kt_error(KT_E_MEMORY, "remember %s: out of memory", path);
	}
	kt_cleanup_hold(&before);
	e->next = entries;
	entries = e;
	kt_cleanup_release(&before);
	return KT_OK;
}

void kt_cleanup_forget(const char *path)
{
	struct entry *found = NULL;
	sigset_t before;

	kt_cleanup_hold(&before);
	for (struct entry **e = &entries; *e; e = &(*e)->next) {
		if (strcmp((*e)->path, path) == 0) {
			found = *e;
			*e = found->next;
			break;
		}
	}
	kt_cleanup_release(&before);
	if (found) {
		free(found->path);
		free(found);
	}
}

void kt_cleanup_set_child(pid_t pid)
{
	child = pid;
}

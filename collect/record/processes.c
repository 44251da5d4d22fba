/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEPTH 8 /* generations: guards the walk where process numbers are used again */

struct process {
	pid_t pid;
	pid_t parent;
	char state;
	char name[32];
};

/* "4242 (name) S 17 ...": the name may hold anything, so its end is the last ')'. */
static bool read_process(struct process *out, const char *number)
{
	char path[64];
	char text[512];
	const char *begin;
	char *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", number);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0) {
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	begin = strchr(text, '(');
	end = strrchr(text, ')');
	if (!begin || !end || end < begin || strlen(end) < 5) {
		return false;
	}
	*end = '\0';
	out->pid = (pid_t)atol(number);
	out->state = end[2];
	out->parent = (pid_t)atol(end + 4);
	snprintf(out->name, sizeof(out->name), "%.31s", begin + 1);
	return true;
}

/* Calls visit() for each child that is not a zombie, until it says false. */
static void each_child(pid_t parent, bool (*visit)(const struct process *, void *),
		       void *context)
{
	DIR *all = opendir("/proc");
	bool more = true;

	for (struct dirent *e = all ? readdir(all) : NULL; e && more; e = readdir(all)) {
		struct process process;

		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' &&
		    read_process(&process, e->d_name) && process.parent == parent &&
		    process.state != 'Z') {
			more = visit(&process, context);
		}
	}
	if (all) {
		closedir(all);
	}
}

struct search {
	const char *name;
	pid_t found;
};

static bool is_it(const struct process *process, void *context)
{
	struct search *search = context;

	if (strncmp(process->name, search->name, 15) == 0) {
		search->found = process->pid;
	}
	return !search->found;
}

pid_t kt_process_child(pid_t parent, const char *name)
{
	struct search search = {.name = name};

	each_child(parent, is_it, &search);
	return search.found;
}

struct round {
	int number;
	int depth;
	int count;
};

static bool signal_it(const struct process *process, void *context)
{
	struct round *round = context;
	struct round below = {.number = round->number, .depth = round->depth + 1};

	if (below.depth < DEPTH) {
		each_child(process->pid, signal_it, &below);
	}
	kill(process->pid, round->number);
	round->count += 1 + below.count;
	return true;
}

int kt_process_signal_descendants(pid_t ancestor, int number)
{
	struct round round = {.number = number};

	each_child(ancestor, signal_it, &round);
	return round.count;
}

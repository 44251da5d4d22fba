/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "corpus/softgpu/driver/labels.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int kt_labels_state = KT_LABELS_UNKNOWN;

static int file = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local enum kt_softgpu_label current;
static _Thread_local enum kt_softgpu_label submission;

static const char *const names[] = {[KT_LABEL_NONE] = "",
#define ROW(name, text) [KT_LABEL_##name] = text,
				    KT_SOFTGPU_LABELS(ROW)
#undef ROW
};

/*
 * On failure the state remains unknown, so the next call tries again and reports the
 * error.
 */
int kt_labels_open(void)
{
	const char *path = getenv("KTAIL_SOFTGPU_LABELS");
	int state;

	pthread_mutex_lock(&lock);
	state = __atomic_load_n(&kt_labels_state, __ATOMIC_RELAXED);
	if (state == KT_LABELS_UNKNOWN && path && *path) {
		file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
		state = file >= 0 ? KT_LABELS_ON : KT_LABELS_UNKNOWN;
	} else if (state == KT_LABELS_UNKNOWN) {
		state = KT_LABELS_OFF;
	}
	__atomic_store_n(&kt_labels_state, state, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
	return state == KT_LABELS_UNKNOWN ? -1 : 0;
}

/*
 * Writes one line by one system call, so that no line is lost if the process is killed, and
 * lines of several threads and processes do not mix.
 */
static void say(const char *what, const char *text)
{
	struct timespec now;
	char line[160];
	int n;

	clock_gettime(CLOCK_MONOTONIC, &now);
	n = snprintf(line, sizeof(line), "%" PRIu64 "\t%d\t%d\t%s\t%s\n",
		     (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
		     (int)getpid(), (int)gettid(), what, text);
	if (write(file, line, (size_t)n) != n) {
		return; /* the line is lost, for example because the disk is full */
	}
}

enum kt_softgpu_label kt_label_set(enum kt_softgpu_label label)
{
	enum kt_softgpu_label before = current;

	if (label != before) {
		current = label;
		say("label", names[label]);
	}
	return before;
}

enum kt_softgpu_label kt_submitting(void)
{
	return submission ? submission : KT_LABEL_SUBMIT_NOTHING;
}

enum kt_softgpu_label kt_submitting_set(enum kt_softgpu_label label)
{
	enum kt_softgpu_label before = submission;

	submission = label;
	return before;
}

void kt_label_call(const char *what, const char *symbol)
{
	say(what, symbol);
}

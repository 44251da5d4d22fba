/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "annotate/export/tracks.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/hash-index.h"
#include "base/try.h"

/* Prints a text into *out, which the caller frees. */
#define PRINT(out, ...)                                                                    \
	(asprintf((out), __VA_ARGS__) < 0 ? (*(out) = NULL, kt_no_memory("name tracks"))   \
					  : KT_OK)

/* Finds the process of an instance, or adds it; pid 0 is unknown. */
static int find_process(struct kt_tracks *t, const struct kt_timeline *timeline,
			size_t trace, uint64_t instance, const char *name, uint32_t pid,
			uint32_t *free_number, uint32_t *out)
{
	struct kt_track_process *process;
	bool taken = pid == 0;

	for (size_t i = 0; i < t->n_processes; i++) {
		process = &t->processes[i];
		if (process->trace == trace && process->instance == instance) {
			*out = (uint32_t)i;
			return KT_OK;
		}
		taken = taken || process->number == pid;
	}
	KT_TRY(kt_array_reserve(&t->processes, &t->capacity, t->n_processes + 1));
	process = &t->processes[t->n_processes];
	*process = (struct kt_track_process){
		.trace = trace, .instance = instance, .pid = pid, .program = name};
	process->number = taken ? (*free_number)++ : pid;
	*out = (uint32_t)t->n_processes++;
	return timeline->n_traces > 1 ? PRINT(&process->name, "%s (%s)", name,
					      timeline->traces[trace].name)
				      : PRINT(&process->name, "%s", name);
}

/* Returns whether a thread has this number; `by_number` has the threads so far. */
static bool is_taken(const struct kt_tracks *t, const struct kt_hash_index *by_number,
		     uint64_t number)
{
	struct kt_hash_probe probe = kt_hash_probe(by_number, kt_hash_number(number));
	uint32_t at;

	while (kt_hash_next(by_number, &probe, &at)) {
		if (t->threads[at].number == number) {
			return true;
		}
	}
	return false;
}

static int add_threads(struct kt_tracks *t, const struct kt_timeline *timeline,
		       struct kt_hash_index *by_number, uint32_t *free_number)
{
	const struct kt_timeline_events *e = &timeline->events;

	for (size_t i = 0; i < e->n_threads; i++) {
		const struct kt_timeline_thread *thread = &e->threads[i];
		struct kt_track *track = &t->threads[t->n_threads++];

		track->number = is_taken(t, by_number, thread->tid) ? (*free_number)++
								    : thread->tid;
		KT_TRY(kt_hash_add(by_number, kt_hash_number(track->number), i));
		KT_TRY(find_process(t, timeline, thread->trace, thread->instance,
				    e->names.items[thread->process], thread->pid,
				    free_number, &track->process));
		KT_TRY(PRINT(&track->name, "%s %" PRIu32,
			     thread->tid == thread->pid ? "main thread" : "thread",
			     thread->tid));
	}
	return KT_OK;
}

static int add_channels(struct kt_tracks *t, const struct kt_timeline *timeline,
			uint32_t *free_number)
{
	const struct kt_timeline_events *e = &timeline->events;

	for (size_t i = 0; i < e->n_channels; i++) {
		const struct kt_timeline_channel *channel = &e->channels[i];
		struct kt_track *track = &t->channels[t->n_channels++];

		track->number = (*free_number)++;
		KT_TRY(find_process(t, timeline, channel->trace, channel->instance,
				    "unknown", 0, free_number, &track->process));
		KT_TRY(PRINT(&track->name, "channel 0x%" PRIx32 " %s", channel->channel,
			     e->names.items[channel->class_name]));
	}
	return KT_OK;
}

int kt_tracks_make(struct kt_tracks *out, const struct kt_timeline *timeline)
{
	struct kt_hash_index by_number = {.slots = NULL};
	uint32_t free_number = KT_TRACKS_FREE;
	int code;

	out->threads = calloc(timeline->events.n_threads + 1, sizeof(*out->threads));
	out->channels = calloc(timeline->events.n_channels + 1, sizeof(*out->channels));
	if (!out->threads || !out->channels) {
		return kt_no_memory("name tracks");
	}
	code = add_threads(out, timeline, &by_number, &free_number);
	kt_hash_free(&by_number);
	return code ? code : add_channels(out, timeline, &free_number);
}

void kt_tracks_free(struct kt_tracks *t)
{
	for (size_t i = 0; i < t->n_processes; i++) {
		free(t->processes[i].name);
	}
	for (size_t i = 0; i < t->n_threads; i++) {
		free(t->threads[i].name);
	}
	for (size_t i = 0; i < t->n_channels; i++) {
		free(t->channels[i].name);
	}
	free(t->processes);
	free(t->threads);
	free(t->channels);
	*t = (struct kt_tracks){.n_processes = 0};
}

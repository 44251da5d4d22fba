/* SPDX-License-Identifier: MIT */
#include "annotate/events/device-times.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/words/memory/number-map.h"

/* Maximum number of releases that are searched for a report's payload. */
#define MAX_BACK 1024

/*
 * Limits of the search for reports that relate the device's timer to the trace's clock: at
 * most this many releases back in the channel, submitted at most this many ns earlier. In
 * that time the two clocks drift apart by a few microseconds at most.
 */
#define MAX_NEAR 64
#define NEAR_NS  100000000

/* A release with a timestamp. */
struct kt_timed_release {
	uint64_t submission; /* its number */
	uint64_t payload;
	uint64_t submitted; /* time of the submission */
	uint64_t seen;      /* time of the event of its report */
	uint64_t time;      /* by the device's timer; 0: unknown */
	size_t before;      /* index + 1 of the previous release at the address; 0: none */
	size_t earlier;     /* index + 1 of the previous release in the channel; 0: none */
};

/* A report for which no release was found yet. */
struct kt_early_report {
	uint64_t payload;
	uint64_t seen;
	uint64_t time; /* 0: none */
};

struct kt_timed_instance {
	struct kt_number_map mappings; /* number of a mapping -> its address */
	/* The newest release of each address, and of each channel (client and handle). */
	struct kt_number_map newest;
	struct kt_number_map channels;
	struct kt_number_map early;      /* address -> index in `reports` */
	struct kt_early_report *reports; /* Owned by this */
	size_t n_reports;
	size_t reports_capacity;
};

static int find(struct kt_device_times *t, uint64_t instance,
		struct kt_timed_instance **out)
{
	KT_TRY(kt_array_reserve(&t->instances, &t->instances_capacity,
				(size_t)instance + 1));
	while (t->n_instances <= instance) {
		t->instances[t->n_instances++] = NULL;
	}
	if (!t->instances[instance]) {
		t->instances[instance] = calloc(1, sizeof(**t->instances));
	}
	*out = t->instances[instance];
	return *out ? KT_OK : kt_no_memory("read times of the device");
}

int kt_device_times_map(struct kt_device_times *t, uint64_t instance,
			const struct kt_map_fields *fields)
{
	struct kt_timed_instance *p;

	if (fields->error || !fields->mapping || fields->address >= KT_NOWHERE) {
		return KT_OK;
	}
	KT_TRY(find(t, instance, &p));
	return kt_number_map_set(&p->mappings, fields->mapping, (size_t)fields->address);
}

static size_t link_to(const struct kt_number_map *map, uint64_t key)
{
	size_t at = kt_number_map_get(map, key);

	return at == KT_NOWHERE ? 0 : at + 1;
}

/* A release of 32 bits leaves the high half of the payload in memory as it was. */
static bool has_payload(const struct kt_timed_release *release, uint64_t payload)
{
	return release->payload == payload ||
	       (release->payload >> 32 == 0 && release->payload == (uint32_t)payload);
}

int kt_device_times_method(struct kt_device_times *t,
			   const struct kt_submission *submission,
			   const struct kt_command *command)
{
	const uint64_t channel = (uint64_t)submission->client << 32 | submission->channel;
	struct kt_timed_instance *p;
	struct kt_timed_release *r;
	size_t early;

	if (!command->releases || !command->timestamp) {
		return KT_OK;
	}
	KT_TRY(find(t, submission->instance, &p));
	KT_TRY(kt_array_reserve(&t->releases, &t->releases_capacity, t->n_releases + 1));
	r = &t->releases[t->n_releases];
	*r = (struct kt_timed_release){
		.submission = submission->number,
		.payload = command->payload,
		.submitted = submission->time,
		.before = link_to(&p->newest, command->address),
		.earlier = link_to(&p->channels, channel),
	};
	early = link_to(&p->early, command->address);
	if (early && has_payload(r, p->reports[early - 1].payload)) {
		r->time = p->reports[early - 1].time;
		r->seen = p->reports[early - 1].seen;
		p->reports[early - 1].time = 0;
	}
	KT_TRY(kt_number_map_set(&p->newest, command->address, t->n_releases));
	KT_TRY(kt_number_map_set(&p->channels, channel, t->n_releases));
	t->n_releases++;
	return KT_OK;
}

/*
 * Keeps a report for the next release at the report's address: the device may have done the
 * work before the event of the doorbell was recorded.
 */
static int keep_early(struct kt_timed_instance *p, uint64_t address, uint64_t seen,
		      const struct kt_report_fields *fields)
{
	size_t at = kt_number_map_get(&p->early, address);

	if (at == KT_NOWHERE) {
		at = p->n_reports;
		KT_TRY(kt_array_reserve(&p->reports, &p->reports_capacity, at + 1));
		KT_TRY(kt_number_map_set(&p->early, address, at));
		p->n_reports++;
	}
	p->reports[at] = (struct kt_early_report){fields->payload, seen, fields->time};
	return KT_OK;
}

int kt_device_times_report(struct kt_device_times *t, uint64_t instance, uint64_t seen,
			   const struct kt_report_fields *fields)
{
	struct kt_timed_release *found = NULL;
	struct kt_timed_instance *p;
	size_t base;
	size_t at;

	KT_TRY(find(t, instance, &p));
	base = kt_number_map_get(&p->mappings, fields->mapping);
	if (base == KT_NOWHERE) {
		return KT_OK;
	}
	at = link_to(&p->newest, base + fields->offset);
	for (size_t steps = 0; at && steps < MAX_BACK; steps++) {
		struct kt_timed_release *r = &t->releases[at - 1];

		if (r->time >= fields->time) {
			return KT_OK; /* the device's times only grow, so this report has
				       * been read before */
		}
		if (r->time) {
			break;
		}
		if (!found && has_payload(r, fields->payload)) {
			found = r;
		}
		at = r->before;
	}
	if (!found) {
		return keep_early(p, base + fields->offset, seen, fields);
	}
	found->time = fields->time;
	found->seen = seen;
	return KT_OK;
}

int kt_device_times_event(struct kt_device_times *t, const struct kt_event *event,
			  uint64_t time)
{
	if (event->shape == KT_ON_MAP) {
		const struct kt_map_fields fields = kt_map_fields(event);

		return kt_device_times_map(t, event->process, &fields);
	}
	if (event->shape == KT_ON_REPORT) {
		const struct kt_report_fields fields = kt_report_fields(event);

		return kt_device_times_report(t, event->process, time, &fields);
	}
	return KT_OK;
}

/* --- the end of a trace --- */

/* Frees everything except the result. */
static void free_reading(struct kt_device_times *t)
{
	for (size_t i = 0; i < t->n_instances; i++) {
		if (t->instances[i]) {
			kt_number_map_free(&t->instances[i]->mappings);
			kt_number_map_free(&t->instances[i]->newest);
			kt_number_map_free(&t->instances[i]->channels);
			kt_number_map_free(&t->instances[i]->early);
			free(t->instances[i]->reports);
			free(t->instances[i]);
		}
	}
	free(t->instances);
	free(t->releases);
	t->instances = NULL;
	t->releases = NULL;
	t->n_instances = t->instances_capacity = 0;
	t->n_releases = t->releases_capacity = 0;
}

/*
 * Returns a time by the device's timer that is not after the doorbell of the release's
 * submission, so that the submission cannot have begun earlier. The event of a report comes
 * after the device wrote the report's time, so the device's timer is ahead of the trace's
 * clock by at least the written time minus the event's time. The greatest such difference
 * is the best bound. Returns 0 if the time is unknown, also if damaged reports give a time
 * that does not fit.
 */
static uint64_t doorbell_time(const struct kt_device_times *t,
			      const struct kt_timed_release *release)
{
	int64_t least = INT64_MIN;
	int64_t begin;
	size_t at = (size_t)(release - t->releases) + 1;

	for (size_t steps = 0; at && steps < MAX_NEAR; steps++) {
		const struct kt_timed_release *r = &t->releases[at - 1];
		const int64_t apart = (int64_t)(r->time - r->seen);

		if (release->submitted > r->submitted + NEAR_NS) {
			break;
		}
		least = r->time && apart > least ? apart : least;
		at = r->earlier;
	}
	return __builtin_add_overflow(least, (int64_t)release->submitted, &begin) ||
			       begin < 0
		       ? 0
		       : (uint64_t)begin;
}

/*
 * Adds the time of a release, which must be known. Until all releases of the submission are
 * added, `took` holds the time at which its work began; 0: unknown.
 */
static void add_time(const struct kt_device_times *t, struct kt_device_time *time,
		     const struct kt_timed_release *release)
{
	uint64_t before = release->earlier ? t->releases[release->earlier - 1].time : 0;

	if (time->releases) {
		time->took = time->releases == 1 ? time->end : time->took;
	} else if (before) {
		uint64_t doorbell = doorbell_time(t, release);

		doorbell = doorbell < release->time ? doorbell : release->time;
		time->took = doorbell > before ? doorbell : before;
	}
	time->releases++;
	time->end = release->time;
}

int kt_device_times_settle(struct kt_device_times *t)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < t->n_releases; i++) {
		const struct kt_timed_release *r = &t->releases[i];

		if (!r->time) {
			continue;
		}
		KT_TRY(kt_array_reserve(&t->times, &t->times_capacity,
					(size_t)r->submission));
		while (t->n < r->submission) {
			t->times[t->n++] = (struct kt_device_time){.releases = 0};
		}
		add_time(t, &t->times[r->submission - 1], r);
		first = r->time < first ? r->time : first;
	}
	for (size_t i = 0; i < t->n; i++) {
		struct kt_device_time *time = &t->times[i];

		if (time->releases) {
			time->took_known = time->took && time->took <= time->end;
			time->took = time->end - time->took;
			time->end -= first;
		}
	}
	free_reading(t);
	return KT_OK;
}

struct kt_device_time kt_device_times_at(const struct kt_device_times *t, uint64_t number)
{
	return t && number - 1 < t->n ? t->times[number - 1] : (struct kt_device_time){0};
}

void kt_device_times_free(struct kt_device_times *t)
{
	free_reading(t);
	free(t->times);
	*t = (struct kt_device_times){0};
}

/* --- a trace --- */

static int on_event(void *context, const struct kt_moment *moment,
		    const struct kt_event *event)
{
	return kt_device_times_event(context, event, moment->time);
}

static int on_method(void *context, const struct kt_moment *moment,
		     const struct kt_submission *submission,
		     const struct kt_submitted_entry *entry,
		     const struct kt_decoded *decoded)
{
	(void)moment;
	(void)entry;
	return kt_device_times_method(context, submission, &decoded->command);
}

static int on_end(void *context)
{
	return kt_device_times_settle(context);
}

const struct kt_activity_visitor kt_device_times_visitor = {
	.event = on_event, .method = on_method, .end = on_end};

/* --- sums --- */

void kt_device_cells(struct kt_cell *cells, const struct kt_device_sum *sum, bool any)
{
	cells[0] = (struct kt_cell){.number = sum->took, .known = any && sum->timed > 0};
	cells[1] = (struct kt_cell){.number = sum->timed, .known = any};
	cells[2] = (struct kt_cell){.number = sum->untimed, .known = any};
}

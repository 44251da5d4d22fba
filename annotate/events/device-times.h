/* SPDX-License-Identifier: MIT */
/*
 * Times of the device: when the work of a submission was done, by the device's timer. When
 * the device releases a semaphore with a timestamp, it writes a payload and the time; an
 * event `report` has both as they were in the program's memory. A report is matched with
 * the newest release of its payload at its address. This requires that the semaphore has
 * the same address on GPU and CPU, as those of libcuda have.
 *
 * The next release overwrites the semaphore, so of submissions in flight usually only the
 * newest has a time. Releases by a launch are not matched, because the QMD determines how
 * their time is written.
 */
#ifndef KTAIL_ANNOTATE_DEVICE_TIMES_H
#define KTAIL_ANNOTATE_DEVICE_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"
#include "base/table.h"

struct kt_device_time {
	uint64_t releases; /* with a known time; 0: the other members are meaningless */
	uint64_t end; /* ns from the earliest time of the trace to the last such release */
	bool took_known;
	/*
	 * ns from the first such release to `end`. If the submission has only one such
	 * release: ns from the previous release with a timestamp in the channel or, if that
	 * is later, from the doorbell, because the submission waits for both. The time of
	 * the doorbell by the device's timer is a lower bound, which follows from earlier
	 * reports of the channel.
	 */
	uint64_t took;
};

/* Times of the device, summed over submissions. */
struct kt_device_sum {
	uint64_t took;
	uint64_t timed;   /* submissions with a known `took` */
	uint64_t untimed; /* other submissions */
};

static inline void kt_device_sum_add(struct kt_device_sum *sum,
				     const struct kt_device_time *time)
{
	sum->took += time->took_known ? time->took : 0;
	sum->timed += time->took_known;
	sum->untimed += !time->took_known;
}

static inline void kt_device_sum_up(struct kt_device_sum *sum,
				    const struct kt_device_sum *more)
{
	sum->took += more->took;
	sum->timed += more->timed;
	sum->untimed += more->untimed;
}

/* Columns of a table (base/table.h) for a struct kt_device_sum. */
#define KT_DEVICE_COLUMNS                                                                  \
	{"device_time", "device us", KT_COLUMN_TIME, 2},                                   \
		{"timed", "timed", KT_COLUMN_COUNT, 4},                                    \
	{                                                                                  \
		"untimed", "untimed", KT_COLUMN_COUNT, 4                                   \
	}
#define KT_DEVICE_CELLS 3

/*
 * Sets the cells of KT_DEVICE_COLUMNS, from cells[0] on. The cells stay unknown unless
 * `any` is set, which means that a submission of the table has a time.
 */
void kt_device_cells(struct kt_cell *cells, const struct kt_device_sum *sum, bool any);

/* Empty if all members are zero. Free with kt_device_times_free(). */
struct kt_device_times {
	struct kt_device_time *times; /* Owned by this: by number of the submission - 1 */
	size_t n;
	size_t times_capacity;
	/* Owned by this, until kt_device_times_settle(): in order of submission. */
	struct kt_timed_release *releases;
	size_t n_releases;
	size_t releases_capacity;
	/*
	 * Owned by this, until kt_device_times_settle(): by ordinal of the process
	 * instance; NULL: nothing is known of the instance.
	 */
	struct kt_timed_instance **instances;
	size_t n_instances;
	size_t instances_capacity;
};

/*
 * Call the next three functions in the order of the trace's events. KT_E_MEMORY. Amortised
 * O(1), expected; for a report, O(releases at its address since the last release with a
 * report), at most 1024.
 */
int kt_device_times_map(struct kt_device_times *times, uint64_t instance,
			const struct kt_map_fields *fields);
/* If the command has a release with a timestamp, adds this release. */
int kt_device_times_method(struct kt_device_times *times,
			   const struct kt_submission *submission,
			   const struct kt_command *command);
/* `seen` is the time of the event, by the same clock as kt_submission.time. */
int kt_device_times_report(struct kt_device_times *times, uint64_t instance, uint64_t seen,
			   const struct kt_report_fields *fields);

/* Computes `times` at the end of a trace, and frees the rest. KT_E_MEMORY. O(releases). */
int kt_device_times_settle(struct kt_device_times *times);

/*
 * Returns the time of a submission of the trace, after kt_device_times_settle(); unknown if
 * `times` is NULL.
 */
struct kt_device_time kt_device_times_at(const struct kt_device_times *times,
					 uint64_t number);

/*
 * Calls kt_device_times_map() or kt_device_times_report() for an event of either kind.
 * `time` is the time of the event, by the same clock as kt_submission.time.
 */
int kt_device_times_event(struct kt_device_times *times, const struct kt_event *event,
			  uint64_t time);

/*
 * Calls the functions above for a trace. The context is a struct kt_device_times, initially
 * empty. The times are settled before the callback `end` of later visitors is called.
 */
extern const struct kt_activity_visitor kt_device_times_visitor;

void kt_device_times_free(struct kt_device_times *times);

#endif

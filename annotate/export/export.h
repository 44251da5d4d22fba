/* SPDX-License-Identifier: MIT */
/*
 * The timeline of traces, prepared for the formats of other programs.
 * docs/internals/export.md says what each format contains of the timeline.
 */
#ifndef KTAIL_ANNOTATE_EXPORT_H
#define KTAIL_ANNOTATE_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "annotate/export/commands.h"
#include "annotate/export/export-options.h"
#include "annotate/export/marks.h"
#include "annotate/export/objects.h"
#include "annotate/export/spans.h"
#include "annotate/export/tracks.h"
#include "annotate/export/visits.h"
#include "annotate/timeline/timeline.h"
#include "infer/files/inputs.h"

/* Empty if all members are zero. Free with kt_export_free(). */
struct kt_export {
	const struct kt_export_options *options; /* Weak */
	struct kt_inputs inputs;
	struct kt_timeline timeline;
	struct kt_timeline_request
		*requests; /* Owned by this: those of the selected part */
	size_t n_requests;
	/*
	 * Owned by this: by index in timeline.requests: 1 + index in `requests`, or 0 if
	 * the request is not in `requests`
	 */
	uint32_t *shown;
	struct kt_command_rows commands; /* of all requests */
	struct kt_objects objects;
	struct kt_visits visits; /* empty without --fsm */
	bool words_of_part; /* the words of the traces contain only the selected part */
	struct kt_tracks tracks;
	struct kt_spans spans;
	struct kt_marks marks;
};

/*
 * Reads the traces paths[0..n) and prepares them. KT_E_USAGE, KT_E_IO, KT_E_MALFORMED,
 * KT_E_EMPTY, KT_E_LOSS with --strict, KT_E_MEMORY. The caller frees *out with
 * kt_export_free(), also on failure.
 */
int kt_export_make(struct kt_export *out, const struct kt_export_options *options,
		   char *const *paths, size_t n);

void kt_export_free(struct kt_export *export);

/* Returns a name of the timeline; "" for KT_TIMELINE_NONE. */
static inline const char *kt_export_name(const struct kt_export *export, uint32_t name)
{
	return name == KT_TIMELINE_NONE ? "" : export->timeline.events.names.items[name];
}

#define KT_EXPORT_TIME 64

/*
 * Writes a time, in ns since the epoch, as ISO 8601 with nine decimals, and returns `out`.
 */
const char *kt_export_time(char out[KT_EXPORT_TIME], int64_t ns);

#define KT_EXPORT_FRAME 512

/*
 * Writes the name of a span in a flame graph, and returns `out`. The name of an ioctl
 * includes its command or class.
 */
const char *kt_export_frame(char out[KT_EXPORT_FRAME], const struct kt_export *export,
			    uint32_t event);

/* "call", "ioctl", "doorbell", "access", "map", "wait", "other". Static. */
const char *kt_export_kind_name(enum kt_timeline_kind kind);

/* Write an export (struct kt_export); each in a file of its name. KT_E_IO, KT_E_MEMORY. */
int kt_export_write_folded(FILE *out, const void *export);
int kt_export_write_speedscope(FILE *out, const void *export);
int kt_export_write_chrome(FILE *out, const void *export);
int kt_export_write_perfetto(FILE *out, const void *export);
int kt_export_write_ocel(FILE *out, const void *export);
int kt_export_write_xes(FILE *out, const void *export);
int kt_export_write_sqlite(FILE *out, const void *export);

#endif

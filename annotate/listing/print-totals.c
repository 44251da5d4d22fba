/* SPDX-License-Identifier: MIT */
/* Prints the totals of a trace: what was read and decoded, and what is missing. */
#include <inttypes.h>

#include "annotate/listing/print.h"
#include "base/wrap.h"
#include "infer/words/read/report.h"

static const char *are(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

/*
 * Returns whether all submitted commands were captured and decoded. Writes a description of
 * the trace's losses, or "", to losses[0..size).
 */
static bool is_whole(const struct kt_submission_totals *t, char *losses, size_t size)
{
	kt_trace_report_losses(losses, size, &t->reading.report);
	return !losses[0] && t->n_reasons == 0 && t->missing == 0 &&
	       t->captured == t->decoded.words;
}

void kt_print_totals(FILE *out, const struct kt_submission_totals *t)
{
	struct kt_wrap line = kt_wrap_line(out, 2);
	char losses[512];

	if (t->shown < t->submissions) {
		fprintf(out,
			"submissions: %" PRIu64 ", %" PRIu64
			" of them shown; in the whole trace:\n",
			t->submissions, t->shown);
	}
	fprintf(out,
		"doorbells: %" PRIu64 ", %" PRIu64 " of them without an entry\n"
		"entries: %" PRIu64 ", %" PRIu64 " of them control, %" PRIu64
		" without a known doorbell\n",
		t->doorbells, t->idle, t->entries, t->control, t->found);
	kt_wrap_put(&line,
		    "dwords: %" PRIu64 " in segments, %" PRIu64 " captured, %" PRIu64
		    " decoded",
		    t->ring_words, t->captured, t->decoded.words);
	kt_wrap_put(&line, " (%" PRIu64 " headers, %" PRIu64 " methods, %" PRIu64 " bad)",
		    t->decoded.headers, t->decoded.methods, t->decoded.bad);
	kt_wrap_end(&line);
	if (t->after_gap > 0) {
		fprintf(out,
			"dwords that cannot be decoded because earlier ones are missing: "
			"%" PRIu64 "\n",
			t->after_gap);
	}
	if (t->missing > 0) {
		fprintf(out, "dwords announced by a header but missing: %" PRIu64 "\n",
			t->missing);
	}
	kt_wrap_put(&line, "methods: %" PRIu64 ", %" PRIu64 " without a public name,",
		    t->decoded.methods, t->decoded.unnamed);
	kt_wrap_put(&line, " %" PRIu64 " on a subchannel of unknown class",
		    t->decoded.unbound);
	kt_wrap_end(&line);
	for (size_t i = 0; i < t->n_reasons; i++) {
		const struct kt_unread *reason = &t->reasons[i];

		fprintf(out, "unread: %s: %" PRIu64 " %s, %" PRIu64 " %s\n", reason->why,
			reason->entries, are(reason->entries, "entry", "entries"),
			reason->words, are(reason->words, "dword", "dwords"));
	}
	/*
	 * Claim completeness only if no event was lost and all submitted commands were captured
	 * and decoded.
	 */
	if (is_whole(t, losses, sizeof(losses))) {
		fputs("nothing was dropped: all dwords were captured and decoded\n", out);
		return;
	}
	if (losses[0]) {
		fprintf(out, "the trace is incomplete: %s\n", losses);
	}
	if (t->captured == t->decoded.words) {
		fputs("all captured dwords were decoded\n", out);
	}
}

void kt_print_report_json(struct kt_json_writer *w, const struct kt_trace_report *report,
			  bool whole)
{
	KT_JSON(w, KT_U64("lost_events", report->totals.lost),
		KT_U64("discarded_events", report->discarded_events),
		KT_U64("discarded_packets", report->discarded_packets),
		KT_U64("cut_processes",
		       report->totals.cut_begins + report->totals.cut_ends),
		KT_BOOL("whole", whole));
	if (report->given_up.n > 0) {
		KT_JSON(w, KT_U64("given_up", report->given_up.all),
			KT_U64("complete_until",
			       kt_time_between(report->first_time,
					       report->given_up.items[0].time)));
	}
	kt_json_end(w);
}

void kt_print_totals_json(FILE *out, const struct kt_submission_totals *t)
{
	struct kt_json_writer w = {.out = out, .compact = true};
	char losses[512];

	kt_json_object(&w, NULL);
	KT_JSON(&w, KT_STR("type", "end"), KT_U64("doorbells", t->doorbells),
		KT_U64("idle", t->idle), KT_U64("submissions", t->submissions),
		KT_U64("shown", t->shown), KT_U64("entries", t->entries),
		KT_U64("control", t->control), KT_U64("found", t->found),
		KT_U64("segment_words", t->ring_words), KT_U64("captured", t->captured),
		KT_U64("decoded", t->decoded.words), KT_U64("headers", t->decoded.headers),
		KT_U64("methods", t->decoded.methods), KT_U64("bad", t->decoded.bad),
		KT_U64("unnamed", t->decoded.unnamed),
		KT_U64("unbound", t->decoded.unbound), KT_U64("after_gaps", t->after_gap),
		KT_U64("missing", t->missing));
	kt_json_array(&w, "unread");
	for (size_t i = 0; i < t->n_reasons; i++) {
		const struct kt_unread *reason = &t->reasons[i];

		KT_OBJECT(&w, NULL, KT_STR("why", reason->why),
			  KT_U64("entries", reason->entries),
			  KT_U64("words", reason->words));
	}
	kt_json_end(&w);
	kt_print_report_json(&w, &t->reading.report, is_whole(t, losses, sizeof(losses)));
}

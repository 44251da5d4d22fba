/* SPDX-License-Identifier: MIT */
/*
 * check-calls: checks that every event that can be a letter is attributed to the API call
 * that the software GPU's driver itself recorded for it, and that every letter of words
 * belongs to such an event. The trace may have any number of threads and processes. Usage:
 * check-calls TRACE LABELS.tsv
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/events/activity.h"
#include "base/array.h"
#include "corpus/softgpu/truth/said-labels.h"
#include "infer/words/read/trace.h"

/* Identifies an event whose call was checked. */
struct truth {
	uint64_t instance;
	uint64_t seq;
};

struct check {
	const struct kt_said_labels *said; /* not owned */
	int64_t offset;
	/* Owned; sorted by process instance and seq before use. */
	struct truth *truths;
	size_t capacity;
	size_t events;
	uint64_t letters; /* letters in words */
	uint64_t outside; /* events that the driver recorded outside any call */
	uint64_t wrong;
	uint64_t calls;
	uint64_t unreturned;
};

static bool is_letter(const struct kt_event *event)
{
	static const char *const names[] = {"ioctl", "map", "unmap", "access", "doorbell"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!event->kernel && strcmp(event->name, names[i]) == 0) {
			return true;
		}
	}
	return false;
}

static int check_event(void *context, const struct kt_moment *moment,
		       const struct kt_event *event)
{
	struct check *c = context;
	const char *found = moment->call ? moment->call->name : "";
	struct kt_said said;
	int code;

	if (!is_letter(event)) {
		return KT_OK;
	}
	code = kt_array_reserve(&c->truths, &c->capacity, c->events + 1);
	if (code) {
		return code;
	}
	said = kt_said_labels_at(c->said, event->pid, event->tid, event->time - c->offset);
	c->truths[c->events++] = (struct truth){event->process, event->seq};
	c->outside += *said.call == '\0';
	if (strcmp(said.call, found) != 0) {
		c->wrong++;
		printf("process %" PRIu64 ", event %" PRIu64
		       ", %s, thread %u: in '%s', found in '%s'\n",
		       event->process, event->seq, event->name, event->tid, said.call,
		       found);
	}
	return KT_OK;
}

static int check_trace(struct check *c, const char *path)
{
	static const struct kt_activity_visitor visitor = {.event = check_event};
	const struct kt_activity_visitor *visitors[] = {&visitor};
	void *contexts[] = {c};
	struct kt_activity_totals totals = {0};
	int code = kt_activity_read(path, visitors, contexts, 1, &totals);

	c->calls = totals.calls;
	c->unreturned = totals.unreturned + totals.stray_exits;
	kt_activity_totals_free(&totals);
	return code;
}

/* --- words --- */

static int compare_truths(const void *left, const void *right)
{
	const struct truth *a = left;
	const struct truth *b = right;

	if (a->instance != b->instance) {
		return a->instance < b->instance ? -1 : 1;
	}
	return a->seq == b->seq ? 0 : a->seq < b->seq ? -1 : 1;
}

static int check_letter(struct check *c, uint64_t instance,
			const struct kt_trace_letter *letter)
{
	struct truth key = {instance, letter->seq};

	c->letters++;
	return bsearch(&key, c->truths, c->events, sizeof(c->truths[0]), compare_truths)
		       ? KT_OK
		       : kt_error(KT_E_INTERNAL, "letter %s has no event", letter->name);
}

static int check_word(struct check *c, const kt_trace *trace, size_t word)
{
	struct kt_word_info info;
	uint64_t n = 0;
	int code = kt_trace_word(trace, word, &info, &n);

	for (uint64_t j = 0; j < n && !code; j++) {
		struct kt_trace_letter letter;

		code = kt_trace_letter(trace, word, j, &letter);
		code = code ? code
			    : check_letter(c, kt_trace_word_instance(trace, word), &letter);
	}
	return code;
}

static int check_words(struct check *c, const char *path)
{
	kt_alphabet *alphabet = NULL;
	kt_trace *trace = NULL;
	int code = kt_alphabet_open(&alphabet, "table1");
	struct kt_trace_options options = {.alphabet = alphabet};

	qsort(c->truths, c->events, sizeof(c->truths[0]), compare_truths);
	code = code ? code : kt_trace_open(&trace, path, &options);
	kt_alphabet_free(alphabet);
	for (size_t i = 0; !code && i < kt_trace_words(trace); i++) {
		code = check_word(c, trace, i);
	}
	kt_trace_free(trace);
	return code;
}

int main(int argc, char **argv)
{
	struct check c = {0};
	struct kt_said_labels *said = NULL;
	int code = argc == 3 ? KT_OK : kt_error(KT_E_USAGE, "expected 2 operands");

	code = code ? code : kt_said_labels_read(&said, argv[2]);
	c.said = said;
	code = code ? code : kt_trace_clock_offset(&c.offset, argv[1]);
	code = code ? code : check_trace(&c, argv[1]);
	code = code ? code : check_words(&c, argv[1]);
	kt_said_labels_free(said);
	free(c.truths);
	if (code) {
		fprintf(stderr, "check-calls: %s\n", kt_error_message());
		return kt_exit_status(code);
	}
	printf("events: %zu, letters: %" PRIu64 ", outside calls: %" PRIu64
	       ", wrong: %" PRIu64 "; calls: %" PRIu64 ", not returned: %" PRIu64 "\n",
	       c.events, c.letters, c.outside, c.wrong, c.calls, c.unreturned);
	return c.wrong > 0 || c.letters == 0 || c.outside == c.events;
}

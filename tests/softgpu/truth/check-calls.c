/* SPDX-License-Identifier: MIT */
/*
 * check-calls: whether every event that can be a letter is found inside the call of the API
 * that it was made in, as the software GPU's driver itself saw its functions entered and
 * left. Any number of threads and processes.
 * Usage: check-calls TRACE LABELS.tsv
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/activity.h"
#include "corpus/softgpu/truth/said-labels.h"
#include "corpus/softgpu/truth/trace-clock.h"

struct check {
	const struct kt_said_labels *said; /* Weak */
	int64_t offset;
	uint64_t letters;
	uint64_t outside; /* of any call, as the driver says */
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

	if (!is_letter(event)) {
		return KT_OK;
	}
	said = kt_said_labels_at(c->said, event->pid, event->tid, event->time - c->offset);
	c->letters++;
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

int main(int argc, char **argv)
{
	struct check c = {0};
	struct kt_said_labels *said = NULL;
	int code = argc == 3 ? KT_OK : kt_error(KT_E_USAGE, "parse options: 2 operands");

	code = code ? code : kt_said_labels_read(&said, argv[2]);
	c.said = said;
	code = code ? code : kt_trace_clock_offset(&c.offset, argv[1]);
	code = code ? code : check_trace(&c, argv[1]);
	kt_said_labels_free(said);
	if (code) {
		fprintf(stderr, "check-calls: %s\n", kt_error_message());
		return kt_exit_status(code);
	}
	printf("letters: %" PRIu64 ", outside calls: %" PRIu64 ", wrong: %" PRIu64
	       "; calls: %" PRIu64 ", not returned: %" PRIu64 "\n",
	       c.letters, c.outside, c.wrong, c.calls, c.unreturned);
	return c.wrong > 0 || c.letters == 0 || c.outside == c.letters;
}

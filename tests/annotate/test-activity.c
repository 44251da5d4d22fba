/* SPDX-License-Identifier: MIT */
/*
 * Tests the attribution of events to API calls. Arguments: data/calls, then folders of
 * other traces. In each trace every event is in the call that the oracle finds, each letter
 * belongs to a reported event, and each submission has the name that the alphabet
 * `submission` gives it.
 *
 * With --script SEED it writes a random script for emit-events instead; with --calls
 * TRACE it prints the number of calls.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/events/activity.h"
#include "tests/suite.h"
#include "tests/annotate/call-oracle.h"

/* For traces of more than 8 times this many events, the oracle is too slow. */
#define ORACLE_EVENTS 400

static int n_folders;
static char **folders;

/* --- results for one trace --- */

struct reported {
	struct kt_moment moment;
	uint64_t call_seq; /* of the innermost call's api_enter; UINT64_MAX: none */
	char call[64];
	struct oracle_event oracle;
};

struct reported_submission {
	uint64_t instance;
	uint64_t seq;
	uint64_t call_seq; /* api_enter of the call that contains its doorbell */
	char name[KT_SUBMITTED_NAME + 8];
};

static struct all {
	struct reported *events;
	size_t n;
	size_t capacity;
	struct reported_submission *submissions;
	size_t n_submissions;
	size_t submissions_capacity;
	uint64_t begun;
	uint64_t ended;
	uint64_t instances;
	uint64_t entered;
	uint64_t exited;
	uint64_t returned;
	uint64_t gaps;
	uint64_t doorbells;
	uint64_t doorbell_ends;
	uint64_t idle;
	uint64_t ioctls;
	uint64_t words;
	uint64_t entries;
	uint64_t commands[KT_COMMAND_KINDS];
	uint64_t direct_bytes;
	uint64_t releases;
	uint64_t open; /* calls */
	uint64_t wrong;
	struct kt_activity_totals totals;
} all;

static uint64_t seq_of(const struct kt_activity_call *call)
{
	return call ? call->seq : UINT64_MAX;
}

static int see_begin(void *context, const char *path)
{
	(void)path;
	((struct all *)context)->begun++;
	return KT_OK;
}

static int see_end(void *context)
{
	((struct all *)context)->ended++;
	return KT_OK;
}

static int see_process_begin(void *context, const struct kt_moment *moment,
			     const struct kt_process_begin_fields *fields)
{
	struct all *a = context;

	a->instances++;
	a->wrong += fields && moment->seq != 0;
	return KT_OK;
}

static int see_gap(void *context, const struct kt_moment *moment, uint64_t n)
{
	struct all *a = context;

	a->gaps++;
	a->wrong += n == 0 || n > moment->seq;
	return KT_OK;
}

static enum oracle_kind kind_of(const char *name)
{
	return strcmp(name, "api_enter") == 0     ? ORACLE_ENTER
	       : strcmp(name, "api_exit") == 0    ? ORACLE_EXIT
	       : strcmp(name, "process_end") == 0 ? ORACLE_END
						  : ORACLE_OTHER;
}

static int see_event(void *context, const struct kt_moment *moment,
		     const struct kt_event *event)
{
	struct all *a = context;
	struct reported *t;

	if (a->n == a->capacity) {
		a->capacity = a->capacity ? 2 * a->capacity : 1024;
		a->events = realloc(a->events, a->capacity * sizeof(*a->events));
	}
	t = &a->events[a->n++];
	*t = (struct reported){.moment = *moment, .call_seq = seq_of(moment->call)};
	snprintf(t->call, sizeof(t->call), "%s", moment->call ? moment->call->name : "");
	t->moment.call = NULL;
	t->oracle = (struct oracle_event){
		.seq = event->seq, .tid = event->tid, .kind = kind_of(event->name)};
	if (t->oracle.kind == ORACLE_ENTER) {
		t->oracle.correlation = kt_api_enter_fields(event).correlation;
	} else if (t->oracle.kind == ORACLE_EXIT) {
		t->oracle.correlation = kt_api_exit_fields(event).correlation;
	}
	if (t->oracle.kind != ORACLE_END && !event->call) {
		t->oracle.kind = ORACLE_OTHER;
	}
	a->wrong += moment->seq != event->seq || moment->instance != event->process ||
		    moment->tid != event->tid || moment->pid != event->pid;
	return KT_OK;
}

static int see_enter(void *context, const struct kt_moment *moment,
		     const struct kt_activity_call *call)
{
	struct all *a = context;

	a->entered++;
	a->open++;
	a->wrong += moment->call != call || call->end != 0 || call->id != a->entered ||
		    (call->outer && call->outer->tid != call->tid);
	return KT_OK;
}

static int see_exit(void *context, const struct kt_moment *moment,
		    const struct kt_activity_call *call)
{
	struct all *a = context;

	a->exited++;
	a->open--;
	a->returned += call->returned;
	a->wrong += moment->call != call || call->end < call->begin ||
		    moment->instance != call->instance;
	return KT_OK;
}

static int see_ioctl(void *context, const struct kt_moment *moment,
		     const struct kt_call *call)
{
	struct all *a = context;

	a->ioctls++;
	a->wrong += call->seq != moment->seq || call->instance != moment->instance ||
		    call->time != moment->time;
	return KT_OK;
}

static int see_doorbell(void *context, const struct kt_moment *moment,
			const struct kt_doorbell_fields *fields)
{
	struct all *a = context;

	(void)moment;
	a->doorbells++;
	a->wrong += !fields->space;
	return KT_OK;
}

static struct reported_submission *add_submission(struct all *a,
						  const struct kt_moment *moment)
{
	struct reported_submission *s;

	if (a->n_submissions == a->submissions_capacity) {
		a->submissions_capacity = 2 * a->submissions_capacity + 64;
		a->submissions = realloc(a->submissions,
					 a->submissions_capacity * sizeof(*a->submissions));
	}
	s = &a->submissions[a->n_submissions++];
	*s = (struct reported_submission){.instance = moment->instance,
					  .seq = moment->seq,
					  .call_seq = seq_of(moment->call)};
	return s;
}

static int see_method(void *context, const struct kt_moment *moment,
		      const struct kt_submission *submission,
		      const struct kt_submitted_entry *entry,
		      const struct kt_decoded *decoded)
{
	const struct kt_command *command = &decoded->command;
	struct all *a = context;

	(void)entry;
	a->wrong += moment->instance != submission->instance;
	a->commands[command->kind]++;
	a->direct_bytes += command->kind == KT_COMMAND_COPY ? command->bytes : 0;
	a->releases += command->releases;
	return KT_OK;
}

static int see_submission(void *context, const struct kt_moment *moment,
			  const struct kt_submission *submission,
			  const struct kt_work *work)
{
	struct all *a = context;
	struct reported_submission *s;
	char name[KT_SUBMITTED_NAME];
	uint64_t copied = 0;
	uint64_t filled = 0;

	s = add_submission(a, moment);
	snprintf(s->name, sizeof(s->name), "%s:%s", work->found ? "found" : "submit",
		 kt_work_name(work, name));
	a->wrong += submission->seq > moment->seq ||
		    submission->instance != moment->instance ||
		    work->words > submission->words || work->entries > submission->entries;
	a->words += work->words;
	a->entries += work->entries;
	/*
	 * Subtracts this work's share from the totals of the methods; nothing must remain
	 * at the end.
	 */
	a->commands[KT_COMMAND_COPY] -= work->direct_copies;
	a->commands[KT_COMMAND_INLINE] -= work->inline_copies + work->submitted.own_writes;
	a->commands[KT_COMMAND_LAUNCH] -= work->launches;
	a->commands[KT_COMMAND_EMPTY_GRID] -= work->empty_grids;
	a->commands[KT_COMMAND_ACQUIRE] -= work->acquires;
	a->commands[KT_COMMAND_WAIT_FOR_IDLE] -= work->waits_for_idle;
	a->direct_bytes -= work->direct_bytes;
	for (size_t i = 0; i < work->n_copies; i++) {
		copied += work->copies[i].bytes;
		filled += work->copies[i].from == 0;
	}
	for (size_t i = 0; i < work->n_releases; i++) {
		a->releases -= work->releases[i].kind != KT_COMMAND_LAUNCH;
	}
	a->wrong += work->direct_copies <= KT_WORK_COPIES &&
		    (copied != work->direct_bytes || filled != work->fills);
	a->releases -= work->all_releases - work->n_releases;
	return KT_OK;
}

/* A doorbell without submissions has a letter, too: submit:nothing or submit:unread. */
static int see_doorbell_end(void *context, const struct kt_moment *moment,
			    const struct kt_doorbell_fields *fields, uint64_t submissions)
{
	struct all *a = context;
	uint64_t n = 0;

	a->doorbell_ends++;
	for (size_t i = 0; i < a->n_submissions; i++) {
		const struct reported_submission *s = &a->submissions[i];

		if (s->instance == moment->instance && s->seq == moment->seq) {
			a->wrong += s->call_seq != seq_of(moment->call);
			n++;
		}
	}
	a->wrong += n != submissions;
	if (submissions == 0) {
		a->idle++;
		snprintf(add_submission(a, moment)->name, KT_SUBMITTED_NAME, "%s",
			 fields->moved ? "submit:unread" : "submit:nothing");
	}
	return KT_OK;
}

static const struct kt_activity_visitor visitor = {
	.begin = see_begin,
	.end = see_end,
	.process_begin = see_process_begin,
	.gap = see_gap,
	.event = see_event,
	.call_enter = see_enter,
	.call_exit = see_exit,
	.ioctl = see_ioctl,
	.doorbell = see_doorbell,
	.doorbell_end = see_doorbell_end,
	.method = see_method,
	.submission = see_submission,
};

static void forget(void)
{
	free(all.events);
	free(all.submissions);
	kt_activity_totals_free(&all.totals);
	memset(&all, 0, sizeof(all));
}

static void read_trace(const char *path)
{
	const struct kt_activity_visitor *const visitors[] = {&visitor};
	void *const contexts[] = {&all};

	CU_ASSERT_EQUAL_FATAL(kt_activity_read(path, visitors, contexts, 1, &all.totals),
			      KT_OK);
	CU_ASSERT_EQUAL(all.wrong, 0);
	CU_ASSERT_EQUAL(all.begun, 1);
	CU_ASSERT_EQUAL(all.ended, 1);
	CU_ASSERT_EQUAL(all.n, all.totals.events);
	CU_ASSERT_EQUAL(all.n, all.totals.reading.report.totals.events);
	CU_ASSERT_EQUAL(all.instances, all.totals.instances);
	CU_ASSERT_EQUAL(all.entered, all.totals.calls);
	CU_ASSERT_EQUAL(all.exited, all.entered);
	CU_ASSERT_EQUAL(all.open, 0);
	CU_ASSERT_EQUAL(all.exited - all.returned, all.totals.unreturned);
	CU_ASSERT_EQUAL(all.gaps, all.totals.gaps);
	CU_ASSERT_EQUAL(all.doorbells, all.totals.submissions.doorbells);
	CU_ASSERT_EQUAL(all.doorbell_ends, all.doorbells);
	CU_ASSERT_EQUAL(all.idle, all.totals.submissions.idle);
	CU_ASSERT_EQUAL(all.ioctls, all.totals.ioctls.calls);
	CU_ASSERT(all.n_submissions - all.idle >= all.totals.submissions.submissions);
	CU_ASSERT_EQUAL(all.commands[KT_COMMAND_COPY], 0);
	CU_ASSERT_EQUAL(all.commands[KT_COMMAND_INLINE], 0);
	CU_ASSERT_EQUAL(all.commands[KT_COMMAND_LAUNCH], 0);
	CU_ASSERT_EQUAL(all.commands[KT_COMMAND_EMPTY_GRID], 0);
	CU_ASSERT_EQUAL(all.commands[KT_COMMAND_ACQUIRE], 0);
	CU_ASSERT_EQUAL(all.commands[KT_COMMAND_WAIT_FOR_IDLE], 0);
	CU_ASSERT_EQUAL(all.direct_bytes, 0);
	CU_ASSERT_EQUAL(all.releases, 0);
	CU_ASSERT_EQUAL(all.entries, all.totals.submissions.entries);
	CU_ASSERT(all.words <= all.totals.submissions.captured);
}

/* --- against the oracle --- */

static size_t count_wrong_calls(uint64_t instance)
{
	struct oracle_event *events = calloc(all.n + 1, sizeof(*events));
	size_t *from = calloc(all.n + 1, sizeof(*from));
	size_t wrong = 0;
	size_t n = 0;

	for (size_t i = 0; i < all.n; i++) {
		if (all.events[i].moment.instance == instance) {
			from[n] = i;
			events[n++] = all.events[i].oracle;
		}
	}
	oracle_match(events, n);
	for (size_t i = 0; i < n; i++) {
		size_t call = oracle_innermost(events, i);
		uint64_t expected = call == NO_CALL ? UINT64_MAX : events[call].seq;

		wrong += all.events[from[i]].call_seq != expected;
	}
	free(events);
	free(from);
	return wrong;
}

static void test_oracle(void)
{
	for (int i = 0; i < n_folders; i++) {
		read_trace(folders[i]);
		for (uint64_t instance = 0;
		     instance < all.instances && all.n <= ORACLE_EVENTS * 8; instance++) {
			CU_ASSERT_EQUAL(count_wrong_calls(instance), 0);
		}
		forget();
	}
}

/* --- against letters --- */

/* Starts at the previous result, because the event sought usually follows it soon. */
static const struct reported *find_reported(uint64_t instance, uint64_t seq)
{
	static size_t last;

	for (size_t i = 0; i < all.n; i++) {
		size_t at = (last + i) % all.n;
		const struct kt_moment *moment = &all.events[at].moment;

		if (moment->instance == instance && moment->seq == seq) {
			last = at;
			return &all.events[at];
		}
	}
	return NULL;
}

static const struct reported_submission *find_submission(uint64_t instance, uint64_t seq,
							 const char *name)
{
	for (size_t i = 0; i < all.n_submissions; i++) {
		struct reported_submission *s = &all.submissions[i];

		if (s->instance == instance && s->seq == seq &&
		    strcmp(s->name, name) == 0) {
			s->instance = UINT64_MAX;
			return s;
		}
	}
	return NULL;
}

/*
 * Counts letters without a reported event and, with `submissions`, letters without a
 * reported submission.
 */
static size_t count_wrong_letters(const kt_trace *trace, bool submissions)
{
	size_t wrong = 0;

	for (size_t i = 0; i < kt_trace_words(trace); i++) {
		uint64_t instance = kt_trace_word_instance(trace, i);
		struct kt_trace_letter letter;
		struct kt_word_info info;
		uint64_t n;

		CU_ASSERT_EQUAL(kt_trace_word(trace, i, &info, &n), KT_OK);
		for (uint64_t j = 0; j < n; j++) {
			const struct reported *t;

			CU_ASSERT_EQUAL(kt_trace_letter(trace, i, j, &letter), KT_OK);
			t = find_reported(instance, letter.seq);
			wrong += !t || t->moment.tid != letter.tid;
			if (submissions && strcmp(letter.name, "poll") != 0 &&
			    !find_submission(instance, letter.seq, letter.name)) {
				fprintf(stderr, "%s at %" PRIu64 "\n", letter.name,
					letter.seq);
				wrong++;
			}
		}
	}
	return wrong;
}

static void compare_letters(const char *path, const char *alphabet)
{
	struct kt_trace_options options = {.word = KT_WORD_PROCESS};
	kt_alphabet *opened;
	kt_trace *trace;

	CU_ASSERT_EQUAL_FATAL(kt_alphabet_open(&opened, alphabet), KT_OK);
	options.alphabet = opened;
	CU_ASSERT_EQUAL_FATAL(kt_trace_open(&trace, path, &options), KT_OK);
	CU_ASSERT_EQUAL(count_wrong_letters(trace, strcmp(alphabet, "submission") == 0), 0);
	kt_trace_free(trace);
	kt_alphabet_free(opened);
}

static void test_letters(void)
{
	for (int i = 0; i < n_folders; i++) {
		read_trace(folders[i]);
		compare_letters(folders[i], "table1");
		compare_letters(folders[i], "api");
		compare_letters(folders[i], "submission");
		forget();
	}
}

/* --- data/calls --- */

static const char *call_at(uint64_t instance, uint64_t seq)
{
	const struct reported *t = find_reported(instance, seq);

	return t ? t->call : "no such event";
}

static void test_script(void)
{
	read_trace(folders[0]);
	CU_ASSERT_EQUAL(all.instances, 6);
	CU_ASSERT_EQUAL(all.gaps, 1);
	/* A doorbell in a call, reads of two threads in two calls, a read in no call. */
	CU_ASSERT_STRING_EQUAL(call_at(0, 19), "cuMemcpyHtoD_v2");
	CU_ASSERT_STRING_EQUAL(call_at(0, 24), "cuCtxSynchronize");
	CU_ASSERT_STRING_EQUAL(call_at(0, 25), "cuMemcpyHtoD_v2");
	CU_ASSERT_STRING_EQUAL(call_at(0, 29), "");
	/* A call of the driver API within one of the runtime API. */
	CU_ASSERT_STRING_EQUAL(call_at(0, 8), "cuMemAlloc_v2");
	CU_ASSERT_STRING_EQUAL(call_at(0, 13), "cudaMalloc");
	/* The outer call, cuLost, returns first, so the inner call's exit is stray. */
	CU_ASSERT_STRING_EQUAL(call_at(0, 32), "cuLaunchKernel");
	CU_ASSERT_STRING_EQUAL(call_at(0, 33), "cuLost");
	CU_ASSERT_STRING_EQUAL(call_at(0, 34), "");
	/* A gap ends open calls, and a process without a begin event has none at first. */
	CU_ASSERT_STRING_EQUAL(call_at(0, 36), "cuGap");
	CU_ASSERT_STRING_EQUAL(call_at(0, 55), "");
	CU_ASSERT_STRING_EQUAL(call_at(4, 40), "");
	CU_ASSERT_STRING_EQUAL(call_at(4, 44), "cuInside");
	/* An exec ends all calls. */
	CU_ASSERT_STRING_EQUAL(call_at(1, 5), "cuExec");
	CU_ASSERT_STRING_EQUAL(call_at(2, 1), "");
	CU_ASSERT_EQUAL(all.totals.stray_exits, 4);
	CU_ASSERT_EQUAL(all.n_submissions - all.idle, 4);
	CU_ASSERT_STRING_EQUAL(all.submissions[0].name, "submit:copy-direct");
	forget();
}

/* --- an error of a visitor --- */

static int fail(void *context, const struct kt_moment *moment, const struct kt_event *event)
{
	(void)moment;
	(void)event;
	return ++*(int *)context == 30 ? kt_error(KT_E_USAGE, "enough") : KT_OK;
}

static void test_failure(void)
{
	static const struct kt_activity_visitor failing = {.event = fail};
	const struct kt_activity_visitor *const visitors[] = {&failing, &visitor};
	int seen = 0;
	void *const contexts[] = {&seen, &all};

	CU_ASSERT_EQUAL(kt_activity_read(folders[0], visitors, contexts, 2, &all.totals),
			KT_E_USAGE);
	CU_ASSERT_EQUAL(seen, 30);
	CU_ASSERT_EQUAL(all.n, 29);
	CU_ASSERT_EQUAL(all.ended, 1);
	forget();
	CU_ASSERT_EQUAL(
		kt_activity_read("/nonexistent", visitors, contexts, 2, &all.totals),
		KT_E_IO);
	forget();
}

/* --- scripts --- */

static uint64_t drawing;

static uint32_t draw(uint32_t n)
{
	drawing ^= drawing >> 12;
	drawing ^= drawing << 25;
	drawing ^= drawing >> 27;
	return (uint32_t)((drawing * UINT64_C(0x2545f4914f6cdd1d) >> 32) * n >> 32);
}

/* Prints one or two random events; returns their number. */
static uint32_t write_event(uint32_t process, uint32_t correlation)
{
	switch (draw(14)) {
	case 0:
	case 1:
	case 2:
		printf("enter %s call%u %u 1 2\n", draw(2) ? "driver" : "runtime",
		       correlation, draw(4) ? correlation : draw(correlation + 1));
		break;
	case 3:
	case 4:
	case 5:
		printf("exit driver some %u 0\n",
		       correlation -
			       (correlation ? draw(correlation < 6 ? correlation : 6) : 0));
		break;
	case 6: printf("doorbell\n"); break;
	case 7: printf("ring 0x5c00000c %u 0x1 1\n", correlation); break;
	case 8:
	case 9:
		printf("entry 0x%x 0xc86f %u 0x3000 1 %s 3000 80000400\n",
		       0x5c00000c + draw(2), correlation % 8,
		       draw(3) ? "submitted" : "found");
		printf("words 0x5c00000c %u 0 20012040\n", correlation % 8);
		return 2;
	case 10: printf("access R sys %u\n", 1 + process); break;
	case 11: printf("ioctl nvidiactl 0xc020462a 0x2a 0 0x2080 0\n"); break;
	case 12: printf("wait nvidia0 poll 1 0\n"); break;
	default: printf("object alloc 1 %u 0xc86f\n", correlation); break;
	}
	return 1;
}

/* Prints three interleaved processes with three threads each; some events are missing. */
static void write_script(uint64_t seed)
{
	uint32_t seqs[3] = {0};

	drawing = seed * UINT64_C(0x9e3779b97f4a7c15);
	for (uint32_t i = 0; i < 300; i++) {
		uint32_t p = draw(3);

		seqs[p] += draw(40) == 0 ? draw(4) : 0;
		printf("pid %u\ntid %u\nseq %u\n", 100 * (p + 1), 100 * (p + 1) + draw(3),
		       seqs[p]);
		if (seqs[p] == 0) {
			printf("begin app%u\n", p);
			seqs[p] = 1;
		} else if (draw(60) == 0) {
			printf("end exit\n");
			seqs[p] = 0;
		} else {
			seqs[p] += write_event(p, i);
		}
	}
}

static int count_calls(const char *path)
{
	struct kt_activity_totals totals = {.events = 0};
	int code = kt_activity_read(path, NULL, NULL, 0, &totals);

	printf("%" PRIu64 "\n", totals.calls);
	kt_activity_totals_free(&totals);
	return code ? 1 : 0;
}

int main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		{"the scripted trace", test_script},
		{"calls, against the oracle", test_oracle},
		{"letters of the same trace", test_letters},
		{"a visitor fails", test_failure},
		CU_TEST_INFO_NULL,
	};

	if (argc == 3 && strcmp(argv[1], "--script") == 0) {
		write_script(strtoull(argv[2], NULL, 10));
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "--calls") == 0) {
		return count_calls(argv[2]);
	}
	n_folders = argc - 1;
	folders = argv + 1;
	return kt_run_suite("activity", tests);
}

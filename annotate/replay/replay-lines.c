/* SPDX-License-Identifier: MIT */
/* Makes lines of steps. */
#define _GNU_SOURCE
#include "annotate/replay/replay.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/* Larger than all indexes: there is no next step, no next request, no open call. */
#define NONE SIZE_MAX

/* What the detail of a mapping begins with; its number follows. */
#define MAPPING "mapping "

/* A call whose opening line was added, but not yet its closing line. */
struct open_call {
	size_t event;
	size_t line; /* index of the opening line */
};

/* The open calls of a thread. */
struct stack {
	struct open_call *calls; /* Owned by this */
	size_t n;
	size_t capacity;
};

struct maker {
	struct kt_replay *replay;
	/*
	 * Owned by this, as are the arrays below: the first request of each event, or NONE
	 */
	size_t *first_request;
	size_t *next_request; /* the next request of the same doorbell, for each request, or
			       * NONE */
	struct stack *stacks; /* of each thread; the last stack is for steps without a
			       * thread */
	size_t n_stacks;
	char *text; /* the text that is being made */
	size_t size;
};

static const char *name_of(const struct maker *m, uint32_t name)
{
	return name == KT_TIMELINE_NONE ? "" : m->replay->timeline.events.names.items[name];
}

/*
 * Lists the requests of each doorbell in order, without requests of channels that are left
 * out.
 */
static int list_requests(struct maker *m)
{
	const struct kt_timeline *t = &m->replay->timeline;
	const size_t n_events = t->events.n;
	const size_t n = t->requests.n;

	m->first_request = calloc(n_events + 1, sizeof(*m->first_request));
	m->next_request = calloc(n + 1, sizeof(*m->next_request));
	if (!m->first_request || !m->next_request) {
		return kt_no_memory("list requests");
	}
	for (size_t i = 0; i < n_events; i++) {
		m->first_request[i] = NONE;
	}
	for (size_t i = n; i-- > 0;) {
		const uint32_t doorbell = t->joined[i].doorbell;

		m->next_request[i] = NONE;
		if (doorbell != KT_TIMELINE_NONE &&
		    kt_trace_filter_channel(&m->replay->options->part,
					    t->requests.requests[i].channel)) {
			m->next_request[i] = m->first_request[doorbell];
			m->first_request[doorbell] = i;
		}
	}
	return KT_OK;
}

/* Returns whether an event belongs to the part that is listed. */
static bool is_listed(const struct maker *m, size_t index)
{
	const struct kt_trace_filter *part = &m->replay->options->part;
	const struct kt_timeline_events *e = &m->replay->timeline.events;
	const struct kt_timeline_event *event = &e->events[index];
	const struct kt_timeline_thread *thread = &e->threads[event->thread];

	if (event->kind == KT_TIMELINE_DOORBELL) {
		return !part->channel || m->first_request[index] != NONE;
	}
	/*
	 * The timeline has the beginnings of all processes, also of processes outside the
	 * part.
	 */
	return event->kind != KT_TIMELINE_OTHER ||
	       kt_trace_filter_process(part, name_of(m, thread->process), thread->pid);
}

/*
 * Returns whether a step has no line of its own, because it is outside the part or because
 * the line of its doorbell shows it.
 */
static bool is_left_out(const struct maker *m, const struct kt_step *step)
{
	const struct kt_timeline *t = &m->replay->timeline;

	if (step->kind == KT_STEP_REQUEST) {
		return t->joined[step->index].doorbell != KT_TIMELINE_NONE ||
		       !kt_trace_filter_channel(&m->replay->options->part,
						t->requests.requests[step->index].channel);
	}
	return step->kind == KT_STEP_EVENT && !is_listed(m, step->index);
}

/* Removes the steps that have no line. */
static void remove_steps(const struct maker *m, struct kt_replay_trace *trace)
{
	size_t n = 0;

	for (size_t i = 0; i < trace->n; i++) {
		if (!is_left_out(m, &trace->steps[i])) {
			trace->steps[n++] = trace->steps[i];
		}
	}
	trace->n = n;
}

/*
 * Removes the ends of calls that contain nothing, because such a call has only one line.
 * The step of the call's beginning becomes an EXIT with the number of the call.
 */
static int join_empty_calls(const struct maker *m, struct kt_replay_trace *trace)
{
	/* The next step of each thread. */
	size_t *next = calloc(m->n_stacks, sizeof(*next));
	size_t n = 0;

	if (!next) {
		return kt_no_memory("list calls");
	}
	for (size_t i = 0; i < m->n_stacks; i++) {
		next[i] = NONE;
	}
	for (size_t i = trace->n; i-- > 0;) {
		struct kt_step *step = &trace->steps[i];
		const size_t thread =
			step->thread == KT_TIMELINE_NONE ? m->n_stacks - 1 : step->thread;
		struct kt_step *after =
			next[thread] == NONE ? NULL : &trace->steps[next[thread]];

		if (step->kind == KT_STEP_ENTER && after && after->kind == KT_STEP_EXIT &&
		    after->index == step->index) {
			const uint64_t number = step->number;

			*step = *after;
			step->number = number;
			after->index = NONE;
		}
		next[thread] = i;
	}
	for (size_t i = 0; i < trace->n; i++) {
		if (trace->steps[i].index != NONE) {
			trace->steps[n++] = trace->steps[i];
		}
	}
	trace->n = n;
	free(next);
	return KT_OK;
}

/* --- texts --- */

/* Prints into m->text, and adds the text to the texts of the lines. */
static int print(struct maker *m, struct kt_lines *lines, uint32_t *out, const char *format,
		 ...) __attribute__((format(printf, 4, 5)));

static int print(struct maker *m, struct kt_lines *lines, uint32_t *out, const char *format,
		 ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(m->text, m->size, format, arguments);
	va_end(arguments);
	if (n < 0) {
		return kt_error(KT_E_MEMORY, "list events: a text is too long");
	}
	if ((size_t)n >= m->size) {
		KT_TRY(kt_array_reserve(&m->text, &m->size, (size_t)n + 1));
		va_start(arguments, format);
		vsnprintf(m->text, m->size, format, arguments);
		va_end(arguments);
	}
	return kt_texts_add(&lines->texts, m->text, out);
}

/*
 * Returns a text of what a request submitted; the caller frees the text. NULL if out of
 * memory.
 */
static char *describe_request(const struct maker *m, size_t index)
{
	const struct kt_request *request = &m->replay->timeline.requests.requests[index];
	const bool empty = !request->commands || !*request->commands;
	const bool kernel = request->kernel && *request->kernel;
	char *text = NULL;

	return asprintf(&text, "channel 0x%" PRIx32 ": %s, %" PRIu64 " bytes%s%s",
			request->channel, empty ? request->what : request->commands,
			4 * request->words, kernel ? ", kernel " : "",
			kernel ? request->kernel : "") < 0
		       ? NULL
		       : text;
}

/* Sets *out to the requests of a doorbell, joined by "; ". The caller frees it. */
static int describe_doorbell(const struct maker *m, size_t event, char **out)
{
	size_t size;
	FILE *stream = open_memstream(out, &size);
	bool failed = false;

	if (!stream) {
		*out = NULL;
		return kt_no_memory("list doorbells");
	}
	for (size_t i = m->first_request[event]; i != NONE; i = m->next_request[i]) {
		char *text = describe_request(m, i);

		failed = failed || !text;
		fprintf(stream, "%s %s", i == m->first_request[event] ? "" : ";",
			text ? text : "");
		free(text);
	}
	failed = fclose(stream) != 0 || failed;
	return failed ? kt_no_memory("list doorbells") : KT_OK;
}

/* --- lines --- */

static int set_doorbell(struct maker *m, struct kt_lines *lines, size_t event,
			struct kt_line *line)
{
	const size_t request = m->first_request[event];
	char *text = NULL;
	int code = describe_doorbell(m, event, &text);

	if (!code) {
		code = print(m, lines, &line->head, "doorbell");
	}
	if (!code) {
		code = print(m, lines, &line->tail, "%s", text);
	}
	free(text);
	line->mark = " ";
	line->first = line->last =
		request == NONE ? 0 : m->replay->timeline.requests.requests[request].number;
	return code;
}

/* Sets the texts and the duration of an event that contains no other events. */
static int set_event(struct maker *m, struct kt_lines *lines, size_t index,
		     struct kt_line *line)
{
	const struct kt_timeline_events *e = &m->replay->timeline.events;
	const struct kt_timeline_event *event = &e->events[index];
	const struct kt_timeline_thread *thread = &e->threads[event->thread];
	const char *name = name_of(m, event->name);
	const char *detail = name_of(m, event->detail);
	int digits = 0;

	line->duration = event->duration;
	line->timed = event->duration > 0;
	line->time = event->time;
	if (event->kind == KT_TIMELINE_DOORBELL) {
		return set_doorbell(m, lines, index, line);
	}
	if (event->kind == KT_TIMELINE_MAP &&
	    sscanf(detail, MAPPING "%" SCNu64 "%n", &line->first, &digits) == 1) {
		line->mark = " " MAPPING;
		line->last = line->first;
		KT_TRY(print(m, lines, &line->head, "%s", name));
		return print(m, lines, &line->tail, "%s", detail + digits);
	}
	KT_TRY(print(m, lines, &line->tail, "%s", ""));
	if (event->kind == KT_TIMELINE_OTHER && !*detail) {
		return print(m, lines, &line->head, "%s: %s, pid %" PRIu32, name,
			     name_of(m, thread->process), thread->pid);
	}
	return print(m, lines, &line->head, "%s%s%s%s",
		     event->kind == KT_TIMELINE_IOCTL  ? "ioctl "
		     : event->kind == KT_TIMELINE_WAIT ? "wait: "
						       : "",
		     name,
		     !*detail || !*name                 ? ""
		     : event->kind == KT_TIMELINE_OTHER ? ": "
							: " ",
		     detail);
}

/* Sets the texts, the time and the duration of the last line of a call. */
static int set_exit(struct maker *m, struct kt_lines *lines, const struct kt_step *step,
		    struct kt_line *line)
{
	const struct kt_timeline_event *event =
		&m->replay->timeline.events.events[step->index];
	const bool one = line->kind == KT_LINE_LEAF;
	const char *detail = name_of(m, event->detail);

	line->timed = step->returned;
	line->duration = step->returned ? event->duration : 0;
	line->time = one ? event->time : step->time;
	line->mark = " #";
	line->first = line->last = step->number;
	KT_TRY(print(m, lines, &line->head, one ? "%s()" : "} /* %s",
		     name_of(m, event->name)));
	return print(m, lines, &line->tail, "%s%s%s", *detail ? ": " : "", detail,
		     one ? "" : " */");
}

/* Opens a call, and keeps the index of the opening line for the closing line. */
static int open_call(struct maker *m, struct kt_lines *lines, const struct kt_step *step,
		     struct kt_line *line, struct stack *stack)
{
	const struct kt_timeline_event *event =
		&m->replay->timeline.events.events[step->index];

	line->kind = KT_LINE_OPEN;
	line->time = event->time;
	line->mark = " #";
	line->first = line->last = step->number;
	KT_TRY(print(m, lines, &line->head, "%s()", name_of(m, event->name)));
	KT_TRY(print(m, lines, &line->tail, "%s", ""));
	KT_TRY(kt_array_reserve(&stack->calls, &stack->capacity, stack->n + 1));
	stack->calls[stack->n++] = (struct open_call){step->index, lines->n};
	return kt_lines_add(lines, line, 0);
}

static int add_line(struct maker *m, struct kt_lines *lines, const struct kt_step *step)
{
	const struct kt_timeline *t = &m->replay->timeline;
	struct stack *stack = &m->stacks[step->thread == KT_TIMELINE_NONE ? m->n_stacks - 1
									  : step->thread];
	struct kt_line line = {.kind = KT_LINE_LEAF,
			       .thread = step->thread,
			       .depth = (uint32_t)stack->n,
			       .time = step->time};
	size_t open = 0;

	switch (step->kind) {
	case KT_STEP_ENTER: return open_call(m, lines, step, &line, stack);
	case KT_STEP_EXIT:
		if (stack->n > 0 && stack->calls[stack->n - 1].event == step->index) {
			line.kind = KT_LINE_CLOSE;
			line.depth = (uint32_t)--stack->n;
			open = stack->calls[stack->n].line;
		}
		KT_TRY(set_exit(m, lines, step, &line));
		break;
	case KT_STEP_EVENT: KT_TRY(set_event(m, lines, step->index, &line)); break;
	case KT_STEP_REQUEST: {
		char *text = describe_request(m, step->index);
		const int code =
			text ? print(m, lines, &line.tail, " %s, doorbell unknown", text)
			     : kt_no_memory("list submissions");

		free(text);
		KT_TRY(code);
		KT_TRY(print(m, lines, &line.head, "submission"));
		line.mark = " ";
		line.first = line.last = t->requests.requests[step->index].number;
		line.time = t->joined[step->index].shift +
			    kt_timeline_limited(t->requests.requests[step->index].time);
		break;
	}
	case KT_STEP_GAP:
		KT_TRY(print(m, lines, &line.head, "/* %" PRIu64 " %s missing */",
			     step->number, step->number == 1 ? "event is" : "events are"));
		KT_TRY(print(m, lines, &line.tail, "%s", ""));
		break;
	}
	return kt_lines_add(lines, &line, open);
}

static int make_lines(struct maker *m)
{
	struct kt_replay *r = m->replay;

	KT_TRY(list_requests(m));
	m->n_stacks = r->timeline.events.n_threads + 1;
	m->stacks = calloc(m->n_stacks, sizeof(*m->stacks));
	if (!m->stacks) {
		return kt_no_memory("list calls");
	}
	for (size_t i = 0; i < r->inputs.n; i++) {
		struct kt_replay_trace *trace = &r->traces[i];

		trace->lines.no_fold = r->options->no_fold;
		remove_steps(m, trace);
		KT_TRY(join_empty_calls(m, trace));
		for (size_t j = 0; j < trace->n; j++) {
			KT_TRY(add_line(m, &trace->lines, &trace->steps[j]));
		}
	}
	return KT_OK;
}

int kt_replay_make_lines(struct kt_replay *replay)
{
	struct maker m = {.replay = replay};
	const int code = make_lines(&m);

	for (size_t i = 0; m.stacks && i < m.n_stacks; i++) {
		free(m.stacks[i].calls);
	}
	free(m.stacks);
	free(m.first_request);
	free(m.next_request);
	free(m.text);
	return code;
}

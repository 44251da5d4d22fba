/* SPDX-License-Identifier: MIT */
#include "infer/words/split/trace-filter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/path-list.h"
#include "base/try.h"

/* maximum number of values of an option */
#define MOST_VALUES 64

/* A process, thread, channel or function of the API in the traces. */
struct seen {
	char *name;      /* Owned by this; NULL for threads and channels */
	uint32_t number; /* pid, tid or handle; 0 for functions */
};

/* The processes, threads, channels or functions in the traces, for one option. */
struct seen_list {
	struct seen *items; /* Owned by this; no two are equal */
	size_t n;
	size_t capacity;
	/* index of the item seen last; n or more: the item was not noted */
	size_t last;
	uint64_t matched; /* bit i: value i of the option matched */
	bool wanted;      /* the item seen last is selected */
};

struct kt_filter_seen {
	struct seen_list processes;
	struct seen_list threads;
	struct seen_list channels;
	struct seen_list calls;
	bool phases; /* there are calls of functions with a phase */
};

/* --- options --- */

/* Takes the next value of a comma-separated list. Returns false after the last one. */
static bool next_value(const char **list, const char **value, size_t *length)
{
	if (!*list) {
		return false;
	}
	*value = *list;
	*length = strcspn(*list, ",");
	*list = (*list)[*length] ? *list + *length + 1 : NULL;
	return true;
}

/* Parses a 32-bit whole number, decimal or hexadecimal after 0x. */
static bool parse_number(const char *value, size_t length, uint32_t *out)
{
	char *end;
	unsigned long long n;

	if (length == 0 || value[0] < '0' || value[0] > '9') {
		return false;
	}
	errno = 0;
	n = strtoull(value, &end, strncmp(value, "0x", 2) == 0 ? 16 : 10);
	*out = (uint32_t)n;
	return errno == 0 && end == value + length && n <= UINT32_MAX;
}

/* Checks a list of numbers, or of any values if `example` is NULL. */
static int check_list(const char *list, const char *option, const char *what,
		      const char *example)
{
	const char *value;
	size_t length;
	uint32_t number;
	size_t n = 0;

	while (next_value(&list, &value, &length)) {
		if (++n > MOST_VALUES) {
			return kt_error(KT_E_USAGE, "--%s takes at most %d values", option,
					MOST_VALUES);
		}
		if (example ? !parse_number(value, length, &number) : length == 0) {
			return kt_error(KT_E_USAGE, "--%s must be %s%s%s, not '%.*s'",
					option, what, example ? ", such as " : "",
					example ? example : "", (int)length, value);
		}
	}
	return KT_OK;
}

/* Parses seconds with at most nine decimals, as ns. */
static int parse_time(const char *value, uint64_t *out, const char *option)
{
	size_t whole = strspn(value, "0123456789");
	size_t decimals = 0;
	bool good = whole > 0 && whole <= 9;

	*out = 0;
	for (size_t i = 0; good && i < whole; i++) {
		*out = *out * 10 + (uint64_t)(value[i] - '0');
	}
	if (good && value[whole] == '.') {
		decimals = strspn(value + whole + 1, "0123456789");
		good = decimals > 0 && decimals <= 9 && !value[whole + 1 + decimals];
	} else {
		good = good && !value[whole];
	}
	for (size_t i = 0; good && i < 9; i++) {
		*out = *out * 10 +
		       (i < decimals ? (uint64_t)(value[whole + 1 + i] - '0') : 0);
	}
	return good ? KT_OK
		    : kt_error(KT_E_USAGE,
			       "--%s must be seconds since the beginning of the trace, "
			       "such as 1.25, not '%s'",
			       option, value);
}

static int parse_phases(const char *list, unsigned *out)
{
	const char *value;
	size_t length;

	*out = 0;
	while (next_value(&list, &value, &length)) {
		enum kt_api_phase phase = KT_API_PHASE_CREATE;

		while (phase <= KT_API_PHASE_DESTROY &&
		       (strlen(kt_api_phase_name(phase)) != length ||
			strncasecmp(kt_api_phase_name(phase), value, length) != 0)) {
			phase++;
		}
		if (phase > KT_API_PHASE_DESTROY) {
			return kt_error(KT_E_USAGE,
					"--phase must be CREATE, INIT, USE or DESTROY, not "
					"'%.*s'",
					(int)length, value);
		}
		*out |= 1U << phase;
	}
	return KT_OK;
}

const char *kt_trace_filter_option(const struct kt_trace_filter *filter)
{
	return filter->process   ? "--process"
	       : filter->thread  ? "--thread"
	       : filter->channel ? "--channel"
	       : filter->from    ? "--from"
	       : filter->to      ? "--to"
	       : filter->call    ? "--call"
	       : filter->phase   ? "--phase"
				 : NULL;
}

int kt_trace_filter_refuse(const struct kt_trace_filter *filter, const char *path)
{
	return kt_trace_filter_option(filter)
		       ? kt_error(KT_E_USAGE, "read %s: %s needs the folder of a trace",
				  kt_path_name(path), kt_trace_filter_option(filter))
		       : KT_OK;
}

int kt_trace_filter_settle(struct kt_trace_filter *filter)
{
	filter->any = kt_trace_filter_option(filter) != NULL;
	filter->begin = 0;
	filter->end = UINT64_MAX;
	if (!filter->any) {
		return KT_OK;
	}
	KT_TRY(check_list(filter->process, "process", "the name or number of a process",
			  NULL));
	KT_TRY(check_list(filter->thread, "thread", "the number of a thread", "1234"));
	KT_TRY(check_list(filter->channel, "channel", "a handle", "0x5c000019"));
	KT_TRY(check_list(filter->call, "call", "the name or number of a call", NULL));
	KT_TRY(parse_phases(filter->phase, &filter->phases));
	if (filter->call && filter->phase) {
		return kt_error(KT_E_USAGE, "--call and --phase exclude each other: a call "
					    "is of one phase");
	}
	if (filter->from) {
		KT_TRY(parse_time(filter->from, &filter->begin, "from"));
	}
	if (filter->to) {
		KT_TRY(parse_time(filter->to, &filter->end, "to"));
	}
	if (filter->begin > filter->end) {
		return kt_error(KT_E_USAGE, "--to is before --from");
	}
	if (!filter->seen) {
		filter->seen = calloc(1, sizeof(*filter->seen));
	}
	return filter->seen ? KT_OK : kt_no_memory("filter traces");
}

static void clear_list(struct seen_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->items[i].name);
	}
	free(list->items);
}

void kt_trace_filter_clear(struct kt_trace_filter *filter)
{
	if (filter->seen) {
		clear_list(&filter->seen->processes);
		clear_list(&filter->seen->threads);
		clear_list(&filter->seen->channels);
		clear_list(&filter->seen->calls);
		free(filter->seen);
	}
	*filter = (struct kt_trace_filter){0};
}

/* --- events --- */

static bool equals(const char *value, size_t length, const char *name, uint32_t number)
{
	uint32_t parsed;

	return (name && strlen(name) == length && memcmp(name, value, length) == 0) ||
	       (parse_number(value, length, &parsed) && parsed == number);
}

static bool same(const struct seen *item, const char *name, uint32_t number)
{
	return item->number == number && (!name || strcmp(item->name, name) == 0);
}

/* Notes an item as seen. If memory is short, error messages do not name the item. */
static void note(struct seen_list *list, const char *name, uint32_t number)
{
	char *copy;

	for (list->last = 0; list->last < list->n; list->last++) {
		if (same(&list->items[list->last], name, number)) {
			return;
		}
	}
	copy = name ? strdup(name) : NULL;
	if ((name && !copy) ||
	    kt_array_reserve(&list->items, &list->capacity, list->n + 1)) {
		free(copy);
		list->last = SIZE_MAX;
		return;
	}
	list->items[list->n++] = (struct seen){copy, number};
}

/* Expected O(1): most events belong to the same item as the event before. */
static bool is_chosen(struct seen_list *list, const char *values, const char *name,
		      uint32_t number)
{
	const char *value;
	size_t length;

	if (list->last < list->n && same(&list->items[list->last], name, number)) {
		return list->wanted;
	}
	note(list, name, number);
	list->wanted = false;
	for (uint64_t bit = 1; next_value(&values, &value, &length); bit <<= 1) {
		if (equals(value, length, name, number)) {
			list->matched |= bit;
			list->wanted = true;
		}
	}
	return list->wanted;
}

bool kt_trace_filter_process(const struct kt_trace_filter *filter, const char *name,
			     uint32_t pid)
{
	return !filter->process ||
	       is_chosen(&filter->seen->processes, filter->process, name, pid);
}

bool kt_trace_filter_thread(const struct kt_trace_filter *filter, uint32_t tid)
{
	return !filter->thread ||
	       is_chosen(&filter->seen->threads, filter->thread, NULL, tid);
}

bool kt_trace_filter_channel(const struct kt_trace_filter *filter, uint32_t channel)
{
	return !filter->channel ||
	       (channel != 0 &&
		is_chosen(&filter->seen->channels, filter->channel, NULL, channel));
}

bool kt_trace_filter_call(const struct kt_trace_filter *filter, const char *name,
			  uint64_t number)
{
	const char *values = filter->call;
	struct seen_list *list = &filter->seen->calls;
	const char *value;
	size_t length;
	bool wanted = false;

	if (list->last >= list->n || !same(&list->items[list->last], name, 0)) {
		note(list, name, 0);
	}
	for (uint64_t bit = 1; next_value(&values, &value, &length); bit <<= 1) {
		uint32_t parsed;

		if (parse_number(value, length, &parsed)
			    ? parsed == number
			    : strlen(name) == length && memcmp(name, value, length) == 0) {
			list->matched |= bit;
			wanted = true;
		}
	}
	return wanted;
}

bool kt_trace_filter_phase(const struct kt_trace_filter *filter, enum kt_api_phase phase)
{
	filter->seen->phases = filter->seen->phases || phase != KT_API_PHASE_NONE;
	return filter->phases & 1U << phase;
}

bool kt_trace_filter_takes(const struct kt_trace_filter *filter, const char *process,
			   uint32_t pid, uint32_t tid, uint64_t time)
{
	return !filter->any || (kt_trace_filter_process(filter, process, pid) &&
				kt_trace_filter_thread(filter, tid) &&
				time >= filter->begin && time <= filter->end);
}

/* --- after the last trace --- */

/* Returns whether value[0..length) is a function whose calls are usually not traced. */
static bool is_query(const char *value, size_t length)
{
	char name[128];

	snprintf(name, sizeof(name), "%.*s", (int)length, value);
	return kt_api_is_query(kt_api_function_find(name));
}

static int judge(const struct seen_list *list, const char *values, bool hex,
		 const char *what)
{
	const char *value;
	size_t length;
	uint64_t bit = 1;
	char text[512] = "";
	size_t used = 0;

	if (!values || list->n == 0) {
		return KT_OK;
	}
	while (list->matched & bit) {
		bit <<= 1;
		next_value(&values, &value, &length);
	}
	if (!next_value(&values, &value, &length)) {
		return KT_OK;
	}
	for (size_t i = 0; i < list->n && used < sizeof(text); i++) {
		const struct seen *item = &list->items[i];

		char number[32];

		if (item->name && item->number == 0) {
			snprintf(number, sizeof(number), "%s", "");
		} else if (item->name) {
			snprintf(number, sizeof(number), " (%" PRIu32 ")", item->number);
		} else {
			snprintf(number, sizeof(number), hex ? "0x%" PRIx32 : "%" PRIu32,
				 item->number);
		}
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s%s",
					 i ? ", " : "", item->name ? item->name : "",
					 number);
	}
	return kt_error(KT_E_USAGE, "find %s %.*s: not in the traces, which have %s%s",
			what, (int)length, value, text,
			is_query(value, length)
				? " (ktail record traces queries with --api-calls=all)"
				: "");
}

int kt_trace_filter_judge(const struct kt_trace_filter *filter)
{
	const struct kt_filter_seen *seen = filter->seen;

	if (!seen) {
		return KT_OK;
	}
	KT_TRY(judge(&seen->processes, filter->process, false, "process"));
	KT_TRY(judge(&seen->threads, filter->thread, false, "thread"));
	KT_TRY(judge(&seen->channels, filter->channel, true, "channel"));
	if ((filter->call && seen->calls.n == 0) || (filter->phase && !seen->phases)) {
		return kt_error(KT_E_USAGE,
				"find %s %s: the traces have no API calls%s (ktail record "
				"--api=wrap)",
				filter->call ? "call" : "phase",
				filter->call ? filter->call : filter->phase,
				filter->call ? "" : " that show it");
	}
	return judge(&seen->calls, filter->call, false, "call");
}

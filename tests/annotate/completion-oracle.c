/* SPDX-License-Identifier: MIT */
#include "tests/annotate/completion-oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"

#define NEVER UINT64_MAX
#define PLACE UINT64_C(0x1000)

/* --- stories --- */

static unsigned draw(unsigned *seed, unsigned n)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 16) % n;
}

static uint64_t draw_address(unsigned *seed)
{
	return PLACE + 4 * draw(seed, 12);
}

static void make_values(struct kt_semaphore_value *values, size_t *n, unsigned *seed)
{
	*n = draw(seed, KT_ORACLE_VALUES + 1);
	for (size_t i = 0; i < *n; i++) {
		values[i].address = draw_address(seed);
		values[i].payload =
			draw(seed, 2) ? draw(seed, 5) : UINT32_MAX - draw(seed, 2);
	}
}

static void make_event(struct kt_oracle_event *e, unsigned *seed)
{
	static const enum kt_oracle_kind often[] = {KT_ORACLE_SUBMIT, KT_ORACLE_READ};

	memset(e, 0, sizeof(*e));
	e->kind = draw(seed, 2) ? often[draw(seed, 2)]
				: (enum kt_oracle_kind)draw(seed, KT_ORACLE_KINDS);
	if (e->kind == KT_ORACLE_GAP && draw(seed, 4)) {
		e->kind = KT_ORACLE_READ;
	}
	e->tid = 1 + draw(seed, 2);
	e->mapping = 1 + draw(seed, 3);
	e->address = PLACE + 16 * draw(seed, 2);
	e->length = 16 + 16 * draw(seed, 3);
	e->offset = draw(seed, 60);
	e->size = draw(seed, 4) ? 4 * draw(seed, 4) : draw(seed, 5000);
	e->limit = draw(seed, 4) ? NEVER : draw(seed, KT_ORACLE_EVENTS);
	e->slept = 1 + draw(seed, 100);
	e->flag = draw(seed, 2);
	e->channel = draw(seed, 4);
	make_values(e->releases, &e->n_releases, seed);
	make_values(e->acquires, &e->n_acquires, seed);
}

void kt_oracle_story_make(struct kt_oracle_story *story, unsigned seed)
{
	story->exact = seed % 5 == 0;
	story->n = 5 + seed % (KT_ORACLE_EVENTS - 4);
	for (size_t i = 0; i < story->n; i++) {
		make_event(&story->events[i], &seed);
	}
	for (uint32_t m = 1; m < 3 && m < story->n; m++) {
		story->events[m - 1].kind = KT_ORACLE_MAP;
		story->events[m - 1].mapping = m;
	}
}

/* --- reads --- */

/*
 * Returns the newest map event of the mapping with this number before event `at`, NULL if
 * there is none.
 */
static const struct kt_oracle_event *mapped(const struct kt_oracle_story *s, size_t at,
					    uint32_t mapping)
{
	for (size_t i = at; i > 0; i--) {
		const struct kt_oracle_event *e = &s->events[i - 1];

		if (e->kind == KT_ORACLE_MAP && e->mapping == mapping) {
			return e;
		}
	}
	return NULL;
}

static bool is_valid(const struct kt_oracle_story *s, size_t at)
{
	const struct kt_oracle_event *e = &s->events[at];
	const struct kt_oracle_event *m = mapped(s, at, e->mapping);

	return e->kind == KT_ORACLE_READ && m && e->offset < m->length && e->size <= 4096;
}

/* Returns whether the read at `at` covers a semaphore whose newest release is that of r. */
static bool polls(const struct kt_oracle_story *s, size_t at, size_t r)
{
	const struct kt_oracle_event *e = &s->events[at];
	const struct kt_oracle_event *request = &s->events[r];
	uint64_t begin;
	uint64_t end;

	if (!is_valid(s, at) || request->kind != KT_ORACLE_SUBMIT || r >= at ||
	    r + 1 > e->limit) {
		return false;
	}
	begin = mapped(s, at, e->mapping)->address + e->offset;
	end = begin + (e->size ? e->size : 4);
	for (size_t i = 0; i < request->n_releases; i++) {
		uint64_t address = request->releases[i].address;
		bool newer = false;

		for (size_t q = r + 1; q < at && q + 1 <= e->limit; q++) {
			for (size_t j = 0; s->events[q].kind == KT_ORACLE_SUBMIT &&
					   j < s->events[q].n_releases;
			     j++) {
				newer = newer ||
					s->events[q].releases[j].address == address;
			}
		}
		if (!newer && address + 4 > begin && address < end) {
			return true;
		}
	}
	return false;
}

static bool polls_any(const struct kt_oracle_story *s, size_t at)
{
	for (size_t r = 0; r < at; r++) {
		if (polls(s, at, r)) {
			return true;
		}
	}
	return false;
}

/* --- groups --- */

static bool is_inside(const struct kt_oracle_story *s, size_t at, uint32_t tid)
{
	bool inside = false;

	for (size_t i = 0; i < at; i++) {
		const struct kt_oracle_event *e = &s->events[i];

		if (e->kind == KT_ORACLE_GAP) {
			inside = false;
		} else if (e->tid == tid && e->kind == KT_ORACLE_ENTER) {
			inside = true;
		} else if (e->tid == tid && e->kind == KT_ORACLE_RETURN) {
			inside = false;
		}
	}
	return inside;
}

static bool is_waiting(const struct kt_oracle_story *s, size_t at, uint32_t tid)
{
	bool waits = false;

	for (size_t i = 0; i < at; i++) {
		const struct kt_oracle_event *e = &s->events[i];

		if (e->kind == KT_ORACLE_GAP) {
			waits = false;
		} else if (e->tid == tid && e->kind == KT_ORACLE_ENTER) {
			waits = e->flag;
		} else if (e->tid == tid && e->kind == KT_ORACLE_RETURN) {
			waits = false;
		}
	}
	return waits;
}

static bool is_boundary(const struct kt_oracle_story *s, size_t at, uint32_t tid)
{
	const struct kt_oracle_event *e = &s->events[at];

	if (e->kind == KT_ORACLE_GAP) {
		return true;
	}
	return e->tid == tid &&
	       (e->kind == KT_ORACLE_ENTER || e->kind == KT_ORACLE_RETURN ||
		(e->kind == KT_ORACLE_ACT && !is_inside(s, at, tid)));
}

/* Returns the first event of the group that contains event `at`. */
static size_t group_of(const struct kt_oracle_story *s, size_t at, uint32_t tid)
{
	while (at > 0 && !is_boundary(s, at - 1, tid)) {
		at--;
	}
	return at;
}

static uint64_t slept_before(const struct kt_oracle_story *s, size_t at)
{
	uint32_t tid = s->events[at].tid;
	uint64_t slept = 0;

	for (size_t i = at; i > 0 && !is_boundary(s, i - 1, tid); i--) {
		const struct kt_oracle_event *e = &s->events[i - 1];

		if (e->tid == tid && e->kind == KT_ORACLE_READ && polls_any(s, i - 1)) {
			break;
		}
		slept += e->tid == tid && e->kind == KT_ORACLE_SLEEP ? e->slept : 0;
	}
	return slept;
}

/* --- evidence of the request itself --- */

struct seen {
	uint64_t first, last, polls, slept;
	uint64_t notice, returned, notice_polls, notice_slept;
	uint64_t run, wait_run;
};

/*
 * Sets the last poll of request r by one thread in events [from, to), the number of polls,
 * and how long the thread slept before these polls.
 */
static void sum_group(const struct kt_oracle_story *s, size_t r, uint32_t tid, size_t from,
		      size_t to, uint64_t *last, uint64_t *n, uint64_t *slept)
{
	*last = NEVER;
	*n = *slept = 0;
	for (size_t i = from; i < to; i++) {
		if (s->events[i].tid == tid && polls(s, i, r)) {
			*last = i + 1;
			++*n;
			*slept += slept_before(s, i);
		}
	}
}

static size_t group_end(const struct kt_oracle_story *s, size_t at, uint32_t tid)
{
	while (at < s->n && !is_boundary(s, at, tid)) {
		at++;
	}
	return at;
}

static bool has_semaphore_in(const struct kt_oracle_story *s, size_t r, uint32_t mapping)
{
	for (size_t i = 0; i < s->events[r].n_releases; i++) {
		uint64_t address = s->events[r].releases[i].address;
		const struct kt_oracle_event *newest = NULL;
		uint32_t in = 0;

		for (uint32_t m = 1; m <= 3; m++) {
			const struct kt_oracle_event *e = mapped(s, r, m);

			if (e && address >= e->address &&
			    address - e->address < e->length && (!newest || e > newest)) {
				newest = e;
				in = m;
			}
		}
		if (in == mapping) {
			return true;
		}
	}
	return false;
}

static struct seen see(const struct kt_oracle_story *s, size_t r)
{
	struct seen seen = {
		.first = NEVER, .returned = NEVER, .run = NEVER, .wait_run = NEVER};

	for (size_t i = r + 1; i < s->n; i++) {
		const struct kt_oracle_event *e = &s->events[i];
		uint64_t last, n, slept;

		if (seen.first == NEVER && polls(s, i, r)) {
			seen.first = i + 1;
			sum_group(s, r, e->tid, group_of(s, i, e->tid),
				  group_end(s, i, e->tid), &seen.last, &seen.polls,
				  &seen.slept);
		}
		if (e->kind == KT_ORACLE_RETURN && e->flag && seen.returned == NEVER) {
			sum_group(s, r, e->tid, group_of(s, i, e->tid), i, &last, &n,
				  &slept);
			if (n) {
				seen.returned = 10 * (i + 1);
				seen.notice = last;
				seen.notice_polls = n;
				seen.notice_slept = slept;
			}
		}
		if (!s->exact && is_valid(s, i) && has_semaphore_in(s, r, e->mapping)) {
			seen.run = seen.run == NEVER ? i + 1 : seen.run;
			if (seen.wait_run == NEVER && e->limit == NEVER &&
			    is_waiting(s, i, e->tid)) {
				seen.wait_run = i + 1;
			}
		}
	}
	return seen;
}

/* --- evidence of later requests --- */

static bool is_higher(uint64_t payload, uint64_t than)
{
	return (uint32_t)(payload - than) - 1 < UINT32_MAX / 2;
}

/* Finds the newest release of an address before event `at`: its request and its payload. */
static bool newest_release(const struct kt_oracle_story *s, size_t at, uint64_t address,
			   size_t *request, uint64_t *payload)
{
	for (size_t i = at; i > 0; i--) {
		const struct kt_oracle_event *e = &s->events[i - 1];

		for (size_t j = e->kind == KT_ORACLE_SUBMIT ? e->n_releases : 0; j > 0;
		     j--) {
			if (e->releases[j - 1].address == address) {
				*request = i - 1;
				*payload = e->releases[j - 1].payload;
				return true;
			}
		}
	}
	return false;
}

static bool is_order(const struct kt_oracle_story *s, size_t r, size_t q)
{
	for (size_t i = r + 1; i < q; i++) {
		if (s->events[i].kind == KT_ORACLE_SUBMIT &&
		    s->events[i].channel == s->events[q].channel) {
			return false;
		}
	}
	return s->events[r].channel == s->events[q].channel;
}

static bool is_later(const struct kt_oracle_story *s, size_t r, size_t q)
{
	for (size_t i = 0; i < s->events[q].n_releases; i++) {
		const struct kt_semaphore_value *v = &s->events[q].releases[i];
		size_t request;
		uint64_t payload;
		bool first = true;

		for (size_t j = 0; j < i; j++) {
			first = first && s->events[q].releases[j].address != v->address;
		}
		if (first && newest_release(s, q, v->address, &request, &payload) &&
		    request == r && is_higher(v->payload, payload)) {
			return true;
		}
	}
	return false;
}

static bool is_acquire(const struct kt_oracle_story *s, size_t r, size_t q)
{
	for (size_t i = 0; i < s->events[q].n_acquires; i++) {
		const struct kt_semaphore_value *v = &s->events[q].acquires[i];
		bool found = false;

		for (size_t p = q; p > 0 && !found; p--) {
			const struct kt_oracle_event *e = &s->events[p - 1];

			for (size_t j = 0; e->kind == KT_ORACLE_SUBMIT && j < e->n_releases;
			     j++) {
				found = found || (e->releases[j].address == v->address &&
						  e->releases[j].payload == v->payload);
			}
			if (found && p - 1 == r) {
				return true;
			}
		}
	}
	return false;
}

static bool implies(const struct kt_oracle_story *s, size_t r, size_t q, enum kt_tie *tie)
{
	if (q <= r || s->events[q].kind != KT_ORACLE_SUBMIT) {
		return false;
	}
	*tie = is_later(s, r, q)     ? KT_TIE_LATER
	       : is_order(s, r, q)   ? KT_TIE_ORDER
	       : is_acquire(s, r, q) ? KT_TIE_ACQUIRE
				     : KT_TIE_NONE;
	return *tie != KT_TIE_NONE;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Returns the earliest evidence of r and of all requests that imply its completion. */
static struct seen earliest(const struct kt_oracle_story *s, const struct seen *own,
			    size_t r)
{
	struct seen best = own[r];
	enum kt_tie tie;

	for (size_t q = r + 1; q < s->n; q++) {
		if (implies(s, r, q, &tie)) {
			struct seen other = earliest(s, own, q);

			best.first = least(best.first, other.first);
			best.returned = least(best.returned, other.returned);
			best.run = least(best.run, other.run);
			best.wait_run = least(best.wait_run, other.wait_run);
		}
	}
	return best;
}

/* --- comparison --- */

static int feed(kt_completions *c, const struct kt_oracle_event *e, size_t i)
{
	const struct kt_submitted_request request = {
		i + 1, e->channel, e->releases, e->n_releases, e->acquires, e->n_acquires};
	const struct kt_watched_read read = {
		e->mapping,
		e->offset,
		e->size,
		e->limit,
		{.seq = i + 1, .time = 10 * (i + 1), .tid = e->tid}};
	size_t looked;

	switch (e->kind) {
	case KT_ORACLE_MAP: return kt_completions_map(c, e->mapping, e->address, e->length);
	case KT_ORACLE_SUBMIT: return kt_completions_submit(c, &request);
	case KT_ORACLE_READ: return kt_completions_read(c, &read);
	case KT_ORACLE_SLEEP: return kt_completions_sleep(c, e->tid, e->slept);
	case KT_ORACLE_ACT: return kt_completions_act(c, e->tid);
	case KT_ORACLE_ENTER: return kt_completions_enter(c, e->tid, e->flag);
	case KT_ORACLE_RETURN:
		if (e->flag) {
			KT_TRY(kt_completions_done(c, e->tid));
		}
		return kt_completions_return(c, e->tid, i + 1, 10 * (i + 1), &looked);
	default: kt_completions_gap(c); return KT_OK;
	}
}

static bool same_poll(const struct kt_completion *got, const struct seen *best,
		      const struct seen *own)
{
	bool direct = best->first == own->first;

	if ((got->tie != KT_TIE_NONE) != (best->first != NEVER)) {
		return false;
	}
	if (best->first == NEVER) {
		return true;
	}
	return got->first.seq == best->first && (got->tie == KT_TIE_READ) == direct &&
	       (!direct || (got->last.seq == own->last && got->polls == own->polls &&
			    got->slept == own->slept));
}

static bool same_notice(const struct kt_completion *got, const struct seen *best,
			const struct seen *own)
{
	bool direct = best->returned == own->returned;

	if ((got->noticed != KT_TIE_NONE) != (best->returned != NEVER)) {
		return false;
	}
	if (best->returned == NEVER) {
		return true;
	}
	return got->returned == best->returned && (got->noticed == KT_TIE_READ) == direct &&
	       (!direct ||
		(got->notice.seq == own->notice && got->notice_polls == own->notice_polls &&
		 got->notice_slept == own->notice_slept));
}

static bool same_runs(const struct kt_completion *got, const struct seen *best)
{
	bool hidden = best->run < best->first;
	bool wait = best->wait_run != NEVER && best->returned == NEVER;

	return got->hidden == hidden && (!hidden || got->run.seq == best->run) &&
	       got->hidden_wait == wait && (!wait || got->wait_run.seq == best->wait_run);
}

static bool compare(const struct kt_oracle_story *s, const kt_completions *c)
{
	static struct seen own[KT_ORACLE_EVENTS];
	size_t index = 0;

	for (size_t i = 0; i < s->n; i++) {
		own[i] = see(s, i);
	}
	for (size_t i = 0; i < s->n; i++) {
		const struct kt_completion *got;
		struct seen best;

		if (s->events[i].kind != KT_ORACLE_SUBMIT) {
			continue;
		}
		got = kt_completions_at(c, index++);
		best = earliest(s, own, i);
		if (!same_poll(got, &best, &own[i]) || !same_notice(got, &best, &own[i]) ||
		    !same_runs(got, &best)) {
			printf("request %zu (event %zu) differs\n", index - 1, i);
			return false;
		}
	}
	return index == kt_completions_count(c);
}

bool kt_oracle_agrees(const struct kt_oracle_story *s)
{
	kt_completions *c;
	bool same = true;

	if (kt_completions_new(&c, s->exact)) {
		return false;
	}
	for (size_t i = 0; i < s->n && same; i++) {
		same = feed(c, &s->events[i], i) == KT_OK;
	}
	kt_completions_settle(c);
	same = same && compare(s, c);
	kt_completions_free(c);
	return same;
}

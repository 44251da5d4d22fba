/* SPDX-License-Identifier: MIT */
#include "tests/softgpu/truth/oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define MAX_FRAMES 64
#define MAX_EVENTS 256

/* --- sets of strings, as lists with linear search --- */

void texts_free(struct texts *texts)
{
	for (size_t i = 0; i < texts->n; i++) {
		free(texts->list[i]);
	}
	free(texts->list);
	*texts = (struct texts){0};
}

bool texts_add(struct texts *texts, const char *text)
{
	for (size_t i = 0; i < texts->n; i++) {
		if (strcmp(texts->list[i], text) == 0) {
			return false;
		}
	}
	if (kt_array_reserve(&texts->list, &texts->capacity, texts->n + 1) != KT_OK) {
		abort();
	}
	texts->list[texts->n++] = strdup(text);
	return true;
}

/* --- the events of an execution, and their word --- */

struct event {
	const char *letter; /* letter that the statement may yield */
	int mapping;        /* of an access: the mapping or, in letters of roles, 1 + the
			     * role; 0: none */
	bool poll;          /* in letters of roles */
};

/*
 * Forms the word of the events by the rules of ktail-alphabet(5). Returns the number of
 * letters.
 */
static size_t form_word(char *out, size_t size, const struct event *events, size_t n)
{
	size_t letters = 0;
	size_t length = 0;
	int mapping = 0;
	bool wrote = false;

	out[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		const struct event *e = &events[i];
		bool opens = e->mapping == 0 || e->mapping != mapping;
		bool write = e->letter[0] == 'W';
		bool yields = e->mapping == 0 || (write ? opens || !wrote : opens);

		wrote = e->mapping != 0 && ((!opens && wrote) || write);
		mapping = e->mapping;
		if (yields) {
			length += (size_t)snprintf(out + length, size - length, "%s ",
						   e->letter);
			letters++;
		}
	}
	return letters;
}

/*
 * Describes the run of accesses at the end of the events, because it determines which
 * letters later accesses yield.
 */
static void describe_run(char *out, size_t size, const struct event *events, size_t n)
{
	bool wrote = false;
	int mapping = n > 0 ? events[n - 1].mapping : 0;

	for (size_t i = n; i > 0 && mapping && events[i - 1].mapping == mapping; i--) {
		wrote |= events[i - 1].letter[0] == 'W';
	}
	snprintf(out, size, "%d%s", mapping, wrote ? "w" : "");
}

/* --- the word of an execution in letters of roles --- */

#define LETTERS_TO_POLL 8

/* Returns the number of the event that begins the run of access `i`. */
static size_t run_begin(const struct event *events, size_t i)
{
	while (i > 0 && events[i - 1].mapping == events[i].mapping) {
		i--;
	}
	return i;
}

static bool yields_letter(const struct event *events, size_t i)
{
	const size_t begin = events[i].mapping ? run_begin(events, i) : i;

	for (size_t j = begin; j < i; j++) {
		if (events[j].letter[0] == 'W') {
			return false;
		}
	}
	return i == begin || events[i].letter[0] == 'W';
}

static bool is_doorbell(const struct event *event)
{
	return strcmp(event->letter, "W:doorbell") == 0;
}

/*
 * Returns the number of the event whose letter is R:poll because of a doorbell, or 0 if the
 * doorbell has no poll.
 */
static size_t poll_of(const struct event *events, size_t n, size_t doorbell)
{
	size_t letters = 0;

	for (size_t i = doorbell + 1; i < n && !is_doorbell(&events[i]); i++) {
		if (events[i].poll) {
			return letters <= LETTERS_TO_POLL ? run_begin(events, i) : 0;
		}
		letters += yields_letter(events, i);
	}
	return 0;
}

/* Adds the word of a finished execution and all its beginnings. */
static void add_role_words(struct texts *out, const struct event *events, size_t n)
{
	const char *letters[MAX_EVENTS];
	char word[4096] = "";
	size_t length = 0;

	for (size_t i = 0; i < n; i++) {
		letters[i] = yields_letter(events, i) ? events[i].letter : NULL;
	}
	for (size_t i = 0; i < n; i++) {
		size_t poll = is_doorbell(&events[i]) ? poll_of(events, n, i) : 0;

		if (poll) {
			letters[poll] = "R:poll";
		} else if (is_doorbell(&events[i])) {
			letters[i] = "W:doorbell:unpolled";
		}
	}
	texts_add(out, word);
	for (size_t i = 0; i < n; i++) {
		if (letters[i]) {
			length += (size_t)snprintf(word + length, sizeof(word) - length,
						   "%s ", letters[i]);
			texts_add(out, word);
		}
	}
}

/* --- execution --- */

/* The next statement of an open block; the innermost block is the last frame. */
struct frame {
	const struct kt_block *block;
	size_t next;
};

struct run {
	struct frame frames[MAX_FRAMES];
	size_t n_frames;
	struct event events[MAX_EVENTS];
	size_t n_events;
};

struct oracle {
	const struct kt_points *points;
	size_t n;
	struct texts *words;
	struct texts seen; /* remaining statements, each with the word and the run so far */
};

static void go(struct oracle *o, struct run r);

static void enter(struct oracle *o, struct run r, const struct kt_block *block)
{
	if (r.n_frames == MAX_FRAMES) {
		abort();
	}
	r.frames[r.n_frames++] = (struct frame){block, 0};
	go(o, r);
}

static void add_event(struct run *r, const char *letter, int mapping)
{
	if (r->n_events == MAX_EVENTS) {
		abort();
	}
	r->events[r->n_events++] = (struct event){.letter = letter, .mapping = mapping};
}

static void happen(struct oracle *o, struct run r, const char *letter, int mapping)
{
	add_event(&r, letter, mapping);
	go(o, r);
}

/*
 * In letters of roles, an access goes to each part of the memory in turn, and may be a
 * poll. A read of a semaphore that continues a run may go unrecorded; then it is not a
 * poll, but a later read may be a poll.
 */
static void access_parts(struct oracle *o, struct run r, const struct kt_statement *s)
{
	const struct kt_memory_role *memory = &o->points->memories[s->index];
	const bool semaphore = memory->parts[0] == KT_POINTS_SEMAPHORE;
	const int role = 1 + (int)memory->parts[0];
	const bool silent = r.n_events > 0 && r.events[r.n_events - 1].mapping == role;
	bool unseen = false;

	for (size_t i = r.n_events; i-- > 1 && !is_doorbell(&r.events[i]);) {
		unseen |= r.events[i].mapping == 1 + (int)KT_POINTS_SEMAPHORE &&
			  r.events[i - 1].mapping == r.events[i].mapping;
	}
	for (size_t i = 0; i < memory->n_parts; i++) {
		add_event(&r, s->letters[KT_POINTS_ROLES][i], 1 + (int)memory->parts[i]);
	}
	if (!semaphore || s->poll != KT_POLL_ALWAYS || silent) {
		go(o, r);
	}
	if (semaphore && (s->poll != KT_POLL_NEVER || unseen)) {
		r.events[r.n_events - 1].poll = true;
		go(o, r);
	}
}

/* An access to memory declared `many` may be to either of two mappings. */
static void access_memory(struct oracle *o, const struct run *r,
			  const struct kt_statement *s)
{
	bool many = o->points->memories[s->index].many;

	if (o->points->alphabet == KT_POINTS_ROLES) {
		access_parts(o, *r, s);
		return;
	}
	for (int i = 0; i < (many ? 2 : 1); i++) {
		happen(o, *r, s->letters[KT_POINTS_TABLE1][0], 1 + 2 * (int)s->index + i);
	}
}

static bool is_new(struct oracle *o, const struct run *r, const char *word)
{
	char key[4096];
	char end[32];
	size_t n = 0;

	describe_run(end, sizeof(end), r->events, r->n_events);
	for (size_t i = 0; i < r->n_frames; i++) {
		n += (size_t)snprintf(key + n, sizeof(key) - n, "%p+%zu ",
				      (const void *)r->frames[i].block, r->frames[i].next);
	}
	snprintf(key + n, sizeof(key) - n, "| %s | %s", end, word);
	return texts_add(&o->seen, key);
}

static void go(struct oracle *o, struct run r)
{
	const struct kt_statement *s;
	struct frame *frame;
	char word[2048];

	if (o->points->alphabet == KT_POINTS_TABLE1) {
		if (form_word(word, sizeof(word), r.events, r.n_events) > o->n ||
		    !is_new(o, &r, word)) {
			return;
		}
		texts_add(o->words, word);
	}
	if (r.n_frames == 0) {
		if (o->points->alphabet == KT_POINTS_ROLES) {
			add_role_words(o->words, r.events, r.n_events);
		}
		return;
	}
	frame = &r.frames[r.n_frames - 1];
	if (frame->next == frame->block->n) {
		r.n_frames--;
		go(o, r);
		return;
	}
	s = &frame->block->statements[frame->next++];
	switch (s->kind) {
	case KT_STATEMENT_LETTER:
		happen(o, r, s->letters[o->points->alphabet][0], 0);
		break;
	case KT_STATEMENT_READ:
	case KT_STATEMENT_WRITE: access_memory(o, &r, s); break;
	case KT_STATEMENT_CALL: enter(o, r, &o->points->procedures[s->index].body); break;
	case KT_STATEMENT_MAYBE:
		go(o, r);
		enter(o, r, &s->blocks[0]);
		break;
	case KT_STATEMENT_REPEAT:
		go(o, r);
		r.frames[r.n_frames - 1].next--; /* repeat the statement */
		enter(o, r, &s->blocks[0]);
		break;
	case KT_STATEMENT_SOME:
		enter(o, r, &s->blocks[0]);
		r.frames[r.n_frames - 1].next--; /* repeat the statement */
		enter(o, r, &s->blocks[0]);
		break;
	case KT_STATEMENT_CHOOSE:
		for (size_t i = 0; i < s->n_blocks; i++) {
			enter(o, r, &s->blocks[i]);
		}
		break;
	case KT_STATEMENT_WHEN:
		if (o->points->settings[s->index].chosen == s->value) {
			enter(o, r, &s->blocks[0]);
		} else {
			go(o, r);
		}
		break;
	}
}

void oracle_words(struct texts *out, const struct kt_points *points, size_t n)
{
	struct oracle o = {.points = points, .n = n, .words = out};
	struct run r = {.n_frames = 0};

	enter(&o, r, &points->procedures[points->main].body);
	texts_free(&o.seen);
}

/* SPDX-License-Identifier: MIT */
/*
 * Random acceptors as DOT: an acceptor whose language is closed under prefixes is imported
 * with that language, all others are refused. The oracle runs the acceptor itself, and
 * decides with the transitive closure of its transitions whether the language is closed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "tests/engine/oracle/random-sets.h"
#include "tests/exchange/rig.h"

#define STATES  8
#define LETTERS 3
#define NONE    STATES

struct acceptor {
	uint32_t n;
	uint32_t next[STATES][LETTERS];
	bool accepts[STATES];
	bool leads[STATES][STATES]; /* leads[i][j]: some word leads from i to j */
};

static void make(struct acceptor *a, struct random *random)
{
	uint32_t rejecting = random_below(random, 4);

	memset(a, 0, sizeof(*a));
	a->n = 1 + random_below(random, STATES);
	for (uint32_t i = 0; i < a->n; i++) {
		a->accepts[i] = random_below(random, 8) >= rejecting;
		a->leads[i][i] = true;
		for (uint32_t j = 0; j < LETTERS; j++) {
			uint32_t to = random_below(random, a->n + 2);

			/*
			 * Rejecting states lead to no other states, so that many languages
			 * are closed.
			 */
			a->next[i][j] = to >= a->n ? NONE : a->accepts[i] ? to : i;
			if (a->next[i][j] != NONE) {
				a->leads[i][a->next[i][j]] = true;
			}
		}
	}
	for (uint32_t k = 0; k < a->n; k++) {
		for (uint32_t i = 0; i < a->n; i++) {
			for (uint32_t j = 0; j < a->n; j++) {
				a->leads[i][j] |= a->leads[i][k] && a->leads[k][j];
			}
		}
	}
	/* In one of four acceptors, a rejecting state may lead to accepting ones. */
	if (random_below(random, 4) == 0) {
		a->accepts[random_below(random, a->n)] = false;
	}
}

static bool is_alive(const struct acceptor *a, uint32_t state)
{
	bool alive = false;

	for (uint32_t i = 0; i < a->n; i++) {
		alive |= a->leads[state][i] && a->accepts[i];
	}
	return alive;
}

static bool is_closed(const struct acceptor *a)
{
	bool closed = is_alive(a, 0);

	for (uint32_t i = 0; i < a->n; i++) {
		closed &= !a->leads[0][i] || a->accepts[i] || !is_alive(a, i);
	}
	return closed;
}

static bool any_accepts(const struct acceptor *a)
{
	bool any = false;

	for (uint32_t i = 0; i < a->n; i++) {
		any |= a->accepts[i];
	}
	return any;
}

/* Returns the acceptor as DOT, with its states in no order; the caller frees it. */
static char *print(const struct acceptor *a, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (!out) {
		abort();
	}
	fputs("digraph {\n", out);
	for (uint32_t i = a->n; i-- > 0;) {
		fprintf(out, "q%u [shape=%s]\n", i * 7 % 11,
			a->accepts[i] ? "doublecircle" : "circle");
		for (uint32_t j = 0; j < LETTERS; j++) {
			if (a->next[i][j] != NONE) {
				fprintf(out, "q%u -> q%u [label=%c]\n", i * 7 % 11,
					a->next[i][j] * 7 % 11, 'a' + (int)j);
			}
		}
	}
	fputs("start -> q0\n}\n", out);
	fclose(out);
	return text;
}

static bool reads(const struct kt_fsm *fsm, const uint32_t *word, size_t n)
{
	uint32_t state = fsm->start;

	for (size_t i = 0; i < n; i++) {
		const struct kt_fsm_transition *found = NULL;

		for (size_t j = 0; j < fsm->n_transitions; j++) {
			const struct kt_fsm_transition *t = &fsm->transitions[j];

			if (t->from == state &&
			    fsm->letters[t->letter][0] == (char)('a' + (int)word[i])) {
				found = t;
			}
		}
		if (!found) {
			return false;
		}
		state = found->to;
	}
	return true;
}

static bool accepts(const struct acceptor *a, const uint32_t *word, size_t n)
{
	uint32_t state = 0;

	for (size_t i = 0; i < n && state != NONE; i++) {
		state = a->next[state][word[i]];
	}
	return state != NONE && a->accepts[state];
}

static bool same_language(const struct acceptor *a, const struct kt_fsm *fsm,
			  struct random *random)
{
	bool same = true;

	for (int i = 0; i < 200 && same; i++) {
		uint32_t word[12];
		size_t n = random_below(random, 13);

		for (size_t j = 0; j < n; j++) {
			word[j] = random_below(random, LETTERS);
		}
		same = reads(fsm, word, n) == accepts(a, word, n);
	}
	return same;
}

static bool check(struct random *random, unsigned long *closed)
{
	struct acceptor a;
	struct kt_fsm *fsm = NULL;
	size_t size;
	char *text;
	int code;
	bool good;

	make(&a, random);
	if (!any_accepts(&a)) {
		return true; /* if no state is a doublecircle, the reader lets all accept */
	}
	text = print(&a, &size);
	code = rig_read(kt_fsm_read_dot, &fsm, text, size);
	if (is_closed(&a)) {
		good = code == KT_OK && same_language(&a, fsm, random);
		++*closed;
	} else {
		good = code == KT_E_MALFORMED;
	}
	if (!good) {
		fprintf(stderr, "%s%d: %s\n", text, code, kt_error_message());
	}
	kt_fsm_free(fsm);
	free(text);
	return good;
}

int main(void)
{
	struct random random = {.state = 1};
	unsigned long closed = 0;
	unsigned long n = 20000;

	for (unsigned long i = 0; i < n; i++) {
		if (!check(&random, &closed)) {
			return 1;
		}
	}
	printf("%lu of %lu closed\n", closed, n);
	return closed < n / 10 || closed > n * 9 / 10;
}

/* SPDX-License-Identifier: MIT */
#include "random-machines.h"

#include <stdlib.h>
#include <string.h>

#define KINDS_MAX 26
#define NOWHERE   UINT32_MAX

/* targets[state * KINDS_MAX + letter] */
struct table {
	uint32_t *targets;
	uint32_t n_states;
	bool letter[KINDS_MAX];
};

static void *need(void *memory)
{
	if (!memory) {
		abort();
	}
	return memory;
}

static void add_letters(struct kt_fsm *fsm, const struct table *table, uint32_t *number)
{
	fsm->letters = need(calloc(KINDS_MAX, sizeof(*fsm->letters)));
	for (uint32_t i = 0; i < KINDS_MAX; i++) {
		const char name[2] = {(char)('a' + i), '\0'};

		if (table->letter[i]) {
			number[i] = (uint32_t)fsm->n_letters;
			fsm->letters[fsm->n_letters++] = need(strdup(name));
		}
	}
}

static struct kt_fsm *to_machine(const struct table *table, uint32_t start)
{
	struct kt_fsm *fsm;
	uint32_t number[KINDS_MAX] = {0};

	if (kt_fsm_new(&fsm)) {
		abort();
	}
	add_letters(fsm, table, number);
	fsm->machine = need(strdup("chains"));
	fsm->word = need(strdup("process"));
	fsm->start = start;
	fsm->n_states = table->n_states;
	fsm->states = need(calloc(fsm->n_states, sizeof(*fsm->states)));
	fsm->transitions =
		need(calloc(fsm->n_states * KINDS_MAX, sizeof(*fsm->transitions)));
	for (uint32_t i = 0; i < table->n_states * KINDS_MAX; i++) {
		if (table->targets[i] != NOWHERE) {
			fsm->transitions[fsm->n_transitions++] = (struct kt_fsm_transition){
				.from = i / KINDS_MAX,
				.letter = number[i % KINDS_MAX],
				.to = table->targets[i],
				.count = 1 + i % 7,
			};
		}
	}
	return fsm;
}

static struct table empty_table(uint32_t n_states)
{
	struct table table = {.n_states = n_states};

	table.targets = need(malloc((size_t)n_states * KINDS_MAX * sizeof(*table.targets)));
	memset(table.targets, 0xff, (size_t)n_states * KINDS_MAX * sizeof(*table.targets));
	return table;
}

struct kt_fsm *random_machine(struct random *random, uint32_t most, uint32_t kinds)
{
	struct table table = empty_table(1 + random_below(random, most));
	uint32_t dense = 1 + random_below(random, 4);
	struct kt_fsm *fsm;

	for (uint32_t i = 0; i < kinds; i++) {
		table.letter[i] = random_below(random, 8) != 0;
	}
	for (uint32_t i = 0; i < table.n_states * KINDS_MAX; i++) {
		if (table.letter[i % KINDS_MAX] && random_below(random, 5) < dense) {
			table.targets[i] = random_below(random, table.n_states);
		}
	}
	fsm = to_machine(&table, random_below(random, table.n_states));
	free(table.targets);
	return fsm;
}

static void edit(struct random *random, struct table *table)
{
	uint32_t state = random_below(random, table->n_states);
	uint32_t letter = random_below(random, KINDS_MAX);

	for (int i = 0; i < 50 && !table->letter[letter]; i++) {
		letter = random_below(random, KINDS_MAX);
	}
	if (table->letter[letter]) {
		table->targets[state * KINDS_MAX + letter] =
			random_below(random, 3) == 0
				? NOWHERE
				: random_below(random, table->n_states);
	}
}

/* Returns a random order of 0..n-1; the caller frees it. */
static uint32_t *shuffle(struct random *random, uint32_t n)
{
	uint32_t *order = need(calloc(n, sizeof(*order)));

	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = random_below(random, i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	return order;
}

struct kt_fsm *edited_machine(struct random *random, const struct kt_fsm *fsm,
			      uint32_t edits)
{
	struct table table = empty_table((uint32_t)fsm->n_states);
	uint32_t *order = shuffle(random, (uint32_t)fsm->n_states);
	struct kt_fsm *edited;

	for (size_t i = 0; i < fsm->n_letters; i++) {
		table.letter[fsm->letters[i][0] - 'a'] = true;
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];
		int letter = fsm->letters[t->letter][0] - 'a';

		table.targets[order[t->from] * KINDS_MAX + (uint32_t)letter] = order[t->to];
	}
	for (uint32_t n = random_below(random, edits + 1); n > 0; n--) {
		edit(random, &table);
	}
	edited = to_machine(&table, order[fsm->start]);
	free(order);
	free(table.targets);
	return edited;
}

/* SPDX-License-Identifier: MIT */
/*
 * Prints a machine as JSON:
 * make-fsm dense N: N states, each with eight transitions out
 * make-fsm trace: a machine like that of a GPU program at a useful k, with straight chains
 * between busy states that loop; 355 states, of which 19 are complex, and 383 transitions
 * make-fsm loops M N: a loop that is taken M times, an edge, and a loop that is taken N
 * times make-fsm line N: one chain of N letters, of which no two successive ones are equal
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/fsm.h>
#include <ktail/status.h>

#define LETTERS 16

static char names[LETTERS][12] = {"R:fb",       "R:sys",      "W:fb",       "W:reg",
				  "W:sys",      "ioctl:0x27", "ioctl:0x29", "ioctl:0x2a",
				  "ioctl:0x2b", "ioctl:0x4a", "ioctl:0x4e", "map:fb",
				  "map:pin",    "map:reg",    "map:sys",    "unmap:sys"};

static struct kt_fsm_transition transitions[65536];
static size_t n_transitions;
static uint32_t n_states = 1;

static void add(uint32_t from, uint32_t letter, uint32_t to, uint64_t count)
{
	transitions[n_transitions++] = (struct kt_fsm_transition){
		.from = from, .letter = letter, .to = to, .count = count};
}

/*
 * Adds a chain of n letters that begins with letter `first` and leads to a new state or,
 * with `loop`, back to `from`. Returns the chain's last state.
 */
static uint32_t add_chain(uint32_t from, uint32_t first, int n, uint64_t count, int loop)
{
	uint32_t at = from;

	for (int i = 0; i < n; i++) {
		uint32_t to = loop && i == n - 1 ? from : n_states++;

		add(at, (first + (uint32_t)i * 5) % LETTERS, to, count);
		at = to;
	}
	return at;
}

static uint32_t make_trace(void)
{
	uint32_t at = add_chain(0, 7, 56, 5, 0);

	/* 19 busy states with one loop each; the busiest ten have a second loop. */
	for (uint32_t i = 0; i < 19; i++) {
		uint64_t count = 5 + (uint64_t)i * i * i;

		add_chain(at, 1, i % 3 == 0 ? 1 : i == 10 ? 15 : 3 + (int)i % 4, count, 1);
		if (i >= 9) {
			add_chain(at, 4, 4 + (int)i % 3, count * 2, 1);
		}
		at = add_chain(at, 8, 11, 5, 0);
	}
	return at;
}

static uint32_t make_dense(uint32_t n)
{
	n_states = n;
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t letter = 0; letter < 8; letter++) {
			uint32_t to = (i * (2 * letter + 3) + 17 * letter + 1) % n;

			add(i, letter, to, 1 + (i + letter) % 50);
		}
	}
	return n - 1;
}

static int compare(const void *a, const void *b)
{
	const struct kt_fsm_transition *x = a;
	const struct kt_fsm_transition *y = b;

	return x->from != y->from ? (x->from < y->from ? -1 : 1)
				  : (x->letter < y->letter ? -1 : x->letter > y->letter);
}

static int print(uint32_t end)
{
	static char machine[] = "chains";
	static char unit[] = "process";
	static char *letters[LETTERS];
	static char name[] = "vector-add/app.0";
	struct kt_fsm_state *states = calloc(n_states, sizeof(*states));
	struct kt_fsm_word word = {.name = name, .exit = end, .complete = true};
	struct kt_fsm fsm = {.k = 20,
			     .machine = machine,
			     .word = unit,
			     .letters = letters,
			     .n_letters = LETTERS,
			     .words = &word,
			     .n_words = 1,
			     .states = states,
			     .n_states = n_states,
			     .transitions = transitions,
			     .n_transitions = n_transitions};
	int code;

	if (!states) {
		return 1;
	}
	for (int i = 0; i < LETTERS; i++) {
		letters[i] = names[i];
	}
	strcpy(word.hash, "0123456789abcdef0123456789abcdef");
	states[0].visits = 1;
	states[end].ends = 1;
	for (size_t i = 0; i < n_transitions; i++) {
		states[transitions[i].to].visits += transitions[i].count;
		word.events += transitions[i].count;
	}
	code = kt_fsm_write_json(&fsm, stdout);
	free(states);
	return code != KT_OK;
}

int main(int argc, char **argv)
{
	uint32_t end = 0;

	if (argc == 3 && strcmp(argv[1], "dense") == 0) {
		end = make_dense((uint32_t)atoi(argv[2]) % 8192);
	} else if (argc == 3 && strcmp(argv[1], "line") == 0) {
		end = add_chain(0, 0, atoi(argv[2]) % 65536, 1, 0);
	} else if (argc == 4 && strcmp(argv[1], "loops") == 0) {
		end = n_states++;
		add(0, 0, 0, (uint64_t)atoi(argv[2]));
		add(0, 1, end, 1);
		add(end, 0, end, (uint64_t)atoi(argv[3]));
	} else if (argc == 2 && strcmp(argv[1], "trace") == 0) {
		end = make_trace();
	} else {
		fputs("usage: make-fsm dense N | loops M N | line N | trace\n", stderr);
		return 2;
	}
	qsort(transitions, n_transitions, sizeof(transitions[0]), compare);
	return print(end);
}

/* SPDX-License-Identifier: MIT */
/*
 * For random program points, the machine's words up to a given length must equal those
 * found by executing the points. In letters of roles the points have no loops, and all
 * words must be equal. Usage: test-truth-oracle FIRST-SEED HOW-MANY
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "corpus/softgpu/truth/points.h"
#include "tests/softgpu/truth/oracle.h"

#define LENGTH 4

struct maker {
	uint64_t seed;
	FILE *out;
	int statements; /* number of statements that may still be written */
	int procedure;  /* index of the current procedure, which calls only later ones */
};

#define PROCEDURES 3

static unsigned pick(struct maker *m, unsigned n)
{
	m->seed = m->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(m->seed >> 33) % n;
}

static void make_block(struct maker *m, int depth);

static void make_braces(struct maker *m, int depth, const char *head)
{
	fprintf(m->out, "%s {\n", head);
	make_block(m, depth + 1);
	while (head[0] == 'c' && pick(m, 2)) {
		fputs("} or {\n", m->out);
		make_block(m, depth + 1);
	}
	fputs("}\n", m->out);
}

static void make_statement(struct maker *m, int depth)
{
	static const char *const simple[] = {
		"ioctl 0xa",  "ioctl 0xb", "doorbell",   "read one",   "write one",
		"write many", "read many", "write many", "read other", "map fb",
	};
	static const char *const heads[] = {"maybe",  "repeat",   "some",
					    "choose", "when s=a", "when s=b"};
	unsigned kind = pick(m, 10);

	if (m->statements-- <= 0 || depth > 3 || kind < 5) {
		fprintf(m->out, "%s\n", simple[pick(m, 10)]);
	} else if (kind < 6 && m->procedure + 1 < PROCEDURES) {
		fprintf(m->out, "call p%d\n", m->procedure + 1);
	} else {
		make_braces(m, depth, heads[pick(m, 6)]);
	}
}

static void make_block(struct maker *m, int depth)
{
	for (unsigned n = pick(m, 4); n > 0; n--) {
		make_statement(m, depth);
	}
}

/*
 * Makes a text that is long enough for polls too far from their doorbells, and has few
 * choices, so that the number of executions is small.
 */
static char *make_text_of_roles(uint64_t seed)
{
	static const char *const simple[] = {
		"doorbell",
		"doorbell",
		"read semaphores",
		"read semaphores first",
		"read semaphores again",
		"read semaphores again",
		"read semaphores again",
		"read second",
		"write ring",
		"write one",
		"read one",
		"read other",
		"ioctl 0xa",
		"map fb",
	};
	struct maker m = {.seed = seed * 7919 + 1};
	char *text = NULL;
	size_t size = 0;

	m.out = open_memstream(&text, &size);
	fputs("memory semaphores many sys semaphore\nmemory second one fb semaphore\n"
	      "memory ring many fb ring,put\nmemory one one sys other\n"
	      "memory other many reg\nprocedure main\n",
	      m.out);
	for (unsigned n = 2 + pick(&m, 18), braces = 0; n > 0; n--) {
		const char *statement = simple[pick(&m, 14)];

		if (pick(&m, 5) == 0 && braces < 4) {
			braces++;
			fprintf(m.out, "choose {\n%s\n} or {\n%s\n}\n", statement,
				pick(&m, 2) ? "ioctl 0xb" : "");
		} else {
			fprintf(m.out, "%s\n", statement);
		}
	}
	fclose(m.out);
	return text;
}

static char *make_text(uint64_t seed)
{
	struct maker m = {.seed = seed * 7919 + 1, .statements = 14};
	char *text = NULL;
	size_t size = 0;

	m.out = open_memstream(&text, &size);
	fputs("setting s a b\nmemory one one sys\nmemory many many sys\nmemory other one "
	      "reg\n",
	      m.out);
	fputs("procedure main\n", m.out);
	m.procedure = -1;
	make_block(&m, 0);
	for (m.procedure = 0; m.procedure < PROCEDURES; m.procedure++) {
		/* Every procedure must be called. */
		if (m.procedure == 0) {
			fputs("call p0\n", m.out);
		}
		fprintf(m.out, "procedure p%d\n", m.procedure);
		make_block(&m, 1);
		if (m.procedure + 1 < PROCEDURES) {
			fprintf(m.out, "maybe {\ncall p%d\n}\n", m.procedure + 1);
		}
	}
	fclose(m.out);
	return text;
}

/* --- the machine's words --- */

static void read_words(struct texts *out, const struct kt_fsm *fsm, uint32_t state,
		       const char *word, size_t left)
{
	texts_add(out, word);
	for (size_t i = 0; i < fsm->n_transitions && left > 0; i++) {
		char longer[2048];

		if (fsm->transitions[i].from == state) {
			snprintf(longer, sizeof(longer), "%s%s ", word,
				 fsm->letters[fsm->transitions[i].letter]);
			read_words(out, fsm, fsm->transitions[i].to, longer, left - 1);
		}
	}
}

static size_t print_missing(const char *who, const struct texts *a, struct texts *b)
{
	size_t n = b->n;
	size_t missing = 0;

	for (size_t i = 0; i < a->n; i++) {
		if (texts_add(b, a->list[i])) {
			fprintf(stderr, "only %s: %s\n", who, a->list[i]);
			missing++;
		}
	}
	while (b->n > n) {
		free(b->list[--b->n]);
	}
	return missing;
}

/* `set`: NULL for letters of roles. */
static bool agree(uint64_t seed, const char *set, size_t *total)
{
	const size_t length = set ? LENGTH : SIZE_MAX;
	char *text = set ? make_text(seed) : make_text_of_roles(seed);
	struct texts expected = {0};
	struct texts found = {0};
	struct kt_points *points = NULL;
	struct kt_fsm *fsm = NULL;
	size_t wrong = 1;

	if (kt_points_parse(&points, "random", text, strlen(text)) == KT_OK &&
	    (set ? kt_points_set(points, set) : kt_points_set_alphabet(points, "roles")) ==
		    KT_OK &&
	    kt_truth_make(&fsm, points) == KT_OK) {
		oracle_words(&expected, points, length);
		read_words(&found, fsm, fsm->start, "", length);
		wrong = print_missing("the oracle", &expected, &found) +
			print_missing("the machine", &found, &expected);
		*total += found.n;
	} else {
		fprintf(stderr, "%s\n", kt_error_message());
	}
	if (wrong) {
		fprintf(stderr, "seed %" PRIu64 ", %s:\n%s", seed, set ? set : "roles",
			text);
	}
	texts_free(&expected);
	texts_free(&found);
	kt_fsm_free(fsm);
	kt_points_free(points);
	free(text);
	return wrong == 0;
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 100;
	size_t total = 0;

	for (uint64_t seed = first; seed < first + n; seed++) {
		if (!agree(seed, "s=a", &total) || !agree(seed, "s=b", &total) ||
		    !agree(seed, NULL, &total)) {
			return 1;
		}
	}
	printf("%" PRIu64 " grammars, %zu words\n", n, total);
	return total < n; /* else all languages are empty: nothing was tested */
}

/* SPDX-License-Identifier: MIT */
#include "tests/softgpu/truth/coverage.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

struct point {
	const char *text; /* not owned */
	unsigned long line;
	bool covered;
};

struct points {
	struct point *list; /* owned; in order of line */
	size_t n;
};

/* --- points --- */

static const char *after(const char *text, const char *start)
{
	size_t n = strlen(start);

	return strncmp(text, start, n) == 0 ? text + n : NULL;
}

/* Returns whether a list such as "a,b)" contains the name of a space or a role. */
static bool lists(const char *list, const char *name)
{
	for (size_t n; *list; list += n + (list[n] != '\0')) {
		n = strcspn(list, ",)");
		if (strlen(name) == n && strncmp(list, name, n) == 0) {
			return true;
		}
	}
	return false;
}

bool coverage_gives(const char *point, const char *letter)
{
	const char *statement = strstr(point, ": ");
	const char *rest;

	if (!statement) {
		return false;
	}
	statement += 2;
	if (strcmp(statement, "doorbell") == 0) {
		return strcmp(letter, "W:reg") == 0 || after(letter, "W:doorbell");
	}
	rest = after(statement, "read ");
	if (rest || after(statement, "write ")) {
		const char *list = strchr(statement, '(');
		bool poll = strcmp(letter, "R:poll") == 0;

		return letter[0] == (rest ? 'R' : 'W') && letter[1] == ':' && list &&
		       lists(list + 1, poll ? "semaphore" : letter + 2);
	}
	/* "ioctl 0x2a" yields ioctl:0x2a, and likewise for map and unmap. */
	rest = strchr(statement, ' ');
	return rest && strncmp(letter, statement, (size_t)(rest - statement)) == 0 &&
	       letter[rest - statement] == ':' &&
	       strcmp(letter + (rest - statement) + 1, rest + 1) == 0;
}

static int compare_points(const void *a, const void *b)
{
	const struct point *x = a;
	const struct point *y = b;

	if (x->line != y->line) {
		return x->line < y->line ? -1 : 1;
	}
	return strcmp(x->text, y->text);
}

static unsigned long line_of(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon ? strtoul(colon + 1, NULL, 10) : 0;
}

/* Lists the points of all states, each point once. */
static int collect(struct points *out, const struct kt_fsm *fsm)
{
	size_t n = 0;
	size_t all = 0;

	for (size_t i = 0; i < fsm->n_states; i++) {
		all += fsm->states[i].n_points;
	}
	out->list = calloc(all + 1, sizeof(*out->list));
	if (!out->list) {
		return kt_error(KT_E_MEMORY, "list program points: out of memory");
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		for (size_t j = 0; j < fsm->states[i].n_points; j++) {
			const char *text = fsm->states[i].points[j];

			out->list[n++] = (struct point){text, line_of(text), false};
		}
	}
	qsort(out->list, n, sizeof(*out->list), compare_points);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || strcmp(out->list[out->n - 1].text, out->list[i].text) != 0) {
			out->list[out->n++] = out->list[i];
		}
	}
	return KT_OK;
}

static void cover(struct points *points, const struct walk *walk)
{
	for (size_t i = 0; i < walk->fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &walk->fsm->transitions[i];
		const struct kt_fsm_state *from = &walk->fsm->states[t->from];

		for (size_t j = 0; walk->covered[i] && j < from->n_points; j++) {
			struct point key = {from->points[j], line_of(from->points[j]),
					    false};
			struct point *found =
				bsearch(&key, points->list, points->n,
					sizeof(*points->list), compare_points);

			found->covered |=
				coverage_gives(key.text, walk->fsm->letters[t->letter]);
		}
	}
}

/* --- tables --- */

static int procedure_length(const char *point)
{
	return (int)strcspn(point, ":");
}

static bool same_procedure(const struct point *a, const struct point *b)
{
	int n = procedure_length(a->text);

	return n == procedure_length(b->text) && strncmp(a->text, b->text, (size_t)n) == 0;
}

static void print_procedures(FILE *out, const struct points *points, bool tsv)
{
	for (size_t i = 0, next; i < points->n; i = next) {
		size_t covered = 0;

		for (next = i; next < points->n &&
			       same_procedure(&points->list[i], &points->list[next]);
		     next++) {
			covered += points->list[next].covered;
		}
		fprintf(out,
			tsv ? "procedure\t%.*s\t%zu\t%zu\n" : "  %-30.*s %4zu of %zu\n",
			procedure_length(points->list[i].text), points->list[i].text,
			covered, next - i);
	}
}

static void print_points(FILE *out, const struct points *points, bool tsv)
{
	for (size_t i = 0; i < points->n; i++) {
		if (!points->list[i].covered) {
			fprintf(out, "%s%s\n", tsv ? "point\t" : "  ",
				points->list[i].text);
		}
	}
}

static void print_transitions(FILE *out, const struct walk *walk, bool tsv)
{
	for (size_t i = 0; i < walk->fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &walk->fsm->transitions[i];
		const struct kt_fsm_state *from = &walk->fsm->states[t->from];
		const char *letter = walk->fsm->letters[t->letter];
		const char *separator = tsv ? "\t" : "   ";

		if (walk->covered[i]) {
			continue;
		}
		fprintf(out, tsv ? "uncovered\t%u\t%s\t%u" : "  %4u  %-16s -> %-4u",
			t->from, letter, t->to);
		for (size_t j = 0; j < from->n_points; j++) {
			if (coverage_gives(from->points[j], letter)) {
				fprintf(out, "%s%s", separator, from->points[j]);
				separator = "; ";
			}
		}
		putc('\n', out);
	}
}

static size_t count_points(const struct points *points)
{
	size_t n = 0;

	for (size_t i = 0; i < points->n; i++) {
		n += points->list[i].covered;
	}
	return n;
}

int coverage_print(FILE *out, const struct walk *walk, bool tsv, size_t *uncovered)
{
	size_t all = walk->fsm->n_transitions;
	struct points points = {0};
	size_t n = 0;
	int code = collect(&points, walk->fsm);

	if (code) {
		return code;
	}
	cover(&points, walk);
	for (size_t i = 0; i < all; i++) {
		n += walk->covered[i];
	}
	*uncovered = all - n;
	fprintf(out,
		tsv ? "transitions\t%zu\t%zu\n" : "\ntransitions covered: %zu of %zu\n", n,
		all);
	fprintf(out,
		tsv ? "points\t%zu\t%zu\n"
		    : "program points covered: %zu of %zu; by procedure:\n",
		count_points(&points), points.n);
	print_procedures(out, &points, tsv);
	fputs(tsv ? "" : "program points not covered:\n", out);
	print_points(out, &points, tsv);
	fputs(tsv ? "" : "transitions not covered:\n", out);
	print_transitions(out, walk, tsv);
	free(points.list);
	return KT_OK;
}

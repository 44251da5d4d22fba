/* SPDX-License-Identifier: MIT */
#include "draw-words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHUNK     4096
#define MOTIFS    40
#define MOTIF_MAX 64

struct random {
	uint64_t state;
};

static uint32_t random_below(struct random *random, uint32_t n)
{
	random->state ^= random->state >> 12;
	random->state ^= random->state << 25;
	random->state ^= random->state >> 27;
	return (uint32_t)((random->state * 0x2545f4914f6cdd1du >> 32) * n >> 32);
}

void must(int code)
{
	if (code != KT_OK) {
		fprintf(stderr, "%s\n", kt_error_message());
		exit(kt_exit_status(code));
	}
}

struct sink {
	kt_words *words;
	uint32_t chunk[CHUNK];
	size_t used;
	uint64_t left;
};

static void flush(struct sink *sink)
{
	must(kt_words_append(sink->words, sink->chunk, sink->used));
	sink->used = 0;
}

static void put(struct sink *sink, uint32_t letter)
{
	if (!sink->left) {
		return;
	}
	sink->left--;
	sink->chunk[sink->used++] = letter;
	if (sink->used == CHUNK) {
		flush(sink);
	}
}

struct motifs {
	uint32_t letters[MOTIFS][MOTIF_MAX];
	uint32_t length[MOTIFS];
};

static void draw_motifs(struct motifs *motifs, struct random *random, uint32_t kinds)
{
	for (size_t i = 0; i < MOTIFS; i++) {
		motifs->length[i] = 4 + random_below(random, MOTIF_MAX - 4);
		for (size_t j = 0; j < motifs->length[i]; j++) {
			motifs->letters[i][j] = random_below(random, kinds);
		}
	}
}

/*
 * Puts motifs, each repeated up to 30 times with up to 5 polls in its middle, and followed
 * by one of four motifs. Ends after a whole motif when at most `until` letters are left.
 */
static void draw_traces(struct sink *sink, struct random *random,
			const struct motifs *motifs, uint64_t until)
{
	uint32_t m = 0;

	while (sink->left > until) {
		uint32_t again = 1 + random_below(random, 30);

		for (; again && sink->left > until; again--) {
			uint32_t polls = random_below(random, 6);

			for (uint32_t j = 0; j < motifs->length[m]; j++) {
				for (; j == motifs->length[m] / 2 && polls; polls--) {
					put(sink, motifs->letters[m][j]);
				}
				put(sink, motifs->letters[m][j]);
			}
		}
		m = (m * 7 + random_below(random, 4)) % MOTIFS;
	}
}

static void draw_random(struct sink *sink, struct random *random, uint32_t kinds)
{
	while (sink->left) {
		put(sink, random_below(random, kinds));
	}
}

const struct shape shapes[] = {
	{"traces", 33, 0},
	{"traces", 400, 0},
	{"random", 33, 0},
	{"programs", 33, 1000},
};
const size_t n_shapes = sizeof(shapes) / sizeof(shapes[0]);

static void name_letters(kt_words *words, uint32_t kinds)
{
	char name[24];
	uint32_t number;

	for (uint32_t i = 0; i < kinds; i++) {
		int length = snprintf(name, sizeof(name), "ioctl:0x%" PRIx32, i);

		must(kt_words_letter(&number, words, name, (size_t)length));
	}
}

kt_words *draw_words(const struct shape *shape, uint64_t letters)
{
	static struct sink sink;
	static struct motifs motifs;
	struct random random = {.state = 20130626};
	struct kt_word_info info = KT_WORD_INFO_INIT;
	bool structured = strcmp(shape->name, "random") != 0;

	must(kt_words_new(&sink.words));
	name_letters(sink.words, shape->kinds);
	if (structured) {
		draw_motifs(&motifs, &random, shape->kinds);
	}
	sink.left = letters;
	while (sink.left > 0) {
		bool last = !shape->word || shape->word >= sink.left;

		must(kt_words_begin(sink.words, &info));
		if (structured) {
			draw_traces(&sink, &random, &motifs,
				    last ? 0 : sink.left - shape->word);
		} else {
			draw_random(&sink, &random, shape->kinds);
		}
		flush(&sink);
	}
	return sink.words;
}

double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int measure_apart(void (*measure)(const void *context), const void *context)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		measure(context);
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) {
		fprintf(stderr, "a measurement failed\n");
		return 2;
	}
	return 0;
}

double peak_memory(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss * 1024;
}

enum kt_machine take_machine(int *argc, char ***argv)
{
	bool pta = *argc > 1 && strcmp((*argv)[1], "pta") == 0;
	bool named = pta || (*argc > 1 && strcmp((*argv)[1], "chains") == 0);

	*argc -= named;
	*argv += named;
	return pta ? KT_MACHINE_PTA : KT_MACHINE_CHAINS;
}

/* SPDX-License-Identifier: MIT */
/*
 * Gives damaged inputs to every reader and checks how each run ends.
 *   mutate [-n RUNS] [-s SEED] [-r READER] [-k FOLDER] [-x RUN] BIN SOURCE
 * BIN has the programs, SOURCE is the source tree. The seed and the number of a run
 * determine the run; -x RUN does only the run with this number. For each run that fails,
 * FOLDER (default mutate-found) keeps the damaged input and the reason. Exit status 1 if a
 * run failed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/mutate/mutate.h"

#define MAX_WORDS 32

struct tally {
	uint64_t runs;
	uint64_t status[5];
	uint64_t failed;
	double seconds; /* of the longest run */
	long megabytes; /* memory of the run that used the most */
};

struct driver {
	const char *bin;
	const char *source;
	const char *kept;
	const char *reader; /* NULL: all */
	uint64_t seed;
	uint64_t runs;
	int64_t only; /* -1: all */
	char work[64];
	struct tally *tallies;
};

/* Runs a shell command that copies or removes files between the tested runs. */
static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void shell(const char *format, ...)
{
	char command[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (system(command) != 0) {
		fprintf(stderr, "mutate: %s\n", command);
		exit(99);
	}
}

/* --- commands --- */

/* Returns a word of a command with its placeholder replaced; the caller frees it. */
static char *expand(const struct driver *d, const char *word, const char *input)
{
	char *text = NULL;
	int n;

	if (strcmp(word, "IN") == 0) {
		n = asprintf(&text, "%s", input);
	} else if (strncmp(word, "OUT", 3) == 0) {
		n = asprintf(&text, "%s/run/out/o%s", d->work, word + 3);
	} else if (strncmp(word, "GOOD/", 5) == 0) {
		n = asprintf(&text, "%s/good/%s", d->work, word + 5);
	} else if (strcmp(word, "ktail") == 0 || strncmp(word, "ktail-", 6) == 0) {
		n = asprintf(&text, "%s/%s", d->bin, word);
	} else {
		n = asprintf(&text, "%s", word);
	}
	if (n < 0) {
		exit(99);
	}
	return text;
}

static void split(const struct driver *d, char **argv, const char *command,
		  const char *input)
{
	char *copy = strdup(command);
	char *rest = NULL;
	size_t n = 0;

	for (char *word = strtok_r(copy, " ", &rest); word && n + 1 < MAX_WORDS;
	     word = strtok_r(NULL, " ", &rest)) {
		argv[n++] = expand(d, word, input);
	}
	argv[n] = NULL;
	free(copy);
}

static void free_words(char **argv)
{
	for (size_t i = 0; argv[i]; i++) {
		free(argv[i]);
	}
}

/* --- preparation --- */

static void prepare(struct driver *d)
{
	const char *s = d->source;

	snprintf(d->work, sizeof(d->work), "/tmp/ktail-mutate.XXXXXX");
	if (!mkdtemp(d->work)) {
		perror("mutate: make folder");
		exit(99);
	}
	shell("mkdir %s/good %s/good/words && cd %s/good && cp -r %s/tests/words/data/"
	      "softgpu-streams streams && cp -r %s/tests/annotate/data/calls calls && "
	      "cp -r %s/corpus/calls/vadd-4k h200 && cp %s/corpus/softgpu/truth.json "
	      "%s/annotate/rules/labels.tsv %s/annotate/rules/states.tsv "
	      "%s/tests/exchange/data/few.dat . && cp "
	      "%s/tests/annotate/data/kernels.sm_75.cubin 75.cubin && cp "
	      "%s/tests/annotate/data/kernels.sm_90.cubin 90.cubin && cp "
	      "%s/tests/annotate/data/kernels-lz4.fatbin lz4.fatbin && cp "
	      "%s/tests/annotate/data/scale.fatbin zstd.fatbin && cp "
	      "%s/tests/mutate/example.alphabet alphabet && chmod -R u+w .",
	      d->work, d->work, d->work, s, s, s, s, s, s, s, s, s, s, s, s);
	for (const char *const *p = kt_preparations; *p; p++) {
		char *argv[MAX_WORDS];
		struct kt_run run;

		split(d, argv, *p, "");
		kt_run(&run, argv, "/dev/null", "/dev/null", "/tmp");
		if (run.status != 0) {
			fprintf(stderr, "mutate: %s: status %d\n", *p, run.status);
			exit(99);
		}
		free_words(argv);
	}
	shell("cd %s/good/words && mv *.0.events 1.events && head -200 1.events > 2.events",
	      d->work);
}

/* --- one run --- */

/* Writes a damaged copy of one of a reader's inputs to `input`. */
static void damage(const struct driver *d, const struct kt_reader *reader,
		   const char *input, struct kt_random *r)
{
	struct kt_bytes bytes;
	char good[4096];
	size_t n = 0;

	while (reader->inputs[n]) {
		n++;
	}
	snprintf(good, sizeof(good), "%s/good/%s", d->work,
		 reader->inputs[kt_random_below(r, n)]);
	if (reader->damage >= KT_DAMAGE_STREAM) {
		shell("cp -r %s %s", good, input);
		kt_mutate_trace(input, reader->damage, r);
		return;
	}
	kt_bytes_read(&bytes, good);
	/* Damages mostly once, because a reader stops at the first fault that it finds. */
	for (uint64_t times = 1 + kt_random_below(r, 8) / 6; times > 0; times--) {
		switch (reader->damage) {
		case KT_DAMAGE_TEXT: kt_mutate_text(&bytes, r); break;
		case KT_DAMAGE_JSON: kt_mutate_json(&bytes, r); break;
		default: kt_mutate_binary(&bytes, r); break;
		}
	}
	kt_bytes_write(&bytes, input);
	kt_bytes_free(&bytes);
}

static void keep(const struct driver *d, uint64_t i, const struct kt_reader *reader,
		 const char *command, const char *input, const struct kt_run *run,
		 const char *wrong)
{
	printf("run %" PRIu64 " of seed %" PRIu64
	       ", %s: %s\n  %s\n  status %d, %.1f s, %ld "
	       "MB; kept as %s/%" PRIu64 "-%" PRIu64 "\n",
	       i, d->seed, reader->name, wrong, command,
	       WIFSIGNALED(run->status) ? 128 + WTERMSIG(run->status)
					: WEXITSTATUS(run->status),
	       run->seconds, run->megabytes, d->kept, d->seed, i);
	shell("mkdir -p %s/%" PRIu64 "-%" PRIu64 " && cp -r %s %s/run/stderr %s/%" PRIu64
	      "-%" PRIu64 "/ && printf '%%s\\n' 'mutate -s %" PRIu64 " -x %" PRIu64
	      "' '%s' '%s' > %s/%" PRIu64 "-%" PRIu64 "/command",
	      d->kept, d->seed, i, input, d->work, d->kept, d->seed, i, d->seed, i, command,
	      wrong, d->kept, d->seed, i);
}

static void run_one(struct driver *d, uint64_t i)
{
	struct kt_random r = {.state = d->seed * UINT64_C(1000003) + i};
	size_t which = (size_t)(i % kt_readers_n);
	const struct kt_reader *reader = &kt_readers[which];
	struct tally *tally = &d->tallies[which];
	char input[128];
	char before[128];
	char out[128];
	char err[128];
	char tmp[128];
	char *argv[MAX_WORDS];
	const char *command;
	const char *wrong;
	struct kt_run run;
	size_t n = 0;

	if (d->reader && strcmp(d->reader, reader->name) != 0) {
		return;
	}
	while (reader->commands[n]) {
		n++;
	}
	command = reader->commands[kt_random_below(&r, n)];
	shell("rm -rf %s/run && mkdir -p %s/run/out %s/run/tmp", d->work, d->work, d->work);
	snprintf(input, sizeof(input), "%s/run/in%s", d->work, reader->ending);
	snprintf(before, sizeof(before), "%s/run/before%s", d->work, reader->ending);
	snprintf(out, sizeof(out), "%s/run/stdout", d->work);
	snprintf(err, sizeof(err), "%s/run/stderr", d->work);
	snprintf(tmp, sizeof(tmp), "%s/run/tmp", d->work);
	damage(d, reader, input, &r);
	shell("cp -r %s %s", input, before);
	split(d, argv, command, input);
	kt_run(&run, argv, out, err, tmp);
	snprintf(out, sizeof(out), "%s/run", d->work);
	wrong = kt_check_run(&run, out, argv);
	tally->runs++;
	tally->failed += wrong != NULL;
	if (WIFEXITED(run.status) && WEXITSTATUS(run.status) < 5) {
		tally->status[WEXITSTATUS(run.status)]++;
	}
	tally->seconds = run.seconds > tally->seconds ? run.seconds : tally->seconds;
	tally->megabytes =
		run.megabytes > tally->megabytes ? run.megabytes : tally->megabytes;
	if (wrong) {
		keep(d, i, reader, command, before, &run, wrong);
		fflush(stdout);
	}
	free_words(argv);
}

/* --- all --- */

static uint64_t report(const struct driver *d)
{
	struct tally all = {0};

	printf("%-14s %7s  %7s %6s %6s %7s %6s  %6s  %5s  %5s\n", "reader", "runs", "0",
	       "1", "2", "3", "4", "failed", "s", "MB");
	for (size_t i = 0; i <= kt_readers_n; i++) {
		const struct tally *t = i < kt_readers_n ? &d->tallies[i] : &all;

		printf("%-14s %7" PRIu64 "  %7" PRIu64 " %6" PRIu64 " %6" PRIu64
		       " %7" PRIu64 " %6" PRIu64 "  %6" PRIu64 "  %5.1f  %5ld\n",
		       i < kt_readers_n ? kt_readers[i].name : "all", t->runs, t->status[0],
		       t->status[1], t->status[2], t->status[3], t->status[4], t->failed,
		       t->seconds, t->megabytes);
		all.runs += t->runs;
		all.failed += t->failed;
		for (size_t s = 0; s < 5; s++) {
			all.status[s] += t->status[s];
		}
		all.seconds = t->seconds > all.seconds ? t->seconds : all.seconds;
		all.megabytes = t->megabytes > all.megabytes ? t->megabytes : all.megabytes;
	}
	return all.failed;
}

static bool parse(struct driver *d, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "n:s:r:k:x:")) != -1) {
		switch (option) {
		case 'n': d->runs = strtoull(optarg, NULL, 10); break;
		case 's': d->seed = strtoull(optarg, NULL, 10); break;
		case 'r': d->reader = optarg; break;
		case 'k': d->kept = optarg; break;
		case 'x': d->only = strtoll(optarg, NULL, 10); break;
		default: return false;
		}
	}
	if (argc - optind != 2) {
		return false;
	}
	/*
	 * Makes the paths absolute, because prepare() uses them in another folder. They are
	 * freed only at exit.
	 */
	d->bin = realpath(argv[optind], NULL);
	d->source = realpath(argv[optind + 1], NULL);
	return d->bin && d->source;
}

int main(int argc, char **argv)
{
	struct driver d = {.kept = "mutate-found", .seed = 1, .runs = 2000, .only = -1};
	uint64_t failed;

	if (!parse(&d, argc, argv)) {
		fputs("usage: mutate [-n RUNS] [-s SEED] [-r READER] [-k FOLDER] [-x RUN] "
		      "BIN SOURCE\n",
		      stderr);
		return 2;
	}
	d.tallies = calloc(kt_readers_n, sizeof(*d.tallies));
	if (!d.tallies) {
		return 99;
	}
	prepare(&d);
	if (d.only >= 0) {
		run_one(&d, (uint64_t)d.only);
	}
	for (uint64_t i = 0; i < d.runs && d.only < 0; i++) {
		run_one(&d, i);
	}
	failed = report(&d);
	shell("rm -rf %s", d.work);
	free(d.tallies);
	return failed > 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Divides recordings of one version into two halves at random, N times. Prints N and the
 * number of false alarms, which are the divisions in which a change is found.
 *   divide-recordings N FILE.events...
 */
#include <stdio.h>
#include <stdlib.h>

#include <ktail/ktail.h>

#include "infer/changes/changes.h"
#include "infer/words/file/events-file.h"

static uint64_t seed = 88172645463325252;

static uint32_t draw(uint32_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 33) % below;
}

int main(int argc, char **argv)
{
	const int n = argc - 2;
	const long times = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
	long alarms = 0;

	if (n < 4) {
		fputs("usage: divide-recordings N FILE.events...\n", stderr);
		return 2;
	}
	for (long t = 0; t < times; t++) {
		kt_words *halves[2] = {NULL, NULL};
		struct kt_changes changes;
		int code = kt_words_new(&halves[0]);

		code = code ? code : kt_words_new(&halves[1]);
		for (int i = n - 1; i > 0; i--) {
			const uint32_t j = draw((uint32_t)i + 1);
			char *path = argv[2 + i];

			argv[2 + i] = argv[2 + j];
			argv[2 + j] = path;
		}
		for (int i = 0; i < n && !code; i++) {
			code = kt_events_read(halves[i >= n / 2], argv[2 + i]);
		}
		code = code ? code : kt_changes_find(&changes, halves[0], halves[1]);
		if (code) {
			fprintf(stderr, "%s\n", kt_error_message());
			return 2;
		}
		alarms += changes.n_found > 0;
		kt_changes_free(&changes);
		kt_words_free(halves[0]);
		kt_words_free(halves[1]);
	}
	printf("%ld %ld\n", times, alarms);
	return 0;
}

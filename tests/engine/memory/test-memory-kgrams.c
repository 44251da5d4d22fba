/* SPDX-License-Identifier: MIT */
/*
 * Counting, writing, reading and merging statistics and building a machine from them
 * report each failed allocation, leak nothing and do not crash.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/engine/memory/memory-trials.h"

static int count(kt_kgrams **out, const struct kt_memory_case *c)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	kt_words *words;
	int code = kt_memory_words(&words, c->kinds);

	options.k = c->k;
	options.alphabet_json = "{}";
	code = code ? code : kt_kgrams_count(out, words, &options);
	kt_words_free(words);
	return code;
}

/*
 * Writes k-grams to a file and reads them again. jansson 2.14 does not survive a failed
 * allocation while it parses, so the test then lets no allocation of jansson fail. The file
 * has a static buffer, because stdio reads nothing if it cannot allocate one.
 */
static int keep(kt_kgrams **out, const kt_kgrams *kgrams)
{
	static char buffer[BUFSIZ];
	FILE *file = tmpfile();
	int code;

	if (!file) {
		return kt_error(KT_E_MEMORY, "make file: out of memory");
	}
	setvbuf(file, buffer, _IOFBF, sizeof(buffer));
	code = kt_kgrams_write(kgrams, file);
	rewind(file);
	json_set_alloc_funcs(kt_allocate_always, free);
	code = code ? code : kt_kgrams_read(out, file, "file");
	json_set_alloc_funcs(malloc, free);
	fclose(file);
	return code;
}

static int grow(void *context)
{
	const struct kt_memory_case *c = context;
	kt_kgrams *parts[2] = {NULL, NULL};
	kt_kgrams *merged = NULL;
	struct kt_fsm *fsm = NULL;
	int code = count(&parts[0], c);

	code = code ? code : keep(&parts[1], parts[0]);
	code = code ? code : kt_kgrams_merge(&merged, (const kt_kgrams *const *)parts, 2);
	code = code ? code : kt_kgrams_infer(&fsm, merged, c->k);
	kt_fsm_free(fsm);
	for (size_t i = 0; i < 2; i++) {
		kt_kgrams_free(parts[i]);
	}
	kt_kgrams_free(merged);
	return code;
}

int main(void)
{
	struct kt_memory_case cases[] = {
		{"grow", grow, 30, 0, KT_MACHINE_CHAINS},
		{"grow", grow, 30, 3, KT_MACHINE_CHAINS},
	};

	return !kt_memory_good(cases, sizeof(cases) / sizeof(*cases));
}

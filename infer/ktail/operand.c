/* SPDX-License-Identifier: MIT */
#include "infer/ktail/operand.h"

#include <stdlib.h>
#include <string.h>

#include "infer/ktail/auto-k.h"
#include "infer/ktail/machine.h"

static int infer(struct kt_fsm **out, char **paths, int n,
		 const struct kt_operand_options *options)
{
	struct kt_infer_options infer = KT_INFER_OPTIONS_INIT;
	char *alphabet = NULL;
	kt_words *words = NULL;
	int code = kt_load(&words, &alphabet, paths, n, options->load);

	if (code) {
		return code;
	}
	infer.k = options->k;
	infer.machine = options->machine;
	infer.word = options->load->word;
	infer.alphabet_json = alphabet;
	if (!options->has_k) {
		code = kt_auto_k(&infer.k, words, options->machine);
	}
	code = code ? code : kt_infer(out, words, &infer);
	kt_words_free(words);
	free(alphabet);
	return code;
}

/* A difference is two machines in one: neither language is that of all its states. */
static int read_machine(struct kt_fsm **out, const char *path, const char *what)
{
	int code = kt_machine_read(out, path);

	if (!code && strcmp((*out)->machine, "diff") == 0) {
		code = kt_error(KT_E_USAGE,
				"parse options: %s: %s is the difference of two machines",
				what, path);
		kt_fsm_free(*out);
		*out = NULL;
	}
	return code;
}

int kt_operand_machine(struct kt_fsm **out, char **paths, int n, const char *what,
		       const struct kt_operand_options *options)
{
	*out = NULL;
	for (int i = 0; n > 1 && i < n; i++) {
		if (kt_machine_is_named(paths[i])) {
			return kt_error(KT_E_USAGE,
					"parse options: %s: %s is the file of a machine, "
					"and not all that is given",
					what, paths[i]);
		}
	}
	if (n == 1 && kt_machine_is_named(paths[0])) {
		return read_machine(out, paths[0], what);
	}
	return infer(out, paths, n, options);
}

/* Rules alone: what an alphabet is called does not matter, nor a machine without one. */
static bool differ(const char *a, const char *b)
{
	const char *x = a ? strstr(a, "\"rules\"") : NULL;
	const char *y = b ? strstr(b, "\"rules\"") : NULL;

	return x && y && strcmp(x, y) != 0;
}

void kt_operand_warn(const struct kt_fsm *a, const char *a_name, const struct kt_fsm *b,
		     const char *b_name)
{
	if (strcmp(a->word, b->word) != 0) {
		kt_warn("a word of %s is a %s, one of %s a %s", a_name, a->word, b_name,
			b->word);
	}
	if (differ(a->alphabet_json, b->alphabet_json)) {
		kt_warn("the letters of %s and of %s come from different alphabets", a_name,
			b_name);
	}
}

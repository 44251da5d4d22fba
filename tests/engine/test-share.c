/* SPDX-License-Identifier: MIT */
/*
 * A program that links the static library ktail-base and the shared library libktail, in
 * either order, has one error message: kt_error_message() returns what libktail sets.
 */
#include <stdio.h>
#include <string.h>

#include <ktail/ktail.h>

int main(void)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *fsm;
	const char *inside;
	kt_words *words;
	int code;

	if (kt_words_new(&words) != KT_OK) {
		return 1;
	}
	kt_error(KT_E_IO, "set by the program");
	code = kt_infer(&fsm, words, &options);
	kt_words_free(words);
	inside = kt_error_message();
	printf("%d: %s\n", code, inside);
	return strcmp(inside, "infer machine: there are no words") != 0;
}

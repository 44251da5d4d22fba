/* SPDX-License-Identifier: MIT */
#include "tests/engine/memory/memory-trials.h"

#include <stdio.h>

static int add_letter(kt_words *words, uint32_t i)
{
	char name[8];
	int length = snprintf(name, sizeof(name), "%u", i);
	uint32_t letter;
	int code = kt_words_letter(&letter, words, name, (size_t)length);

	return code ? code : kt_words_append(words, &letter, 1);
}

static int fill(kt_words *words, uint32_t kinds)
{
	struct kt_word_info info = {.name = "whole"};
	int code = kt_words_begin(words, &info);

	for (uint32_t i = 0; !code && i < kinds; i++) {
		code = add_letter(words, i);
	}
	info.cut_begin = true;
	code = code ? code : kt_words_begin(words, &info);
	for (uint32_t i = 0; !code && i < 200; i++) {
		code = add_letter(words, i * i % 31 % kinds);
	}
	info.name = "cut";
	info.cut_end = true;
	return code ? code : kt_words_describe(words, &info);
}

int kt_memory_words(kt_words **out, uint32_t kinds)
{
	int code;

	*out = NULL;
	code = kt_words_new(out);
	code = code ? code : fill(*out, kinds);
	if (code) {
		kt_words_free(*out);
		*out = NULL;
	}
	return code;
}

bool kt_memory_good(struct kt_memory_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char name[64];
		struct kt_trial trial = {name, cases[i].work, &cases[i], false, 0};

		snprintf(name, sizeof(name), "%s, %u kinds, k %u", cases[i].name,
			 cases[i].kinds, (unsigned)cases[i].k);
		if (kt_refuse_each(&trial) <= 20) {
			return false;
		}
	}
	return true;
}

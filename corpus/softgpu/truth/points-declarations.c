/* SPDX-License-Identifier: MIT */
/* memory, setting, procedure. */
#include "corpus/softgpu/truth/points-parser.h"

#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

#define FILE_NAMES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./"

int kt_parser_find_memory(const struct kt_points *points, const char *name, uint32_t *out)
{
	for (uint32_t i = 0; i < points->n_memories; i++) {
		if (strcmp(points->memories[i].name, name) == 0) {
			*out = i;
			return true;
		}
	}
	return false;
}

int kt_parser_read_memory(struct kt_parser *p)
{
	struct kt_points *points = p->points;
	struct kt_memory_role *role = &points->memories[points->n_memories];
	uint32_t twin;

	KT_TRY(kt_parser_expect_words(p, 4, "memory ROLE one|many SPACE"));
	KT_TRY(kt_parser_expect_name(p, p->tokens[1]));
	if (!kt_parser_is(p, 2, "one") && !kt_parser_is(p, 2, "many")) {
		return kt_parser_malformed(p, "'%s' is neither 'one' nor 'many'",
					   p->tokens[2]);
	}
	if (!kt_parser_is_space(p->tokens[3])) {
		return kt_parser_malformed(p, "'%s' is no space of table1", p->tokens[3]);
	}
	if (kt_parser_find_memory(points, p->tokens[1], &twin)) {
		return kt_parser_malformed(p, "memory %s is there already", p->tokens[1]);
	}
	if (points->n_memories == KT_POINTS_MAX_MEMORIES) {
		return kt_parser_malformed(p, "more than %d memories",
					   KT_POINTS_MAX_MEMORIES);
	}
	*role = (struct kt_memory_role){.many = kt_parser_is(p, 2, "many")};
	points->n_memories++;
	KT_TRY(kt_parser_duplicate(&role->name, p->tokens[1]));
	return kt_parser_duplicate(&role->space, p->tokens[3]);
}

int kt_parser_read_setting(struct kt_parser *p)
{
	struct kt_points *points = p->points;
	struct kt_setting *setting;

	if (p->n < 3) {
		return kt_parser_malformed(p, "the form is: setting NAME VALUE...");
	}
	for (size_t i = 1; i < p->n; i++) {
		KT_TRY(kt_parser_expect_name(p, p->tokens[i]));
	}
	for (size_t i = 0; i < points->n_settings; i++) {
		if (kt_parser_is(p, 1, points->settings[i].name)) {
			return kt_parser_malformed(p, "setting %s is there already",
						   p->tokens[1]);
		}
	}
	KT_TRY(kt_array_reserve(&points->settings, &points->settings_capacity,
				points->n_settings + 1));
	setting = &points->settings[points->n_settings++];
	*setting = (struct kt_setting){0};
	KT_TRY(kt_parser_duplicate(&setting->name, p->tokens[1]));
	for (size_t i = 2; i < p->n; i++) {
		KT_TRY(kt_array_reserve(&setting->values, &setting->capacity,
					setting->n_values + 1));
		KT_TRY(kt_parser_duplicate(&setting->values[setting->n_values],
					   p->tokens[i]));
		setting->n_values++;
	}
	return KT_OK;
}

int kt_parser_find_procedure(const struct kt_points *points, const char *name,
			     uint32_t *out)
{
	for (uint32_t i = 0; i < points->n_procedures; i++) {
		if (strcmp(points->procedures[i].name, name) == 0) {
			*out = i;
			return true;
		}
	}
	return false;
}

int kt_parser_read_procedure(struct kt_parser *p)
{
	struct kt_points *points = p->points;
	uint32_t twin;

	if (p->n < 2 || p->n > 3) {
		return kt_parser_malformed(p, "the form is: procedure NAME [FILE]");
	}
	if (p->n == 3 && !kt_parser_is_made_of(p->tokens[2], FILE_NAMES)) {
		return kt_parser_malformed(p, "'%s' is no name of a file", p->tokens[2]);
	}
	KT_TRY(kt_parser_expect_name(p, p->tokens[1]));
	if (kt_parser_find_procedure(points, p->tokens[1], &twin)) {
		return kt_parser_malformed(p, "procedure %s is there already",
					   p->tokens[1]);
	}
	KT_TRY(kt_array_reserve(&points->procedures, &points->procedures_capacity,
				points->n_procedures + 1));
	p->procedure = &points->procedures[points->n_procedures++];
	*p->procedure = (struct kt_procedure){.line = p->line};
	return kt_parser_duplicate(&p->procedure->name, p->tokens[1]);
}

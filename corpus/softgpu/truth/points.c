/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/truth/points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/words/file/file.h"

static void free_block(struct kt_block *block)
{
	for (size_t i = 0; i < block->n; i++) {
		struct kt_statement *s = &block->statements[i];

		for (size_t j = 0; j < s->n_blocks; j++) {
			free_block(&s->blocks[j]);
		}
		free(s->blocks);
		free(s->text);
		free(s->letter);
		free(s->name);
	}
	free(block->statements);
}

void kt_points_free(struct kt_points *points)
{
	if (!points) {
		return;
	}
	for (size_t i = 0; i < points->n_memories; i++) {
		free(points->memories[i].name);
		free(points->memories[i].space);
	}
	for (size_t i = 0; i < points->n_settings; i++) {
		struct kt_setting *setting = &points->settings[i];

		for (size_t j = 0; j < setting->n_values; j++) {
			free(setting->values[j]);
		}
		free(setting->values);
		free(setting->name);
	}
	for (size_t i = 0; i < points->n_procedures; i++) {
		free_block(&points->procedures[i].body);
		free(points->procedures[i].name);
	}
	free(points->settings);
	free(points->procedures);
	free(points->file);
	free(points);
}

int kt_points_read(struct kt_points **out, const char *path)
{
	struct kt_file file;
	int code;

	*out = NULL;
	KT_TRY(kt_file_open(&file, path, KT_FILE_WHOLE));
	code = kt_points_parse(out, path, file.data, file.length);
	kt_file_close(&file);
	return code;
}

int kt_points_set(struct kt_points *points, const char *assignment)
{
	const char *equals = strchr(assignment, '=');

	for (size_t i = 0; equals && i < points->n_settings; i++) {
		struct kt_setting *s = &points->settings[i];
		size_t length = (size_t)(equals - assignment);

		if (strlen(s->name) != length || strncmp(s->name, assignment, length)) {
			continue;
		}
		for (uint32_t j = 0; j < s->n_values; j++) {
			if (strcmp(s->values[j], equals + 1) == 0) {
				s->chosen = j;
				return KT_OK;
			}
		}
	}
	return kt_error(KT_E_USAGE, "set '%s': %s declares no such setting with that value",
			assignment, points->file);
}

/* SPDX-License-Identifier: MIT */
#include "infer/files/machine.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ktail/exchange.h>
#include <ktail/status.h>

#include "base/file-type.h"
#include "base/fsm-json.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/option-table.h"
#include "base/path-list.h"
#include "base/try.h"

typedef int read_fn(struct kt_fsm **out, FILE *in, const char *name);

static const struct {
	const char *ending;
	read_fn *read;
} formats[] = {
	{".json", kt_fsm_read_json},
	{".dot", kt_fsm_read_dot},
	{".gv", kt_fsm_read_dot},
	{".graphml", kt_fsm_read_graphml},
};

static read_fn *find_reader(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash ? slash + 1 : path, '.');

	for (size_t i = 0; dot && i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(dot, formats[i].ending) == 0) {
			return formats[i].read;
		}
	}
	return NULL;
}

/*
 * Reads a machine and its annotation from JSON. *annotation is NULL if the JSON has none.
 */
static int read_annotated(struct kt_fsm **out, json_t **annotation, FILE *in,
			  const char *name)
{
	json_t *root = NULL;
	int code;

	KT_TRY(kt_json_load(&root, in, name));
	code = kt_fsm_from_json(out, root, name);
	if (!code) {
		*annotation = json_incref(json_object_get(root, "annotation"));
	}
	json_decref(root);
	return code;
}

bool kt_machine_is_named(const char *path)
{
	return find_reader(path) != NULL;
}

int kt_machine_kind_parse(enum kt_machine *out, const char *value)
{
	static const char *const names[] = {KT_MACHINE_KIND_NAMES, NULL};
	int kind;

	KT_TRY(kt_parse_enum(&kind, value, names, "--machine"));
	*out = (enum kt_machine)kind;
	return KT_OK;
}

int kt_machine_read_annotated(struct kt_fsm **out, json_t **annotation, const char *path)
{
	bool standard = strcmp(path, "-") == 0;
	read_fn *read = standard ? kt_fsm_read_json : find_reader(path);
	const char *name = kt_path_name(path);
	FILE *in;
	int code;

	*out = NULL;
	if (annotation) {
		*annotation = NULL;
	}
	if (!read && access(path, F_OK) != 0) {
		return kt_error_errno(KT_E_IO, "read %s", path);
	}
	if (!read && kt_file_type(path)) {
		return kt_file_type_refuse(path, "a state machine");
	}
	if (!read) {
		struct kt_nearest nearest = {.word = strrchr(path, '.')};
		char meant[KT_DID_YOU_MEAN];

		for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
			kt_nearest_try(&nearest, formats[i].ending);
		}
		return kt_error(KT_E_MALFORMED,
				"read %s: the ending of a machine is .json, .gv, .dot or "
				".graphml%s",
				path, kt_did_you_mean(meant, nearest.found));
	}
	in = standard ? stdin : fopen(path, "re");
	if (!in) {
		return kt_error_errno(KT_E_IO, "read %s", path);
	}
	/* Only JSON has an annotation. */
	code = annotation && read == kt_fsm_read_json
		       ? read_annotated(out, annotation, in, name)
		       : read(out, in, name);
	if (!standard) {
		fclose(in);
	}
	return code;
}

int kt_machine_read(struct kt_fsm **out, const char *path)
{
	return kt_machine_read_annotated(out, NULL, path);
}

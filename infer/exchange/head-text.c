/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/exchange/head-text.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include <ktail/status.h>

static int no_memory(void)
{
	return kt_error(KT_E_MEMORY, "describe machine: out of memory");
}

/* The JSON of a machine without states and transitions. */
static int print(char **out, size_t *size, const struct kt_fsm *fsm)
{
	struct kt_fsm head = *fsm;
	FILE *stream = open_memstream(out, size);
	int code;

	if (!stream) {
		return no_memory();
	}
	head.n_states = 0;
	head.n_transitions = 0;
	code = kt_fsm_write_json(&head, stream);
	if (fclose(stream) != 0 || !*out) {
		code = no_memory();
	}
	return code;
}

int kt_head_text(char **out, const struct kt_fsm *fsm)
{
	char *text = NULL;
	size_t size = 0;
	json_t *root = NULL;
	int code = print(&text, &size, fsm);

	*out = NULL;
	if (!code) {
		root = json_loadb(text, size, 0, NULL);
	}
	if (root) {
		json_object_del(root, "states");
		json_object_del(root, "transitions");
		*out = json_dumps(root,
				  JSON_COMPACT | JSON_ENSURE_ASCII | JSON_PRESERVE_ORDER);
	}
	json_decref(root);
	free(text);
	return code ? code : *out ? KT_OK : no_memory();
}

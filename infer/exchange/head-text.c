/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/exchange/head-text.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include <ktail/status.h>

int kt_head_text(char **out, const struct kt_fsm *fsm)
{
	struct kt_fsm head = *fsm;
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	json_t *root = NULL;
	int code;

	*out = NULL;
	if (!stream) {
		return kt_no_memory("describe machine");
	}
	head.n_states = 0;
	head.n_transitions = 0;
	code = kt_fsm_write_json(&head, stream);
	if (fclose(stream) != 0 || !text) {
		code = kt_no_memory("describe machine");
	}
	if (!code) {
		root = json_loadb(text, size, 0, NULL);
		json_object_del(root, "states");
		json_object_del(root, "transitions");
		*out = json_dumps(root,
				  JSON_COMPACT | JSON_ENSURE_ASCII | JSON_PRESERVE_ORDER);
		code = *out ? KT_OK : kt_no_memory("describe machine");
	}
	json_decref(root);
	free(text);
	return code;
}

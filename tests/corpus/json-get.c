/* SPDX-License-Identifier: MIT */
/*
 * Validates a JSON file and prints the member at a path of keys.
 * Usage: json-get FILE KEY...
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	json_error_t error;
	json_t *root, *at;
	char *text;

	if (argc < 2) {
		return 2;
	}
	root = json_load_file(argv[1], JSON_REJECT_DUPLICATES, &error);
	if (!root) {
		fprintf(stderr, "%s:%d: %s\n", argv[1], error.line, error.text);
		return 3;
	}
	at = root;
	for (int i = 2; i < argc && at; i++) {
		at = json_object_get(at, argv[i]);
	}
	if (json_is_string(at)) {
		puts(json_string_value(at));
	} else if (at) {
		text = json_dumps(at, JSON_ENCODE_ANY | JSON_COMPACT);
		puts(text ? text : "");
		free(text);
	}
	json_decref(root);
	return at ? 0 : 1;
}

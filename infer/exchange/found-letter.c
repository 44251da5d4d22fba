/* SPDX-License-Identifier: MIT */
#include "infer/exchange/found-letter.h"

#include <stdlib.h>
#include <string.h>

/* What a Moore machine's state puts out: AALpy's `id|output`, AutomataLib's `id / output`.
 */
const char *kt_found_output(const struct kt_found_graph *graph, uint32_t node)
{
	const struct kt_found_values *values = &graph->nodes[node].values;
	const char *label = kt_found_value(graph, values, KT_FOUND_LABEL);
	const char *shape = kt_found_value(graph, values, KT_FOUND_SHAPE);
	const char *found;

	if (!label) {
		return NULL;
	}
	if (shape && strcmp(shape, "record") == 0) {
		found = strchr(label, '|');
		return found ? found + 1 : NULL;
	}
	found = strstr(label, " / ");
	return found ? found + 3 : NULL;
}

static const char *trim(const char *text, size_t *length)
{
	while (*text == ' ') {
		text++;
	}
	*length = strlen(text);
	while (*length > 0 && text[*length - 1] == ' ') {
		(*length)--;
	}
	return text;
}

/* input/output, without blanks around either; behind may be NULL. */
static char *join(const char *input, size_t n, const char *output)
{
	size_t m = 0;
	char *name;

	while (n > 0 && input[n - 1] == ' ') {
		n--;
	}
	output = output ? trim(output, &m) : NULL;
	name = malloc(n + m + 2);
	if (name) {
		memcpy(name, input, n);
		if (output) {
			name[n] = '/';
			memcpy(name + n + 1, output, m);
			n += m + 1;
		}
		name[n] = '\0';
	}
	return name;
}

char *kt_found_letter(const struct kt_found_graph *graph, const struct kt_found_edge *edge,
		      enum kt_found_kind kind)
{
	size_t n;
	const char *label = trim(kt_found_value(graph, &edge->values, KT_FOUND_LABEL), &n);
	const char *slash = kind == KT_FOUND_ANY ? strstr(label, " / ") : NULL;

	if (kind == KT_FOUND_MOORE) {
		return join(label, n, kt_found_output(graph, edge->to));
	}
	return slash ? join(label, (size_t)(slash - label), slash + 3)
		     : join(label, n, NULL);
}

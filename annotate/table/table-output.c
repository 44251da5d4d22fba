/* SPDX-License-Identifier: MIT */
#include "annotate/table/table-output.h"

#include <ktail/status.h>

int kt_table_output_text(FILE *out, const void *of, kt_table_make_fn *make)
{
	struct kt_table table;
	int code = make(&table, of);

	code = code ? code : kt_table_print_text(out, &table, 0);
	kt_table_free(&table);
	return code;
}

int kt_table_output_csv(FILE *out, const void *of, kt_table_make_fn *make)
{
	struct kt_table table;
	int code = make(&table, of);

	code = code ? code : kt_table_print_csv(out, &table);
	kt_table_free(&table);
	return code;
}

int kt_table_output_tsv(FILE *out, const void *of, kt_table_make_fn *make)
{
	struct kt_table table;
	int code = make(&table, of);

	code = code ? code : kt_table_print_tsv(out, &table);
	kt_table_free(&table);
	return code;
}

int kt_table_output_under(FILE *out, const char *heading, const void *of,
			  kt_table_make_fn *make)
{
	fprintf(out, "\n%s\n", heading);
	return kt_table_output_text(out, of, make);
}

static int print_array(FILE *out, const json_t *array)
{
	size_t n = json_array_size(array);

	fputs("[", out);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? ",\n" : "\n", out);
		if (json_dumpf(json_array_get(array, i), out, JSON_COMPACT)) {
			return kt_no_memory("write table");
		}
	}
	fputs("\n]\n", out);
	return KT_OK;
}

int kt_table_output_json(FILE *out, const void *of, kt_table_make_fn *make)
{
	struct kt_table table;
	int code = make(&table, of);
	json_t *array = code ? NULL : kt_table_to_json(&table);

	if (!code) {
		code = array ? print_array(out, array)
			     : kt_no_memory("write table");
	}
	json_decref(array);
	kt_table_free(&table);
	return code;
}

int kt_table_output_member(json_t *object, const char *name, const void *of,
			   kt_table_make_fn *make)
{
	struct kt_table table;
	int code = make(&table, of);
	json_t *array = code ? NULL : kt_table_to_json(&table);

	kt_table_free(&table);
	if (code) {
		return code;
	}
	return !array || json_object_set_new(object, name, array)
		       ? kt_error(KT_E_MEMORY, "write %s: out of memory", name)
		       : KT_OK;
}

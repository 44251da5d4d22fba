/* SPDX-License-Identifier: MIT */
#include "annotate/table/table-output.h"

#include <ktail/status.h>

#include "base/try.h"

int kt_table_output(FILE *out, const void *of, kt_table_make_fn *make,
		    kt_table_print_fn *print)
{
	struct kt_table table;
	int code;

	KT_TRY_END(make(&table, of));
	KT_TRY_END(print(out, &table));
end:
	kt_table_free(&table);
	return code;
}

int kt_table_print_whole(FILE *out, const struct kt_table *table)
{
	return kt_table_print_text(out, table, 0);
}

int kt_table_print_json(FILE *out, const struct kt_table *table)
{
	json_t *array = kt_table_to_json(table);
	bool failed = !array;

	if (array) {
		fputs("[", out);
	}
	for (size_t i = 0; i < json_array_size(array) && !failed; i++) {
		fputs(i ? ",\n" : "\n", out);
		failed = json_dumpf(json_array_get(array, i), out, JSON_COMPACT);
	}
	json_decref(array);
	if (failed) {
		return kt_no_memory("write table");
	}
	fputs("\n]\n", out);
	return KT_OK;
}

int kt_table_output_under(FILE *out, const char *heading, const void *of,
			  kt_table_make_fn *make)
{
	fprintf(out, "\n%s\n", heading);
	return kt_table_output(out, of, make, kt_table_print_whole);
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

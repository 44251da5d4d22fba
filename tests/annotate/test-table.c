/* SPDX-License-Identifier: MIT */
/* Tests tables in each form: quoting, unknown values, omitted columns. */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/table-view.h"
#include "base/table.h"
#include "tests/suite.h"

static const struct kt_column columns[] = {
	{"name", "name", KT_COLUMN_TEXT, 0},
	{"n", "n", KT_COLUMN_COUNT, 0},
	{"time", "us", KT_COLUMN_TIME, 1},
	{"handle", "handle", KT_COLUMN_HANDLE, 2},
	{"nothing", "nothing", KT_COLUMN_COUNT, 1},
	{"wide", "wide", KT_COLUMN_COUNT, KT_COLUMN_WIDE},
	{"more", "more of it", KT_COLUMN_COUNT, 1},
};

static void add(struct kt_table *table, const char *name, uint64_t n, bool known)
{
	struct kt_cell *cells;

	CU_ASSERT_EQUAL_FATAL(kt_table_add(table, &cells), KT_OK);
	cells[0].text = name;
	for (size_t i = 1; i < table->n_columns; i++) {
		cells[i] = (struct kt_cell){
			.text = "no number", .number = i == 4 ? 0 : n, .known = known};
	}
}

static struct kt_table make_table(void)
{
	struct kt_table table = {.columns = columns,
				 .n_columns = sizeof(columns) / sizeof(columns[0])};

	add(&table, "a,\"b\"", 1234567, true);
	add(&table, NULL, 0, false);
	add(&table, "tab\tline\n", 5, true);
	table.has_total = true;
	return table;
}

typedef int (*print_fn)(FILE *out, const struct kt_table *table);

static void expect(print_fn print, const char *expected)
{
	struct kt_table table = make_table();
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(print(out, &table), KT_OK);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(text, expected);
	free(text);
	kt_table_free(&table);
}

static void test_separated(void)
{
	expect(kt_table_print_csv,
	       "name,n,time,handle,nothing,wide,more\n"
	       "\"a,\"\"b\"\"\",1234567,1234567,0x12d687,0,1234567,1234567\n"
	       ",,,,,,\n"
	       "\"tab\tline\n\",5,5,0x5,0,5,5\n");
	expect(kt_table_print_tsv,
	       "name\tn\ttime\thandle\tnothing\twide\tmore\n"
	       "a,\"b\"\t1234567\t1234567\t0x12d687\t0\t1234567\t1234567\n"
	       "\t\t\t\t\t\t\n"
	       "tab line \t5\t5\t0x5\t0\t5\t5\n");
}

static int print_wide(FILE *out, const struct kt_table *table)
{
	return kt_table_print_text(out, table, 0);
}

static int print_narrow(FILE *out, const struct kt_table *table)
{
	return kt_table_print_text(out, table, 30);
}

static int print_hardly(FILE *out, const struct kt_table *table)
{
	return kt_table_print_text(out, table, 1);
}

static void test_text(void)
{
	expect(print_wide,
	       "name             n        us    handle     wide  more of it\n"
	       "a,\"b\"      1234567  1234.567  0x12d687  1234567     1234567\n"
	       "                 -         -         -        -           -\n"
	       "tab\tline\n        5     0.005       0x5        5           5\n");
	expect(print_narrow, "name             n        us\n"
			     "a,\"b\"      1234567  1234.567\n"
			     "                 -         -\n"
			     "tab\tline\n        5     0.005\n"
			     "not shown for lack of space (--wide): handle, more of it\n");
	expect(print_hardly,
	       "name             n\n"
	       "a,\"b\"      1234567\n"
	       "                 -\n"
	       "tab\tline\n        5\n"
	       "not shown for lack of space (--wide): us, handle, more of it\n");
}

static void test_long_name(void)
{
	static const struct kt_column column = {"name", "name", KT_COLUMN_TEXT, 0};
	struct kt_table table = {.columns = &column, .n_columns = 1};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	add(&table, "cuGraphExecKernelNodeSetParams", 0, false);
	add(&table, "cuGraphExecKernelNodeSetParams_v2", 0, false);
	CU_ASSERT_EQUAL(kt_table_print_text(out, &table, 80), KT_OK);
	CU_ASSERT_EQUAL(kt_table_print_text(out, &table, 0), KT_OK);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(text, "name\ncuGraphExecKernelNodeSetParams\n"
				     "cuGraphExecKernelNodeSetPar...\n"
				     "name\ncuGraphExecKernelNodeSetParams\n"
				     "cuGraphExecKernelNodeSetParams_v2\n");
	free(text);
	kt_table_free(&table);
}

static void test_json(void)
{
	struct kt_table table = make_table();
	json_t *rows = kt_table_to_json(&table);
	json_t *total = kt_table_total_to_json(&table);
	char *text = json_dumps(rows, JSON_PRESERVE_ORDER | JSON_COMPACT);

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_STRING_EQUAL(
		text,
		"[{\"name\":\"a,\\\"b\\\"\",\"n\":1234567,\"time\":1234567,\"handle\":"
		"\"0x12d687\",\"nothing\":0,\"wide\":1234567,\"more\":1234567},"
		"{\"name\":null,\"n\":null,\"time\":null,\"handle\":null,"
		"\"nothing\":null,\"wide\":null,\"more\":null}]");
	free(text);
	text = json_dumps(total, JSON_PRESERVE_ORDER | JSON_COMPACT);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_STRING_EQUAL(text, "{\"n\":5,\"time\":5,\"handle\":\"0x5\",\"nothing\":0,"
				     "\"wide\":5,\"more\":5}");
	free(text);
	json_decref(rows);
	json_decref(total);
	kt_table_free(&table);
}

/* Shares are the same in all forms. */
static void test_share(void)
{
	static const struct kt_column shares[] = {{"part", "part", KT_COLUMN_SHARE, 0}};
	struct kt_table table = KT_TABLE_OF(shares);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(kt_share(0, 0), 0);
	CU_ASSERT_EQUAL(KT_TABLE_ROW(&table, KT_CELL(kt_share(1, 3))), KT_OK);
	CU_ASSERT_EQUAL(KT_TABLE_ROW(&table, KT_CELL(kt_share(7, 7))), KT_OK);
	CU_ASSERT_EQUAL(KT_TABLE_ROW(&table, {0}), KT_OK);
	CU_ASSERT_EQUAL(kt_table_print_tsv(out, &table), KT_OK);
	CU_ASSERT_EQUAL(kt_table_print_text(out, &table, 80), KT_OK);
	CU_ASSERT_EQUAL(kt_table_print_json(out, &table), KT_OK);
	/* A stream that is not a terminal gets TSV. */
	CU_ASSERT_EQUAL(kt_table_print_here(out, &table), KT_OK);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(text, "part\n0.3333\n1.0000\n\n"
				     "  part\n0.3333\n1.0000\n     -\n"
				     "[\n{\"part\":0.3333},\n{\"part\":1.0},"
				     "\n{\"part\":null}\n]\n"
				     "part\n0.3333\n1.0000\n\n");
	free(text);
	kt_table_free(&table);
}

/* Percentages differ from shares only in text. */
static void test_percent(void)
{
	static const struct kt_column columns_of[] = {{"part", "%", KT_COLUMN_PERCENT, 0}};
	struct kt_table table = KT_TABLE_OF(columns_of);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(KT_TABLE_ROW(&table, KT_CELL(kt_share(1, 3))), KT_OK);
	CU_ASSERT_EQUAL(KT_TABLE_ROW(&table, KT_CELL(kt_share(7, 7))), KT_OK);
	CU_ASSERT_EQUAL(kt_table_print_tsv(out, &table), KT_OK);
	CU_ASSERT_EQUAL(kt_table_print_text(out, &table, 80), KT_OK);
	CU_ASSERT_EQUAL(kt_table_print_json(out, &table), KT_OK);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(text, "part\n0.3333\n1.0000\n"
				     "     %\n 33.33\n100.00\n"
				     "[\n{\"part\":0.3333},\n{\"part\":1.0}\n]\n");
	free(text);
	kt_table_free(&table);
}

/* Prints name and n of a table sorted by `sort`, chosen in reversed order. */
static void expect_sorted(const char *sort, const char *expected)
{
	struct kt_table table = KT_TABLE_OF(columns);
	struct kt_table shown = {.n_rows = 0};
	struct kt_table_view view;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	add(&table, "b", 2, true);
	add(&table, "", 9, true);
	add(&table, "c", 0, false);
	add(&table, "a", 2, true);
	add(&table, "d", UINT64_MAX, true);
	add(&table, "all", 3, true);
	table.has_total = true;
	CU_ASSERT_EQUAL_FATAL(kt_table_view_parse(&view, &table, "n,name", sort), KT_OK);
	CU_ASSERT_EQUAL(kt_table_view_sort(&view, &table), KT_OK);
	CU_ASSERT_EQUAL(kt_table_view_show(&view, &table, &shown), KT_OK);
	CU_ASSERT_TRUE(shown.has_total);
	CU_ASSERT_EQUAL(kt_table_print_csv(out, &shown), KT_OK);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(text, expected);
	free(text);
	kt_table_free(&table);
	kt_table_free(&shown);
	kt_table_view_free(&view);
}

static void test_view(void)
{
#define LARGEST "18446744073709551615,d\n"
	expect_sorted(NULL, "n,name\n2,b\n9,\n,c\n2,a\n" LARGEST "3,all\n");
	expect_sorted("n", "n,name\n" LARGEST "9,\n2,b\n2,a\n,c\n3,all\n");
	expect_sorted("-n", "n,name\n2,b\n2,a\n9,\n" LARGEST ",c\n3,all\n");
	expect_sorted("n,name", "n,name\n" LARGEST "9,\n2,a\n2,b\n,c\n3,all\n");
	expect_sorted("name", "n,name\n2,a\n2,b\n,c\n" LARGEST "9,\n3,all\n");
	expect_sorted("-name", "n,name\n" LARGEST ",c\n2,b\n2,a\n9,\n3,all\n");
	expect_sorted("handle", "n,name\n2,b\n2,a\n9,\n" LARGEST ",c\n3,all\n");
#undef LARGEST
}

static void test_view_names(void)
{
	static const char *const wrong[] = {"tme", "", "name,", ",n", "-", "--n", "us"};
	const struct kt_table head = KT_TABLE_OF(columns);
	struct kt_table empty = KT_TABLE_OF(columns);
	struct kt_table_view view;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CU_ASSERT_EQUAL(kt_table_view_parse(&view, &head, NULL, wrong[i]),
				KT_E_USAGE);
		kt_table_view_free(&view);
		CU_ASSERT_EQUAL(kt_table_view_parse(&view, &head, wrong[i], NULL),
				KT_E_USAGE);
		kt_table_view_free(&view);
	}
	CU_ASSERT_EQUAL(kt_table_view_parse(&view, &head, "us", NULL), KT_E_USAGE);
	CU_ASSERT_STRING_EQUAL(kt_error_message(),
			       "--columns: the table has no column 'us'; did you mean "
			       "'time'? The columns are: name, n, time, handle, nothing, "
			       "wide, more");
	kt_table_view_free(&view);
	/* A table without rows, and without a sum, can be sorted. */
	CU_ASSERT_EQUAL(kt_table_view_parse(&view, &empty, NULL, "n"), KT_OK);
	CU_ASSERT_EQUAL(kt_table_view_sort(&view, &empty), KT_OK);
	kt_table_view_free(&view);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"CSV and TSV", test_separated},
		{"text", test_text},
		{"long names", test_long_name},
		{"JSON", test_json},
		{"shares", test_share},
		{"per cent", test_percent},
		{"order, choice", test_view},
		{"names of columns", test_view_names},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("tables", tests);
}

/* SPDX-License-Identifier: MIT */
/* What machines can be written as. */
#include "infer/files/output.h"

#include <ktail/exchange.h>

static int write_json(FILE *out, const void *fsm)
{
	return kt_fsm_write_json(fsm, out);
}

static int write_gv(FILE *out, const void *fsm)
{
	return kt_fsm_write_dot(fsm, KT_DOT_KTAIL, out);
}

static int write_graphml(FILE *out, const void *fsm)
{
	return kt_fsm_write_graphml(fsm, out);
}

static const struct kt_output_format machine_formats[] = {
	{".dot", "dot", NULL},       {".svg", "svg", NULL},
	{".png", "png", NULL},       {".pdf", "pdf", NULL},
	{".json", NULL, write_json}, {".tsv", NULL, kt_output_write_tsv},
	{".gv", NULL, write_gv},     {".graphml", NULL, write_graphml},
	{NULL, NULL, NULL},
};

const struct kt_output_kind kt_output_machine = {
	.what = "machine",
	.formats = machine_formats,
	.json = write_json,
};

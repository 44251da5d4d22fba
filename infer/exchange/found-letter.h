/* SPDX-License-Identifier: MIT */
/* The letters of another program's machine. */
#ifndef KTAIL_EXCHANGE_FOUND_LETTER_H
#define KTAIL_EXCHANGE_FOUND_LETTER_H

#include "infer/exchange/found-graph.h"

enum kt_found_kind {
	KT_FOUND_ANY = 0,  /* every state accepts; `a / o` is a Mealy machine's */
	KT_FOUND_ACCEPTOR, /* labels are letters */
	KT_FOUND_MOORE,    /* states put something out */
};

/* What a state puts out, if it is a Moore machine's; else NULL. Of the graph. */
const char *kt_found_output(const struct kt_found_graph *graph, uint32_t node);

/* The letter of an edge that has a label; the caller frees it. NULL: no memory. */
char *kt_found_letter(const struct kt_found_graph *graph, const struct kt_found_edge *edge,
		      enum kt_found_kind kind);

#endif

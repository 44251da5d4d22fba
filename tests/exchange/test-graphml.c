/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "tests/exchange/expect.h"
#include "tests/suite.h"

static void writes_and_reads(void)
{
	rig_expect_text(kt_fsm_write_graphml, GOLDEN, "small.json", "small.graphml");
	rig_expect_machine(kt_fsm_read_graphml, GOLDEN, "small.graphml", GOLDEN,
			   "small.json");
}

/*
 * The file has keys d0, d1, ..., a namespace prefix, nodes and edges in another order, and
 * data of other programs.
 */
static void reads_what_others_saved(void)
{
	rig_expect_machine(kt_fsm_read_graphml, DATA, "saved-again.graphml", GOLDEN,
			   "small.json");
}

static void expect_refusal(const char *text, const char *reason)
{
	rig_expect_refusal(kt_fsm_read_graphml, text, "read x: ", reason);
}

static void refuses(void)
{
	expect_refusal("", "x: line 1: ");
	expect_refusal("nonsense", "x: line 1: ");
	expect_refusal("<graphml>", "x: line 1: ");
	expect_refusal("<graphml/>",
		       "x: its graph has no data 'fsm': it was not written by ktail");
	expect_refusal("<graphml><graph/></graphml>",
		       "x: its graph has no data 'fsm': it was not written by ktail");
	expect_refusal("<graphml>\n<graph/><graph/></graphml>",
		       "x: line 2: it has more than one graph");
	expect_refusal("<graphml><graph><graph/></graph></graphml>",
		       "x: line 1: it has more than one graph");
	expect_refusal("<graphml><node id='a'/></graphml>",
		       "x: line 1: a node or an edge is outside the graph");
	expect_refusal("<graphml><graph><node/></graph></graphml>",
		       "x: line 1: a node or an edge has no id");
	expect_refusal("<graphml><graph><edge source='a'/></graph></graphml>",
		       "x: line 1: a node or an edge has no target");
	expect_refusal("<graphml><key id='k' attr.name='fsm'/><graph><data key='k'>[</data>"
		       "</graph></graphml>",
		       "x: 'fsm' is not a JSON object: ']' expected near end of file");
}

/* The reader opens no other file, and expands no entities that the file declares. */
static void refuses_document_types(void)
{
	expect_refusal("<!DOCTYPE graphml SYSTEM \"file:///etc/passwd\"><graphml/>",
		       "x: line 1: it has a document type declaration");
	expect_refusal("<!DOCTYPE g [<!ENTITY a \"aa\"><!ENTITY b \"&a;&a;\">]><g>&b;</g>",
		       "x: line 1: it has a document type declaration");
	expect_refusal("<graphml>&unknown;</graphml>", "x: line 1: ");
}

/* A letter with a character that XML does not allow is not written. */
static void refuses_letters(void)
{
	struct kt_fsm_state state = {0};
	char letter[] = "a\xef\xbf\xbf";
	char *letters[] = {letter};
	struct kt_fsm fsm = {
		.letters = letters, .n_letters = 1, .states = &state, .n_states = 1};

	CU_ASSERT_PTR_NULL(rig_write(kt_fsm_write_graphml, &fsm));
	CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), "is not allowed in XML"));
}

static void refuses_every_cut(void)
{
	char *text = rig_load(GOLDEN, "small.graphml");
	size_t length = strlen(text) - 1;

	for (size_t i = 0; i < length; i++) {
		struct kt_fsm *fsm = NULL;

		CU_ASSERT_EQUAL(rig_read(kt_fsm_read_graphml, &fsm, text, i),
				KT_E_MALFORMED);
		kt_fsm_free(fsm);
	}
	free(text);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"writes and reads", writes_and_reads},
		{"reads what others saved", reads_what_others_saved},
		{"refuses", refuses},
		{"refuses document types", refuses_document_types},
		{"refuses letters", refuses_letters},
		{"refuses every cut", refuses_every_cut},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("graphml", tests);
}

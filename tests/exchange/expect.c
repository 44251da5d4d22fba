/* SPDX-License-Identifier: MIT */
#include "tests/exchange/expect.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "tests/suite.h"

void rig_expect_machine(rig_read_fn read, const char *folder, const char *file,
			const char *json_folder, const char *json)
{
	char *text = rig_load(folder, file);
	char *expected = rig_load(json_folder, json);
	struct kt_fsm *fsm = NULL;

	CU_ASSERT_EQUAL(rig_read(read, &fsm, text, strlen(text)), KT_OK);
	CU_ASSERT_PTR_NOT_NULL(fsm);
	if (fsm) {
		char *found = rig_write(kt_fsm_write_json, fsm);

		CU_ASSERT_STRING_EQUAL(found, expected);
		free(found);
	} else {
		fprintf(stderr, "%s: %s\n", file, kt_error_message());
	}
	kt_fsm_free(fsm);
	free(text);
	free(expected);
}

void rig_expect_text(rig_write_fn write, const char *folder, const char *json,
		     const char *file)
{
	char *text = rig_load(folder, json);
	char *expected = rig_load(folder, file);
	struct kt_fsm *fsm = NULL;
	char *found;

	CU_ASSERT_EQUAL_FATAL(rig_read(kt_fsm_read_json, &fsm, text, strlen(text)), KT_OK);
	found = rig_write(write, fsm);
	CU_ASSERT_PTR_NOT_NULL_FATAL(found);
	CU_ASSERT_STRING_EQUAL(found, expected);
	free(found);
	kt_fsm_free(fsm);
	free(text);
	free(expected);
}

void rig_expect_refusal(rig_read_fn read, const char *text, const char *prefix,
			const char *reason)
{
	struct kt_fsm *fsm = NULL;
	int code = rig_read(read, &fsm, text, strlen(text));

	CU_ASSERT_EQUAL(code, KT_E_MALFORMED);
	CU_ASSERT_PTR_NULL(fsm);
	CU_ASSERT_EQUAL(strncmp(kt_error_message(), prefix, strlen(prefix)), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), reason));
	if (code != KT_E_MALFORMED || !strstr(kt_error_message(), reason)) {
		fprintf(stderr, "%s\n: %s\n", text, kt_error_message());
	}
	kt_fsm_free(fsm);
}

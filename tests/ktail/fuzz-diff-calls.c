/* SPDX-License-Identifier: MIT */
/*
 * Feeds any JSON as the annotations of two machines: nothing crashes, reported counts
 * differ and are sorted, and exchanging the machines exchanges the result.
 */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/ktail/diff/diff-calls.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool what)
{
	if (!what) {
		abort();
	}
}

static void check_figures(const struct kt_diff_calls *calls)
{
	for (size_t i = 0; i < calls->n_figures; i++) {
		const struct kt_diff_figure *f = &calls->figures[i];

		expect(f->calls[0] > 0 && f->calls[1] > 0);
		expect(f->n[0] != f->n[1] || f->calls[0] != f->calls[1]);
		expect(i == 0 || strcmp(f[-1].name, f->name) <= 0);
	}
	for (int s = 0; s < 2; s++) {
		for (size_t i = 1; i < calls->n_only[s]; i++) {
			expect(strcmp(calls->only[s][i - 1], calls->only[s][i]) <= 0);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *root = json_loadb((const char *)data, size, 0, NULL);
	const json_t *const versions[2] = {json_object_get(root, "old"),
					   json_object_get(root, "new")};
	static const char *const names[2] = {"old", "new"};
	const json_t *const turned[2] = {versions[1], versions[0]};
	struct kt_diff_calls calls;
	struct kt_diff_calls back;
	int code = kt_diff_calls(&calls, versions, names);
	int code_back = kt_diff_calls(&back, turned, names);

	expect(!code == !code_back);
	if (!code) {
		check_figures(&calls);
		expect(calls.n_figures == back.n_figures);
		expect(calls.n_only[0] == back.n_only[1]);
		expect(calls.n_only[1] == back.n_only[0]);
	}
	kt_diff_calls_free(&calls);
	kt_diff_calls_free(&back);
	json_decref(root);
	return 0;
}

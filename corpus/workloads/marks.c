/* SPDX-License-Identifier: MIT */
#include "corpus/workloads/marks.h"

#include "corpus/workloads/common.h"

void kt_marks_make(struct kt_marks *marks)
{
	KT_CU(cuMemAlloc, &marks->place, 4 * sizeof(uint32_t));
}

void kt_marks_free(struct kt_marks *marks)
{
	if (marks->place) {
		KT_CU(cuMemFree, marks->place);
	}
	marks->place = 0;
}

void kt_mark(const struct kt_marks *marks, uint32_t what, uint32_t number)
{
	const uint32_t words[] = {KT_MARK_0, KT_MARK_1, what, number};

	if (marks->place) {
		KT_CU(cuMemcpyHtoD, marks->place, words, sizeof(words));
		KT_CU(cuStreamSynchronize, NULL);
	}
}

void kt_mark_end(const struct kt_marks *marks)
{
	kt_mark(marks, 0, 0);
	kt_mark(marks, 0, 1);
}

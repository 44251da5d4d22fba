/* SPDX-License-Identifier: MIT */
#include "corpus/workloads/marks.h"

#include "corpus/workloads/common.h"

enum { WORDS = 4 };

void kt_marks_make(struct kt_marks *marks)
{
	void *words = NULL;

	KT_CU(cuMemAlloc, &marks->place, WORDS * sizeof(uint32_t));
	KT_CU(cuMemAllocHost, &words, WORDS * sizeof(uint32_t));
	marks->words = words;
}

void kt_marks_free(struct kt_marks *marks)
{
	if (marks->words) {
		KT_CU(cuMemFreeHost, marks->words);
		KT_CU(cuMemFree, marks->place);
	}
	*marks = (struct kt_marks){0};
}

void kt_mark(const struct kt_marks *marks, uint32_t what, uint32_t number)
{
	if (!marks->words) {
		return;
	}
	KT_CU(cuStreamSynchronize, NULL);
	marks->words[0] = KT_MARK_0;
	marks->words[1] = KT_MARK_1;
	marks->words[2] = what;
	marks->words[3] = number;
	KT_CU(cuMemcpyHtoD, marks->place, marks->words, WORDS * sizeof(uint32_t));
	KT_CU(cuStreamSynchronize, NULL);
}

void kt_mark_end(const struct kt_marks *marks)
{
	kt_mark(marks, 0, 0);
	kt_mark(marks, 0, 1);
}

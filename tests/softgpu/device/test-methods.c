/* SPDX-License-Identifier: MIT */
/* The device must know exactly the methods in the library's table. */
#include <stdio.h>

#include "decode/methods.h"
#include "rig.h"
#include "tests/suite.h"

static bool has(unsigned engine, uint32_t offset)
{
	struct kt_method_info method;

	return kt_method_find(kt_method_class_find(engine == KT_GPU_COMPUTE
							   ? KT_ABI_CLASS_COMPUTE
							   : KT_ABI_CLASS_COPY),
			      offset, &method);
}

static void test_every_method_has_a_kind(void)
{
	size_t n = 0;

	for (unsigned engine = 0; engine < KT_GPU_ENGINES; engine++) {
		/* Methods below 0x100 belong to the host. */
		for (unsigned i = 0x100 / 4; i < KT_GPU_REGISTERS; i++) {
			bool known =
				kt_gpu_method_kind((enum kt_gpu_engine)engine,
						   (uint16_t)(i * 4)) != KT_GPU_UNKNOWN;

			if (known != has(engine, i * 4)) {
				printf("engine %u, method 0x%x: in the table %d, here %d\n",
				       engine, i * 4, has(engine, i * 4), known);
				CU_FAIL("a method of one table is not in the other");
			}
			n += known;
		}
	}
	CU_ASSERT(n > 700);
}

static void test_what_a_header_cannot_name(void)
{
	CU_ASSERT(kt_gpu_method_kind(KT_GPU_COMPUTE, 0x4000) == KT_GPU_UNKNOWN);
	CU_ASSERT(kt_gpu_method_kind(KT_GPU_COMPUTE, 0xfffc) == KT_GPU_UNKNOWN);
	CU_ASSERT(kt_gpu_method_kind(KT_GPU_COPY, 0x1118) == KT_GPU_UNKNOWN);
	CU_ASSERT(kt_gpu_method_kind(KT_GPU_COPY, 0x301) == KT_GPU_UNKNOWN);
}

static void test_state_is_taken_and_work_refused(void)
{
	for (unsigned engine = 0; engine < KT_GPU_ENGINES; engine++) {
		struct rig rig;
		const uint32_t xids[] = {
			[KT_GPU_STATE] = 0,
			[KT_GPU_UNKNOWN] = engine == KT_GPU_COPY ? KT_ABI_XID_COPY_EXCEPTION
								 : KT_ABI_XID_NO_METHOD,
			[KT_GPU_REFUSED] = engine == KT_GPU_COPY ? KT_ABI_XID_COPY_EXCEPTION
								 : KT_ABI_XID_GR_EXCEPTION,
		};

		CU_ASSERT_FATAL(rig_open(&rig, true));
		for (unsigned i = 0x100 / 4; i < KT_GPU_REGISTERS; i++) {
			unsigned offset = i * 4;
			enum kt_gpu_method_kind kind = kt_gpu_method_kind(
				(enum kt_gpu_engine)engine, (uint16_t)offset);

			if (kind == KT_GPU_STARTS) {
				continue;
			}
			rig_bind(&rig.channels[0]);
			rig_method(&rig.channels[0],
				   engine == KT_GPU_COPY ? RIG_COPY : RIG_COMPUTE, offset,
				   0xffffffff);
			rig_submit(&rig.channels[0]);
			rig_run(&rig);
			if (rig_error(&rig.channels[0]) != xids[kind]) {
				printf("engine %u, method 0x%x\n", engine, offset);
				CU_FAIL("a method is not what its kind says");
			}
			if (kind != KT_GPU_STATE) {
				CU_ASSERT_FATAL(rig_renew(&rig, 0));
			}
		}
		rig_close(&rig);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"every method has a kind", test_every_method_has_a_kind},
		{"what a header cannot name", test_what_a_header_cannot_name},
		{"state is taken and work refused", test_state_is_taken_and_work_refused},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("softgpu-methods", tests);
}

/* SPDX-License-Identifier: MIT */
/* Tests launches by QMD, and compares the built-in kernels with plain C. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "decode/bits.h"
#include "decode/method-names.h"
#include "rig.h"
#include "tests/suite.h"

#define A      RIG_DATA
#define B      (RIG_DATA + 0x500000)
#define C      (RIG_DATA + 0xa00000)
#define MAX_N  0x130000u /* elements that fit into each array */
#define THREAD 256u

struct vector_add {
	uint64_t a, b, c;
	uint32_t n;
};
struct scale {
	uint64_t x;
	uint32_t n, factor, addend;
};
struct reduce {
	uint64_t x, sum;
	uint32_t n;
};
struct spin {
	uint64_t counter, ticks;
};

static void fill(struct rig *rig)
{
	uint32_t state = 11;
	uint32_t *words = (void *)rig->data;

	for (size_t i = 0; i < 0xa00000 / 4; i++) {
		words[i] = rig_random(&state) << 8 ^ (uint32_t)i;
	}
}

static uint32_t launch(struct rig *rig)
{
	uint32_t xid = 0;

	rig_bind(&rig->channels[0]);
	rig_launch(&rig->channels[0]);
	rig_submit(&rig->channels[0]);
	rig_run(rig);
	xid = rig_error(&rig->channels[0]);
	CU_ASSERT_FATAL(rig_renew(rig, 0));
	return xid;
}

static void test_vector_add(void)
{
	static const uint32_t sizes[] = {0, 1, 255, 256, 257, 4096, 100000, MAX_N};
	struct rig rig;
	struct kt_gpu_counts counts;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	fill(&rig);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint32_t n = sizes[i];
		struct vector_add arguments = {A, B, C, n};
		const uint32_t *a = rig_at(&rig, A);
		const uint32_t *b = rig_at(&rig, B);
		uint32_t *c = rig_at(&rig, C);
		bool right = true;

		memset(c, 0, (size_t)(n + 1) * 4);
		rig_qmd(&rig, KT_GPU_VECTOR_ADD, n / THREAD + 1, THREAD, &arguments,
			sizeof(arguments));
		CU_ASSERT(launch(&rig) == 0);
		for (uint32_t k = 0; k < n; k++) {
			right = right && c[k] == a[k] + b[k];
		}
		CU_ASSERT(right && c[n] == 0);
	}
	kt_gpu_counts(rig.gpu, &counts);
	CU_ASSERT(counts.launches == sizeof(sizes) / sizeof(sizes[0]));
	rig_close(&rig);
}

/* If there are fewer threads than elements, the other elements remain unchanged. */
static void test_threads_bound_the_work(void)
{
	struct rig rig;
	struct scale arguments = {A, 1000, 3, 1};
	uint32_t *x = NULL;
	bool right = true;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	x = rig_at(&rig, A);
	for (uint32_t i = 0; i < 1000; i++) {
		x[i] = i;
	}
	rig_qmd(&rig, KT_GPU_SCALE, 3, 128, &arguments, sizeof(arguments));
	CU_ASSERT(launch(&rig) == 0);
	for (uint32_t i = 0; i < 1000; i++) {
		right = right && x[i] == (i < 3 * 128 ? i * 3 + 1 : i);
	}
	CU_ASSERT(right);
	rig_close(&rig);
}

static void test_reduce(void)
{
	struct rig rig;
	struct reduce arguments = {A, C, 0x280000};
	uint32_t expected = 41;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	fill(&rig);
	for (uint32_t i = 0; i < arguments.n; i++) {
		expected += ((uint32_t *)(void *)rig.data)[i];
	}
	*(uint32_t *)rig_at(&rig, C) = 41;
	rig_qmd(&rig, KT_GPU_REDUCE, arguments.n / THREAD, THREAD, &arguments,
		sizeof(arguments));
	CU_ASSERT(launch(&rig) == 0);
	CU_ASSERT(*(uint32_t *)rig_at(&rig, C) == expected);
	rig_close(&rig);
}

static void test_spin_parks_its_channel_alone(void)
{
	struct rig rig;
	const uint64_t microseconds = 20000;
	struct spin arguments = {A, microseconds * KT_GPU_TICKS_PER_MICROSECOND};
	uint64_t before = kt_gpu_time();
	uint64_t wake = 0;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	rig_qmd(&rig, KT_GPU_SPIN, 2, 3, &arguments, sizeof(arguments));
	rig_bind(&rig.channels[0]);
	rig_launch(&rig.channels[0]);
	rig_submit(&rig.channels[0]);
	rig_release(&rig.channels[1], B, 1);
	rig_submit(&rig.channels[1]);
	rig_ring(&rig.channels[0]);
	rig_ring(&rig.channels[1]);
	while (kt_gpu_step(rig.gpu, &wake)) {
	}
	CU_ASSERT(*(uint32_t *)rig_at(&rig, B) == 1);
	/* True unless the machine is extremely slow. */
	if (*(uint32_t *)rig_at(&rig, A) == 0) {
		CU_ASSERT(wake >= before + microseconds * 1000 && wake != UINT64_MAX);
	}
	while (rig_get(&rig.channels[0]) == 0) {
		kt_gpu_step(rig.gpu, NULL);
	}
	CU_ASSERT(kt_gpu_time() >= before + microseconds * 1000);
	CU_ASSERT(*(uint32_t *)rig_at(&rig, A) == 6);
	rig_close(&rig);
}

static void test_arrays_in_user_memory(void)
{
	struct rig rig;
	const uint32_t n = 5000;
	const uint64_t at = UINT64_C(0x700000000);
	struct vector_add arguments = {at, B, at + 0x8000, n};
	struct scale scaling = {at, n, 5, 2};
	struct reduce sum = {at, at + 0x8000, n};
	uint32_t *user = mmap(NULL, 0x10000, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t expected = 0;
	bool right = true;

	CU_ASSERT_FATAL(user != MAP_FAILED && rig_open(&rig, true));
	fill(&rig);
	CU_ASSERT(kt_gpu_space_map_user(rig.space, at, 0x10000, (uintptr_t)user) == 0);
	for (uint32_t i = 0; i < n; i++) {
		user[i] = i * 77;
	}
	CU_ASSERT(mprotect(user, 0x10000, PROT_NONE) == 0);
	rig_qmd(&rig, KT_GPU_VECTOR_ADD, 20, THREAD, &arguments, sizeof(arguments));
	CU_ASSERT(launch(&rig) == 0);
	rig_qmd(&rig, KT_GPU_SCALE, 20, THREAD, &scaling, sizeof(scaling));
	CU_ASSERT(launch(&rig) == 0);
	CU_ASSERT(mprotect(user, 0x10000, PROT_READ | PROT_WRITE) == 0);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t *b = rig_at(&rig, B);

		right = right && user[0x2000 + i] == i * 77 + b[i];
		right = right && user[i] == i * 77 * 5 + 2;
		expected += user[i];
	}
	CU_ASSERT(right);
	expected += user[0x2000];
	rig_qmd(&rig, KT_GPU_REDUCE, 20, THREAD, &sum, sizeof(sum));
	CU_ASSERT(launch(&rig) == 0);
	CU_ASSERT(user[0x2000] == expected);
	munmap(user, 0x10000);
	rig_close(&rig);
}

static void test_semaphores_of_a_qmd(void)
{
	struct rig rig;
	struct scale arguments = {A, 1, 0, 7};
	uint64_t before = kt_gpu_time();
	uint64_t values[6];
	uint32_t *qmd = NULL;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	rig_qmd(&rig, KT_GPU_SCALE, 1, 1, &arguments, sizeof(arguments));
	qmd = rig_at(&rig, RIG_QMD);
	memset(rig_at(&rig, B), 0xff, sizeof(values));
	kt_bits_set(qmd, KT_QMD_V04_00__RELEASE_ENABLE(0), 1);
	kt_bits_set(qmd, KT_QMD_V04_00__RELEASE_SEMAPHORE0_ADDR_LOWER, (uint32_t)B);
	kt_bits_set(qmd, KT_QMD_V04_00__RELEASE_SEMAPHORE0_ADDR_UPPER, (uint32_t)(B >> 32));
	kt_bits_set(qmd, KT_QMD_V04_00__RELEASE_SEMAPHORE0_PAYLOAD_LOWER, 3);
	kt_bits_set(qmd, KT_QMD_V04_00__RELEASE_SEMAPHORE0_PAYLOAD_UPPER, 4);
	kt_bits_set(qmd, KT_QMD_V04_00__RELEASE_ENABLE(1), 1);
	kt_bits_set(qmd, KT_QMD_V04_00__RELEASE_PAYLOAD64B(1), 1);
	kt_bits_set(qmd, KT_QMD_V04_00__RELEASE_SEMAPHORE1_ADDR_LOWER, (uint32_t)B + 16);
	kt_bits_set(qmd, KT_QMD_V04_00__RELEASE_SEMAPHORE1_ADDR_UPPER, (uint32_t)(B >> 32));
	kt_bits_set(qmd, KT_QMD_V04_00__RELEASE_SEMAPHORE1_PAYLOAD_UPPER, 5);
	kt_bits_set(qmd, KT_QMD_V04_00__RELEASE_ENABLE(2), 1);
	kt_bits_set(qmd, KT_QMD_V04_00__RELEASE_STRUCTURE_SIZE(2), 1);
	kt_bits_set(qmd, KT_QMD_V04_00__RELEASE_SEMAPHORE2_ADDR_LOWER, (uint32_t)B + 32);
	kt_bits_set(qmd, KT_QMD_V04_00__RELEASE_SEMAPHORE2_ADDR_UPPER, (uint32_t)(B >> 32));
	kt_bits_set(qmd, KT_QMD_V04_00__RELEASE_SEMAPHORE2_PAYLOAD_LOWER, 6);
	CU_ASSERT(launch(&rig) == 0);
	memcpy(values, rig_at(&rig, B), sizeof(values));
	CU_ASSERT(*(uint32_t *)rig_at(&rig, A) == 7);
	CU_ASSERT(values[0] == 3 && values[1] >= before && values[1] != UINT64_MAX);
	CU_ASSERT(values[2] == UINT64_C(5) << 32 && values[3] >= values[1]);
	CU_ASSERT(values[4] == UINT64_C(0xffffffff00000006) && values[5] == UINT64_MAX);

	kt_bits_set(qmd, KT_QMD_V04_00__RELEASE_REDUCTION_ENABLE(1), 1);
	CU_ASSERT(launch(&rig) == KT_ABI_XID_GR_EXCEPTION);
	rig_close(&rig);
}

/* --- invalid launches --- */

enum wrong {
	RIGHT = 0,
	VERSION,
	NO_GRID,
	NO_BLOCK,
	BLOCK,
	GRID,
	MAGIC,
	KERNEL_0,
	KERNEL,
	NO_CONSTANTS,
	SHORT_CONSTANTS,
	MISALIGNED,
	PROGRAM_UNMAPPED,
	CONSTANTS_UNMAPPED,
	ARRAY_UNMAPPED,
	ARRAY_ENDS,
	WRONGS,
};

static uint32_t launch_wrong(struct rig *rig, enum wrong wrong)
{
	struct vector_add arguments = {A, B, C, 1024};
	uint32_t *qmd = rig_at(rig, RIG_QMD);
	struct kt_gpu_code *code = rig_at(rig, RIG_CODE);

	arguments.b += wrong == MISALIGNED ? 2 : 0;
	arguments.c = wrong == ARRAY_UNMAPPED ? 0x1000 : arguments.c;
	arguments.a = wrong == ARRAY_ENDS ? RIG_DATA + RIG_DATA_BYTES - 4092 : arguments.a;
	rig_qmd(rig, KT_GPU_VECTOR_ADD, 4, 256, &arguments, sizeof(arguments));
	code->magic += wrong == MAGIC;
	code->kernel = wrong == KERNEL     ? KT_GPU_KERNELS
		       : wrong == KERNEL_0 ? 0
					   : code->kernel;
	switch (wrong) {
	case VERSION: kt_bits_set(qmd, KT_QMD_V04_00__QMD_MAJOR_VERSION, 3); break;
	case NO_GRID: kt_bits_set(qmd, KT_QMD_V04_00__GRID_DEPTH, 0); break;
	case NO_BLOCK: kt_bits_set(qmd, KT_QMD_V04_00__CTA_THREAD_DIMENSION2, 0); break;
	case BLOCK: kt_bits_set(qmd, KT_QMD_V04_00__CTA_THREAD_DIMENSION0, 1025); break;
	case GRID: kt_bits_set(qmd, KT_QMD_V04_00__GRID_WIDTH, UINT32_MAX); break;
	case NO_CONSTANTS:
		kt_bits_set(qmd, KT_QMD_V04_00__CONSTANT_BUFFER_VALID(0), 0);
		break;
	case SHORT_CONSTANTS: /* the constants end before the last argument */
		kt_bits_set(qmd, KT_QMD_V04_00__CONSTANT_BUFFER_SIZE_SHIFTED4(0),
			    (KT_GPU_ARGUMENTS + 16) >> 4);
		break;
	case PROGRAM_UNMAPPED:
		kt_bits_set(qmd, KT_QMD_V04_00__PROGRAM_ADDRESS_UPPER, 0x1ffffff);
		break;
	case CONSTANTS_UNMAPPED:
		kt_bits_set(qmd, KT_QMD_V04_00__CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6(0),
			    0x7ffff);
		break;
	default: break;
	}
	return launch(rig);
}

static void test_wrong_launches(void)
{
	struct rig rig;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	CU_ASSERT(launch_wrong(&rig, RIGHT) == 0);
	for (int wrong = VERSION; wrong < PROGRAM_UNMAPPED; wrong++) {
		CU_ASSERT(launch_wrong(&rig, (enum wrong)wrong) == KT_ABI_XID_GR_EXCEPTION);
	}
	for (int wrong = PROGRAM_UNMAPPED; wrong < WRONGS; wrong++) {
		CU_ASSERT(launch_wrong(&rig, (enum wrong)wrong) == KT_ABI_XID_MMU_FAULT);
	}
	rig_close(&rig);
}

/* --- QMDs that depend on others --- */

#define QMDS      4
#define QMD_OF(i) (RIG_QMD + (uint64_t)(i)*0x200)

/*
 * Writes QMDs that each scale element 0 of A. Scaling multiplies and adds, so the result
 * shows the order.
 */
static void chain(struct rig *rig, unsigned counter)
{
	struct scale arguments = {A, 1, 3, 1};
	uint32_t *first = rig_at(rig, RIG_QMD);

	*(uint32_t *)rig_at(rig, A) = 0;
	rig_qmd(rig, KT_GPU_SCALE, 1, 1, &arguments, sizeof(arguments));
	for (unsigned i = 1; i < QMDS; i++) {
		memcpy(rig_at(rig, QMD_OF(i)), first, KT_QMD_BYTES);
	}
	/* 0 starts 1; 1 decrements 2, which starts 3. */
	for (unsigned i = 0; i + 1 < QMDS; i++) {
		uint32_t *qmd = rig_at(rig, QMD_OF(i));

		kt_bits_set(qmd, KT_QMD_V04_00__DEPENDENT_QMD_ENABLE(0), 1);
		kt_bits_set(qmd, KT_QMD_V04_00__DEPENDENT_QMD_ACTION(0),
			    i == 1 ? KT_GPU_QMD_DECREMENT_DEPENDENCE : KT_GPU_QMD_SCHEDULE);
		kt_bits_set(qmd, KT_QMD_V04_00__DEPENDENT_QMD0_POINTER,
			    (uint32_t)(QMD_OF(i + 1) >> 8));
	}
	kt_bits_set(rig_at(rig, QMD_OF(2)), KT_QMD_V04_00__DEPENDENCE_COUNTER, counter);
}

static void pcas(struct rig_channel *channel, unsigned i, uint32_t action)
{
	rig_method(channel, RIG_COMPUTE, KT_CBC0_SEND_PCAS_A, (uint32_t)(QMD_OF(i) >> 8));
	rig_method(channel, RIG_COMPUTE, KT_CBC0_SEND_SIGNALING_PCAS2_B, action);
}

static uint32_t run_pcas(struct rig *rig)
{
	rig_submit(&rig->channels[0]);
	rig_run(rig);
	return *(uint32_t *)rig_at(rig, A);
}

static void test_dependent_qmds(void)
{
	enum { DECREMENT = 7, SCHEDULE = 10 };
	struct rig rig;
	struct rig_channel *channel = &rig.channels[0];
	uint32_t *second;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	chain(&rig, 2);
	rig_bind(channel);
	/*
	 * The two actions come in either order, and repeatedly: afterwards the counter has
	 * its old value. The QMDs compute x -> 3x + 1: 1, 4, 13, 40.
	 */
	for (unsigned times = 0; times < 4; times++) {
		*(uint32_t *)rig_at(&rig, A) = 0;
		pcas(channel, times % 2 ? 2 : 0, times % 2 ? DECREMENT : SCHEDULE);
		CU_ASSERT_EQUAL(run_pcas(&rig), times % 2 ? 0 : 4);
		pcas(channel, times % 2 ? 0 : 2, times % 2 ? SCHEDULE : DECREMENT);
		CU_ASSERT_EQUAL(run_pcas(&rig), 40);
	}
	CU_ASSERT_EQUAL(rig_error(channel), 0);
	/* A second dependent QMD is not modelled; nothing depends on a QMD with counter 0.
	 */
	second = rig_at(&rig, QMD_OF(3));
	kt_bits_set(second, KT_QMD_V04_00__DEPENDENT_QMD_ENABLE(1), 1);
	pcas(channel, 3, SCHEDULE);
	(void)run_pcas(&rig);
	CU_ASSERT_EQUAL(rig_error(channel), KT_ABI_XID_GR_EXCEPTION);
	CU_ASSERT_FATAL(rig_renew(&rig, 0));
	rig_bind(channel);
	pcas(channel, 0, DECREMENT);
	(void)run_pcas(&rig);
	CU_ASSERT_EQUAL(rig_error(channel), KT_ABI_XID_GR_EXCEPTION);
	/* A dependent QMD at address 0. */
	CU_ASSERT_FATAL(rig_renew(&rig, 0));
	rig_bind(channel);
	kt_bits_set(rig_at(&rig, QMD_OF(2)), KT_QMD_V04_00__DEPENDENT_QMD0_POINTER, 0);
	pcas(channel, 2, SCHEDULE);
	(void)run_pcas(&rig);
	CU_ASSERT_EQUAL(rig_error(channel), KT_ABI_XID_MMU_FAULT);
	rig_close(&rig);
}

/* A chain that never ends takes turns with other channels, and ends with its channel. */
static void test_endless_chain(void)
{
	enum { SCHEDULE = 10, STEPS = 40 };
	struct rig rig;
	unsigned steps = 0;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	chain(&rig, 2);
	kt_bits_set(rig_at(&rig, QMD_OF(0)), KT_QMD_V04_00__DEPENDENT_QMD0_POINTER,
		    (uint32_t)(QMD_OF(0) >> 8));
	rig_bind(&rig.channels[0]);
	rig_bind(&rig.channels[1]);
	pcas(&rig.channels[0], 0, SCHEDULE);
	pcas(&rig.channels[1], 3, SCHEDULE);
	for (unsigned i = 0; i < 2; i++) {
		rig_submit(&rig.channels[i]);
		rig_ring(&rig.channels[i]);
	}
	while (steps < STEPS && kt_gpu_step(rig.gpu, NULL)) {
		steps++;
	}
	CU_ASSERT_EQUAL(steps, STEPS);
	CU_ASSERT_EQUAL(rig_get(&rig.channels[1]), rig.channels[1].put);
	CU_ASSERT_EQUAL(rig_errors(&rig), 0);
	CU_ASSERT_FATAL(rig_renew(&rig, 0));
	rig_run(&rig);
	rig_close(&rig);
}

static void test_absurd_spins_and_qmds(void)
{
	struct rig rig;
	struct spin arguments = {A, UINT64_MAX};
	struct rig_channel *channel = &rig.channels[0];

	CU_ASSERT_FATAL(rig_open(&rig, true));
	rig_qmd(&rig, KT_GPU_SPIN, 1, 1, &arguments, sizeof(arguments));
	CU_ASSERT(launch(&rig) == KT_ABI_XID_GR_EXCEPTION);

	rig_bind(channel);
	rig_method(channel, RIG_COMPUTE, KT_CBC0_SEND_PCAS_A, UINT32_MAX);
	rig_method(channel, RIG_COMPUTE, KT_CBC0_SEND_SIGNALING_PCAS2_B, 0xa);
	rig_submit(channel);
	rig_run(&rig);
	CU_ASSERT(rig_error(channel) == KT_ABI_XID_MMU_FAULT);
	rig_close(&rig);
}

/*
 * Tests which actions launch a kernel, which have no effect, and which the device refuses.
 */
static void test_actions(void)
{
	static const uint32_t launching =
		1u << 2 | 1u << 3 | 1u << 9 | 1u << 0xa | 1u << 0xb;
	static const uint32_t idle = 1u << 0 | 1u << 1 | 1u << 8;
	struct scale arguments = {A, 1, 1, 1};
	struct rig rig;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	rig_qmd(&rig, KT_GPU_SCALE, 1, 1, &arguments, sizeof(arguments));
	for (uint32_t action = 0; action < 16; action++) {
		struct rig_channel *channel = &rig.channels[0];
		uint32_t *x = rig_at(&rig, A);
		bool launches = launching >> action & 1;

		*x = 0;
		rig_bind(channel);
		rig_method(channel, RIG_COMPUTE, KT_CBC0_SEND_PCAS_A,
			   (uint32_t)(RIG_QMD >> 8));
		rig_method(channel, RIG_COMPUTE, KT_CBC0_SEND_SIGNALING_PCAS2_B, action);
		rig_submit(channel);
		rig_run(&rig);
		CU_ASSERT(*x == launches);
		CU_ASSERT((rig_error(channel) == 0) == (launches || (idle >> action & 1)));
		CU_ASSERT_FATAL(rig_renew(&rig, 0));
	}
	rig_close(&rig);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"vector_add", test_vector_add},
		{"threads bound the work", test_threads_bound_the_work},
		{"reduce", test_reduce},
		{"spin parks its channel alone", test_spin_parks_its_channel_alone},
		{"arrays in user memory", test_arrays_in_user_memory},
		{"semaphores of a QMD", test_semaphores_of_a_qmd},
		{"wrong launches", test_wrong_launches},
		{"dependent QMDs", test_dependent_qmds},
		{"endless chain", test_endless_chain},
		{"absurd spins and QMDs", test_absurd_spins_and_qmds},
		{"actions", test_actions},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("softgpu-kernels", tests);
}

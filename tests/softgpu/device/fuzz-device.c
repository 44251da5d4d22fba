/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the input acts as a hostile driver that writes ring entries, dwords of
 * segments, data, USERD and the transfer page. The device must not crash, read outside its
 * memory, or loop for ever. The first dword of each piece of input selects what the rest
 * does.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/method-names.h"
#include "rig.h"

#define MAX_STEPS 64
#define USER      (RIG_DATA + 0x1000000) /* user memory, after the data */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct rig rig;
static _Alignas(KT_ABI_PAGE) uint8_t user_memory[0x10000];

static uint32_t take(const uint8_t **data, size_t *size)
{
	uint32_t word = 0;
	size_t n = *size < 4 ? *size : 4;

	memcpy(&word, *data, n);
	*data += n;
	*size -= n;
	return word;
}

/* Pushes existing methods with plausible values, which random dwords rarely are. */
static void push_known(struct rig_channel *channel, uint32_t choice, uint32_t value)
{
	static const uint16_t copy[] = {
		KT_C8B5_LAUNCH_DMA,       KT_C8B5_OFFSET_IN_UPPER,  KT_C8B5_OFFSET_IN_LOWER,
		KT_C8B5_OFFSET_OUT_UPPER, KT_C8B5_OFFSET_OUT_LOWER, KT_C8B5_PITCH_IN,
		KT_C8B5_PITCH_OUT,        KT_C8B5_LINE_LENGTH_IN,   KT_C8B5_LINE_COUNT,
		KT_C8B5_SET_SEMAPHORE_A,  KT_C8B5_SET_SEMAPHORE_B,
	};
	static const uint16_t compute[] = {
		KT_CBC0_LAUNCH_DMA,
		KT_CBC0_LINE_LENGTH_IN,
		KT_CBC0_LINE_COUNT,
		KT_CBC0_OFFSET_OUT_UPPER,
		KT_CBC0_OFFSET_OUT,
		KT_CBC0_PITCH_OUT,
		KT_CBC0_LOAD_INLINE_DATA,
		KT_CBC0_SEND_PCAS_A,
		KT_CBC0_SEND_SIGNALING_PCAS2_B,
		KT_CBC0_SET_REPORT_SEMAPHORE_A,
		KT_CBC0_SET_REPORT_SEMAPHORE_B,
		KT_CBC0_SET_REPORT_SEMAPHORE_D,
	};
	unsigned which = choice >> 8 & 0xff;

	if (choice >> 16 & 1) {
		value = choice >> 17 & 1 ? (uint32_t)(RIG_DATA >> 32)
					 : (uint32_t)RIG_DATA + (value & 0xffffff);
	}
	if (choice & 1) {
		rig_method(channel, RIG_COPY, copy[which % (sizeof(copy) / 2)], value);
	} else if (choice & 2) {
		rig_method(channel, RIG_COMPUTE, compute[which % (sizeof(compute) / 2)],
			   value);
	} else {
		rig_method(channel, 0, KT_C86F_SEM_ADDR_LO + which % 5 * 4, value);
	}
}

static void steps(void)
{
	for (int i = 0; i < MAX_STEPS && kt_gpu_step(rig.gpu, NULL); i++) {
	}
}

static void piece(struct rig_channel *channel, uint32_t choice, const uint8_t **data,
		  size_t *size)
{
	struct kt_abi_transfer_registers *registers = kt_gpu_memory_at(
		rig.gpu, kt_gpu_transfer_page(rig.gpu) + KT_ABI_WINDOW_BYTES,
		sizeof(*registers));
	uint32_t words[2];

	switch (choice & 0xf) {
	case 0: /* an arbitrary entry */
		words[0] = take(data, size);
		words[1] = take(data, size);
		rig_entry(channel, words);
		break;
	case 1: /* a dword of a segment */ rig_word(channel, take(data, size)); break;
	case 2: rig_launch(channel); break;
	case 3: rig_submit(channel); break;
	case 4: /* an arbitrary GP_PUT */
		words[0] = take(data, size);
		memcpy(channel->userd + KT_USERD_GP_PUT, words, 4);
		steps();
		break;
	case 5: /* a dword of a QMD, of constants, or of code */
		words[0] = take(data, size);
		memcpy(rig.data + 0xf00000 + (choice >> 4 & 3) * 0x1000 +
			       (choice >> 6) % 0x400,
		       words, 4);
		break;
	case 6:
		registers->window_base = (uint64_t)take(data, size) << (choice >> 4 & 31);
		registers->window_request++;
		break;
	case 7:
		registers->mailboxes[choice >> 4 & 3].from = RIG_DATA + take(data, size);
		registers->mailboxes[choice >> 4 & 3].to = RIG_DATA + take(data, size);
		registers->mailboxes[choice >> 4 & 3].bytes = choice >> 8 & 0x1ff;
		registers->mailboxes[choice >> 4 & 3].request++;
		break;
	case 8: /* a copy of arrays or user memory to an arbitrary address */
		rig_copy(
			channel,
			(choice >> 4 & 1 ? USER : RIG_DATA) + (take(data, size) & 0xffffff),
			(choice >> 5 & 1 ? USER : RIG_DATA) + (take(data, size) & 0xffffff),
			choice >> 8 & 0x1ffff);
		break;
	case 9: /* inline data */
		rig_method(channel, RIG_COMPUTE, KT_CBC0_LINE_LENGTH_IN, choice >> 4 & 31);
		rig_method(channel, RIG_COMPUTE, KT_CBC0_LINE_COUNT, choice >> 9 & 3);
		rig_address(channel, RIG_COMPUTE, KT_CBC0_OFFSET_OUT_UPPER,
			    (choice >> 11 & 1 ? USER : RIG_DATA) +
				    take(data, size) % 70000);
		rig_method(channel, RIG_COMPUTE, KT_CBC0_LAUNCH_DMA, choice >> 12 & 0x71);
		rig_header(channel, KT_METHOD_NON_INCREASING, RIG_COMPUTE,
			   KT_CBC0_LOAD_INLINE_DATA, choice >> 20 & 15);
		break;
	case 10: /* addresses of the launch's arrays */
		words[0] = (uint32_t)(choice >> 4 & 1 ? USER : RIG_DATA) +
			   take(data, size) % 70000;
		words[1] = (uint32_t)(RIG_DATA >> 32);
		memcpy((uint8_t *)rig_at(&rig, RIG_CONSTANTS) + KT_GPU_ARGUMENTS +
			       (choice >> 5) % 3 * 8,
		       words, 8);
		break;
	default: push_known(channel, choice >> 4, take(data, size)); break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t arguments[] = {RIG_DATA, RIG_DATA + 0x10000,
					     RIG_DATA + 0x20000, 1000};

	if (!rig.gpu && (!rig_open(&rig, true) ||
			 kt_gpu_space_map_user(rig.space, USER, sizeof(user_memory),
					       (uintptr_t)user_memory))) {
		abort();
	}
	kt_gpu_transfer_space(rig.gpu, rig.space);
	if (!rig_renew(&rig, 0) || !rig_renew(&rig, 1)) {
		abort();
	}
	rig_qmd(&rig, size ? data[0] % KT_GPU_KERNELS : 1, 4, 256, arguments,
		sizeof(arguments));
	rig_bind(&rig.channels[0]);
	rig_bind(&rig.channels[1]);
	while (size) {
		uint32_t choice = take(&data, &size);
		struct rig_channel *channel = &rig.channels[choice >> 31];

		piece(channel, choice, &data, &size);
		if (choice >> 30 & 1) {
			rig_submit(channel);
			rig_ring(channel);
			steps();
		}
	}
	rig_ring(&rig.channels[0]);
	rig_ring(&rig.channels[1]);
	steps();
	return 0;
}

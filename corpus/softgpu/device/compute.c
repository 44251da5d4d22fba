/* SPDX-License-Identifier: MIT */
/*
 * Compute, class 0xcbc0: launches by a QMD of version 4.0 in memory, and report semaphores.
 * A launch and the QMDs that it makes ready run to completion before the next method, so a
 * QMD's settings for caches, priorities, queues and shared memory have no effect.
 */
#include "corpus/softgpu/device/engine.h"

#include <string.h>

#include "decode/bits.h"
#include "decode/method-names.h"

#define MAX_THREADS       (UINT64_C(1) << 32) /* per launch */
#define MAX_BLOCK_THREADS 1024
#define RELEASES          3 /* release semaphores per QMD */
#define DEPENDENTS        2 /* QMDs that a QMD names as its dependents */
/* bytes read for one grid */
#define GRID_COST (KT_QMD_BYTES + KT_GPU_CONSTANT_BYTES)

#define QMD(words, field) kt_bits_get(words, KT_QMD_V04_00__##field)

static uint32_t get(const struct kt_gpu_channel *channel, unsigned offset)
{
	return kt_gpu_register(channel, KT_GPU_COMPUTE, offset);
}

static uint64_t join(uint32_t upper, uint32_t lower)
{
	return (uint64_t)upper << 32 | lower;
}

/* Returns false if a dimension is 0, or the block or the whole launch is too large. */
static bool count_threads(const uint32_t *qmd, uint64_t *threads)
{
	const uint32_t dimensions[] = {
		QMD(qmd, CTA_THREAD_DIMENSION0), QMD(qmd, CTA_THREAD_DIMENSION1),
		QMD(qmd, CTA_THREAD_DIMENSION2), QMD(qmd, GRID_WIDTH),
		QMD(qmd, GRID_HEIGHT),           QMD(qmd, GRID_DEPTH),
	};
	uint64_t n = 1;

	for (unsigned i = 0; i < sizeof(dimensions) / sizeof(dimensions[0]); i++) {
		n *= dimensions[i];
		if (n == 0 || n > (i < 3 ? MAX_BLOCK_THREADS : MAX_THREADS)) {
			return false;
		}
	}
	*threads = n;
	return true;
}

/*
 * Decodes STRUCTURE_SIZE of QMDs and reports: 0 is four dwords, 1 is one dword, 2 is two
 * dwords.
 */
static enum kt_gpu_release form_of(uint32_t structure_size, bool payload64)
{
	switch (structure_size) {
	case 0: return payload64 ? KT_GPU_FOUR_WORDS_64 : KT_GPU_FOUR_WORDS;
	case 1: return KT_GPU_ONE_WORD;
	default: return KT_GPU_TWO_WORDS;
	}
}

static enum kt_gpu_result release_all(const struct kt_gpu_channel *channel,
				      const uint32_t *qmd)
{
	const uint64_t addresses[RELEASES] = {
		join(QMD(qmd, RELEASE_SEMAPHORE0_ADDR_UPPER),
		     QMD(qmd, RELEASE_SEMAPHORE0_ADDR_LOWER)),
		join(QMD(qmd, RELEASE_SEMAPHORE1_ADDR_UPPER),
		     QMD(qmd, RELEASE_SEMAPHORE1_ADDR_LOWER)),
		join(QMD(qmd, RELEASE_SEMAPHORE2_ADDR_UPPER),
		     QMD(qmd, RELEASE_SEMAPHORE2_ADDR_LOWER)),
	};
	const uint64_t payloads[RELEASES] = {
		join(QMD(qmd, RELEASE_SEMAPHORE0_PAYLOAD_UPPER),
		     QMD(qmd, RELEASE_SEMAPHORE0_PAYLOAD_LOWER)),
		join(QMD(qmd, RELEASE_SEMAPHORE1_PAYLOAD_UPPER),
		     QMD(qmd, RELEASE_SEMAPHORE1_PAYLOAD_LOWER)),
		join(QMD(qmd, RELEASE_SEMAPHORE2_PAYLOAD_UPPER),
		     QMD(qmd, RELEASE_SEMAPHORE2_PAYLOAD_LOWER)),
	};

	for (unsigned i = 0; i < RELEASES; i++) {
		enum kt_gpu_result result = KT_GPU_DONE;

		if (QMD(qmd, RELEASE_ENABLE(i))) {
			result = kt_gpu_release(channel->space, addresses[i], payloads[i],
						form_of(QMD(qmd, RELEASE_STRUCTURE_SIZE(i)),
							QMD(qmd, RELEASE_PAYLOAD64B(i))),
						KT_GPU_ILLEGAL);
		}
		if (result != KT_GPU_DONE) {
			return result;
		}
	}
	return KT_GPU_DONE;
}

/* Reads a QMD of version 4.0. */
static enum kt_gpu_result read_qmd(const struct kt_gpu_channel *channel, uint64_t address,
				   uint32_t qmd[static KT_QMD_BYTES / 4])
{
	if (!kt_gpu_read(channel->space, address, qmd, KT_QMD_BYTES, NULL)) {
		return KT_GPU_FAULT;
	}
	return QMD(qmd, QMD_MAJOR_VERSION) == 4 && QMD(qmd, QMD_MINOR_VERSION) == 0
		       ? KT_GPU_DONE
		       : KT_GPU_ILLEGAL;
}

/*
 * Rejects what is not modelled: releases with a reduction or a trap, a second dependent
 * QMD, and dependent QMDs that are neither scheduled nor decremented.
 */
static bool is_modelled(const uint32_t *qmd)
{
	for (unsigned i = 0; i < RELEASES; i++) {
		if (QMD(qmd, RELEASE_ENABLE(i)) &&
		    (QMD(qmd, RELEASE_REDUCTION_ENABLE(i)) ||
		     QMD(qmd, RELEASE_TRAP_TYPE(i)) ||
		     QMD(qmd, RELEASE_STRUCTURE_SIZE(i)) > 2)) {
			return false;
		}
	}
	return !QMD(qmd, DEPENDENT_QMD_ENABLE(DEPENDENTS - 1)) &&
	       (!QMD(qmd, DEPENDENT_QMD_ENABLE(0)) ||
		QMD(qmd, DEPENDENT_QMD_ACTION(0)) == KT_GPU_QMD_SCHEDULE ||
		QMD(qmd, DEPENDENT_QMD_ACTION(0)) == KT_GPU_QMD_DECREMENT_DEPENDENCE);
}

/*
 * Decrements the dependences of a QMD, and sets *ready if none is left. The QMD in memory
 * keeps its DEPENDENCE_COUNTER, so that it can be launched again; the number of decrements
 * is in the field that is reserved for the hardware, and becomes 0 again when the QMD is
 * ready.
 */
static enum kt_gpu_result decrement(struct kt_gpu_channel *channel, uint64_t address,
				    bool *ready)
{
	uint32_t qmd[KT_QMD_BYTES / 4];
	uint32_t n;
	enum kt_gpu_result result = read_qmd(channel, address, qmd);

	if (result != KT_GPU_DONE) {
		return result;
	}
	if (QMD(qmd, DEPENDENCE_COUNTER) == 0) {
		return KT_GPU_ILLEGAL;
	}
	n = QMD(qmd, HW_ONLY_DEPENDENCE_COUNTER) + 1;
	*ready = n >= QMD(qmd, DEPENDENCE_COUNTER);
	kt_bits_set(qmd, KT_QMD_V04_00__HW_ONLY_DEPENDENCE_COUNTER, *ready ? 0 : n);
	return kt_gpu_write(channel->space, address, qmd, sizeof(qmd), NULL) ? KT_GPU_DONE
									     : KT_GPU_FAULT;
}

/* Runs the grid of channel->grid, and sets *qmd. */
static enum kt_gpu_result run_grid(struct kt_gpu_channel *channel,
				   uint32_t qmd[static KT_QMD_BYTES / 4])
{
	struct kt_gpu_code code;
	uint8_t arguments[KT_GPU_CONSTANT_BYTES - KT_GPU_ARGUMENTS];
	uint64_t address;
	size_t bytes = 0;
	size_t size;
	uint64_t threads = 0;
	enum kt_gpu_result result = read_qmd(channel, channel->grid, qmd);

	if (result != KT_GPU_DONE) {
		return result;
	}
	if (!count_threads(qmd, &threads) || !is_modelled(qmd)) {
		return KT_GPU_ILLEGAL;
	}
	address = join(QMD(qmd, PROGRAM_ADDRESS_UPPER), QMD(qmd, PROGRAM_ADDRESS_LOWER));
	if (!kt_gpu_read(channel->space, address, &code, sizeof(code), NULL)) {
		return KT_GPU_FAULT;
	}
	if (code.magic != KT_GPU_CODE_MAGIC) {
		return KT_GPU_ILLEGAL;
	}
	/*
	 * The size of the kernel's arguments is not known here, so this reads constant bank
	 * 0 from KT_GPU_ARGUMENTS to its end, up to the largest size of a bank.
	 */
	size = (size_t)QMD(qmd, CONSTANT_BUFFER_SIZE_SHIFTED4(0)) * 16;
	if (QMD(qmd, CONSTANT_BUFFER_VALID(0)) && size > KT_GPU_ARGUMENTS) {
		address = join(QMD(qmd, CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6(0)),
			       QMD(qmd, CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6(0)))
			  << 6;
		bytes = size - KT_GPU_ARGUMENTS;
		bytes = bytes < sizeof(arguments) ? bytes : sizeof(arguments);
		if (!kt_gpu_read(channel->space, address + KT_GPU_ARGUMENTS, arguments,
				 bytes, NULL)) {
			return KT_GPU_FAULT;
		}
	}
	result = kt_gpu_kernel_run(channel, code.kernel, threads, arguments, bytes);
	if (result == KT_GPU_DONE) {
		memset(&channel->progress, 0, sizeof(channel->progress));
		channel->gpu->counts.launches++;
		result = release_all(channel, qmd);
	}
	return result;
}

/*
 * With `schedule`, sets channel->grid to the QMD. Otherwise decrements the dependences of
 * the QMD, and sets channel->grid only if none is left. Refuses address 0, where no memory
 * is mapped.
 */
static enum kt_gpu_result start(struct kt_gpu_channel *channel, uint64_t address,
				bool schedule)
{
	enum kt_gpu_result result =
		schedule ? KT_GPU_DONE : decrement(channel, address, &schedule);

	if (result == KT_GPU_DONE && schedule) {
		channel->grid = address;
		result = address ? KT_GPU_DONE : KT_GPU_FAULT;
	}
	return result;
}

/*
 * Runs channel->grid, then the QMDs that depend on it, one after the other. A later turn
 * continues with the grid at which the budget ended.
 */
static enum kt_gpu_result run_grids(struct kt_gpu_channel *channel)
{
	enum kt_gpu_result result = KT_GPU_DONE;

	for (bool ran = false; channel->grid && result == KT_GPU_DONE; ran = true) {
		uint32_t qmd[KT_QMD_BYTES / 4];

		if (channel->budget <= 0) {
			return KT_GPU_AGAIN;
		}
		result = run_grid(channel, qmd);
		if (result != KT_GPU_DONE) {
			/*
			 * KT_GPU_PARKED means that the channel has done nothing in this
			 * turn, so it is not returned if a grid ran.
			 */
			return result == KT_GPU_PARKED && ran ? KT_GPU_AGAIN : result;
		}
		channel->budget -= GRID_COST;
		channel->grid = 0;
		if (QMD(qmd, DEPENDENT_QMD_ENABLE(0))) {
			result = start(
				channel, (uint64_t)QMD(qmd, DEPENDENT_QMD0_POINTER) << 8,
				QMD(qmd, DEPENDENT_QMD_ACTION(0)) == KT_GPU_QMD_SCHEDULE);
		}
	}
	return result;
}

/* Schedules the QMD at SEND_PCAS_A, or only decrements its dependences. */
static enum kt_gpu_result launch(struct kt_gpu_channel *channel, bool schedule)
{
	enum kt_gpu_result result = KT_GPU_DONE;

	/* If channel->grid is already set, it was begun in an earlier turn. */
	if (!channel->grid) {
		result = start(channel, (uint64_t)get(channel, KT_CBC0_SEND_PCAS_A) << 8,
			       schedule);
	}
	return result == KT_GPU_DONE ? run_grids(channel) : result;
}

static enum kt_gpu_result report_d(const struct kt_gpu_channel *channel, uint32_t value)
{
	uint64_t address = kt_gpu_address_register(channel, KT_GPU_COMPUTE,
						   KT_CBC0_SET_REPORT_SEMAPHORE_A);

	if (kt_bits_in(KT_CBC0_SET_REPORT_SEMAPHORE_D__OPERATION, value) !=
		    KT_CBC0_SET_REPORT_SEMAPHORE_D__OPERATION__RELEASE ||
	    kt_bits_in(KT_CBC0_SET_REPORT_SEMAPHORE_D__REDUCTION_ENABLE, value) ||
	    kt_bits_in(KT_CBC0_SET_REPORT_SEMAPHORE_D__CONDITIONAL_TRAP, value)) {
		return KT_GPU_ILLEGAL;
	}
	return kt_gpu_release(
		channel->space, address, get(channel, KT_CBC0_SET_REPORT_SEMAPHORE_C),
		form_of(kt_bits_in(KT_CBC0_SET_REPORT_SEMAPHORE_D__STRUCTURE_SIZE, value),
			false),
		KT_GPU_ILLEGAL);
}

static enum kt_gpu_result report_execute(const struct kt_gpu_channel *channel,
					 uint32_t value)
{
	uint64_t address =
		join(get(channel, KT_CBC0_SET_REPORT_SEMAPHORE_ADDRESS_UPPER) & 0x1ffffff,
		     get(channel, KT_CBC0_SET_REPORT_SEMAPHORE_ADDRESS_LOWER));
	uint64_t payload = join(get(channel, KT_CBC0_SET_REPORT_SEMAPHORE_PAYLOAD_UPPER),
				get(channel, KT_CBC0_SET_REPORT_SEMAPHORE_PAYLOAD_LOWER));
	uint32_t size = kt_bits_in(KT_CBC0_REPORT_SEMAPHORE_EXECUTE__STRUCTURE_SIZE, value);

	if (kt_bits_in(KT_CBC0_REPORT_SEMAPHORE_EXECUTE__OPERATION, value) !=
		    KT_CBC0_REPORT_SEMAPHORE_EXECUTE__OPERATION__RELEASE ||
	    kt_bits_in(KT_CBC0_REPORT_SEMAPHORE_EXECUTE__REDUCTION_ENABLE, value) ||
	    kt_bits_in(KT_CBC0_REPORT_SEMAPHORE_EXECUTE__TRAP_TYPE, value) || size > 2) {
		return KT_GPU_ILLEGAL;
	}
	return kt_gpu_release(
		channel->space, address, payload,
		form_of(size, kt_bits_in(KT_CBC0_REPORT_SEMAPHORE_EXECUTE__PAYLOAD_SIZE64,
					 value)),
		KT_GPU_ILLEGAL);
}

/*
 * --- inline data in the command stream ---
 *
 * After LAUNCH_DMA, which starts the transfer, the dwords of LOAD_INLINE_DATA follow. They
 * contain the bytes of all lines without gaps (the model's own choice; drivers use one
 * line). The last dword may hold up to three surplus bytes; a surplus dword is an error,
 * and so is another compute method before the last dword.
 */

#define FIELD(name, value) kt_bits_in(KT_CBC0_LAUNCH_DMA__##name, value)

static enum kt_gpu_result complete(struct kt_gpu_channel *channel)
{
	uint32_t launch = get(channel, KT_CBC0_LAUNCH_DMA);

	channel->upload.active = false;
	if (FIELD(COMPLETION_TYPE, launch) !=
	    KT_CBC0_LAUNCH_DMA__COMPLETION_TYPE__RELEASE_SEMAPHORE) {
		return KT_GPU_DONE;
	}
	return kt_gpu_release(
		channel->space,
		kt_gpu_address_register(channel, KT_GPU_COMPUTE,
					KT_CBC0_SET_I2M_SEMAPHORE_A),
		get(channel, KT_CBC0_SET_I2M_SEMAPHORE_C),
		FIELD(SEMAPHORE_STRUCT_SIZE, launch) ==
				KT_CBC0_LAUNCH_DMA__SEMAPHORE_STRUCT_SIZE__ONE_WORD
			? KT_GPU_ONE_WORD
			: KT_GPU_FOUR_WORDS,
		KT_GPU_ILLEGAL);
}

static uint64_t bytes_to_come(const struct kt_gpu_channel *channel)
{
	uint64_t length = get(channel, KT_CBC0_LINE_LENGTH_IN);
	uint64_t lines = get(channel, KT_CBC0_LINE_COUNT);

	return (lines - channel->upload.line) * length - channel->upload.at;
}

static enum kt_gpu_result launch_inline(struct kt_gpu_channel *channel, uint32_t value)
{
	if (FIELD(DST_MEMORY_LAYOUT, value) !=
		    KT_CBC0_LAUNCH_DMA__DST_MEMORY_LAYOUT__PITCH ||
	    FIELD(REDUCTION_ENABLE, value) || FIELD(COMPLETION_TYPE, value) == 3) {
		return KT_GPU_ILLEGAL;
	}
	memset(&channel->upload, 0, sizeof(channel->upload));
	channel->upload.active = bytes_to_come(channel) > 0;
	return channel->upload.active ? KT_GPU_DONE : complete(channel);
}

enum kt_gpu_result kt_gpu_inline_data(struct kt_gpu_channel *channel, const uint32_t *words,
				      size_t n)
{
	struct kt_gpu_inline *upload = &channel->upload;
	uint64_t to =
		kt_gpu_address_register(channel, KT_GPU_COMPUTE, KT_CBC0_OFFSET_OUT_UPPER);
	uint64_t length = get(channel, KT_CBC0_LINE_LENGTH_IN);
	const uint8_t *data = (const uint8_t *)words;
	uint64_t left = upload->active ? bytes_to_come(channel) : 0;
	uint64_t bytes = (uint64_t)n * 4;

	if (n > left / 4 + (left % 4 != 0)) {
		return KT_GPU_ILLEGAL;
	}
	bytes = bytes < left ? bytes : left;
	left -= bytes;
	while (bytes) {
		uint64_t part = length - upload->at < bytes ? length - upload->at : bytes;
		uint64_t line = upload->line * get(channel, KT_CBC0_PITCH_OUT);

		if (!kt_gpu_write(channel->space, to + line + upload->at, data, part,
				  NULL)) {
			return KT_GPU_FAULT;
		}
		data += part;
		bytes -= part;
		upload->at += part;
		if (upload->at == length) {
			upload->at = 0;
			upload->line++;
		}
	}
	return left ? KT_GPU_DONE : complete(channel);
}

/* --- dispatch --- */

enum kt_gpu_result kt_gpu_compute_method(struct kt_gpu_channel *channel, uint16_t offset,
					 uint32_t value)
{
	switch (offset) {
	case KT_CBC0_LAUNCH_DMA: return launch_inline(channel, value);
	case KT_CBC0_SEND_SIGNALING_PCAS2_B:
		switch (kt_bits_in(KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION, value)) {
		case KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION__NOP:
		case KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION__INVALIDATE:
		case KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION__PREFETCH:
			return KT_GPU_DONE;
		case KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION__SCHEDULE:
		case KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION__INVALIDATE_COPY_SCHEDULE:
		case KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION__PREFETCH_SCHEDULE:
		case KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION__INVALIDATE_PREFETCH_COPY_SCHEDULE:
		case KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION__INVALIDATE_PREFETCH_COPY_FORCE_REQUIRE_SCHEDULING:
			return launch(channel, true);
		case KT_CBC0_SEND_SIGNALING_PCAS2_B__PCAS_ACTION__DECREMENT_DEPENDENCE:
			return launch(channel, false);
		default: return KT_GPU_ILLEGAL;
		}
	case KT_CBC0_SEND_SIGNALING_PCAS_B:
		return kt_bits_in(KT_CBC0_SEND_SIGNALING_PCAS_B__SCHEDULE, value)
			       ? launch(channel, true)
			       : KT_GPU_DONE;
	case KT_CBC0_SET_REPORT_SEMAPHORE_D: return report_d(channel, value);
	case KT_CBC0_REPORT_SEMAPHORE_EXECUTE: return report_execute(channel, value);
	case KT_CBC0_SET_RENDER_ENABLE_C:
	case KT_CBC0_SET_GLOBAL_RENDER_ENABLE_C:
		/* Only mode TRUE is accepted: conditional rendering is not modelled. */
		return kt_bits_in(KT_CBC0_SET_RENDER_ENABLE_C__MODE, value) ==
				       KT_CBC0_SET_RENDER_ENABLE_C__MODE__TRUE
			       ? KT_GPU_DONE
			       : KT_GPU_ILLEGAL;
	case KT_CBC0_SET_RENDER_ENABLE_OVERRIDE:
		return value <= 1 ? KT_GPU_DONE : KT_GPU_ILLEGAL; /* 2 is "never render" */
	default: return KT_GPU_ILLEGAL;
	}
}

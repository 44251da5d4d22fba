/* SPDX-License-Identifier: MIT */
/*
 * Decodes the semaphore methods of the host and of compute and 3D classes, in their older
 * and newer forms.
 */
#include "decode/command-state.h"

#include "decode/bits.h"
#include "decode/method-names.h"

/*
 * Fields and operations of SEMAPHORED, missing in decode/method-names.h. Source: clc36f.h.
 */
#define SEMAPHORED_OPERATION         4, 0
#define SEMAPHORED_RELEASE_SIZE      24, 24
#define SEMAPHORED_OPERATION_ACQUIRE 1
#define SEMAPHORED_OPERATION_RELEASE 2
#define SEMAPHORED_OPERATION_ACQ_GEQ 4
#define SEMAPHORED_OPERATION_ACQ_AND 8
#define SEMAPHORED_OPERATION_REDUCE  16

/* Further operations of SEM_EXECUTE, in classes before 0xc86f. */
#define SEM_ACQ_STRICT_GEQ 2
#define SEM_ACQ_AND        4
#define SEM_ACQ_NOR        5
#define SEM_REDUCTION      6

/* Fields of REPORT_SEMAPHORE_EXECUTE of 3D classes. Source: clc797.h. */
#define STRUCTURE_SIZE_3D 14, 13
#define PAYLOAD_SIZE64_3D 27, 27

static void fill(const struct kt_engine *engine, unsigned group, bool wide,
		 struct kt_command *out)
{
	const uint32_t *semaphore = engine->registers + group;

	out->class_number = engine->number;
	out->address = kt_command_join(semaphore[0], semaphore[1]);
	out->payload = wide ? kt_command_join(semaphore[3], semaphore[2]) : semaphore[2];
	out->releases = out->kind == KT_COMMAND_RELEASE;
	out->semaphore_bytes = out->timestamp ? 16 : wide ? 8 : 4;
}

static void semaphored(const struct kt_engine *engine, uint32_t value,
		       struct kt_command *out)
{
	switch (kt_bits_in(SEMAPHORED_OPERATION, value)) {
	case SEMAPHORED_OPERATION_RELEASE:
		out->timestamp = !kt_bits_in(SEMAPHORED_RELEASE_SIZE, value);
		out->kind = KT_COMMAND_RELEASE;
		break;
	case SEMAPHORED_OPERATION_REDUCE: out->kind = KT_COMMAND_RELEASE; break;
	case SEMAPHORED_OPERATION_ACQUIRE:
	case SEMAPHORED_OPERATION_ACQ_GEQ:
	case SEMAPHORED_OPERATION_ACQ_AND: out->kind = KT_COMMAND_ACQUIRE; break;
	default: return;
	}
	fill(engine, KT_REG_REPORT_UPPER, false, out);
}

static void sem_execute(const struct kt_engine *engine, uint32_t value,
			struct kt_command *out)
{
	switch (kt_bits_in(KT_C86F_SEM_EXECUTE__OPERATION, value)) {
	case KT_C86F_SEM_EXECUTE__OPERATION__RELEASE:
		out->timestamp = kt_bits_in(KT_C86F_SEM_EXECUTE__RELEASE_TIMESTAMP, value);
		out->kind = KT_COMMAND_RELEASE;
		break;
	case SEM_REDUCTION: out->kind = KT_COMMAND_RELEASE; break;
	case KT_C86F_SEM_EXECUTE__OPERATION__ACQUIRE:
	case KT_C86F_SEM_EXECUTE__OPERATION__ACQ_CIRC_GEQ:
	case SEM_ACQ_STRICT_GEQ:
	case SEM_ACQ_AND:
	case SEM_ACQ_NOR: out->kind = KT_COMMAND_ACQUIRE; break;
	default: return;
	}
	fill(engine, KT_REG_EXECUTE_UPPER,
	     kt_bits_in(KT_C86F_SEM_EXECUTE__PAYLOAD_SIZE, value), out);
}

static void report(const struct kt_engine *engine, uint32_t value, struct kt_command *out)
{
	if (kt_bits_in(KT_CBC0_SET_REPORT_SEMAPHORE_D__OPERATION, value) !=
	    KT_CBC0_SET_REPORT_SEMAPHORE_D__OPERATION__RELEASE) {
		return;
	}
	out->kind = KT_COMMAND_RELEASE;
	out->timestamp =
		kt_bits_in(KT_CBC0_SET_REPORT_SEMAPHORE_D__STRUCTURE_SIZE, value) ==
		KT_CBC0_SET_REPORT_SEMAPHORE_D__STRUCTURE_SIZE__FOUR_WORDS;
	fill(engine, KT_REG_REPORT_UPPER, false, out);
}

/*
 * `size` is the field STRUCTURE_SIZE of the value, `wide` is its field PAYLOAD_SIZE64.
 * Compute and 3D classes have these two fields at different bits, but the operation at the
 * same bits.
 */
static void report_execute(const struct kt_engine *engine, uint32_t value, uint32_t size,
			   bool wide, struct kt_command *out)
{
	switch (kt_bits_in(KT_CBC0_REPORT_SEMAPHORE_EXECUTE__OPERATION, value)) {
	case KT_CBC0_REPORT_SEMAPHORE_EXECUTE__OPERATION__RELEASE:
		out->timestamp =
			size ==
			KT_CBC0_REPORT_SEMAPHORE_EXECUTE__STRUCTURE_SIZE__SEMAPHORE_FOUR_WORDS;
		out->kind = KT_COMMAND_RELEASE;
		break;
	case KT_CBC0_REPORT_SEMAPHORE_EXECUTE__OPERATION__ACQUIRE:
		out->kind = KT_COMMAND_ACQUIRE;
		break;
	default: return;
	}
	fill(engine, KT_REG_EXECUTE_UPPER, wide, out);
	if (out->releases && out->semaphore_bytes == 4 &&
	    size != KT_CBC0_REPORT_SEMAPHORE_EXECUTE__STRUCTURE_SIZE__SEMAPHORE_ONE_WORD) {
		out->semaphore_bytes = 8;
	}
}

void kt_command_semaphore(const struct kt_engine *engine, unsigned code, uint32_t value,
			  struct kt_command *out)
{
	switch (code) {
	case KT_DO_SEMAPHORED: semaphored(engine, value, out); break;
	case KT_DO_SEM_EXECUTE: sem_execute(engine, value, out); break;
	case KT_DO_REPORT: report(engine, value, out); break;
	case KT_DO_REPORT_EXECUTE_3D:
		report_execute(engine, value, kt_bits_in(STRUCTURE_SIZE_3D, value),
			       kt_bits_in(PAYLOAD_SIZE64_3D, value), out);
		break;
	default:
		report_execute(
			engine, value,
			kt_bits_in(KT_CBC0_REPORT_SEMAPHORE_EXECUTE__STRUCTURE_SIZE, value),
			kt_bits_in(KT_CBC0_REPORT_SEMAPHORE_EXECUTE__PAYLOAD_SIZE64, value),
			out);
		break;
	}
}

/* SPDX-License-Identifier: MIT */
/* Checks semaphores of the host and of engines. */
#include <string.h>

#include "decode/method-names.h"
#include "raw/check/checker.h"

/* The methods that make up a semaphore, for the one that releases it. */
static const struct {
	const char *name;
	bool copies;           /* of a copy engine */
	uint16_t registers[4]; /* the last one only for payloads of 64 bits */
} semaphores[] = {
	{"LAUNCH_DMA",
	 true,
	 {KT_C8B5_SET_SEMAPHORE_A, KT_C8B5_SET_SEMAPHORE_B, KT_C8B5_SET_SEMAPHORE_PAYLOAD,
	  KT_C8B5_SET_SEMAPHORE_PAYLOAD_UPPER}},
	{"LAUNCH_DMA",
	 false,
	 {KT_CBC0_SET_I2M_SEMAPHORE_A, KT_CBC0_SET_I2M_SEMAPHORE_B,
	  KT_CBC0_SET_I2M_SEMAPHORE_C}},
	{"SEMAPHORED", false, {KT_C86F_SEMAPHOREA, KT_C86F_SEMAPHOREB, KT_C86F_SEMAPHOREC}},
	{"SEM_EXECUTE",
	 false,
	 {KT_C86F_SEM_ADDR_HI, KT_C86F_SEM_ADDR_LO, KT_C86F_SEM_PAYLOAD_LO,
	  KT_C86F_SEM_PAYLOAD_HI}},
	{"SET_REPORT_SEMAPHORE_D",
	 false,
	 {KT_CBC0_SET_REPORT_SEMAPHORE_A, KT_CBC0_SET_REPORT_SEMAPHORE_B,
	  KT_CBC0_SET_REPORT_SEMAPHORE_C}},
	{"REPORT_SEMAPHORE_EXECUTE",
	 false,
	 {KT_CBC0_SET_REPORT_SEMAPHORE_ADDRESS_UPPER,
	  KT_CBC0_SET_REPORT_SEMAPHORE_ADDRESS_LOWER,
	  KT_CBC0_SET_REPORT_SEMAPHORE_PAYLOAD_LOWER,
	  KT_CBC0_SET_REPORT_SEMAPHORE_PAYLOAD_UPPER}},
};

void kt_raw_check_semaphore(struct kt_raw_checker *c, size_t line,
			    const struct kt_decoded *d)
{
	const struct kt_command *command = &d->command;
	const bool copies = (d->class_number & 0xff) == 0xb5;
	/* Inline data release a semaphore after their last dword. */
	const char *name = d->inline_data ? "LAUNCH_DMA" : d->info.name;
	uint64_t address = command->address;

	for (size_t i = 0; i < sizeof(semaphores) / sizeof(semaphores[0]); i++) {
		const uint16_t *registers = semaphores[i].registers;

		if (strcmp(name, semaphores[i].name) == 0 &&
		    semaphores[i].copies == copies) {
			kt_raw_check_written(
				c, line, d, registers,
				command->semaphore_bytes == 8 && registers[3] ? 4 : 3);
			/* The decoder leaves out bits that the class does not have. */
			address = (uint64_t)kt_raw_register(c, d, registers[0]) << 32 |
				  kt_raw_register(c, d, registers[1]);
		}
	}
	kt_raw_check_range(c, line, "the semaphore", address, command->semaphore_bytes);
	if (command->releases) {
		kt_channel_decoder_forget(c->decoder, address, command->semaphore_bytes);
	}
}

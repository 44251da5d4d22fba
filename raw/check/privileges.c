/* SPDX-License-Identifier: MIT */
/*
 * NVIDIA's headers do not say which methods are privileged. Methods are therefore allowed
 * lists: of the host, semaphores, waits and barriers, as libcuda uses them in recorded
 * traces, and what only waits; of engines, what the other checks follow. Other methods
 * name memory (macros, traps, conditions, pools of textures) or emit methods themselves.
 * MEM_OP also invalidates TLBs and clears counters, which only the kernel's channels may do
 * (uvm_hopper_host.c of open-gpu-kernel-modules).
 */
#include "raw/check/privileges.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HOST_END 0x100 /* methods below this byte offset are the host's */

static const char *const host_methods[] = {
	"SET_OBJECT",  "NOP",         "SEMAPHOREA",    "SEMAPHOREB",     "SEMAPHOREC",
	"SEMAPHORED",  "SEM_ADDR_LO", "SEM_ADDR_HI",   "SEM_PAYLOAD_LO", "SEM_PAYLOAD_HI",
	"SEM_EXECUTE", "WFI",         "SET_REFERENCE", "YIELD",          "FB_FLUSH",
	"MEM_OP_A",    "MEM_OP_B",    "MEM_OP_C",
};

/* Operations of MEM_OP_D (before Pascal, MEM_OP_B): beginnings of their names. */
static const char *const memory_operations[] = {"MEMBAR", "SYSMEMBAR", "L2_", "SOFT_FLUSH"};

/* Methods of engines; NAME* stands for all names that begin with NAME. */
static const char *const copy_methods[] = {
	"NOP",
	"SET_SEMAPHORE_A",
	"SET_SEMAPHORE_B",
	"SET_SEMAPHORE_PAYLOAD",
	"SET_SEMAPHORE_PAYLOAD_UPPER",
	"LAUNCH_DMA",
	"OFFSET_IN_UPPER",
	"OFFSET_IN_LOWER",
	"OFFSET_OUT_UPPER",
	"OFFSET_OUT_LOWER",
	"PITCH_IN",
	"PITCH_OUT",
	"LINE_LENGTH_IN",
	"LINE_COUNT",
	"SET_REMAP_*",
};
static const char *const compute_methods[] = {
	"NO_OPERATION",
	"WAIT_FOR_IDLE",
	"LINE_LENGTH_IN",
	"LINE_COUNT",
	"OFFSET_OUT_UPPER",
	"OFFSET_OUT",
	"PITCH_OUT",
	"LAUNCH_DMA",
	"LOAD_INLINE_DATA",
	"SET_I2M_SEMAPHORE_*",
	"SEND_PCAS_A",
	"SEND_PCAS_B",
	"SEND_SIGNALING_PCAS_B",
	"SEND_SIGNALING_PCAS2_B",
	"SET_INLINE_QMD_ADDRESS_*",
	"LOAD_INLINE_QMD_DATA",
	"SET_REPORT_SEMAPHORE_*",
	"REPORT_SEMAPHORE_EXECUTE",
	"INVALIDATE_*",
};

/* By low byte of the class; `first` is the first class whose commands are decoded. */
static const struct {
	uint8_t family;
	uint32_t first;
	const char *const *names;
	size_t n;
} engines[] = {
	{0xb5, 0xa0b5, copy_methods, COUNT(copy_methods)},
	{0xc0, 0xa0c0, compute_methods, COUNT(compute_methods)},
	{0x40, 0xa040, compute_methods, COUNT(compute_methods)},
};

/*
 * Methods that act on each write, the bits whose meaning is known, and an action that does
 * nothing. If there is no command, the action is not one that is checked.
 */
static const struct {
	const char *name;
	uint32_t known;
	bool has_nop; /* 0 does nothing */
} actions[] = {
	{"SEMAPHORED", UINT32_MAX, false},
	{"SEM_EXECUTE", UINT32_MAX, false},
	{"SET_REPORT_SEMAPHORE_D", UINT32_MAX, false},
	{"REPORT_SEMAPHORE_EXECUTE", UINT32_MAX, false},
	{"SEND_PCAS_B", 0, false},
	{"SEND_SIGNALING_PCAS_B", 3, false},
	{"SEND_SIGNALING_PCAS2_B", 0xf, true},
};

/* A value of a field that makes a method address memory without the address space. */
static const struct {
	const char *field;
	const char *value;
} physical[] = {
	{"SRC_TYPE", "PHYSICAL"},
	{"DST_TYPE", "PHYSICAL"},
	{"VPRMODE", "VPR_VID2VID"},
	{"MEMORY_SCRUB_ENABLE", "TRUE"},
};

/* Returns the name of the value of a method's field; NULL if it has none. */
static const char *value_of(const struct kt_decoded *d, const char *field)
{
	struct kt_method_field f;

	for (size_t i = 0; d->named && kt_method_field(d->class_, &d->info, i, &f); i++) {
		if (strcmp(f.name, field) == 0) {
			const uint64_t mask = (UINT64_C(2) << (f.hi - f.lo)) - 1;

			return kt_method_value_name(
				d->class_, &f, (uint32_t)(d->method.value >> f.lo & mask));
		}
	}
	return NULL;
}

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const size_t length = strlen(names[i]);

		if (names[i][length - 1] == '*' ? strncmp(name, names[i], length - 1) == 0
						: strcmp(name, names[i]) == 0) {
			return true;
		}
	}
	return false;
}

static const char *refused_host(const struct kt_decoded *d)
{
	const char *operation = value_of(d, "OPERATION");

	if (is_one_of(d->info.name, host_methods, COUNT(host_methods))) {
		return NULL;
	}
	if (strncmp(d->info.name, "MEM_OP_", 7) != 0 || !operation) {
		return "is not among the host methods that a program needs";
	}
	for (size_t i = 0; i < COUNT(memory_operations); i++) {
		if (strncmp(operation, memory_operations[i],
			    strlen(memory_operations[i])) == 0) {
			return NULL;
		}
	}
	return "does a memory operation that needs a privilege";
}

static bool allows_engine(const struct kt_decoded *d)
{
	for (size_t i = 0; i < COUNT(engines); i++) {
		if (engines[i].family == (d->class_number & 0xff) &&
		    engines[i].first <= d->class_number) {
			return is_one_of(d->info.name, engines[i].names, engines[i].n);
		}
	}
	return false;
}

static const char *refused_value(const struct kt_decoded *d)
{
	for (size_t i = 0; i < COUNT(physical); i++) {
		const char *value = value_of(d, physical[i].field);

		if (value && strcmp(value, physical[i].value) == 0) {
			return "reaches memory beside the address space";
		}
	}
	for (size_t i = 0; i < COUNT(actions); i++) {
		if (strcmp(d->info.name, actions[i].name) == 0 &&
		    (d->method.value & ~actions[i].known ||
		     (d->command.kind == KT_COMMAND_NONE &&
		      !(actions[i].has_nop && d->method.value == 0)))) {
			return "does something that is not checked";
		}
	}
	return NULL;
}

const char *kt_raw_refused(const struct kt_decoded *d)
{
	const char *refused = NULL;

	if (!d->class_) {
		return "is for a class that is unknown";
	}
	if (!d->named) {
		return "has no public name";
	}
	if (d->method.offset < HOST_END) {
		refused = refused_host(d);
	} else if (!allows_engine(d)) {
		return "is not among the methods of engines that are checked";
	}
	return refused ? refused : refused_value(d);
}

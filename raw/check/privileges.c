/* SPDX-License-Identifier: MIT */
/*
 * NVIDIA's headers do not say which methods are privileged. Host methods are therefore an
 * allowed list: semaphores, waits and barriers, as libcuda uses them in recorded traces,
 * and what only waits. MEM_OP also invalidates TLBs and clears counters, which only the
 * kernel's channels may do (uvm_hopper_host.c of open-gpu-kernel-modules).
 */
#include "raw/check/privileges.h"

#include <string.h>

#define HOST_END 0x100 /* methods below this byte offset are the host's */

static const char *const host_methods[] = {
	"SET_OBJECT",  "NOP",         "SEMAPHOREA",    "SEMAPHOREB",     "SEMAPHOREC",
	"SEMAPHORED",  "SEM_ADDR_LO", "SEM_ADDR_HI",   "SEM_PAYLOAD_LO", "SEM_PAYLOAD_HI",
	"SEM_EXECUTE", "WFI",         "SET_REFERENCE", "YIELD",          "FB_FLUSH",
	"MEM_OP_A",    "MEM_OP_B",    "MEM_OP_C",
};

/* Operations of MEM_OP_D (before Pascal, MEM_OP_B): beginnings of their names. */
static const char *const memory_operations[] = {"MEMBAR", "SYSMEMBAR", "L2_", "SOFT_FLUSH"};

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

const char *kt_raw_value_of(const struct kt_decoded *d, const char *field)
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
		if (strcmp(name, names[i]) == 0) {
			return true;
		}
	}
	return false;
}

static const char *refused_host(const struct kt_decoded *d)
{
	const char *operation = kt_raw_value_of(d, "OPERATION");

	if (is_one_of(d->info.name, host_methods,
		      sizeof(host_methods) / sizeof(host_methods[0]))) {
		return NULL;
	}
	if (strncmp(d->info.name, "MEM_OP_", 7) != 0 || !operation) {
		return "is not among the host methods that a program needs";
	}
	for (size_t i = 0; i < sizeof(memory_operations) / sizeof(memory_operations[0]);
	     i++) {
		if (strncmp(operation, memory_operations[i],
			    strlen(memory_operations[i])) == 0) {
			return NULL;
		}
	}
	return "does a memory operation that needs a privilege";
}

const char *kt_raw_refused(const struct kt_decoded *d)
{
	if (!d->class_) {
		return "is for a class that is unknown";
	}
	if (!d->named) {
		return "has no public name";
	}
	if (d->method.offset < HOST_END) {
		return refused_host(d);
	}
	if (strstr(d->info.name, "FALCON")) {
		return "asks the engine's firmware, which can reach registers";
	}
	if (strstr(d->info.name, "PHYS_MODE")) {
		return "sets physical addresses";
	}
	for (size_t i = 0; i < sizeof(physical) / sizeof(physical[0]); i++) {
		const char *value = kt_raw_value_of(d, physical[i].field);

		if (value && strcmp(value, physical[i].value) == 0) {
			return "reaches memory beside the address space";
		}
	}
	return NULL;
}

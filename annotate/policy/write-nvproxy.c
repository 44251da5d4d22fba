/* SPDX-License-Identifier: MIT */
/*
 * Needs in the form of the lists that gVisor's nvproxy keeps for each driver version
 * (pkg/sentry/devices/nvproxy/version.go): keys of nvproxy's maps, with the evidence as a
 * comment. The user must add the handlers, as they depend on the layout of the
 * parameters.
 */
#include <inttypes.h>

#include <ktail/status.h>

#include "annotate/policy/needs.h"

/*
 * Programs ask for the class NV01_ROOT, but the kernel module replaces it by
 * NV01_ROOT_CLIENT in the parameters, so traces have NV01_ROOT_CLIENT (seen with release
 * 580 on an H100).
 */
#define ROOT_CLIENT 0x41

static const struct {
	enum kt_need_kind kind;
	const char *map;
} maps[] = {
	{KT_NEED_REQUEST, "frontendIoctl"},
	{KT_NEED_UVM, "uvmIoctl"},
	{KT_NEED_CONTROL, "controlCmd"},
	{KT_NEED_CLASS, "allocationClass"},
};

static void write_key(FILE *out, const struct kt_need *need, uint64_t calls)
{
	const char *name = kt_need_name(need);

	if (name[0]) {
		fprintf(out, "nvgpu.%s, // 0x%" PRIx32 ", ", name, need->number);
	} else {
		fprintf(out, "0x%" PRIx32 ", // no public name, ", need->number);
	}
	fprintf(out, "%" PRIu64 " %s", calls, calls == 1 ? "call" : "calls");
	if (need->call[0]) {
		fprintf(out, ", first in %s", need->call);
	}
	if (need->only[0]) {
		fprintf(out, ", %s", need->only);
	}
	putc('\n', out);
}

int kt_needs_write_nvproxy(FILE *out, const void *context)
{
	const struct kt_needs *needs = context;

	for (size_t m = 0; m < sizeof(maps) / sizeof(maps[0]); m++) {
		fprintf(out, "%s// %s\n", m ? "\n" : "", maps[m].map);
		for (size_t i = 0; i < needs->n; i++) {
			const struct kt_need *need = &needs->items[i];
			uint64_t calls = need->calls;

			if (need->kind != maps[m].kind) {
				continue;
			}
			/*
			 * Join needs that differ only in the device file or the size of
			 * the arguments, as the keys of the maps have neither.
			 */
			while (i + 1 < needs->n && needs->items[i + 1].kind == need->kind &&
			       needs->items[i + 1].number == need->number) {
				calls += needs->items[++i].calls;
			}
			write_key(out, need, calls);
			if (need->kind == KT_NEED_CLASS && need->number == ROOT_CLIENT) {
				fputs("nvgpu.NV01_ROOT, // 0x0, as which programs ask for "
				      "NV01_ROOT_CLIENT\n",
				      out);
			}
		}
	}
	fputs("\n// device files\n", out);
	for (size_t i = 0; i < needs->n; i++) {
		if (needs->items[i].kind == KT_NEED_FILE) {
			fprintf(out, "// /dev/%s\n", needs->items[i].device);
		}
	}
	return ferror(out) ? kt_error_errno(KT_E_IO, "write policy") : KT_OK;
}

/* SPDX-License-Identifier: MIT */
#include "raw/text/script.h"

#include <inttypes.h>
#include <stdlib.h>

#include <ktail/status.h>

void kt_raw_script_free(struct kt_raw_script *script)
{
	for (size_t i = 0; i < script->n_buffers; i++) {
		free(script->buffers[i].name);
	}
	free(script->buffers);
	free(script->steps);
	free(script->entries);
	free(script->words);
	free(script->origins);
	free(script->moves);
	free(script->fixups);
	*script = (struct kt_raw_script){0};
}

int kt_raw_script_resolve(struct kt_raw_script *script, const uint64_t *addresses)
{
	for (size_t i = 0; i < script->n_fixups; i++) {
		const struct kt_raw_fixup *f = &script->fixups[i];
		const uint64_t address = addresses[f->buffer] + f->addend;

		if (address & ~f->taken) {
			return kt_error(KT_E_MALFORMED,
					"%s:%" PRIu32 ":%" PRIu32 ": 0x%" PRIx64
					" of $%s has bits that this dword does not take: "
					"0x%" PRIx64
					"; choose another place, or name the part to take",
					script->file, script->origins[f->word].line,
					f->column, address, script->buffers[f->buffer].name,
					address & ~f->taken);
		}
		script->words[f->word] |= ((uint32_t)(address >> f->shift) & f->mask)
					  << f->left;
	}
	return KT_OK;
}

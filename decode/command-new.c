/* SPDX-License-Identifier: MIT */
/* Contains the only allocation of the decoder. */
#include <stdlib.h>

#include "base/status.h"
#include "decode/command-state.h"

int kt_channel_decoder_new(struct kt_channel_decoder **out, uint32_t channel_class)
{
	struct kt_channel_decoder *decoder = calloc(1, sizeof(*decoder));

	*out = decoder;
	if (!decoder) {
		return KT_E_MEMORY;
	}
	kt_command_bind(&decoder->host, channel_class, true);
	return KT_OK;
}

void kt_channel_decoder_free(struct kt_channel_decoder *decoder)
{
	free(decoder);
}

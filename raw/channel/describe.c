/* SPDX-License-Identifier: MIT */
/* Says what was learnt from libcuda's requests, to find out why no channel can be used. */
#include <inttypes.h>

#include "decode/classes.h"
#include "decode/gpfifo.h"
#include "raw/channel/observe.h"
#include "raw/channel/raw.h"

static const char *name_of(uint32_t number)
{
	const struct kt_class *class_ = kt_class_find(number);

	return class_ ? class_->name : "?";
}

static void describe_channel(FILE *out, const struct kt_observed_channel *c)
{
	const volatile uint32_t *put =
		kt_observed_memory(c->client, c->userd_memory,
				   c->userd_offset + KT_USERD_GP_PUT, sizeof(uint32_t));
	const struct kt_observed_mapping *ring =
		kt_observed_mapping(c->ring, (size_t)c->entries * KT_GPFIFO_ENTRY_BYTES);

	fprintf(out, "channel 0x%" PRIx32 " %s", c->object, name_of(c->class_number));
	for (size_t i = 0; i < c->n_engines; i++) {
		fprintf(out, " %s", name_of(c->engines[i]));
	}
	fprintf(out, "  ring 0x%" PRIx64 ", %" PRIu32 " entries%s", c->ring, c->entries,
		ring ? "" : ", not mapped");
	if (put) {
		fprintf(out, "  GP_PUT %" PRIu32, *put);
	} else {
		fputs("  USERD not mapped", out);
	}
	if (c->has_token) {
		fprintf(out, "  token 0x%" PRIx32, c->token);
	} else {
		fputs("  no token", out);
	}
	if (!kt_observed_memory(c->client, c->error_memory, 0, 16)) {
		fputs("  error notifier not mapped", out);
	}
	putc('\n', out);
}

void kt_raw_describe(FILE *out)
{
	const struct kt_observed *o = kt_observed();

	for (size_t i = 0; i < o->n_channels; i++) {
		describe_channel(out, &o->channels[i]);
	}
	for (size_t i = 0; i < o->n_mappings; i++) {
		const struct kt_observed_mapping *m = &o->mappings[i];

		fprintf(out,
			"mapping 0x%" PRIxPTR ", %zu bytes%s  object 0x%" PRIx32 " %s\n",
			m->start, m->length, m->writable ? "" : ", read-only", m->object,
			name_of(m->class_number));
	}
}

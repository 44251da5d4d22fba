/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "decode/classes.h"
#include "decode/method-names.h"
#include "decode/method-stream.h"
#include "raw/channel/interpose.h"
#include "raw/channel/state.h"

#define WARM_BYTES (256u << 10) /* a copy that neither is inline nor fits one piece */
#define TIMEOUT_MS 10000u

/* Lets libcuda submit copies, so that its memory and its own channels are known. */
static int warm_up(struct kt_raw *raw)
{
	uint64_t address;
	char *data = calloc(1, WARM_BYTES);
	int code;

	if (!data) {
		return kt_no_memory("open channel");
	}
	KT_TRY_END(kt_raw_cuda_check(&raw->cuda, raw->cuda.cuMemAlloc(&address, WARM_BYTES),
				     "allocate device memory"));
	code = kt_raw_cuda_check(&raw->cuda,
				 raw->cuda.cuMemcpyHtoD(address, data, WARM_BYTES),
				 "write device memory");
	if (!code) {
		code = kt_raw_cuda_check(&raw->cuda,
					 raw->cuda.cuMemcpyDtoH(data, address, WARM_BYTES),
					 "read device memory");
	}
	if (!code) {
		code = kt_raw_cuda_check(&raw->cuda, raw->cuda.cuCtxSynchronize(),
					 "wait for the device");
	}
	raw->cuda.cuMemFree(address);
end:
	free(data);
	return code;
}

/* Binds the channel's objects to the subchannels that are customary. */
static int bind_engines(struct kt_raw *raw)
{
	uint32_t words[2 * KT_OBSERVED_ENGINES];
	struct kt_raw_segment segment = {.words = words};

	for (size_t i = 0; i < raw->channel.n_engines; i++) {
		const bool copy =
			kt_class_find(raw->channel.engines[i])->kind == KT_CLASS_DMA_COPY;
		const struct kt_method_header header = {.op = KT_METHOD_INCREASING,
							.count = 1,
							.subchannel = copy ? 4 : 1,
							.offset = KT_C86F_SET_OBJECT};

		words[segment.n++] = kt_method_header_encode(&header);
		words[segment.n++] = raw->channel.engines[i];
	}
	KT_TRY(kt_raw_submit(raw, &segment, 1));
	return kt_raw_wait(raw, NULL, NULL);
}

int kt_raw_open(kt_raw **out, const struct kt_raw_options *options)
{
	struct kt_raw *raw = calloc(1, sizeof(*raw));
	void *context;
	int code;

	*out = NULL;
	if (!raw) {
		return kt_no_memory("open channel");
	}
	raw->timeout_ms = options->timeout_ms ? options->timeout_ms : TIMEOUT_MS;
	kt_raw_interpose();
	KT_TRY_END(kt_raw_cuda_load(&raw->cuda,
				    options->library ? options->library : "libcuda.so.1"));
	KT_TRY_END(kt_raw_cuda_check(&raw->cuda, raw->cuda.cuInit(0), "cuInit"));
	KT_TRY_END(kt_raw_cuda_check(&raw->cuda,
				     raw->cuda.cuDeviceGet(&raw->device, options->device),
				     "cuDeviceGet"));
	KT_TRY_END(kt_raw_cuda_check(
		&raw->cuda, raw->cuda.cuDevicePrimaryCtxRetain(&context, raw->device),
		"create a context"));
	raw->retained = true;
	KT_TRY_END(kt_raw_cuda_check(&raw->cuda, raw->cuda.cuCtxSetCurrent(context),
				     "cuCtxSetCurrent"));
	raw->current = true;
	KT_TRY_END(warm_up(raw));
	KT_TRY_END(kt_raw_find_channel(raw));
	KT_TRY_END(kt_raw_find_space(raw));
	KT_TRY_END(bind_engines(raw));
	*out = raw;
	return KT_OK;
end:
	raw->reported = true; /* the message stays that of the first error */
	kt_raw_close(raw);
	return code;
}

/* Gives the channel back, unless it is lost, and zeroes what was written. */
static int give_back(struct kt_raw *raw)
{
	if (raw->submissions == 0 || raw->reported) {
		return KT_OK;
	}
	KT_TRY(kt_raw_wait(raw, NULL, NULL));
	KT_TRY(kt_raw_settle(raw));
	KT_TRY(kt_raw_check_commands(raw));
	KT_TRY(kt_raw_go_round(raw));
	memset((void *)raw->commands.start, 0, raw->touched);
	memset((void *)raw->low.start, 0, raw->low_used);
	return KT_OK;
}

static void free_memory(struct kt_raw *raw)
{
	for (size_t i = 0; i < raw->n_allocations; i++) {
		const struct kt_raw_allocation *a = &raw->allocations[i];

		if (a->kind == KT_RAW_MEMORY_DEVICE) {
			raw->cuda.cuMemFree(a->address);
		} else if (a->kind == KT_RAW_MEMORY_HOST) {
			raw->cuda.cuMemFreeHost((void *)(uintptr_t)a->address);
		}
	}
}

int kt_raw_close(kt_raw *raw)
{
	int code = KT_OK;

	if (!raw) {
		return KT_OK;
	}
	if (!raw->stuck || kt_raw_is_done(raw)) {
		code = give_back(raw);
	}
	if (raw->current) {
		raw->cuda.cuCtxSetCurrent(NULL);
	}
	/*
	 * The GPU may yet write to the memory of a submission that is not done, and libcuda
	 * would wait for it without a limit.
	 */
	if (kt_raw_is_done(raw) || kt_raw_is_dead(raw)) {
		free_memory(raw);
		if (raw->retained) {
			raw->cuda.cuDevicePrimaryCtxRelease(raw->device);
		}
	}
	/* The library stays loaded: its threads may still run. */
	free(raw->written);
	free(raw->allocations);
	free(raw);
	return code;
}

struct kt_raw_info kt_raw_info(const kt_raw *raw)
{
	return (struct kt_raw_info){
		.client = raw->channel.client,
		.channel = raw->channel.object,
		.channel_class = raw->channel.class_number,
		.token = raw->channel.token,
		.engines = raw->channel.engines,
		.n_engines = raw->channel.n_engines,
		.ring = raw->channel.ring,
		.ring_entries = raw->channel.entries,
		.gp_put = raw->put,
		.segment_words = kt_raw_most_words(raw),
		.segments = kt_raw_most_segments(raw),
	};
}

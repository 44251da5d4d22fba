/* SPDX-License-Identifier: MIT */
/*
 * The transfer registers. The window shows GPU memory of the transfer space from
 * `window_base` on: a request copies that memory into the window's pages. Bytes that differ
 * from this copy were stored by the user-mode driver; the device writes them to memory
 * before it answers a new request, serves mailboxes or runs a channel. Other changes of the
 * memory appear in the window only after the next request. Unmapped pages show zeros, and
 * stores into them are lost.
 */
#include "corpus/softgpu/device/engine.h"

#include <string.h>

static uint8_t *window_of(const struct kt_gpu *gpu)
{
	uint64_t bytes = KT_ABI_WINDOW_BYTES;

	return kt_gpu_at(gpu, KT_GPU_TRANSFER_AT, &bytes);
}

static struct kt_abi_transfer_registers *registers_of(const struct kt_gpu *gpu)
{
	return kt_gpu_in_page(gpu, KT_GPU_TRANSFER_AT + KT_ABI_WINDOW_BYTES,
			      sizeof(struct kt_abi_transfer_registers));
}

void kt_gpu_window_flush(struct kt_gpu *gpu)
{
	uint8_t *snapshot = (uint8_t *)gpu->bounce[0];

	_Static_assert(sizeof(gpu->bounce[0]) == KT_ABI_PAGE, "room for a page");
	if (!gpu->window.shown || !gpu->transfer_space) {
		return;
	}
	for (uint32_t page = 0; page < KT_ABI_WINDOW_BYTES; page += KT_ABI_PAGE) {
		const uint8_t *now = window_of(gpu) + page;
		uint8_t *shown = gpu->window.copy + page;

		if (memcmp(now, shown, KT_ABI_PAGE) == 0) {
			continue;
		}
		memcpy(snapshot, now, KT_ABI_PAGE);
		for (uint32_t i = 0; i < KT_ABI_PAGE; i++) {
			uint32_t begin = i; /* start of consecutive stored bytes */

			while (i < KT_ABI_PAGE && snapshot[i] != shown[i]) {
				i++;
			}
			if (i > begin) {
				(void)kt_gpu_write(gpu->transfer_space,
						   gpu->window.base + page + begin,
						   snapshot + begin, i - begin, NULL);
			}
		}
		memcpy(shown, snapshot, KT_ABI_PAGE);
	}
}

bool kt_gpu_transfer_serve(struct kt_gpu *gpu)
{
	struct kt_abi_transfer_registers *registers = registers_of(gpu);
	uint32_t request = __atomic_load_n(&registers->window_request, __ATOMIC_ACQUIRE);
	uint8_t *copy = gpu->window.copy;
	uint8_t chunk[KT_ABI_CHUNK_BYTES];
	bool worked = request != gpu->window.done;

	if (worked) {
		uint64_t base;

		kt_gpu_window_flush(gpu);
		base = __atomic_load_n(&registers->window_base, __ATOMIC_RELAXED);
		/* Fills page by page, so that one missing page does not hide the others. */
		for (uint32_t at = 0; at < KT_ABI_WINDOW_BYTES;) {
			uint32_t n = KT_ABI_PAGE - (uint32_t)((base + at) % KT_ABI_PAGE);

			n = n < KT_ABI_WINDOW_BYTES - at ? n : KT_ABI_WINDOW_BYTES - at;
			if (!gpu->transfer_space ||
			    !kt_gpu_read(gpu->transfer_space, base + at, copy + at, n,
					 NULL)) {
				memset(copy + at, 0, n);
			}
			at += n;
		}
		memcpy(window_of(gpu), copy, KT_ABI_WINDOW_BYTES);
		gpu->window.base = base;
		gpu->window.shown = true;
		gpu->window.done = request;
		__atomic_store_n(&registers->window_done, request, __ATOMIC_RELEASE);
	}
	for (unsigned i = 0; i < KT_ABI_MAILBOXES; i++) {
		uint64_t from;
		uint64_t to;
		uint32_t bytes;
		uint32_t error = 0;

		request =
			__atomic_load_n(&registers->mailboxes[i].request, __ATOMIC_ACQUIRE);
		if (request == gpu->window.mailboxes_done[i]) {
			continue;
		}
		worked = true;
		kt_gpu_window_flush(gpu);
		from = __atomic_load_n(&registers->mailboxes[i].from, __ATOMIC_RELAXED);
		to = __atomic_load_n(&registers->mailboxes[i].to, __ATOMIC_RELAXED);
		bytes = __atomic_load_n(&registers->mailboxes[i].bytes, __ATOMIC_RELAXED);
		if (bytes > sizeof(chunk)) {
			error = KT_ABI_XID_GR_EXCEPTION;
		} else if (!gpu->transfer_space ||
			   !kt_gpu_read(gpu->transfer_space, from, chunk, bytes, NULL) ||
			   !kt_gpu_write(gpu->transfer_space, to, chunk, bytes, NULL)) {
			error = KT_ABI_XID_MMU_FAULT;
		}
		gpu->window.mailboxes_done[i] = request;
		__atomic_store_n(&registers->mailboxes[i].error, error, __ATOMIC_RELAXED);
		__atomic_store_n(&registers->mailboxes[i].done, request, __ATOMIC_RELEASE);
	}
	return worked;
}

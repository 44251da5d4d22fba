/* SPDX-License-Identifier: MIT */
/*
 * Mailboxes: each moves up to KT_ABI_CHUNK_BYTES between GPU addresses when its request
 * number is raised, as a microcontroller of the GPU would. Memory of the host that has no
 * GPU address, not being locked, goes through the staging memory.
 */
#include "base/try.h"
#include "corpus/softgpu/driver/host.h"
#include "corpus/softgpu/driver/work/transfer.h"

/* A stretch of memory that both ends have GPU addresses for. */
struct stretch {
	uint64_t to;
	uint64_t from;
	size_t bytes;
};

static uint32_t requests[KT_ABI_MAILBOXES]; /* under the lock of the registers */

static int move_stretch(volatile uint8_t *page, struct stretch left, unsigned mailboxes)
{
	volatile struct kt_abi_transfer_registers *r =
		(volatile struct kt_abi_transfer_registers *)(page + KT_ABI_WINDOW_BYTES);
	bool failed = false;

	while (left.bytes > 0 && !failed) {
		unsigned n = 0;

		for (; n < mailboxes && left.bytes > 0; n++) {
			KT_LABEL(SUBMIT_COPY);
			uint32_t bytes = left.bytes < KT_ABI_CHUNK_BYTES
						 ? (uint32_t)left.bytes
						 : KT_ABI_CHUNK_BYTES;

			r->mailboxes[n].from = left.from;
			r->mailboxes[n].to = left.to;
			r->mailboxes[n].bytes = bytes;
			__atomic_store_n(&r->mailboxes[n].request, ++requests[n],
					 __ATOMIC_RELEASE);
			left.from += bytes;
			left.to += bytes;
			left.bytes -= bytes;
		}
		for (unsigned i = 0; i < n; i++) {
			KT_LABEL(POLL);

			kt_transfer_poll(&r->mailboxes[i].done, requests[i]);
			failed = r->mailboxes[i].error != 0 || failed;
		}
	}
	return failed ? KT_CU_ILLEGAL_ADDRESS : KT_CU_OK;
}

static int move_staged(const struct kt_move *move, volatile uint8_t *page,
		       unsigned mailboxes)
{
	uint8_t *cpu = NULL;
	uint64_t gpu = 0;
	int code = kt_transfer_staging(move->context, &cpu, &gpu);

	for (size_t done = 0; done < move->bytes && !code; done += KT_STAGING_BYTES) {
		size_t now = move->bytes - done;
		uint64_t device = move->device + done;

		now = now < KT_STAGING_BYTES ? now : KT_STAGING_BYTES;
		if (move->from) {
			kt_staging_write(cpu, move->from + done, now);
			code = move_stretch(page, (struct stretch){device, gpu, now},
					    mailboxes);
		} else {
			code = move_stretch(page, (struct stretch){gpu, device, now},
					    mailboxes);
			if (!code) {
				kt_staging_read(move->to + done, cpu, now);
			}
		}
	}
	return code;
}

int kt_move_chunks(const struct kt_move *move, unsigned mailboxes)
{
	const void *host = move->from ? move->from : move->to;
	struct stretch locked = {
		.to = move->from ? move->device : (uintptr_t)host,
		.from = move->from ? (uintptr_t)host : move->device,
		.bytes = move->bytes,
	};
	volatile uint8_t *page = NULL;
	int code;

	KT_TRY(kt_transfer_lock(&page));
	if (kt_host_holds(host, move->bytes)) {
		code = move_stretch(page, locked, mailboxes);
	} else {
		pthread_mutex_lock(&move->context->lock);
		code = move_staged(move, page, mailboxes);
		pthread_mutex_unlock(&move->context->lock);
	}
	kt_transfer_unlock();
	return code;
}

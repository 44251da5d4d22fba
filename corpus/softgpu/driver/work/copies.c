/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/driver/work/copies.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "base/try.h"
#include "corpus/softgpu/driver/rm.h"
#include "decode/bits.h"
#include "decode/method-names.h"

/* --- commands --- */

void kt_push_inline(struct kt_push *push, uint64_t to, const void *data, size_t bytes)
{
	size_t whole = bytes / 4;
	size_t rest = bytes % 4;
	/*
	 * NVIDIA's driver 580 writes the same value to LAUNCH_DMA. The same is true in
	 * kt_push_copy().
	 */
	uint32_t launch = kt_bits(KT_CBC0_LAUNCH_DMA__DST_MEMORY_LAYOUT,
				  KT_CBC0_LAUNCH_DMA__DST_MEMORY_LAYOUT__PITCH) |
			  kt_bits(KT_CBC0_LAUNCH_DMA__SYSMEMBAR_DISABLE,
				  KT_CBC0_LAUNCH_DMA__SYSMEMBAR_DISABLE__TRUE);

	kt_push_methods(push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_OFFSET_OUT_UPPER, 2);
	kt_push_word(push, (uint32_t)(to >> 32));
	kt_push_word(push, (uint32_t)to);
	kt_push_methods(push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_LINE_LENGTH_IN, 2);
	kt_push_word(push, (uint32_t)bytes);
	kt_push_word(push, 1); /* number of lines */
	kt_push_method(push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_LAUNCH_DMA, launch);
	kt_push_data(push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_LOAD_INLINE_DATA,
		     (unsigned)(whole + (rest != 0)));
	kt_push_words(push, data, whole);
	if (rest) {
		uint32_t word = 0;

		memcpy(&word, (const char *)data + whole * 4, rest);
		kt_push_word(push, word);
	}
}

void kt_push_copy(struct kt_push *push, uint64_t to, uint64_t from, uint64_t bytes)
{
	const uint32_t most = 1u << 31; /* LINE_LENGTH_IN has 32 bits */
	const uint32_t launch =
		kt_bits(KT_C8B5_LAUNCH_DMA__DATA_TRANSFER_TYPE,
			KT_C8B5_LAUNCH_DMA__DATA_TRANSFER_TYPE__NON_PIPELINED) |
		kt_bits(KT_C8B5_LAUNCH_DMA__SRC_MEMORY_LAYOUT,
			KT_C8B5_LAUNCH_DMA__SRC_MEMORY_LAYOUT__PITCH) |
		kt_bits(KT_C8B5_LAUNCH_DMA__DST_MEMORY_LAYOUT,
			KT_C8B5_LAUNCH_DMA__DST_MEMORY_LAYOUT__PITCH);

	while (bytes > 0) {
		uint32_t now = bytes < most ? (uint32_t)bytes : most;

		kt_push_methods(push, KT_SUBCHANNEL_COPY, KT_C8B5_OFFSET_IN_UPPER, 4);
		kt_push_word(push, (uint32_t)(from >> 32));
		kt_push_word(push, (uint32_t)from);
		kt_push_word(push, (uint32_t)(to >> 32));
		kt_push_word(push, (uint32_t)to);
		kt_push_methods(push, KT_SUBCHANNEL_COPY, KT_C8B5_LINE_LENGTH_IN, 1);
		kt_push_word(push, now);
		kt_push_method(push, KT_SUBCHANNEL_COPY, KT_C8B5_LAUNCH_DMA, launch);
		to += now;
		from += now;
		bytes -= now;
	}
}

/*
 * The data transfer methods compared by "Data Transfer Matters for GPU Computing" (Fujii
 * et al., 2013); KTAIL_SOFTGPU_TRANSFER selects one. With DMA, the copy engine moves the
 * data in stream order. With every other method, the calling thread waits until all work
 * of the context is done, and then carries out the transfer. Each method supports any size
 * and offset.
 */

/*
 * One of `from` and `to` points to host memory, the other is NULL. kt_copy_check() has
 * accepted the range of device memory.
 */
struct move {
	struct kt_context *context; /* Weak */
	uint64_t device;            /* GPU address */
	const uint8_t *from;        /* Weak. NULL unless the move is to the device */
	uint8_t *to;                /* Weak. NULL unless the move is from the device */
	size_t bytes;               /* > 0 */
};

/* --- the context's staging memory; the caller holds kt_context.lock --- */

static int find_staging(struct kt_context *context, uint8_t **cpu, uint64_t *gpu)
{
	if (!context->staging.bytes) {
		KT_TRY(kt_memory_create(&context->staging, KT_MEMORY_SYSTEM,
					KT_STAGING_BYTES));
	}
	*cpu = (uint8_t *)(uintptr_t)context->staging.cpu;
	*gpu = context->staging.address;
	return KT_CU_OK;
}

static void write_staging(uint8_t *cpu, const struct move *move, size_t done, size_t bytes)
{
	KT_LABELLED(WRITE_STAGING, memcpy(cpu, move->from + done, bytes));
}

static void read_staging(const struct move *move, size_t done, const uint8_t *cpu,
			 size_t bytes)
{
	KT_LABELLED(READ_STAGING, memcpy(move->to + done, cpu, bytes));
}

/* --- transfer by copy engine --- */

static int submit_and_wait(const struct kt_target *target, struct kt_push *push, bool wait)
{
	int code = kt_target_submit(target, push, NULL);

	kt_push_free(push);
	return !code && wait ? kt_target_wait(target) : code;
}

static int copy_directly(const struct kt_target *target, uint64_t to, uint64_t from,
			 size_t bytes, bool wait)
{
	KT_SUBMITTING(COPY);
	struct kt_push push = {0};

	kt_push_copy(&push, to, from, bytes);
	return submit_and_wait(target, &push, wait);
}

static int wait_piece(struct kt_channel *channel, uint64_t value)
{
	return kt_wait(channel, &channel->progress, value);
}

/*
 * The caller holds the context's lock, so no other thread uses the staging memory. No
 * earlier copy to or from the staging memory is pending.
 */
static int copy_staged(struct kt_channel *channel, const struct move *move)
{
	uint8_t *cpu = NULL;
	uint64_t gpu = 0;
	uint64_t value = 0; /* the channel's progress when the last piece is done */

	KT_TRY(find_staging(channel->context, &cpu, &gpu));
	for (size_t done = 0; done < move->bytes; done += KT_STAGING_BYTES) {
		KT_SUBMITTING(COPY);
		size_t left = move->bytes - done;
		size_t now = left < KT_STAGING_BYTES ? left : KT_STAGING_BYTES;
		uint64_t device = move->device + done;
		struct kt_push push = {0};
		int code;

		/*
		 * The first piece waits for all earlier work of the channel. A later piece
		 * waits until the previous piece no longer needs the staging memory.
		 */
		KT_TRY(done ? wait_piece(channel, value) : kt_wait_channel(channel));
		if (move->from) {
			write_staging(cpu, move, done, now);
		}
		kt_push_copy(&push, move->from ? device : gpu, move->from ? gpu : device,
			     now);
		code = kt_submit(channel, &push, &value);
		kt_push_free(&push);
		KT_TRY(code);
		if (move->to) {
			KT_TRY(wait_piece(channel, value));
			read_staging(move, done, cpu, now);
		}
	}
	return move->from ? wait_piece(channel, value) : KT_CU_OK;
}

/* --- transfer by the calling thread --- */

/* Copies from host memory to a mapping of device memory, or back. */
static void move_bytes(const struct move *move, uint8_t *cpu, size_t done, size_t bytes)
{
	if (move->from) {
		KT_LABELLED(WRITE_MEMORY, memcpy(cpu, move->from + done, bytes));
	} else {
		KT_LABELLED(READ_MEMORY, memcpy(move->to + done, cpu, bytes));
	}
}

/*
 * Maps the pages of the memory object that hold the bytes, through the aperture; reads or
 * writes the bytes; unmaps the pages.
 */
static int move_mapped(const struct move *move)
{
	struct kt_driver *driver = kt_driver_get();
	struct kt_rm_mapping mapping = {
		.aperture = true,
		.protection = PROT_READ | PROT_WRITE,
	};
	struct kt_memory object;
	uint64_t piece;
	uint64_t piece_bytes;
	uint64_t offset;
	uint64_t skip;

	if (!kt_heap_find(move->context->heap, move->device, &object, &piece,
			  &piece_bytes)) {
		return KT_CU_INVALID_VALUE;
	}
	offset = move->device - object.address;
	skip = offset % KT_ABI_PAGE;
	mapping.memory = object.handle;
	mapping.offset = offset - skip;
	mapping.bytes =
		(skip + move->bytes + KT_ABI_PAGE - 1) & ~(uint64_t)(KT_ABI_PAGE - 1);
	KT_TRY(KT_LABELLED(MAP_MEMORY, kt_rm_map(driver, &mapping)));
	move_bytes(move, (uint8_t *)(uintptr_t)mapping.cpu + skip, 0, move->bytes);
	KT_LABELLED(UNMAP_MEMORY, kt_rm_unmap(driver, &mapping));
	return KT_CU_OK;
}

static pthread_mutex_t page_lock = PTHREAD_MUTEX_INITIALIZER;
/* NULL: not mapped yet. page_lock protects this and the two variables below. */
static volatile uint8_t *registers;
static uint32_t window_requests;
static uint32_t requests[KT_ABI_MAILBOXES];

static int lock_page(volatile uint8_t **page)
{
	pthread_mutex_lock(&page_lock);
	if (!registers) {
		KT_LABEL(MAP_MEMORY);
		struct kt_driver *driver = kt_driver_get();
		struct kt_rm_mapping mapping = {
			.memory = driver->subdevice,
			.aperture = true,
			.protection = PROT_READ | PROT_WRITE,
			.offset = KT_ABI_TRANSFER_OFFSET,
			.bytes = KT_ABI_TRANSFER_BYTES,
		};
		int code = kt_rm_map(driver, &mapping);

		if (code) {
			pthread_mutex_unlock(&page_lock);
			return code;
		}
		registers = mapping.cpu;
	}
	*page = registers;
	return KT_CU_OK;
}

static void unlock_page(void)
{
	pthread_mutex_unlock(&page_lock);
}

/* Polls without a limit, because the device answers within microseconds. */
static void poll_register(const volatile uint32_t *reg, uint32_t value)
{
	KT_LABEL(POLL);

	while (__atomic_load_n(reg, __ATOMIC_ACQUIRE) != value) {
		sched_yield();
	}
}

/*
 * The window: KT_ABI_WINDOW_BYTES of the register page show a part of the GPU's address
 * space that is aligned to the size of the window. To move the window, the driver writes
 * the new base, increments the request number, and polls until the device's done number
 * equals the request number.
 */
static int move_window(const struct move *move)
{
	volatile struct kt_abi_transfer_registers *r;
	volatile uint8_t *page = NULL;
	uint64_t address = move->device;
	uint64_t end = address + move->bytes;

	KT_TRY(lock_page(&page));
	r = (volatile struct kt_abi_transfer_registers *)(page + KT_ABI_WINDOW_BYTES);
	for (size_t done = 0; address < end;) {
		uint64_t inside = address % KT_ABI_WINDOW_BYTES;
		uint8_t *window = (uint8_t *)(uintptr_t)page + inside;
		size_t now = KT_ABI_WINDOW_BYTES - inside;

		now = now < end - address ? now : end - address;
		{
			KT_LABEL(MAP_MEMORY);

			r->window_base = address - inside;
			__atomic_store_n(&r->window_request, ++window_requests,
					 __ATOMIC_RELEASE);
			poll_register(&r->window_done, window_requests);
		}
		move_bytes(move, window, done, now);
		address += now;
		done += now;
	}
	unlock_page();
	return KT_CU_OK;
}

/*
 * Mailboxes: a mailbox moves up to KT_ABI_CHUNK_BYTES between GPU addresses when its
 * request number is incremented, as a microcontroller of the GPU would. Pageable host
 * memory has no GPU address, so its data is moved through the staging memory.
 */

/* A part of a copy, with the GPU addresses of its source and destination. */
struct stretch {
	uint64_t to;
	uint64_t from;
	size_t bytes;
};

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

			poll_register(&r->mailboxes[i].done, requests[i]);
			failed = r->mailboxes[i].error != 0 || failed;
		}
	}
	return failed ? KT_CU_ILLEGAL_ADDRESS : KT_CU_OK;
}

static int move_staged(const struct move *move, volatile uint8_t *page, unsigned mailboxes)
{
	uint8_t *cpu = NULL;
	uint64_t gpu = 0;
	int code = find_staging(move->context, &cpu, &gpu);

	for (size_t done = 0; done < move->bytes && !code; done += KT_STAGING_BYTES) {
		size_t left = move->bytes - done;
		size_t now = left < KT_STAGING_BYTES ? left : KT_STAGING_BYTES;
		uint64_t device = move->device + done;
		struct stretch stretch = {gpu, device, now};

		if (move->from) {
			stretch = (struct stretch){device, gpu, now};
			write_staging(cpu, move, done, now);
		}
		code = move_stretch(page, stretch, mailboxes);
		if (!code && move->to) {
			read_staging(move, done, cpu, now);
		}
	}
	return code;
}

static int move_chunks(const struct move *move, unsigned mailboxes)
{
	const void *host = move->from ? move->from : move->to;
	struct stretch locked = {
		.to = move->from ? move->device : (uintptr_t)host,
		.from = move->from ? (uintptr_t)host : move->device,
		.bytes = move->bytes,
	};
	volatile uint8_t *page = NULL;
	int code;

	KT_TRY(lock_page(&page));
	if (kt_host_holds(host, move->bytes)) {
		code = move_stretch(page, locked, mailboxes);
	} else {
		pthread_mutex_lock(&move->context->lock);
		code = move_staged(move, page, mailboxes);
		pthread_mutex_unlock(&move->context->lock);
	}
	unlock_page();
	return code;
}

/* --- transfer by any method --- */

static int transfer(const struct kt_target *target, const struct move *move, bool wait)
{
	const void *host = move->from ? move->from : move->to;
	enum kt_transfer method = kt_driver_get()->transfer;
	int code;

	if (method == KT_TRANSFER_DMA && kt_host_holds(host, move->bytes)) {
		return move->from ? copy_directly(target, move->device, (uintptr_t)host,
						  move->bytes, wait)
				  : copy_directly(target, (uintptr_t)host, move->device,
						  move->bytes, wait);
	}
	if (method == KT_TRANSFER_DMA) {
		pthread_mutex_lock(&move->context->lock);
		code = copy_staged(target->channel, move);
		pthread_mutex_unlock(&move->context->lock);
		return code;
	}
	KT_TRY(kt_wait_all(move->context));
	switch (method) {
	case KT_TRANSFER_MAPPED: return move_mapped(move);
	case KT_TRANSFER_WINDOW: return move_window(move);
	case KT_TRANSFER_CHUNK1: return move_chunks(move, 1);
	case KT_TRANSFER_CHUNK4: return move_chunks(move, KT_ABI_MAILBOXES);
	default: return KT_CU_NOT_SUPPORTED;
	}
}

/* --- copies --- */

int kt_copy_check(struct kt_context *context, uint64_t address, uint64_t bytes)
{
	struct kt_memory object;
	uint64_t piece = 0;
	uint64_t piece_bytes = 0;

	if (!kt_heap_find(context->heap, address, &object, &piece, &piece_bytes) ||
	    bytes > piece_bytes - (address - piece)) {
		return KT_CU_INVALID_VALUE;
	}
	return KT_CU_OK;
}

int kt_copy_to_device(const struct kt_target *target, uint64_t to, const void *from,
		      size_t bytes, bool wait)
{
	KT_SUBMITTING(INLINE);
	struct kt_push push = {0};

	KT_TRY(kt_copy_check(target->context, to, bytes));
	/*
	 * Inline data is read now. This is correct for pageable memory; page-locked
	 * memory must be read in stream order, because pending work may write it.
	 */
	if (kt_driver_get()->transfer != KT_TRANSFER_DMA || bytes > KT_INLINE_BYTES ||
	    (kt_host_holds(from, bytes) && !kt_wait_is_idle(target->channel))) {
		return transfer(target,
				&(struct move){.context = target->context,
					       .device = to,
					       .from = from,
					       .bytes = bytes},
				wait);
	}
	kt_push_inline(&push, to, from, bytes);
	return submit_and_wait(target, &push, wait);
}

int kt_copy_from_device(const struct kt_target *target, void *to, uint64_t from,
			size_t bytes, bool wait)
{
	KT_TRY(kt_copy_check(target->context, from, bytes));
	return transfer(target,
			&(struct move){.context = target->context,
				       .device = from,
				       .to = to,
				       .bytes = bytes},
			wait);
}

int kt_copy_on_device(const struct kt_target *target, uint64_t to, uint64_t from,
		      size_t bytes, bool wait)
{
	KT_TRY(kt_copy_check(target->context, to, bytes));
	KT_TRY(kt_copy_check(target->context, from, bytes));
	return copy_directly(target, to, from, bytes, wait);
}

/*
 * Fills a first piece by inline data, then repeatedly appends a copy of the filled part,
 * which doubles the filled part each time.
 */
int kt_copy_fill(const struct kt_target *target, uint64_t to, uint32_t value,
		 unsigned element, size_t n)
{
	KT_SUBMITTING(FILL);
	uint32_t pattern[1024];
	uint64_t bytes = (uint64_t)n * element;
	uint64_t done = bytes < sizeof(pattern) ? bytes : sizeof(pattern);
	struct kt_push push = {0};

	if (n > UINT64_MAX / element) {
		return KT_CU_INVALID_VALUE;
	}
	KT_TRY(kt_copy_check(target->context, to, bytes));
	if (element == 1) {
		value = (value & 0xff) * 0x01010101u;
	}
	for (size_t i = 0; i < sizeof(pattern) / sizeof(pattern[0]); i++) {
		pattern[i] = value;
	}
	kt_push_inline(&push, to, pattern, done);
	while (done < bytes) {
		uint64_t now = bytes - done < done ? bytes - done : done;

		kt_push_copy(&push, to + done, to, now);
		done += now;
	}
	return submit_and_wait(target, &push, true);
}

int kt_copy_upload(struct kt_context *context, uint64_t to, const void *from, size_t bytes)
{
	KT_SUBMITTING(INLINE);
	struct kt_target target = kt_target_default(context);
	int code = KT_CU_OK;
	int waited;

	for (size_t done = 0; done < bytes && !code; done += KT_INLINE_BYTES) {
		size_t now = bytes - done;
		struct kt_push push = {0};

		kt_push_inline(&push, to + done, (const char *)from + done,
			       now < KT_INLINE_BYTES ? now : KT_INLINE_BYTES);
		code = submit_and_wait(&target, &push, false);
	}
	waited = kt_target_wait(&target); /* pending work must end even after a failure */
	return code ? code : waited;
}

/* SPDX-License-Identifier: MIT */
/*
 * The ways to move user data that "Data Transfer Matters for GPU Computing" (Fujii et al.,
 * 2013) compares; KTAIL_SOFTGPU_TRANSFER chooses one. By DMA the copy engine moves it, in
 * order with the stream. The others are moved by the calling thread, with every work of the
 * context done before. Each gives right data for any size and offset.
 */
#ifndef KTAIL_SOFTGPU_TRANSFER_H
#define KTAIL_SOFTGPU_TRANSFER_H

#include "corpus/softgpu/driver/work/stream.h"

/* Both ends are known to be right; bytes > 0. */
int kt_transfer_to_device(const struct kt_target *target, uint64_t to, const void *from,
			  size_t bytes, bool wait);
int kt_transfer_from_device(const struct kt_target *target, void *to, uint64_t from,
			    size_t bytes, bool wait);

/* A move by the thread itself: exactly one of `from` and `to` is memory of the host. */
struct kt_move {
	struct kt_context *context; /* Weak */
	uint64_t device;            /* GPU address */
	const uint8_t *from;        /* Weak. Of a move to the device, else NULL */
	uint8_t *to;                /* Weak. Of a move from the device, else NULL */
	size_t bytes;
};
/* Bytes of the host into what shows device memory, or back. */
void kt_move_bytes(const struct kt_move *move, uint8_t *cpu, size_t done, size_t bytes);
/* transfer-mapped.c: load and store through the device-memory aperture. */
int kt_move_mapped(const struct kt_move *move);
/* transfer-window.c: through the window, one stretch of KT_ABI_WINDOW_BYTES after another.
 */
int kt_move_window(const struct kt_move *move);
/* transfer-chunk.c: KT_ABI_CHUNK_BYTES at a time, in that many mailboxes at once. */
int kt_move_chunks(const struct kt_move *move, unsigned mailboxes);

/* The page of registers for the last two, mapped once in a process; and who may use it. */
int kt_transfer_lock(volatile uint8_t **page);
void kt_transfer_unlock(void);
/* Looks at the register until it has the value: the device answers within microseconds. */
void kt_transfer_poll(const volatile uint32_t *reg, uint32_t value);

/* The context's staging memory, whose lock (kt_context.lock) the caller holds. */
int kt_transfer_staging(struct kt_context *context, uint8_t **cpu, uint64_t *gpu);
void kt_staging_write(uint8_t *cpu, const uint8_t *from, size_t bytes);
void kt_staging_read(uint8_t *to, const uint8_t *cpu, size_t bytes);

#endif

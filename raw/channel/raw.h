/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * libktail-raw: submits commands of the caller's own to the GPU, in an idle channel of
 * libcuda's in the own process. Linux on x86-64, channels of Volta or later.
 *
 * The library defines ioctl(), mmap(), mmap64() and munmap() of the program, which must
 * therefore contain it (it is a static library), and passes the calls on. From what libcuda
 * asks of the kernel driver it learns the channel's ring, GP_PUT, token and doorbell, and
 * where commands can lie: ring entries hold addresses below 2^40, so commands are written
 * to unused pages of libcuda's own mapping of commands.
 *
 *   kt_raw *raw;
 *   uint32_t nop[] = {0};
 *   struct kt_raw_segment segment = {.words = nop, .n = 1};
 *
 *   if (kt_raw_open(&raw, &(struct kt_raw_options){0}) ||
 *       kt_raw_submit(raw, &segment, 1) ||
 *       kt_raw_wait(raw, NULL, NULL) ||
 *       kt_raw_settle(raw)) {
 *           fprintf(stderr, "%s\n", kt_error_message());
 *   }
 *   kt_raw_close(raw);
 *
 * Functions return 0 or a negative code of <ktail/status.h> with a message. One kt_raw per
 * process, used by one thread at a time. Commands are not checked: a wrong one kills the
 * channel, or its whole context, and can write to all memory that the process has mapped on
 * the GPU, so also to libcuda's, and ask the host and the engines for what else they do for
 * a process without privileges.
 *
 * If libcuda uses the channel or the memory for commands after all, the next function that
 * submits, waits, copies by libcuda or closes returns KT_E_IO.
 */
/* clang-format on */
#ifndef KTAIL_RAW_H
#define KTAIL_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kt_raw kt_raw;

struct kt_raw_options {
	const char *library; /* NULL: libcuda.so.1 */
	int device;          /* ordinal, as cuDeviceGet takes it */
	unsigned timeout_ms; /* of kt_raw_wait; 0: 10 s */
};

/*
 * Loads the library, makes the device's primary context current and chooses a channel. The
 * program must not have used CUDA before: the context's channels must be seen when they are
 * created.
 * KT_E_IO if this fails, KT_E_MEMORY. *out is the caller's; NULL on failure.
 */
int kt_raw_open(kt_raw **out, const struct kt_raw_options *options);

/*
 * Waits, settles, gives the channel back, frees all memory, and leaves the thread without a
 * current context. To give the channel back, NOP entries move GP_PUT around the ring to
 * where libcuda expects it. KT_E_IO if the channel has died or libcuda has used it, unless
 * a function has said so before; KT_OK leaves the message as it was. *raw is freed in any
 * case; NULL is allowed.
 *
 * If a submission is not done after a wait that took too long, or after libcuda has used
 * the channel, the GPU may yet write to the memory, and libcuda might wait for ever: memory
 * and context are left as they are, for the end of the process.
 */
int kt_raw_close(kt_raw *raw);

/* The channel. `engines` is owned by the kt_raw. */
struct kt_raw_info {
	uint32_t client;
	uint32_t channel; /* handle */
	uint32_t channel_class;
	uint32_t token;          /* what is stored to the doorbell */
	const uint32_t *engines; /* classes of the engine objects below the channel */
	size_t n_engines;
	uint64_t ring; /* GPU address */
	uint32_t ring_entries;
	uint32_t gp_put;
	size_t segment_words; /* most dwords of all segments of one submission */
	size_t segments;      /* most segments of one submission */
};
struct kt_raw_info kt_raw_info(const kt_raw *raw);

/*
 * Prints the channels and mappings that libcuda has made since kt_raw_open() began, also
 * after it failed.
 */
void kt_raw_describe(FILE *out);

enum kt_raw_memory_kind {
	KT_RAW_MEMORY_DEVICE = 0, /* device memory */
	KT_RAW_MEMORY_HOST, /* page-locked host memory, at the same address on the CPU */
	KT_RAW_MEMORY_LOW,  /* system memory below 2^40, at the same address on the CPU */
};

/*
 * Allocates `bytes` of memory at a multiple of 256, filled with 0. *address is its GPU
 * address. KT_E_USAGE if `bytes` is 0 or too large a number; KT_E_MEMORY; KT_E_IO if there
 * is not enough. Of KT_RAW_MEMORY_LOW there is what libcuda leaves unused of its memory for
 * semaphores, at most 254 KiB.
 */
int kt_raw_allocate(kt_raw *raw, enum kt_raw_memory_kind kind, size_t bytes,
		    uint64_t *address);

/*
 * Copy to or from allocated memory by libcuda or by the CPU. Bytes that lie in no
 * allocation: KT_E_USAGE. KT_E_IO if libcuda fails, or used the channel for the copy.
 */
int kt_raw_write(kt_raw *raw, uint64_t address, const void *data, size_t bytes);
int kt_raw_read(kt_raw *raw, uint64_t address, void *data, size_t bytes);

/* Dwords of commands, or a control entry. */
struct kt_raw_segment {
	const uint32_t *words; /* Weak; needed only during the call */
	size_t n;              /* 0: `entry` is a control entry */
	/* the ring entry, of which address and length are replaced unless n is 0 */
	uint32_t entry[2];
};

/*
 * Submits the segments with one doorbell, between two semaphore releases with a timestamp
 * of the host. Waits first if there is no room. KT_E_USAGE if there are more segments or
 * dwords than kt_raw_info says; KT_E_IO if the channel is dead, or libcuda has used it.
 */
int kt_raw_submit(kt_raw *raw, const struct kt_raw_segment *segments, size_t n);

/*
 * Times of a submission, in nanoseconds of the GPU's timer. `begin` is when the host came
 * to the first segment; `end` is when all engines were idle after the last.
 */
struct kt_raw_times {
	uint64_t begin;
	uint64_t end;
};

#define KT_RAW_TIMES 64

/*
 * Waits until all submissions are done. times[0..*n) become those of the submissions since
 * the last wait, the oldest first; of more than KT_RAW_TIMES, the newest. Both may be NULL.
 * KT_E_IO with the channel's error if it died, or if the time is up; it can be called
 * again then. An error of the last submissions may be reported later: see kt_raw_settle().
 */
int kt_raw_wait(kt_raw *raw, struct kt_raw_times times[KT_RAW_TIMES], size_t *n);

/*
 * After a wait: watches for 100 ms whether the kernel driver reports an error of what was
 * submitted since the last call; it does so after the GPU may have gone on to what follows.
 * KT_E_IO with the channel's error. If nothing was submitted, looks once.
 */
int kt_raw_settle(kt_raw *raw);

#ifdef __cplusplus
}
#endif
#endif

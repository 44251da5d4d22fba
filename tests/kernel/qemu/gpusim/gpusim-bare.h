/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * /dev/gpusim: a device for the cases that has only doorbells and rings.
 *
 * mmap offsets: page i < BARE_PAGES is a doorbell page; all of them work alike. Page
 * BARE_PAGES + c is channel c's ring. From page BARE_LARGE on, the rings repeat without
 * end, and each page is mapped on its first access. The rings are empty when the first file
 * is opened.
 *
 * The value stored to a doorbell should be a channel's token. A store makes the device take
 * the entries of all rings up to `put`, because the device sees only the last of several
 * stores between two polls.
 *
 * The device can sleep, as a GPU does to save power. Its pages are then unmapped. An access
 * wakes the device; until it is awake, which takes a moment, its registers read as
 * BARE_ASLEEP.
 */
#ifndef GPUSIM_BARE_H
#define GPUSIM_BARE_H

#include <linux/types.h>
#ifdef __KERNEL__
#include <linux/ioctl.h>
#else
#include <stdint.h>
#include <sys/ioctl.h>
#endif

#define BARE_PAGES    8
#define BARE_CHANNELS 8
#define BARE_ENTRIES  256 /* entries of a ring; one is always free */
#define BARE_LARGE    4096

#define BARE_TIMER_LOW  0x80 /* in a doorbell page: the device's time in ns, two halves */
#define BARE_TIMER_HIGH 0x84
#define BARE_DOORBELL   0x90

#define BARE_ASLEEP 0xffffffffu

/*
 * A token: bits 0 to 2 are the channel, bit 3 is set, and the bits above are a number of
 * the program's choice.
 */
#define BARE_TOKEN(number, channel) ((__u32)(number) << 4 | 8u | (channel))

/* A channel's page. */
struct bare_ring {
	__u32 entries[BARE_ENTRIES];
	__u32 put;   /* index of the next entry that the program writes */
	__u32 get;   /* index of the next entry that the device takes */
	__u32 last;  /* last token that the device read for this channel */
	__u32 kicks; /* number of tokens read */
	__u64 taken; /* number of entries taken */
	__u64 sum;   /* sum of all entries taken */
};

struct bare_state {
	__u64 physical; /* physical address of the first doorbell page */
	__u64 kicks;    /* words read from all doorbells */
	__u64 strange;  /* the words among `kicks` that were not tokens */
	__u32 last;     /* last word that the device read */
	__u32 faults;   /* pages mapped by faults */
	__u64 asleep;   /* words stored while the device slept, and lost */
	__u64 wakes;
	/* Counts of the second module (gpusim_snapshot). */
	__u64 doorbells;
	__u64 unknown_doorbells; /* doorbells whose value is unknown */
	__u64 entries;           /* entries found in the rings at doorbells */
	__u64 sum;               /* sum of the entries found */
	__u64 last_doorbells;    /* doorbells in the last doorbell page */
};

struct bare_store {
	__u64 address; /* in the calling process */
	__u32 value;
	__s32 error; /* out: 0 or EFAULT */
};

struct bare_pin {
	__u64 address;
	__u64 pages;
	__s32 result; /* out: number of pinned pages, or a negative errno */
	__u32 how;    /* BARE_PIN_* */
};

/* The kernel's function that pins the pages. */
enum {
	BARE_PIN_FAST,
	BARE_PIN_UNLOCKED,
	BARE_PIN_REMOTE,
	BARE_PIN_WAYS,
};

struct bare_word {
	__u32 offset; /* in the first doorbell page */
	__u32 value;  /* out: value of the device's register */
};

struct bare_trap {
	__u64 ip;    /* instruction pointer at the exception */
	__u64 dr6;   /* cause that the CPU reports in DR6; 0: none */
	__u32 flags; /* bits to be set in the flags register */
	__u32 taken; /* out: 1 if handled; 0: the thread would get a SIGTRAP */
};

#define BARE_STATE  _IOR('G', 1, struct bare_state)
#define BARE_STORE  _IOWR('G', 2, struct bare_store) /* put_user() by the kernel */
#define BARE_REVOKE _IO('G', 3)                    /* unmaps all pages, as on power-down */
#define BARE_PIN    _IOWR('G', 4, struct bare_pin) /* pins and unpins pages */
#define BARE_SLEEP                                                                         \
	_IO('G', 6) /* BARE_REVOKE, then the device sleeps until a page is accessed */
#define BARE_WORD _IOWR('G', 7, struct bare_word)
#define BARE_TRAP _IOWR('G', 8, struct bare_trap) /* raises a debug exception */
#define BARE_WAIT _IO('G', 5) /* sleeps for `argument` ms; EINTR if a signal arrives */

#endif

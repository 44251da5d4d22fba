/* SPDX-License-Identifier: MIT */
/*
 * The fuzzer's calls to devices: opening files, and ioctls with arbitrary contents and
 * pointers.
 */
#ifndef FUZZ_REQUESTS_H
#define FUZZ_REQUESTS_H

#include "memory.h"
#include "tests/kernel/qemu/edu/edu-ioctl.h"

static const char *const devices[] = {"/dev/gpusim",    "/dev/gpusim",  "/dev/gpusim",
				      "/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm",
				      "/dev/edu",       "/dev/null"};

static void open_device(void)
{
	unsigned n = below(sizeof(devices) / sizeof(devices[0]));
	int file = open(devices[n], O_RDWR | (once_in(2) ? O_CLOEXEC : 0));
	unsigned at = below(FILES);

	if (file >= 0) {
		close(files[at]);
		files[at] = file;
	}
}

static void close_device(void)
{
	close(any_file());
}

static void duplicate(void)
{
	int from = any_file();
	int to = any_file();

	if (from < 0) {
		return;
	}
	if (to >= 0 && once_in(2)) {
		dup3(from, to, O_CLOEXEC);
	} else {
		close(to);
		files[below(FILES)] = fcntl(from, F_DUPFD_CLOEXEC, 3);
	}
}

/* --- requests of /dev/gpusim --- */

static void ask(void)
{
	struct bare_state state;
	struct bare_word word = {.offset = 4 * below(PAGE / 4)};

	if (once_in(2)) {
		ioctl(any_file(), BARE_STATE, any_pointer((char *)&state));
	} else {
		ioctl(any_file(), BARE_WORD, any_pointer((char *)&word));
	}
}

static void store_by_kernel(void)
{
	struct bare_store asked = {.address = (uintptr_t)any_word(), .value = 8};

	ioctl(any_file(), BARE_STORE, any_pointer((char *)&asked));
}

static void pin(void)
{
	struct range range = any_range();
	struct bare_pin asked = {
		.address = (uintptr_t)any_pointer(range.at),
		.pages = once_in(10) ? any() : range.length / PAGE,
		.how = below(BARE_PIN_WAYS),
	};

	ioctl(any_file(), BARE_PIN, any_pointer((char *)&asked));
}

/* Raises a debug exception as if after a store or at any address. */
static void trap(void)
{
	struct bare_trap asked = {
		.ip = once_in(2) ? (uintptr_t)any_pointer((char *)store_by + below(64))
				 : (uintptr_t)store_by + below(256),
		.dr6 = once_in(2) ? 0 : 1u << below(4),
	};

	ioctl(any_file(), BARE_TRAP, &asked);
}

static void lose_pages(void)
{
	ioctl(any_file(), once_in(2) ? BARE_REVOKE : BARE_SLEEP);
}

static void interrupt(void)
{
	int file = open("/dev/edu", O_RDWR | O_CLOEXEC);

	ioctl(file, EDU_INTERRUPT);
	close(file);
}

/* --- arbitrary requests --- */

/*
 * Returns a value of a kind that requests contain: a handle, a size, an address in the
 * arena, or a descriptor.
 */
static uint64_t any_word_of_request(void)
{
	switch (below(8)) {
	case 0: return (uintptr_t)any_pointer(any_range().at);
	case 1: return below(1u << 16);
	case 2: return any();
	case 3: return UINT32_MAX;
	case 4: return (uint64_t)files[below(FILES)];
	case 5: return 0xc1d00000u + below(16);
	default: return 0;
	}
}

static unsigned any_request(void)
{
	static const unsigned char letters[] = {'F', 'F', 'F', 'G', 'E', 0};
	/* Request numbers of the resource manager and of its device files. */
	static const unsigned char numbers[] = {0x2a, 0x2b, 0x27, 0x29, 0x34, 0x4e,
						0x4f, 0x57, 0x5e, 0xc8, 0xc9, 0xd2,
						0xce, 0xcf, 0x50, 0x52};
	unsigned number = once_in(4) ? below(256) : numbers[below(sizeof(numbers))];
	static const unsigned sizes[] = {0, 16, 32, 48, 56, 64, 72, 128, 512, 8, 12, 16383};

	return _IOC(below(4), letters[below(sizeof(letters))], number,
		    sizes[below(sizeof(sizes) / sizeof(sizes[0]))]);
}

/* Fills an argument. Its last bytes may be in an unmapped page. */
static char *fill_argument(uint64_t words[32])
{
	struct range range = any_range();
	char *volatile at = range.at + range.length - 8l * (1 + below(8));

	for (unsigned i = 0; i < 32; i++) {
		words[i] = any_word_of_request();
	}
	if (once_in(3) && TOUCH(memcpy(at, words, 8))) {
		return at;
	}
	return any_pointer((char *)words);
}

static void request_anything(void)
{
	uint64_t words[32];
	char *argument = fill_argument(words);

	ioctl(any_file(), any_request(), argument);
}

/* Makes a request by the 32-bit system call, whose argument is a 32-bit address. */
static void compat_request(void)
{
	uint32_t argument = once_in(2) ? (uint32_t)any() : 0;
	long result;

	asm volatile("int $0x80"
		     : "=a"(result)
		     : "a"(54), "b"((long)any_file()), "c"((long)any_request()),
		       "d"((long)argument)
		     : "memory", "r8", "r9", "r10", "r11");
}

#endif

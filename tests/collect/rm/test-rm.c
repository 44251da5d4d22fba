/* SPDX-License-Identifier: MIT */
/*
 * Compares the recorder's results for requests of a driver library, in the format of
 * fuzz-rm.c, with the expected ones. Some structs are truncated by a closed page. If the
 * argument names a folder, writes the requests there as the fuzzer's initial corpus.
 */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "decode/ioctls.h"
#include "tests/collect/rm/rm-input.h"
#include "tests/suite.h"

#define RELEASE_580 580159004u
#define RELEASE_515 515043004u

#define CLIENT  0xc1d00000u
#define DEVICE  0x5c000001u
#define CHANNEL 0x5c00000cu
#define PINNED  0x5c000020u

static struct {
	uint8_t bytes[65536];
	size_t n;
} input;

static void begin(uint32_t release)
{
	memcpy(input.bytes, &release, sizeof(release));
	input.n = sizeof(release);
}

/* A struct that is filled at byte offsets. */
struct bytes {
	uint8_t at[9264];
	uint16_t n;
};

static struct bytes struct_of(uint16_t n)
{
	return (struct bytes){.n = n};
}

static void put32(struct bytes *bytes, size_t at, uint32_t value)
{
	memcpy(bytes->at + at, &value, sizeof(value));
}

static void put64(struct bytes *bytes, size_t at, uint64_t value)
{
	memcpy(bytes->at + at, &value, sizeof(value));
}

static void add(uint32_t request, unsigned flags, const struct bytes *argument,
		const struct bytes *params)
{
	struct rm_call call = {.request = request,
			       .argument = argument->n,
			       .params = params ? params->n : 0,
			       .flags = (uint8_t)flags};

	memcpy(input.bytes + input.n, &call, sizeof(call));
	input.n += sizeof(call);
	memcpy(input.bytes + input.n, argument->at, argument->n);
	input.n += argument->n;
	if (params) {
		memcpy(input.bytes + input.n, params->at, params->n);
		input.n += params->n;
	}
}

static const char *seeds; /* folder for the inputs; NULL: none */

static void write_seed(void)
{
	static unsigned n;
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/rm-%u", seeds, n++);
	file = fopen(path, "wb");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_EQUAL(fwrite(input.bytes, 1, input.n, file), input.n);
	CU_ASSERT_EQUAL(fclose(file), 0);
}

static const struct rm_seen *run(void)
{
	if (seeds) {
		write_seed();
	}
	LLVMFuzzerTestOneInput(input.bytes, input.n);
	return &kt_rm_seen;
}

static uint32_t rm(unsigned nr, size_t size)
{
	return (uint32_t)_IOC(_IOC_READ | _IOC_WRITE, 'F', nr, size);
}

static struct bytes alloc(uint32_t parent, uint32_t object, uint32_t class_)
{
	struct bytes argument = struct_of(48);

	put32(&argument, 0, CLIENT);
	put32(&argument, 4, parent);
	put32(&argument, 8, object);
	put32(&argument, 12, class_);
	return argument;
}

static void add_client(void)
{
	struct bytes argument = alloc(0, CLIENT, 0x41);

	add(rm(KT_NR_ALLOC, 48), 0, &argument, NULL);
}

static void add_channel(unsigned flags)
{
	struct bytes argument = alloc(DEVICE, CHANNEL, 0xc86f);
	struct bytes params = struct_of(512);

	put64(&params, 8, 0x200000000);
	put32(&params, 16, 1024);
	put32(&params, 32, 0x5c000040);
	add(rm(KT_NR_ALLOC, 48), flags, &argument, &params);
}

static void objects_come_and_go(void)
{
	struct bytes argument = struct_of(16);
	const struct rm_seen *seen;

	begin(RELEASE_580);
	add_client();
	add_channel(RM_POINTED);
	put32(&argument, 0, CLIENT);
	put32(&argument, 8, CLIENT);
	add(rm(KT_NR_FREE, 16), 0, &argument, NULL);
	seen = run();
	CU_ASSERT_EQUAL(seen->allocs, 2);
	CU_ASSERT_EQUAL(seen->frees, 2);
	begin(RELEASE_580);
	add_client();
	add_channel(RM_FAILED);
	CU_ASSERT_EQUAL(run()->allocs, 1);
}

/*
 * Memory is registered when its object is allocated. When the object is freed, the end of
 * the registration is reported.
 */
static void pinned_memory(void)
{
	struct bytes argument = alloc(DEVICE, PINNED, 0x71);
	struct bytes params = struct_of(64);
	struct bytes free_ = struct_of(16);
	const struct rm_seen *seen;

	put64(&params, 16, 0x7f0000000000);
	put64(&params, 24, 0xfff);
	put32(&free_, 0, CLIENT);
	put32(&free_, 8, PINNED);
	begin(RELEASE_580);
	add_client();
	add(rm(KT_NR_ALLOC, 48), RM_POINTED, &argument, &params);
	add(rm(KT_NR_FREE, 16), 0, &free_, NULL);
	seen = run();
	CU_ASSERT_EQUAL(seen->pins, 1);
	CU_ASSERT_EQUAL(seen->unpins, 1);
	CU_ASSERT_EQUAL(seen->frees, 1);

	/*
	 * Without its parameters the request allocates an object but registers no memory.
	 */
	begin(RELEASE_580);
	params.n = 8;
	add(rm(KT_NR_ALLOC, 48), RM_POINTED, &argument, &params);
	seen = run();
	CU_ASSERT_EQUAL(seen->allocs, 1);
	CU_ASSERT_EQUAL(seen->pins, 0);
}

#define HEAP_SIZE 184

/* NVOS32_PARAMETERS with the attributes at byte `at`. */
static struct bytes heap(uint32_t function, uint32_t flags, size_t at, uint32_t attributes)
{
	struct bytes argument = struct_of(HEAP_SIZE);

	put32(&argument, 0, CLIENT);
	put32(&argument, 4, DEVICE);
	put32(&argument, 8, function);
	put32(&argument, 44, 0x474c0001);
	put32(&argument, 52, flags);
	put32(&argument, at, attributes);
	return argument;
}

/* The attributes and flags are those of an OpenGL program on an H100. */
static void heap_control(void)
{
	static const struct {
		uint32_t function, flags;
		size_t at;
		uint32_t attributes, class_;
	} allocated[] = {
		{KT_HEAP_ALLOC_SIZE, 0x1400d, 56, 0x11000000, 0x40},
		{KT_HEAP_ALLOC_SIZE, 0x400d, 56, 0x4a800000, 0x3e},
		{KT_HEAP_ALLOC_SIZE, 0xa0000, 56, 0x56800000, 0x50a0},
		{KT_HEAP_ALLOC_SIZE_RANGE, 0, 56, 0x06000000, 0x3e},
		{KT_HEAP_ALLOC_TILED_PITCH_HEIGHT, 0, 64, 0x11000000, 0x40},
	};
	struct bytes argument;

	for (size_t i = 0; i < sizeof(allocated) / sizeof(allocated[0]); i++) {
		argument = heap(allocated[i].function, allocated[i].flags, allocated[i].at,
				allocated[i].attributes);
		begin(RELEASE_580);
		add_client();
		add(rm(KT_NR_VID_HEAP_CONTROL, HEAP_SIZE), 0, &argument, NULL);
		CU_ASSERT_EQUAL(run()->allocs, 2);
		CU_ASSERT_EQUAL(kt_rm_seen.class_, allocated[i].class_);
		put32(&argument, 8, KT_HEAP_FREE);
		add(rm(KT_NR_VID_HEAP_CONTROL, HEAP_SIZE), 0, &argument, NULL);
		CU_ASSERT_EQUAL(run()->frees, 1);
	}
	/* A function that allocates nothing, and a refused allocation. */
	argument = heap(5, 0, 56, 0);
	begin(RELEASE_580);
	add(rm(KT_NR_VID_HEAP_CONTROL, HEAP_SIZE), 0, &argument, NULL);
	argument = heap(KT_HEAP_ALLOC_SIZE, 0, 56, 0);
	put32(&argument, 20, 0x51);
	add(rm(KT_NR_VID_HEAP_CONTROL, HEAP_SIZE), 0, &argument, NULL);
	CU_ASSERT_EQUAL(run()->allocs, 0);
}

static void registered_by_heap_control(void)
{
	struct bytes argument = heap(KT_HEAP_ALLOC_OS_DESCRIPTOR, 0, 56, 0);

	put32(&argument, 40, PINNED);
	put64(&argument, 64, 0x7f0000000000);
	put64(&argument, 72, 0xfff);
	begin(RELEASE_580);
	add_client();
	add(rm(KT_NR_VID_HEAP_CONTROL, HEAP_SIZE), 0, &argument, NULL);
	CU_ASSERT_EQUAL(run()->pins, 1);
	CU_ASSERT_EQUAL(kt_rm_seen.class_, 0x71);
	/* The request names a file, not an address, so no memory is registered. */
	put32(&argument, 80, 4);
	begin(RELEASE_580);
	add_client();
	add(rm(KT_NR_VID_HEAP_CONTROL, HEAP_SIZE), 0, &argument, NULL);
	CU_ASSERT_EQUAL(run()->pins, 0);
	CU_ASSERT_EQUAL(kt_rm_seen.allocs, 2);
}

static struct bytes wrapped(uint32_t nr, uint32_t size)
{
	struct bytes argument = struct_of(16);

	put32(&argument, 0, nr);
	put32(&argument, 4, size);
	return argument;
}

static void a_call_within_a_call(void)
{
	struct bytes argument = wrapped(KT_NR_ALLOC, 48);
	struct bytes inner = alloc(0, CLIENT, 0x41);

	begin(RELEASE_580);
	add(rm(KT_NR_XFER_CMD, 16), RM_POINTED, &argument, &inner);
	CU_ASSERT_EQUAL(run()->allocs, 1);
	CU_ASSERT_EQUAL(kt_rm_seen.class_, 0x41);
}

static void release_is_learned(void)
{
	struct bytes argument = struct_of(72);

	memcpy(argument.at + 8, "570.86.10", 10);
	begin(0);
	add(rm(KT_NR_CHECK_VERSION, 72), 0, &argument, NULL);
	CU_ASSERT_EQUAL(run()->release, 570086010);
	begin(RELEASE_515);
	add(rm(KT_NR_CHECK_VERSION, 72), 0, &argument, NULL);
	CU_ASSERT_EQUAL(run()->release, RELEASE_515);
}

/*
 * A program may pass a struct that is only partly mapped, for which the driver returns
 * EFAULT. The recorder must not crash, whether the beginning or the end is missing.
 */
static void cut_structs(void)
{
	static const uint8_t requests[][2] = {{KT_NR_ALLOC_MEMORY, 56},
					      {KT_NR_ALLOC_OBJECT, 20},
					      {KT_NR_FREE, 16},
					      {KT_NR_CONTROL, 32},
					      {KT_NR_VID_HEAP_CONTROL, 184},
					      {KT_NR_ALLOC, 32},
					      {KT_NR_ALLOC, 48},
					      {KT_NR_DUP_OBJECT, 28},
					      {KT_NR_MAP_MEMORY, 56},
					      {KT_NR_UNMAP_MEMORY, 32},
					      {KT_NR_XFER_CMD, 16},
					      {KT_NR_CHECK_VERSION, 72}};

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		struct bytes argument = struct_of(requests[i][1]);
		uint32_t request = rm(requests[i][0], requests[i][1]);

		begin(RELEASE_580);
		add(request, RM_BEFORE, &argument, NULL);
		argument.n--;
		add(request, 0, &argument, NULL);
		argument.n = 0;
		add(request, 0, &argument, NULL);
		CU_ASSERT_EQUAL(run()->allocs, 0);
		CU_ASSERT_EQUAL(run()->frees, 0);
	}
}

/*
 * The struct inside an NV_ESC_IOCTL_XFER_CMD is truncated, at its end and then at its
 * beginning.
 */
static void cut_inner_structs(void)
{
	struct bytes argument = wrapped(KT_NR_ALLOC, 48);
	struct bytes params = struct_of(47);

	begin(RELEASE_580);
	add(rm(KT_NR_XFER_CMD, 16), RM_POINTED, &argument, &params);
	put64(&argument, 8, kt_rm_pointed() - 1);
	add(rm(KT_NR_XFER_CMD, 16), 0, &argument, NULL);
	CU_ASSERT_EQUAL(run()->allocs, 0);
}

static void requests_of_uvm(void)
{
	struct bytes argument = struct_of(9264);

	put64(&argument, 0, 0x200000000);
	put64(&argument, 8, 0x1000);
	begin(RELEASE_580);
	add(KT_UVM_MAP_EXTERNAL, RM_UVM, &argument, NULL);
	argument.n = 36;
	add(KT_UVM_UNMAP_EXTERNAL, RM_UVM, &argument, NULL);
	argument.n = 12;
	add(KT_UVM_FREE, RM_UVM, &argument, NULL);
	argument.n = 0;
	add(KT_UVM_MAP_EXTERNAL, RM_UVM | RM_BEFORE, &argument, NULL);
	CU_ASSERT_EQUAL(run()->allocs, 0);
}

int main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		{"objects are created and freed", objects_come_and_go},
		{"pinned memory", pinned_memory},
		{"heap control", heap_control},
		{"registered by heap control", registered_by_heap_control},
		{"a call within a call", a_call_within_a_call},
		{"the release is learned", release_is_learned},
		{"truncated structs", cut_structs},
		{"truncated inner structs", cut_inner_structs},
		{"requests of the unified-memory driver", requests_of_uvm},
		CU_TEST_INFO_NULL,
	};

	seeds = argc > 1 ? argv[1] : NULL;
	return kt_run_suite("rm", tests);
}

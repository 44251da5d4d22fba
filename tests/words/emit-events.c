/* SPDX-License-Identifier: MIT */
/*
 * Emits gpu_stack events by a script on standard input, for tests that need a real LTTng
 * trace. Argument: the provider's shared object. Each line is one of
 *
 *   pid N | tid N | seq N          of the next events (seq is incremented by each)
 *   client N                       of the next events about submissions; initially 1
 *   api MODE                       of the next process_begin events; initially none
 *   place ADDRESS LENGTH           of the next maps and unmaps
 *   begin NAME [DRIVER] | end REASON
 *   open DEVICE | ioctl DEVICE REQUEST NR CLASS COMMAND ERROR
 *   handles CLIENT PARENT OBJECT STATUS    of the next ioctls, maps, unmaps; initially 0
 *   map SPACE MAPPING ERROR | unmap SPACE MAPPING
 *   access R|W SPACE MAPPING [OFFSET SIZE] | doorbell
 *   detail WHAT [TO [MAPPING]]     from here on, WHAT is TO; initially coalesced
 *   enter API NAME CORRELATION [ARGUMENT...]   entry of a CUDA API call, as if wrapped
 *   exit API NAME CORRELATION [RESULT]         the exit; without RESULT, it is unknown
 *   kernel API CORRELATION HANDLE OF NAME      the call gave a handle; NAME "-": none
 *   took NANOSECONDS               duration of the next calls to exit; initially 1000
 *   coverage API NAME STATE HOW CALLS
 *   wait DEVICE CALL RESULT ERROR  CALL "-": an empty name
 *   sleep MICROSECONDS
 *   bulk N                         N events: ioctls, maps, accesses and doorbells in turn
 *   object ACTION PARENT OBJECT CLASS [RING ENTRIES]
 *   ring CHANNEL GP_PUT TOKEN MOVED [GP_GET]
 *   entry CHANNEL CLASS INDEX ADDRESS WORDS STATE WORD0 WORD1 [UNREAD]
 *   words CHANNEL INDEX OFFSET WORD...
 *   submission CHANNEL CLASS TOKEN GP_PUT LENGTH... : WORD...
 *                                  a doorbell with entries of the LENGTHs, from ring
 *                                  index 0 on; WORDs are the dwords of all entries
 *
 * WORD, WORD0 and WORD1 are hexadecimal; all other numbers except N and MAPPING may be
 * 0x...
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE
#include "lttng-providers/ust/gpu-stack-tp.h"

#define emit(name, event)                                                                  \
	do {                                                                               \
		lttng_ust_tracepoint(gpu_stack, name, &head, event);                       \
		head.seq++;                                                                \
	} while (0)

static struct kt_event_head head;
static uint32_t client = 1;
static uint64_t took = 1000;

/* of the next ioctls, maps and unmaps */
static struct {
	uint32_t client;
	uint32_t parent;
	uint32_t object;
	uint32_t status;
} handles;

static char api_mode[64] = "none";
static struct {
	uint64_t address;
	uint64_t length;
} range = {0x7f0000000000, 4096};

static void emit_begin(const char *name, const char *driver)
{
	struct kt_event_process_begin e = {.name = name,
					   .recorder = "emit-events",
					   .driver = driver,
					   .access = "coalesced",
					   .doorbell = "perf",
					   .api = api_mode};

	emit(process_begin, &e);
}

static void emit_end(const char *reason)
{
	struct kt_event_process_end e = {.reason = reason};

	emit(process_end, &e);
}

static void emit_ioctl(const char *device, unsigned long request, unsigned nr,
		       unsigned class_, unsigned command, int error)
{
	struct kt_event_ioctl e = {.device = device,
				   .fd = 3,
				   .error = error,
				   .request = request,
				   .nr = nr,
				   .size = 32,
				   .result = error ? -1 : 0,
				   .duration = 1000,
				   .client = handles.client,
				   .parent = handles.parent,
				   .object = handles.object,
				   .class_ = class_,
				   .command = command,
				   .status = handles.status};

	emit(ioctl, &e);
}

static void emit_map(const char *space, unsigned mapping, int error)
{
	struct kt_event_map e = {.device = "nvidia0",
				 .space = space,
				 .mapping = mapping,
				 .error = error,
				 .address = range.address,
				 .length = range.length,
				 .client = handles.client,
				 .object = handles.object};

	emit(map, &e);
}

static void emit_access(const char *op, const char *space, unsigned mapping,
			unsigned long offset, unsigned long size)
{
	struct kt_event_access e = {.op = op,
				    .space = space,
				    .mapping = mapping,
				    .offset = offset,
				    .size = size,
				    .ip = 4096,
				    .role = "other"};

	emit(access, &e);
}

static void emit_doorbell(void)
{
	struct kt_event_doorbell e = {
		.space = "reg", .mapping = 9, .offset = 0x90, .known = 1};

	emit(doorbell, &e);
}

/* Emits cycles of events that resemble submissions. */
static void emit_bulk(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		switch (i % 8) {
		case 0:
			emit_ioctl("nvidiactl", 0xc020462a, 0x2a, 0,
				   0x2080 + (unsigned)(i / 8 % 20), 0);
			break;
		case 1: emit_ioctl("nvidia-uvm", 27, 27, 0, 0, 0); break;
		case 2:
			emit_map(i / 8 % 3 ? "sys" : "fb", 1 + (unsigned)(i / 8 % 5), 0);
			break;
		case 3:
		case 4:
		case 5: emit_access("W", "sys", 1, 0, 0); break;
		case 6: emit_access("R", "fb", 2, 0, 0); break;
		default: emit_doorbell(); break;
		}
	}
}

/* Reads numbers up to the first other text; returns their count. */
static uint32_t read_numbers(const char **line, int base, uint32_t *numbers, uint32_t most)
{
	uint32_t n = 0;
	char *end;

	while (n < most) {
		unsigned long number = strtoul(*line, &end, base);

		if (end == *line) {
			break;
		}
		numbers[n++] = (uint32_t)number;
		*line = end;
	}
	return n;
}

/*
 * Runs a line "submission". Takes a sequence number for each event that the submission
 * stands for.
 */
static int run_whole_submission(const char *line)
{
	uint32_t n[4];
	uint32_t lengths[16];
	uint32_t indexes[16];
	uint64_t entries[16];
	uint64_t addresses[16];
	uint32_t words[256];
	struct kt_event_doorbell doorbell = {.by = "patch",
					     .space = "reg",
					     .mapping = 9,
					     .offset = 0x90,
					     .known = 1,
					     .moved = 1};
	struct kt_event_submission e = {.doorbell = &doorbell,
					.client = client,
					.indexes = indexes,
					.entries = entries,
					.addresses = addresses,
					.lengths = lengths,
					.words = words};
	const char *text = line + strlen("submission");

	if (strncmp(line, "submission ", strlen("submission ")) != 0 ||
	    read_numbers(&text, 0, n, 4) < 4) {
		return 0;
	}
	doorbell.channel = n[0];
	e.class_ = n[1];
	doorbell.value = n[2];
	doorbell.gp_put = n[3];
	e.n = read_numbers(&text, 0, lengths, 16);
	text += strcspn(text, ":");
	text += *text == ':';
	e.count = read_numbers(&text, 16, words, 256);
	for (uint32_t i = 0; i < e.n; i++) {
		indexes[i] = i;
		addresses[i] = 0x1000 * (i + 1);
		entries[i] = addresses[i] | (uint64_t)lengths[i] << 42;
	}
	emit(submission, &e);
	for (uint32_t i = 0; i < e.n; i++) {
		head.seq += 1 + (lengths[i] > 0);
	}
	return 1;
}

/* Runs a line about submissions. Returns false if the line is about another subject. */
static int run_submission(const char *line)
{
	char a[64];
	int n[6];
	long long address;
	unsigned word[2];
	int at = 0;
	int got;

	address = n[4] = 0;
	if (sscanf(line, "object %63s %i %i %i %lli %i", a, &n[0], &n[1], &n[2], &address,
		   &n[4]) >= 4) {
		struct kt_event_object e = {a,
					    client,
					    (uint32_t)n[0],
					    (uint32_t)n[1],
					    (uint32_t)n[2],
					    (uint64_t)address,
					    (uint32_t)n[4]};

		emit(object, &e);
	} else if ((got = sscanf(line, "ring %i %i %i %i %i", &n[0], &n[1], &n[2], &n[3],
				 &n[4])) >= 4) {
		struct kt_event_doorbell e = {.by = "watchpoint",
					      .space = "reg",
					      .mapping = 9,
					      .offset = 0x90,
					      .known = 1,
					      .value = (uint32_t)n[2],
					      .moved = (uint32_t)n[3],
					      .channel = (uint32_t)n[0],
					      .gp_put = (uint32_t)n[1],
					      .get_known = got == 5,
					      .gp_get = got == 5 ? (uint32_t)n[4] : 0};

		emit(doorbell, &e);
	} else if (sscanf(line, "entry %i %i %i %lli %i %63s %x %x %n", &n[0], &n[1], &n[2],
			  &address, &n[4], a, &word[0], &word[1], &at) >= 8) {
		char unread[128] = "";
		struct kt_event_gpfifo_entry e = {.client = client,
						  .channel = (uint32_t)n[0],
						  .class_ = (uint32_t)n[1],
						  .index = (uint32_t)n[2],
						  .entry =
							  (uint64_t)word[1] << 32 | word[0],
						  .address = (uint64_t)address,
						  .words = (uint32_t)n[4],
						  .state = a,
						  .unread = unread};

		snprintf(unread, sizeof(unread), "%.*s", (int)strcspn(line + at, "\n"),
			 line + at);
		emit(gpfifo_entry, &e);
	} else if (sscanf(line, "words %i %i %i%n", &n[0], &n[1], &n[2], &at) >= 3) {
		uint32_t words[256];
		struct kt_event_pushbuffer e = {.client = client,
						.channel = (uint32_t)n[0],
						.index = (uint32_t)n[1],
						.offset = (uint32_t)n[2],
						.words = words};
		int step;

		while (e.count < 256 &&
		       sscanf(line + at, "%x%n", &words[e.count], &step) == 1) {
			at += step;
			e.count++;
		}
		emit(pushbuffer, &e);
	} else {
		return run_whole_submission(line);
	}
	return 1;
}

/*
 * Runs a line about API calls or waits. Returns false if the line is about another subject.
 */
static int run_call(const char *line)
{
	char a[64];
	char b[128];
	char c[64];
	char d[64];
	long long n;
	long long handle;
	long long of;
	int result;
	int error = 0;
	int at = 0;

	if (sscanf(line, "enter %63s %127s %lli%n", a, b, &n, &at) == 3) {
		uint64_t arguments[16];
		struct kt_event_api_enter e = {.api = a,
					       .name = b,
					       .by = "wrap",
					       .correlation = (uint64_t)n,
					       .arguments = arguments};
		int step;

		while (e.count < 16 && sscanf(line + at, "%lli%n", &n, &step) == 1) {
			arguments[e.count++] = (uint64_t)n;
			at += step;
		}
		emit(api_enter, &e);
	} else if (sscanf(line, "exit %63s %127s %lli%n", a, b, &n, &at) == 3) {
		struct kt_event_api_exit e = {.api = a,
					      .name = b,
					      .by = "wrap",
					      .correlation = (uint64_t)n,
					      .duration = took};

		e.known = sscanf(line + at, "%i", &e.result) == 1;
		emit(api_exit, &e);
	} else if (sscanf(line, "kernel %63s %lli %lli %lli %127s", a, &n, &handle, &of,
			  b) == 5) {
		struct kt_event_api_kernel e = {.api = a,
						.correlation = (uint64_t)n,
						.handle = (uint64_t)handle,
						.of = (uint64_t)of,
						.name = strcmp(b, "-") == 0 ? "" : b};

		emit(api_kernel, &e);
	} else if (sscanf(line, "took %lli", &n) == 1) {
		took = (uint64_t)n;
	} else if (sscanf(line, "coverage %63s %127s %63s %63s %lli", a, b, c, d, &n) ==
		   5) {
		struct kt_event_api_coverage e = {
			.api = a, .name = b, .state = c, .how = d, .calls = (uint64_t)n};

		emit(api_coverage, &e);
	} else if (sscanf(line, "wait %63s %63s %i %i", a, c, &result, &error) == 4) {
		struct kt_event_wait e = {.device = a,
					  .fd = 3,
					  .call = strcmp(c, "-") == 0 ? "" : c,
					  .result = result,
					  .error = error,
					  .duration = 1000};

		emit(wait, &e);
	} else if (sscanf(line, "sleep %lli", &n) == 1) {
		usleep((useconds_t)n);
	} else {
		return 0;
	}
	return 1;
}

static int run_line(const char *line)
{
	char a[64];
	char b[64] = "";
	unsigned long n;
	unsigned x;
	unsigned y;
	unsigned z;
	long offset = 0;
	long size = 0;
	int error;

	if (sscanf(line, "pid %u", &head.pid) == 1 ||
	    sscanf(line, "tid %u", &head.tid) == 1 ||
	    sscanf(line, "client %u", &client) == 1 ||
	    sscanf(line, "api %63s", api_mode) == 1 ||
	    sscanf(line, "place %li %li", (long *)&range.address, (long *)&range.length) ==
		    2) {
		return 0;
	}
	if (sscanf(line, "seq %lu", &n) == 1) {
		head.seq = n;
	} else if (sscanf(line, "begin %63s %63s", a, b) >= 1) {
		emit_begin(a, b);
	} else if (sscanf(line, "handles %i %i %i %i", (int *)&handles.client,
			  (int *)&handles.parent, (int *)&handles.object,
			  (int *)&handles.status) == 4) {
		return 0;
	} else if (sscanf(line, "end %63s", a) == 1) {
		emit_end(a);
	} else if (sscanf(line, "open %63s", a) == 1) {
		struct kt_event_device_open e = {.device = a, .fd = 3};

		emit(device_open, &e);
	} else if (sscanf(line, "ioctl %63s %li %i %i %i %i", a, (long *)&n, (int *)&x,
			  (int *)&y, (int *)&z, &error) == 6) {
		emit_ioctl(a, n, x, y, z, error);
	} else if (sscanf(line, "map %63s %u %i", a, &x, &error) == 3) {
		emit_map(a, x, error);
	} else if (sscanf(line, "unmap %63s %u", a, &x) == 2) {
		struct kt_event_unmap e = {.space = a,
					   .mapping = x,
					   .address = range.address,
					   .length = range.length,
					   .client = handles.client,
					   .object = handles.object};

		emit(unmap, &e);
	} else if (sscanf(line, "access %63s %63s %u %li %li", a, b, &x, &offset, &size) >=
		   3) {
		emit_access(a, b, x, (unsigned long)offset, (unsigned long)size);
	} else if ((error = sscanf(line, "detail %63s %63s %u", a, b, &x)) >= 1) {
		const struct kt_event_detail e = {.what = a,
						  .from = "exact",
						  .to = error > 1 ? b : "coalesced",
						  .why = error > 1 ? "overhead" : "limit",
						  .mapping = error > 2 ? x : 0};

		emit(detail, &e);
	} else if (strcmp(line, "doorbell\n") == 0) {
		emit_doorbell();
	} else if (sscanf(line, "bulk %lu", &n) == 1) {
		emit_bulk(n);
	} else if (!run_submission(line) && !run_call(line)) {
		fprintf(stderr, "emit-events: cannot read '%s'\n", line);
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	char line[4096];

	if (argc != 2 || !dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL)) {
		fprintf(stderr, "emit-events: %s\n",
			argc == 2 ? dlerror() : "one argument");
		return 2;
	}
	head.pid = head.tid = (uint32_t)getpid();
	while (fgets(line, sizeof(line), stdin)) {
		if (run_line(line)) {
			return 1;
		}
	}
	return 0;
}

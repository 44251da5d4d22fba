/* SPDX-License-Identifier: MIT */
/*
 * Arbitrary requests with arbitrary structs and pointers. The recorder must follow the
 * pointers but read only mapped memory, and must free nothing twice. Arguments end before a
 * closed page or begin in one.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "collect/preload/access/access.h"
#include "collect/preload/emit/emit.h"
#include "collect/preload/mappings/gpu-addresses.h"
#include "collect/preload/rm/objects.h"
#include "collect/preload/rm/rm.h"
#include "collect/preload/submissions/channels.h"
#include "tests/collect/rm/rm-input.h"

#define PAGE          4096u
#define GUARDED_BYTES (4 * PAGE)
#define MOST          4096 /* limit of tracked objects and of tracked pins */
#define A_FD          7
#define NOWHERE       (UINT64_C(1) << 63)

struct rm_seen kt_rm_seen;

static uint8_t *arguments; /* GUARDED_BYTES each, between closed pages */
static uint8_t *pointed;

static struct {
	uint32_t client;
	uint32_t object;
} objects[MOST];
static size_t n_objects;

static struct pin {
	uint32_t ordinal;
	uint64_t address;
	uint64_t length;
} pins[MOST];
static size_t n_pins;

static void check(bool holds)
{
	if (!holds) {
		abort();
	}
}

/* --- stubs of LTTng and of the page protection --- */

void kt_emit_object(const struct kt_event_object *event)
{
	bool freed = strcmp(event->action, "free") == 0;

	kt_rm_seen.class_ = event->class_;
	kt_rm_seen.frees += freed;
	kt_rm_seen.allocs += !freed;
	check(!kt_object_table_find(&kt_objects, event->client, event->object) == freed);
	if (!freed && n_objects < MOST) {
		objects[n_objects].client = event->client;
		objects[n_objects++].object = event->object;
	}
}

void kt_emit_map(const struct kt_event_map *event)
{
	check(strcmp(event->space, "pin") == 0 && event->mapping != 0);
}

void kt_emit_unmap(const struct kt_event_unmap *event)
{
	check(strcmp(event->space, "pin") == 0 && event->mapping != 0);
}

void kt_access_watch_pinned(uint32_t ordinal, uint64_t address, uint64_t length)
{
	kt_rm_seen.pins++;
	if (n_pins < MOST) {
		pins[n_pins++] = (struct pin){ordinal, address, length};
	}
}

void kt_access_forget_pinned(uint32_t ordinal, uint64_t address, uint64_t length)
{
	size_t i = 0;

	kt_rm_seen.unpins++;
	while (i < n_pins && pins[i].ordinal != ordinal) {
		i++;
	}
	check(n_pins == MOST ||
	      (i < n_pins && pins[i].address == address && pins[i].length == length));
	if (i < n_pins) {
		pins[i].ordinal = 0;
	}
}

/* --- one call --- */

static uint8_t *map_guarded(void)
{
	uint8_t *closed = mmap(NULL, GUARDED_BYTES + 2 * PAGE, PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(closed != MAP_FAILED &&
	      mprotect(closed + PAGE, GUARDED_BYTES, PROT_READ | PROT_WRITE) == 0);
	return closed + PAGE;
}

static bool is_in(uint64_t address, const uint8_t *guarded)
{
	return address >= (uintptr_t)guarded - PAGE &&
	       address < (uintptr_t)guarded + GUARDED_BYTES + PAGE;
}

/*
 * Sets the pointer of a struct to `to`. If `to` is NULL, keeps a pointer to the fuzzer's
 * memory and replaces any other pointer by an address that no process can map.
 */
static void aim(uint8_t *data, size_t size, enum kt_struct kind, size_t said,
		const uint8_t *to)
{
	const struct kt_layout *layout = kt_layout_find(kind, said, kt_rm_release);
	size_t at = layout ? layout->fields[KT_ROLE_PARAMS].offset : 0;
	uint64_t address = (uintptr_t)to;

	if (!layout || layout->fields[KT_ROLE_PARAMS].size != sizeof(address) ||
	    at + sizeof(address) > size) {
		return;
	}
	if (!to) {
		memcpy(&address, data + at, sizeof(address));
		address |=
			is_in(address, arguments) || is_in(address, pointed) ? 0 : NOWHERE;
	}
	memcpy(data + at, &address, sizeof(address));
}

static void aim_all(const struct rm_call *head, uint8_t *argument, uint8_t *params)
{
	const uint8_t *to = head->flags & RM_POINTED ? params : NULL;
	enum kt_struct kind = kt_layout_of_request(head->request & 0xff);
	uint32_t inner[2] = {0};

	aim(argument, head->argument, kind, head->request >> 16 & 0x3fff, to);
	if (kind == KT_STRUCT_XFER && head->argument >= sizeof(inner)) {
		memcpy(inner, argument, sizeof(inner));
		aim(params, head->params, kt_layout_of_request(inner[0]), inner[1], to);
	}
}

static void make_call(const struct rm_call *head, const uint8_t *argument)
{
	struct kt_event_ioctl event = {.result = head->flags & RM_FAILED ? -1 : 0};
	struct kt_rm_call call = kt_rm_open_call(
		head->flags & RM_UVM ? KT_IOCTL_UVM : KT_IOCTL_RM, head->request, argument);

	if (call.layout && call.kind == KT_STRUCT_FREE) {
		kt_rm_before_free(&call);
	}
	kt_rm_describe(&call, &event);
	check(call.layout || (event.client | event.object | event.command) == 0);
	kt_rm_after(&call, &event);
}

/* Executes one call. Returns the number of input bytes it consumed. */
static size_t take_call(const uint8_t *data, size_t size)
{
	struct rm_call head = {0};
	uint8_t *argument, *params;

	if (size < sizeof(head)) {
		return size;
	}
	memcpy(&head, data, sizeof(head));
	size -= sizeof(head);
	head.argument = (uint16_t)(head.argument % (GUARDED_BYTES + 1));
	head.argument = head.argument < size ? head.argument : (uint16_t)size;
	size -= head.argument;
	head.params = (uint16_t)(head.params % (GUARDED_BYTES + 1));
	head.params = head.params < size ? head.params : (uint16_t)size;
	argument = arguments + GUARDED_BYTES - head.argument;
	params = pointed + GUARDED_BYTES - head.params;
	memcpy(argument, data + sizeof(head), head.argument);
	memcpy(params, data + sizeof(head) + head.argument, head.params);
	aim_all(&head, argument, params);
	if (head.flags & RM_BEFORE) {
		memmove(arguments, argument, head.argument);
		argument = arguments - 1;
	}
	make_call(&head, argument);
	return sizeof(head) + head.argument + head.params;
}

/* --- one input --- */

static void nothing(const struct kt_object *object, void *context)
{
	(void)object;
	(void)context;
}

static void set_up(void)
{
	if (!arguments) {
		arguments = map_guarded();
		pointed = map_guarded();
		kt_device_opened(A_FD, "nvidia0");
	}
}

uint64_t kt_rm_pointed(void)
{
	set_up();
	return (uintptr_t)pointed;
}

static void start(uint32_t release)
{
	set_up();
	for (size_t i = 0; i < n_objects; i++) {
		kt_object_each_below(objects[i].client, objects[i].object, 1, nothing,
				     NULL);
	}
	kt_gpu_after_fork();
	kt_channel_after_fork();
	n_objects = 0;
	n_pins = 0;
	kt_rm_release = release;
	memset(&kt_rm_seen, 0, sizeof(kt_rm_seen));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t release, lagging;

	if (size < sizeof(release)) {
		return 0;
	}
	memcpy(&release, data, sizeof(release));
	start(release);
	for (size_t at = sizeof(release); at < size;) {
		at += take_call(data + at, size - at);
	}
	kt_channel_finish(&kt_rm_seen.channels, &lagging);
	kt_rm_seen.release = kt_rm_release;
	return 0;
}

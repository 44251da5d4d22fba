/* SPDX-License-Identifier: MIT */
/*
 * Reads any bytes as a struct of any request, size and driver release: no field is read
 * outside of the struct, and all names are well-formed. Input: release, request and command
 * in 4 bytes each, the size that the request claims in 4, then the struct.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/classes.h"
#include "decode/controls.h"
#include "decode/ioctls.h"
#include "decode/layouts.h"
#include "decode/statuses.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LAST_STRUCT  KT_STRUCT_UVM_FREE
#define RELEASE_MOST 4000999999u /* the largest number that encodes a release */

struct head {
	uint32_t release;
	uint32_t request;
	uint32_t command;
	uint32_t claimed;
};

static void check(bool holds)
{
	if (!holds) {
		abort();
	}
}

/* Returns a little-endian number; 0 if it ends after the struct. */
static uint64_t pick(const uint8_t *bytes, size_t size, size_t at, size_t n)
{
	uint64_t value = 0;

	for (size_t i = 0; at + n <= size && i < n; i++) {
		value |= (uint64_t)bytes[at + i] << 8 * i;
	}
	return value;
}

static void check_layout(const struct kt_layout *layout, const uint8_t *bytes, size_t size)
{
	size_t extent = kt_layout_extent(layout);

	check(extent > 0 && (!layout->size || extent <= layout->size));
	for (int role = 0; role < KT_ROLE_COUNT; role++) {
		size_t at = layout->fields[role].offset;
		size_t n = layout->fields[role].size;

		check(at + n <= extent || n == 0);
		if (role != KT_ROLE_TEXT) {
			check(n <= 8 && kt_layout_get(layout, (enum kt_role)role, bytes,
						      size) == pick(bytes, size, at, n));
		}
	}
}

static void check_layouts(const struct head *head, const uint8_t *bytes, size_t size)
{
	for (int kind = KT_STRUCT_NONE; kind <= LAST_STRUCT; kind++) {
		const struct kt_layout *layout =
			kt_layout_find((enum kt_struct)kind, head->claimed, head->release);

		if (layout) {
			check(layout->kind == (enum kt_struct)kind &&
			      (!layout->size || layout->size == head->claimed));
			check_layout(layout, bytes, size);
		}
	}
	check(kt_layout_of_request(head->request) <= LAST_STRUCT &&
	      kt_layout_of_uvm_request(head->request) <= LAST_STRUCT);
}

static void check_name(const char *name)
{
	check(!name || (strlen(name) > 0 && strlen(name) < 128));
}

static void check_names(const struct head *head)
{
	const struct kt_control *control = kt_control_find(head->command, head->release);
	const struct kt_class *class_ = kt_class_find(head->command);
	char space[12];

	check(!control == !kt_control_name(head->command));
	check(!control || control->command == head->command);
	check_name(control ? control->name : NULL);
	check(!class_ || class_->number == head->command);
	check_name(class_ ? class_->name : NULL);
	check(strlen(kt_class_space(head->command, space)) < sizeof(space));
	check_name(kt_ioctl_name(KT_IOCTL_RM, head->request));
	check_name(kt_ioctl_name(KT_IOCTL_UVM, head->request));
	check_name(kt_status_name(head->command, head->release));
	check_name(kt_status_name(head->command % 256, head->release));
}

/* Reads the struct as the text of a release, and as the name of a device. */
static void check_text(const uint8_t *bytes, size_t size)
{
	char *text = malloc(size + 1);

	check(text);
	memcpy(text, bytes, size);
	text[size] = '\0';
	check(kt_release_parse(text) <= RELEASE_MOST);
	check(kt_ioctl_family(text) >= -1 && kt_ioctl_family(text) <= KT_IOCTL_UVM);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct head head;
	uint8_t *bytes;

	if (size < sizeof(head)) {
		return 0;
	}
	memcpy(&head, data, sizeof(head));
	size -= sizeof(head);
	/* The copy has the exact size, so that sanitizers detect reads past its end. */
	bytes = malloc(size + !size);
	check(bytes);
	memcpy(bytes, data + sizeof(head), size);
	check_layouts(&head, bytes, size);
	check_names(&head);
	check_text(bytes, size);
	free(bytes);
	return 0;
}

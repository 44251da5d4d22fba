/* SPDX-License-Identifier: MIT */
#include "decode/letter-names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "decode/classes.h"
#include "decode/controls.h"
#include "decode/ioctls.h"

/* A name that is being composed, truncated to KT_LETTER_NAME bytes. */
struct name {
	char *text;
	size_t length;
};

static void put(struct name *name, const char *text, size_t length)
{
	size_t space = KT_LETTER_NAME - 1 - name->length;

	length = length < space ? length : space;
	memcpy(name->text + name->length, text, length);
	name->length += length;
	name->text[name->length] = '\0';
}

/* Returns the text after the prefix; NULL if the text does not begin with the prefix. */
static const char *skip(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

/*
 * Reads a 32-bit number such as "0x2a". Returns the text after the number, or NULL if the
 * text does not begin with a number.
 */
static const char *read_number(uint32_t *out, const char *text)
{
	const char *digit = skip(text, "0x");
	size_t n = 0;

	*out = 0;
	if (!digit || (digit[0] == '0' && digit[1] != '\0' && digit[1] != '/')) {
		return NULL;
	}
	for (;; n++) {
		char c = digit[n];
		uint32_t value = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
				 : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
							: 16;

		if (value > 15 || n == 8) {
			break;
		}
		*out = *out << 4 | value;
	}
	return n > 0 ? digit + n : NULL;
}

/* --- commands of RM control --- */

/* Returns the part of a command's name after _CTRL_CMD_ or _CTRL_. */
static const char *short_name(const char *name)
{
	static const char mark[] = "_CTRL_";
	const char *at = name;
	const char *found;

	while (*at && strncmp(at, mark, sizeof(mark) - 1) != 0) {
		at++;
	}
	if (!*at) {
		return name;
	}
	at += sizeof(mark) - 1;
	found = skip(at, "CMD_");
	return found && *found ? found : at;
}

static void put_command(struct name *out, uint32_t command, const char *digits)
{
	const char *whole = kt_control_name(command);
	bool short_taken = false;
	bool whole_taken = false;

	if (!whole) {
		put(out, digits, strlen(digits));
		return;
	}
	for (size_t i = 0; i < kt_controls(); i++) {
		const struct kt_control *other = kt_control_at(i);

		/*
		 * Skip this command and, of every other command, all rows but the last,
		 * which has the newest meaning.
		 */
		if (other->command == command ||
		    (i + 1 < kt_controls() &&
		     kt_control_at(i + 1)->command == other->command)) {
			continue;
		}
		short_taken = short_taken ||
			      strcmp(short_name(other->name), short_name(whole)) == 0;
		whole_taken = whole_taken || strcmp(other->name, whole) == 0;
	}
	whole = short_taken && !whole_taken ? whole : short_name(whole);
	put(out, whole, strlen(whole));
	if (whole_taken) {
		put(out, " ", 1);
		put(out, digits, strlen(digits));
	}
}

/* --- letters --- */

/*
 * Returns the name of the letter "ioctl:TEXT", for a text such as "0x2a" or "0x2a/0x205";
 * NULL if the letter has no name.
 */
static const char *name_request(const char *text, struct name *out)
{
	uint32_t nr;
	uint32_t number;
	const char *end = read_number(&nr, text);
	const char *request = end ? kt_ioctl_name(KT_IOCTL_RM, nr) : NULL;
	const struct kt_class *class_;
	const char *digits;

	if (!request || *end == '\0') {
		return request;
	}
	digits = end + 1;
	end = *end == '/' ? read_number(&number, digits) : NULL;
	if (!end || *end != '\0') {
		return NULL;
	}
	put(out, request, strlen(request));
	put(out, " ", 1);
	if (nr == KT_NR_CONTROL) {
		put_command(out, number, digits);
	} else {
		class_ = kt_class_find(number);
		digits = class_ ? class_->name : digits;
		put(out, digits, strlen(digits));
	}
	return out->text;
}

/*
 * Returns the name of the letter "ioctl:uvm:TEXT", for a text such as "0x49"; NULL if the
 * letter has no name.
 */
static const char *name_uvm(const char *text)
{
	uint32_t request;
	const char *end = read_number(&request, text);

	return end && *end == '\0' ? kt_ioctl_name(KT_IOCTL_UVM, request) : NULL;
}

/*
 * Returns the name of a letter such as "map:0x90f1", in which a class number names the
 * space; NULL if the letter has no name.
 */
static const char *name_space(const char *letter, struct name *out)
{
	static const char *const kinds[] = {"map:", "unmap:", "R:", "W:"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *text = skip(letter, kinds[i]);
		uint32_t number;
		const char *end = text ? read_number(&number, text) : NULL;
		const struct kt_class *class_ =
			end && *end == '\0' ? kt_class_find(number) : NULL;

		if (class_) {
			put(out, letter, (size_t)(text - letter));
			put(out, class_->name, strlen(class_->name));
			return out->text;
		}
	}
	return NULL;
}

/*
 * Returns the name of a letter of the alphabet `roles`, such as "W:put"; NULL if the letter
 * has no name.
 */
static const char *name_role(const char *letter, struct name *out)
{
	static const struct {
		const char *role;
		const char *name;
	} roles[] = {
		{"ring", "ring entry"},
		{"put", "GP_PUT"},
		{"get", "GP_GET"},
		{"commands", "commands"},
		{"staging", "staging memory"},
		{"semaphore", "semaphore"},
		{"poll", "semaphore, polling"},
		{"notifier", "error notifier"},
		{"token", "work-submit token"},
		{"timer", "timer"},
		{"doorbell", "doorbell"},
		{"doorbell:unpolled", "doorbell, unpolled"},
		{"other", "other memory"},
	};
	const char *read = skip(letter, "R:");
	const char *role = read ? read : skip(letter, "W:");

	for (size_t i = 0; role && i < sizeof(roles) / sizeof(roles[0]); i++) {
		if (strcmp(roles[i].role, role) == 0) {
			put(out, read ? "read " : "write ", read ? 5 : 6);
			put(out, roles[i].name, strlen(roles[i].name));
			return out->text;
		}
	}
	return NULL;
}

const char *kt_letter_name(const char *letter, char buffer[static KT_LETTER_NAME])
{
	struct name out = {.text = buffer};
	const char *text = skip(letter, "ioctl:");
	const char *uvm = text ? skip(text, "uvm:") : NULL;

	if (uvm) {
		return name_uvm(uvm);
	}
	if (text) {
		return name_request(text, &out);
	}
	text = name_space(letter, &out);
	return text ? text : name_role(letter, &out);
}

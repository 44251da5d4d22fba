/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/words/alphabet/alphabet.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/json-writer.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/try.h"
#include "infer/words/alphabet/command-fields.h"
#include "infer/words/file/file.h"

/*
 * Requests of the unified-memory driver are raw numbers, not built by _IOC(), so their
 * letters show the whole request instead of its NR field.
 */
#define UVM                                                                                \
	"ioctl device=nvidia-uvm -> ioctl:uvm:{request:x}\n"                               \
	"ioctl device=nvidia-uvm-tools -> ioctl:uvm:{request:x}\n"

#define MAPPINGS                                                                           \
	"map -> map:{space}\n"                                                             \
	"unmap -> unmap:{space}\n"

#define MEMORY                                                                             \
	MAPPINGS                                                                           \
	"access op=R run:open -> R:{space}\n"                                              \
	"access op=W run:once -> W:{space}\n"                                              \
	"doorbell -> W:reg\n"

/* Exactly the letters of table 1. Each access gives a letter. */
#define ATC13                                                                              \
	"require access=exact\n"                                                           \
	"ioctl device=nvidia-uvm -> -\n"                                                   \
	"ioctl device=nvidia-uvm-tools -> -\n"                                             \
	"ioctl -> ioctl:{nr:x}\n"                                                          \
	"map space=pin -> map:pin\n"                                                       \
	"map space=reg -> map:reg\n"                                                       \
	"map space=fb -> map:fb\n"                                                         \
	"map space=sys -> map:sys\n"                                                       \
	"access op=R space=pin -> R:pin\n"                                                 \
	"access op=R space=reg -> R:reg\n"                                                 \
	"access op=R space=fb -> R:fb\n"                                                   \
	"access op=R space=sys -> R:sys\n"                                                 \
	"access op=W space=pin -> W:pin\n"                                                 \
	"access op=W space=reg -> W:reg\n"                                                 \
	"access op=W space=fb -> W:fb\n"                                                   \
	"access op=W space=sys -> W:sys\n"                                                 \
	"doorbell -> W:reg\n"

#define RM                                                                                 \
	UVM "ioctl command!=0 -> ioctl:{nr:x}/{command:x}\n"                               \
	    "ioctl class!=0 -> ioctl:{nr:x}/{class:x}\n"                                   \
	    "ioctl -> ioctl:{nr:x}\n" MEMORY

#define API "api_enter -> {name}\n"

/* Events of kinds that only the kernel records. Kinds without letters come last. */
static const char *const kernel_events[] = {"pin", "irq", "ioctl_entry", "mmap", "munmap"};

/*
 * Rules of driver activity, which --source both adds to alphabets. Interrupts that the
 * driver's handler does not handle give no letter: they come from other devices that share
 * the interrupt line.
 */
#define OF_KERNEL                                                                          \
	"pin -> pin\n"                                                                     \
	"irq handled=1 -> irq\n"

static const char *const letters_of_kernel[] = {"pin", "irq"};

/* The built-in alphabets: text in the language of ktail-alphabet(5), or code. */
static const struct builtin {
	const char *name;
	const char *text; /* NULL: all of the alphabet is code */
	bool of_driver;   /* OF_KERNEL is added for words of both sources */
	enum kt_command_alphabet commands;
} builtins[] = {
	/*
	 * Source of table1 and atc13: Menychtas, Shen and Scott, USENIX ATC 2013, table 1
	 */
	{.name = "table1", .text = UVM "ioctl -> ioctl:{nr:x}\n" MEMORY, .of_driver = true},
	{.name = "atc13", .text = ATC13, .of_driver = true},
	/* as table1, but names accesses by what the memory is for */
	{.name = "roles",
	 .text = UVM "ioctl -> ioctl:{nr:x}\n" MAPPINGS "doorbell -> W:doorbell\n",
	 .commands = KT_COMMANDS_ROLES},
	/* as table1, but distinguishes ioctls by control command or object class */
	{.name = "rm", .text = RM, .of_driver = true},
	/* API calls of all CUDA libraries */
	{.name = "api", .text = API},
	/* api and rm together: requests to the driver can be attributed to API calls */
	{.name = "calls", .text = API RM, .of_driver = true},
	{.name = "submission", .commands = KT_COMMANDS_SUBMISSION},
	{.name = "methods", .commands = KT_COMMANDS_METHODS},
};

static const struct builtin *find_builtin(const char *name)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
		if (strcmp(builtins[i].name, name) == 0) {
			return &builtins[i];
		}
	}
	return NULL;
}

int kt_alphabet_error(const kt_alphabet *alphabet, size_t line, const char *format, ...)
{
	char reason[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	if (alphabet->in_machine && line) {
		return kt_error(KT_E_MALFORMED, "read %s: alphabet.rules[%zu]: %s",
				alphabet->file, line - 1, reason);
	}
	if (alphabet->in_machine) {
		return kt_error(KT_E_MALFORMED, "read %s: alphabet: %s", alphabet->file,
				reason);
	}
	if (line) {
		return kt_error(KT_E_MALFORMED, "read alphabet %s:%zu: %s", alphabet->file,
				line, reason);
	}
	return kt_error(KT_E_MALFORMED, "read alphabet %s: %s", alphabet->file, reason);
}

void kt_alphabet_free(kt_alphabet *alphabet)
{
	if (!alphabet) {
		return;
	}
	for (size_t i = 0; i < alphabet->n_events; i++) {
		struct kt_event_rules *event = &alphabet->events[i];

		for (size_t j = 0; j < event->n_fields; j++) {
			free((void *)(uintptr_t)event->fields[j]);
		}
		for (size_t j = 0; j < event->n_rules; j++) {
			struct kt_rule *rule = &event->rules[j];

			for (size_t k = 0; k < rule->n_conditions; k++) {
				free(rule->conditions[k].text);
			}
			for (size_t k = 0; k < rule->n_parts; k++) {
				free(rule->parts[k].literal);
			}
			free(rule->conditions);
			free(rule->parts);
		}
		free(event->rules);
		free((void *)(uintptr_t)event->event);
	}
	for (size_t i = 0; i < alphabet->n_lines; i++) {
		free(alphabet->lines[i]);
	}
	for (size_t i = 0; i < alphabet->n_required; i++) {
		free(alphabet->required[i].mode);
		free(alphabet->required[i].value);
	}
	free(alphabet->required);
	free(alphabet->events);
	free(alphabet->lines);
	kt_letter_filter_clear(&alphabet->filter);
	free(alphabet->name);
	free(alphabet->file);
	free(alphabet);
}

/*
 * Adds the nearest built-in name, or all built-in names, to the error, because `name` may
 * be a mistyped built-in name.
 */
static int name_alphabets(int code, const char *name)
{
	static const char *const names[] = {KT_ALPHABET_NAMES, NULL};
	const char *near = kt_nearest_of(name, names);
	char message[1024];
	char list[128] = "";
	size_t n = 0;

	snprintf(message, sizeof(message), "%s", kt_error_message());
	for (size_t i = 0; names[i]; i++) {
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "",
				      names[i]);
	}
	return near ? kt_error(code, "%s; did you mean '%s'?", message, near)
		    : kt_error(code, "%s; the built-in alphabets are %s", message, list);
}

/* --- alphabets that are code --- */

#define N(...) (sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *))
#define EVENT(kind, name, ...)                                                             \
	[kind] = {                                                                         \
		.event = (name),                                                           \
		.fields = {__VA_ARGS__},                                                   \
		.n_fields = N(__VA_ARGS__),                                                \
		.command = (kind),                                                         \
	}

static const struct kt_event_rules command_events[KT_COMMAND_EVENT_KINDS] = {
	EVENT(KT_COMMAND_DOORBELL, "doorbell", "known", "value", "moved", "channel"),
	EVENT(KT_COMMAND_ENTRY, "gpfifo_entry", "client", "channel", "class", "index",
	      "words", "state", "unread"),
	EVENT(KT_COMMAND_WORDS, "pushbuffer", "client", "channel", "index", "offset"),
	EVENT(KT_COMMAND_OBJECT, "object", "action", "client", "parent", "object", "class"),
	EVENT(KT_COMMAND_MAP, "map", "mapping", "error", "address", "length"),
	EVENT(KT_COMMAND_ACCESS, "access", "op", "mapping", "offset"),
};

/* The events of `roles`. They have the fields above and further ones. */
static const struct kt_event_rules role_events[KT_COMMAND_ROLE_EVENT_KINDS] = {
	EVENT(KT_COMMAND_DOORBELL, "doorbell", "known", "value", "moved", "channel"),
	EVENT(KT_COMMAND_ENTRY, "gpfifo_entry", "client", "channel", "class", "index",
	      "words", "state", "unread", "address"),
	EVENT(KT_COMMAND_WORDS, "pushbuffer", "client", "channel", "index", "offset"),
	EVENT(KT_COMMAND_OBJECT, "object", "action", "client", "parent", "object", "class"),
	EVENT(KT_COMMAND_MAP, "map", "mapping", "error", "address", "length", "space",
	      "class"),
	EVENT(KT_COMMAND_ACCESS, "access", "op", "mapping", "offset", KT_OPTIONAL_FIELD),
	EVENT(KT_COMMAND_UNMAP, "unmap", "mapping", "length"),
	[KT_COMMAND_IOCTL] = {.event = "ioctl", .command = KT_COMMAND_IOCTL},
};

/* Returns the rules of an event, which are added if there are none yet; NULL: no memory. */
static struct kt_event_rules *rules_of(kt_alphabet *a, const char *event)
{
	struct kt_event_rules *rules;

	for (size_t i = 0; i < a->n_events; i++) {
		if (strcmp(a->events[i].event, event) == 0) {
			return &a->events[i];
		}
	}
	if (kt_array_reserve(&a->events, &a->events_capacity, a->n_events + 1)) {
		return NULL;
	}
	rules = &a->events[a->n_events];
	*rules = (struct kt_event_rules){.event = strdup(event)};
	a->n_events += rules->event != NULL;
	return rules->event ? rules : NULL;
}

/*
 * Turns an alphabet of rules into `roles`: adds the fields that the code of `roles` needs,
 * and drops the text of the rules, because the rules are only part of the alphabet.
 */
static int make_roles(kt_alphabet **alphabet)
{
	kt_alphabet *a = *alphabet;
	bool complete = true;

	a->commands = KT_COMMANDS_ROLES;
	while (a->n_lines > 0) {
		free(a->lines[--a->n_lines]);
	}
	for (size_t i = 0; i < KT_COMMAND_ROLE_EVENT_KINDS && complete; i++) {
		const struct kt_event_rules *more = &role_events[i];
		struct kt_event_rules *rules = rules_of(a, more->event);

		complete = rules != NULL;
		if (rules) {
			rules->command = more->command;
			rules->kept = rules->n_fields;
		}
		for (size_t k = 0; k < more->n_fields && complete; k++) {
			rules->fields[rules->n_fields] = strdup(more->fields[k]);
			complete = rules->fields[rules->n_fields] != NULL;
			rules->n_fields += complete;
		}
	}
	if (!complete) {
		kt_alphabet_free(a);
		*alphabet = NULL;
		return kt_no_memory("open alphabet roles");
	}
	return KT_OK;
}

bool kt_alphabet_has_channels(const kt_alphabet *alphabet)
{
	return alphabet->commands == KT_COMMANDS_SUBMISSION ||
	       alphabet->commands == KT_COMMANDS_METHODS;
}

bool kt_alphabet_needs_later_events(const kt_alphabet *alphabet, const char **why)
{
	*why = "what memory is for is known only after the submissions that use it";
	return alphabet->commands == KT_COMMANDS_ROLES;
}

bool kt_event_only_kernel(const char *event)
{
	for (size_t i = 0; i < sizeof(kernel_events) / sizeof(kernel_events[0]); i++) {
		if (strcmp(kernel_events[i], event) == 0) {
			return true;
		}
	}
	return false;
}

bool kt_letter_only_kernel(const char *letter)
{
	for (size_t i = 0; i < sizeof(letters_of_kernel) / sizeof(letters_of_kernel[0]);
	     i++) {
		if (strcmp(letters_of_kernel[i], letter) == 0) {
			return true;
		}
	}
	return false;
}

int kt_alphabet_check_both(const kt_alphabet *alphabet)
{
	bool fits = false;

	if (alphabet->commands != KT_COMMANDS_NONE) {
		return kt_error(KT_E_USAGE,
				"--source both needs an alphabet of rules, and %s is none: "
				"it decodes the commands of user-space events",
				alphabet->name);
	}
	for (size_t i = 0; i < alphabet->n_events; i++) {
		fits = fits || kt_event_only_kernel(alphabet->events[i].event);
	}
	return fits ? KT_OK
		    : kt_error(KT_E_USAGE,
			       "--source both: the alphabet %s has no rule for an event "
			       "that "
			       "only the kernel records (pin, irq, ioctl_entry, mmap, "
			       "munmap)",
			       alphabet->name);
}

static int open_both(kt_alphabet **out, const char *name_or_file)
{
	const struct builtin *builtin = find_builtin(name_or_file);
	char *text = NULL;
	int code;

	if (!builtin || !builtin->of_driver) {
		return kt_alphabet_open(out, name_or_file);
	}
	if (asprintf(&text, "%s%s", builtin->text, OF_KERNEL) < 0) {
		return kt_error(KT_E_MEMORY, "open alphabet %s: out of memory",
				name_or_file);
	}
	code = kt_alphabet_parse(out, name_or_file, name_or_file, text, strlen(text));
	free(text);
	return code;
}

int kt_alphabet_open_both(kt_alphabet **out, const char *name_or_file)
{
	*out = NULL;
	KT_TRY(open_both(out, name_or_file));
	(*out)->both = true;
	return KT_OK;
}

int kt_alphabet_open(kt_alphabet **out, const char *name_or_file)
{
	const struct builtin *builtin = find_builtin(name_or_file);
	const char *slash = strrchr(name_or_file, '/');
	const char *base = slash ? slash + 1 : name_or_file;
	const char *dot = strrchr(base, '.');
	kt_alphabet *alphabet;
	struct kt_file file;
	char *name;
	int code;

	*out = NULL;
	if (builtin && !builtin->text) {
		alphabet = calloc(1, sizeof(*alphabet));
		if (alphabet) {
			alphabet->commands = builtin->commands;
			alphabet->name = strdup(name_or_file);
			alphabet->file = strdup(name_or_file);
		}
		if (!alphabet || !alphabet->name || !alphabet->file) {
			kt_alphabet_free(alphabet);
			return kt_error(KT_E_MEMORY, "open alphabet %s: out of memory",
					name_or_file);
		}
		*out = alphabet;
		return KT_OK;
	}
	if (builtin) {
		KT_TRY(kt_alphabet_parse(out, name_or_file, name_or_file, builtin->text,
					 strlen(builtin->text)));
		return builtin->commands == KT_COMMANDS_ROLES ? make_roles(out) : KT_OK;
	}
	code = kt_file_open(&file, name_or_file, KT_FILE_WHOLE);
	if (code) {
		kt_error_prepend(code, "open alphabet");
		return slash ? code : name_alphabets(code, name_or_file);
	}
	/* "dir/mine.alphabet" -> "mine" */
	name = dot && dot != base ? strndup(base, (size_t)(dot - base)) : strdup(base);
	code = name ? kt_alphabet_parse(out, name, name_or_file, file.data, file.length)
		    : kt_error(KT_E_MEMORY, "open alphabet %s: out of memory",
			       name_or_file);
	free(name);
	kt_file_close(&file);
	return code;
}

/* --- rules of an event --- */

const struct kt_event_rules *kt_alphabet_find(const kt_alphabet *alphabet,
					      const char *event)
{
	bool code = kt_alphabet_has_channels(alphabet);
	const struct kt_event_rules *rules = code ? command_events : alphabet->events;
	size_t n = code ? KT_COMMAND_EVENT_KINDS : alphabet->n_events;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(rules[i].event, event) == 0) {
			return &rules[i];
		}
	}
	return NULL;
}

/* Returns whether an event gives a letter. */
static bool has_letters(const kt_alphabet *alphabet, const char *event)
{
	const struct kt_event_rules *rules = kt_alphabet_find(alphabet, event);

	for (size_t i = 0; rules && i < rules->n_rules; i++) {
		if (rules->rules[i].parts) {
			return true;
		}
	}
	return false;
}

static bool needs_single_accesses(const kt_alphabet *alphabet)
{
	static const char *const of_runs[] = {"op", "space", "mapping"};
	const struct kt_event_rules *rules = kt_alphabet_find(alphabet, "access");

	if (!rules) {
		return false;
	}
	for (size_t i = 0; i < rules->n_rules; i++) {
		if (rules->rules[i].parts && rules->rules[i].run == KT_RUN_NONE) {
			return true;
		}
	}
	for (size_t i = 0; i < rules->n_fields; i++) {
		bool known = false;

		for (size_t k = 0; k < sizeof(of_runs) / sizeof(of_runs[0]); k++) {
			known = known || strcmp(rules->fields[i], of_runs[k]) == 0;
		}
		if (!known) {
			return true;
		}
	}
	return false;
}

/* Returns the value of a field of an access; NULL: any. */
static const char *value_of(const char *field, const char *op, const char *space)
{
	return strcmp(field, "op") == 0 ? op : strcmp(field, "space") == 0 ? space : NULL;
}

/* Returns whether the rule is not for accesses of this kind; *certain: whether it is. */
static bool excludes(const struct kt_event_rules *rules, const struct kt_rule *rule,
		     const char *op, const char *space, bool *certain)
{
	*certain = true;
	for (size_t i = 0; i < rule->n_conditions; i++) {
		const struct kt_condition *condition = &rule->conditions[i];
		const char *value = value_of(rules->fields[condition->slot], op, space);

		if (value && (strcmp(value, condition->text) == 0) == condition->unequal) {
			return true;
		}
		*certain = *certain && value;
	}
	return false;
}

/* Returns whether the filter leaves out the rule's letter for all accesses of this kind. */
static bool is_left_out(const kt_alphabet *alphabet, const struct kt_event_rules *rules,
			const struct kt_rule *rule, const char *op, const char *space)
{
	char letter[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < rule->n_parts && used < sizeof(letter); i++) {
		const struct kt_part *part = &rule->parts[i];
		const char *text = part->literal
					   ? part->literal
					   : value_of(rules->fields[part->slot], op, space);

		if (!text) {
			return false;
		}
		used += (size_t)snprintf(letter + used, sizeof(letter) - used, "%s", text);
	}
	return kt_letter_filter_omits(&alphabet->filter, letter) ||
	       (alphabet->drops_accesses && kt_letter_is_access(letter));
}

/* Returns whether accesses of this kind may give letters. */
static bool gives_letters(const kt_alphabet *alphabet, const char *op, const char *space)
{
	const struct kt_event_rules *rules = kt_alphabet_find(alphabet, "access");
	bool certain = false;

	/* The first rule that is for an access decides. */
	for (size_t i = 0; rules && i < rules->n_rules && !certain; i++) {
		const struct kt_rule *rule = &rules->rules[i];

		if (!excludes(rules, rule, op, space, &certain)) {
			if (rule->parts && !is_left_out(alphabet, rules, rule, op, space)) {
				return true;
			}
		} else {
			certain = false;
		}
	}
	return false;
}

static bool needs_accesses(const kt_alphabet *alphabet, const char *space)
{
	static const char *const spaces[] = {KT_SPACE_NAMES, NULL};

	for (size_t i = 0; !space && spaces[i]; i++) {
		if (needs_accesses(alphabet, spaces[i])) {
			return true;
		}
	}
	return space &&
	       (gives_letters(alphabet, "R", space) || gives_letters(alphabet, "W", space));
}

bool kt_alphabet_needs(const kt_alphabet *alphabet, enum kt_detail detail,
		       const char *space)
{
	if (alphabet->commands != KT_COMMANDS_NONE) {
		return detail == KT_DETAIL_COMMANDS ||
		       alphabet->commands != KT_COMMANDS_METHODS;
	}
	switch (detail) {
	case KT_DETAIL_SINGLE:
		return needs_single_accesses(alphabet) && needs_accesses(alphabet, space);
	case KT_DETAIL_ACCESSES: return needs_accesses(alphabet, space);
	case KT_DETAIL_COMMANDS:
		return has_letters(alphabet, "gpfifo_entry") ||
		       has_letters(alphabet, "pushbuffer");
	case KT_DETAILS: break;
	}
	return false;
}

/* --- JSON of machines --- */

int kt_alphabet_json(char **out, const kt_alphabet *alphabet)
{
	size_t size = 0;
	FILE *stream = open_memstream(out, &size);
	struct kt_json_writer w = {.out = stream};
	int failed;

	if (!stream) {
		return kt_error_errno(KT_E_MEMORY, "write alphabet as JSON");
	}
	kt_json_object(&w, NULL);
	KT_JSON(&w, KT_STR("name", alphabet->name));
	if (alphabet->both) {
		KT_JSON(&w, KT_STR("source", "both"));
	}
	kt_json_texts(&w, "rules", alphabet->lines, alphabet->n_lines);
	if (alphabet->filter.runs.n) {
		kt_json_texts(&w, "runs", alphabet->filter.runs.items,
			      alphabet->filter.runs.n);
	}
	if (alphabet->filter.without.n) {
		kt_json_texts(&w, "without", alphabet->filter.without.items,
			      alphabet->filter.without.n);
	}
	kt_json_end(&w);
	failed = ferror(stream);
	if (fclose(stream) != 0 || failed) {
		free(*out);
		*out = NULL;
		return kt_error(KT_E_MEMORY, "write alphabet as JSON: out of memory");
	}
	return KT_OK;
}

int kt_alphabet_from_json(kt_alphabet **out, const char *json, const char *file)
{
	json_error_t error;
	json_t *root = json_loads(json, JSON_REJECT_DUPLICATES, &error);
	const struct builtin *builtin;
	const json_t *rules = NULL;
	FILE *stream = NULL;
	char *name = NULL;
	char *text = NULL; /* all rules, one per line; NULL: the alphabet is code */
	size_t length = 0;
	bool both = false;
	int code;

	*out = NULL;
	if (!root) {
		code = kt_error(KT_E_MALFORMED, "alphabet: %s", error.text);
		goto end;
	}
	if (!json_object_get(root, "name") && !json_object_get(root, "rules") &&
	    (json_object_get(root, "runs") || json_object_get(root, "without"))) {
		json_decref(root);
		return KT_OK;
	}
	code = kt_json_get_string(&name, root, "name");
	if (!code) {
		code = kt_json_get_array(&rules, root, "rules");
	}
	both = json_object_get(root, "source") != NULL;
	if (!code && both) {
		code = kt_json_check_text(root, "source", "both");
	}
	/* An alphabet that is code has no rules, so `text` stays NULL. */
	builtin = code ? NULL : find_builtin(name);
	if (!code && (json_array_size(rules) > 0 || !builtin ||
		      builtin->commands == KT_COMMANDS_NONE)) {
		stream = open_memstream(&text, &length);
		code = stream ? KT_OK : kt_error_errno(KT_E_MEMORY, "read alphabet");
	}
	for (size_t i = 0; stream && i < json_array_size(rules) && !code; i++) {
		const json_t *value = json_array_get(rules, i);
		const char *rule = json_string_value(value);

		if (!rule || strchr(rule, '\n')) {
			code = kt_json_mismatch("", value, "a string of one line");
			code = kt_json_within(code, "rules", i);
		} else {
			fprintf(stream, "%s\n", rule);
		}
	}
	if (stream && fclose(stream) != 0 && !code) {
		code = kt_error_errno(KT_E_MEMORY, "read alphabet");
	}
	code = kt_json_in_member(code, "alphabet");
end:
	json_decref(root);
	if (code) {
		kt_error_prepend(code, "read %s", file);
	} else if (text) {
		code = kt_alphabet_parse_rules(out, name, file, text, length);
	} else {
		code = kt_alphabet_open(out, name);
	}
	if (!code) {
		(*out)->both = both;
		code = kt_letter_filter_from_json(&(*out)->filter, json, file);
		if (code) {
			kt_alphabet_free(*out);
			*out = NULL;
		}
	}
	free(name);
	free(text);
	return code;
}

bool kt_alphabet_same(const kt_alphabet *a, const kt_alphabet *b)
{
	bool same = a->commands == b->commands && a->n_lines == b->n_lines;

	for (size_t i = 0; i < a->n_lines && same; i++) {
		same = strcmp(a->lines[i], b->lines[i]) == 0;
	}
	return same;
}

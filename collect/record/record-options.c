/* SPDX-License-Identifier: MIT */
#include "collect/record/record-options.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/nearest.h"
#include "base/try.h"
#include "collect/environment.h"
#include "collect/preload/emit/account.h"
#include "collect/preload/overhead/overhead.h"
#include "collect/record/own-libraries.h"
#include "decode/api-functions.h"

#define LONGEST_HOLD_S 86400

static int set_access_limit(void *context, const char *value)
{
	unsigned long limit;
	int code = kt_parse_number(&limit, value, 0, ULONG_MAX, "--access-limit");

	((struct kt_record_options *)context)->access_limit = value;
	return code;
}

static int set_overhead(void *context, const char *value)
{
	return kt_parse_number(&((struct kt_record_options *)context)->overhead, value,
			       KT_OVERHEAD_MIN, KT_OVERHEAD_MAX, "--overhead");
}

static int set_kernel(void *context, const char *value)
{
	struct kt_record_options *options = context;

	if (value && strcmp(value, "beside") != 0) {
		return kt_error(KT_E_USAGE, "--kernel takes no value or 'beside', not '%s'",
				value);
	}
	options->source = value ? KT_RECORD_BESIDE : KT_RECORD_KERNEL;
	return KT_OK;
}

static int set_hold(void *context, const char *value)
{
	char *end;
	double seconds = strtod(value, &end);

	if (end == value || *end || !(seconds >= 0) || seconds > LONGEST_HOLD_S) {
		return kt_error(KT_E_USAGE, "--hold must be seconds from 0 to %d, not '%s'",
				LONGEST_HOLD_S, value);
	}
	((struct kt_record_options *)context)->hold_ms = (unsigned long)(seconds * 1000);
	((struct kt_record_options *)context)->hold_given = true;
	return KT_OK;
}

/*
 * Parses a power of two. Checks the value here, so that a wrong value is reported like the
 * wrong values of other options.
 */
static int set_power_of_two(unsigned long *slot, const char *value, unsigned long lo,
			    unsigned long hi, const char *what)
{
	KT_TRY(kt_parse_number(slot, value, lo, hi, what));
	return *slot & (*slot - 1) ? kt_error(KT_E_USAGE, "%s must be a power of two", what)
				   : KT_OK;
}

static int set_subbuf_size(void *context, const char *value)
{
	return set_power_of_two(&((struct kt_record_options *)context)->subbuf_size, value,
				4096, 1ul << 30, "--subbuf-size");
}

static int set_num_subbuf(void *context, const char *value)
{
	return set_power_of_two(&((struct kt_record_options *)context)->num_subbuf, value,
				2, 1024, "--num-subbuf");
}

/* KT_E_USAGE unless text[0..length) names a function: others would choose nothing. */
static int check_function(const char *text, size_t length)
{
	char hint[KT_DID_YOU_MEAN];
	struct kt_nearest nearest = {.word = length ? text : NULL, .length = length};

	if (kt_api_is_name(text, length)) {
		return KT_OK;
	}
	kt_nearest_try(&nearest, "work");
	kt_nearest_try(&nearest, "all");
	for (size_t i = 0; i < kt_api_functions(); i++) {
		kt_nearest_try(&nearest, kt_api_function_at(i)->name);
	}
	return kt_error(
		KT_E_USAGE,
		"--api-calls must be all or work alone, or whole names of functions "
		"that ktail knows, such as cuLaunchKernel,cuMemAlloc, not '%.*s'%s",
		(int)length, text, kt_did_you_mean(hint, nearest.found));
}

static int set_api_calls(void *context, const char *value)
{
	const bool is_list = strcmp(value, "all") != 0 && strcmp(value, "work") != 0;
	const char *at = value;

	if (strlen(value) >= KT_API_CALLS_TEXT) {
		return kt_error(KT_E_USAGE, "--api-calls takes at most %d characters",
				KT_API_CALLS_TEXT - 1);
	}
	while (is_list) {
		const size_t length = strcspn(at, ",");

		KT_TRY(check_function(at, length));
		at += length;
		if (*at++ == '\0') {
			break;
		}
	}
	((struct kt_record_options *)context)->api_calls = value;
	return KT_OK;
}

static int add_user(void *context, const char *value)
{
	struct kt_record_options *options = context;
	const struct passwd *user;
	uid_t *users;

	errno = 0;
	user = getpwnam(value);
	if (!user) {
		return errno ? kt_error_errno(KT_E_IO, "look up user '%s'", value)
			     : kt_error(KT_E_USAGE, "--also-user: no such user: '%s'",
					value);
	}
	users = realloc(options->users, (options->n_users + 1) * sizeof(*users));
	if (!users) {
		return kt_no_memory("--also-user");
	}
	users[options->n_users++] = user->pw_uid;
	options->users = users;
	return KT_OK;
}

static const struct kt_option options[] = {
	{"output", 'o', "DIR", "folder of the trace (default: ktail.trace)",
	 KT_TEXT(struct kt_record_options, output)},
	{"force", 0, NULL, "replace an existing trace in that folder",
	 KT_FLAG(struct kt_record_options, force)},
	{"softgpu", 0, NULL, "run on the software GPU: no hardware needed",
	 KT_FLAG(struct kt_record_options, softgpu)},
	{"kernel", 0, "[beside]", "record in the kernel (root); beside: in both",
	 KT_SET(set_kernel), KT_PROPOSE("beside")},
	{"check", 0, "FSM",
	 "then check the trace against a machine; exit status 1 if it does not fit",
	 KT_TEXT(struct kt_record_options, check)},
	{"verbose", 'v', NULL, "print all counters at the end",
	 KT_FLAG(struct kt_record_options, verbose)},
	{"quiet", 'q', NULL, "print only errors and warnings of loss",
	 KT_FLAG(struct kt_record_options, only_losses)},
	KT_HEADING("what is recorded (the first value is the default)"),
	{"api", 0, "MODE", "calls of CUDA and other APIs: none, wrap, cupti",
	 KT_CHOICE(struct kt_record_options, api, "none", "wrap", "cupti")},
	{"api-calls", 0, "NAMES", "which calls: work (all but queries), all, NAME,...",
	 KT_SET(set_api_calls), KT_PROPOSE("work", "all")},
	{"access", 0, "MODE", "reads and writes: coalesced, exact, off",
	 KT_CHOICE(struct kt_record_options, access, "off", "coalesced", "exact")},
	{"doorbell", 0, "MODE", "auto, watchpoint, patch, protect, shadow, off",
	 KT_CHOICE(struct kt_record_options, doorbell, "auto", "watchpoint", "patch",
		   "protect", "shadow", "off")},
	{"submissions", 0, "MODE", "ring entries and commands: words, off",
	 KT_CHOICE(struct kt_record_options, submissions, "off", "words")},
	{"rings", 0, "MODE", "ring entries from: auto, bus, stores, check (both)",
	 KT_CHOICE(struct kt_record_options, rings, "auto", "bus", "stores", "check")},
	{"pin", 0, NULL, "registered user memory as well",
	 KT_FLAG(struct kt_record_options, pin)},
	{"overhead", 0, "PERCENT", "give up accesses, then commands, to stay below",
	 KT_SET(set_overhead)},
	KT_HEADING("full buffers"),
	{"lossless", 0, NULL, "hold processes until there is space; lose nothing",
	 KT_FLAG(struct kt_record_options, lossless)},
	{"hold", 0, "SECONDS", "longest time to hold a process (default 5)",
	 KT_SET(set_hold)},
	{"subbuf-size", 0, "BYTES", "size of a sub-buffer (default 1048576)",
	 KT_SET(set_subbuf_size)},
	{"num-subbuf", 0, "N", "number of sub-buffers per CPU (default 8)",
	 KT_SET(set_num_subbuf)},
	KT_HEADING("advanced"),
	{"access-limit", 0, "N", "exact accesses per process (default 1000000)",
	 KT_SET(set_access_limit)},
	{"cupti", 0, "FILE", "the libcupti for --api=cupti",
	 KT_TEXT(struct kt_record_options, cupti)},
	{"also-user", 0, "NAME", "also record processes of this user", KT_SET(add_user)},
	{"softgpu-driver", 0, "N", "version of its driver: 2 (default), 1",
	 KT_CHOICE(struct kt_record_options, softgpu_driver, KT_SOFTGPU_DRIVERS)},
	{"softgpu-transfer", 0, "METHOD", "dma (default), mapped, window, chunk1, chunk4",
	 KT_CHOICE(struct kt_record_options, softgpu_transfer, KT_SOFTGPU_TRANSFERS)},
	KT_LAST_ROWS,
};

const struct kt_command_line kt_record_command = {
	.usage = "ktail record [options] -- COMMAND [ARGUMENT...]\n"
		 "       ktail record --kernel [options]",
	.summary = "Records the communication of COMMAND's processes with the GPU driver.",
	.table = options,
	.posix = true,
};

/* --- combinations --- */

static int excludes(const char *option, const char *other, const char *why)
{
	return kt_error(KT_E_USAGE, "%s cannot be used with %s%s%s", option, other,
			why ? ": " : "", why ? why : "");
}

static int requires(const char *option, const char *other)
{
	return kt_error(KT_E_USAGE, "%s requires %s", option, other);
}

static int check(const struct kt_record_options *o, int n_operands)
{
	/* Options that need the recorder in the programs. */
	const struct {
		bool is_given;
		const char *option;
	} within[] = {
		{o->access_limit, "--access-limit"},
		{o->pin, "--pin"},
		{o->overhead, "--overhead"},
		{o->lossless, "--lossless"},
		{o->hold_given, "--hold"},
		{o->submissions, "--submissions"},
		{o->rings, "--rings"},
		{o->cupti, "--cupti"},
		{o->n_users, "--also-user"},
		{strcmp(o->api, "none") != 0, "--api"},
		{o->access && strcmp(o->access, "exact") == 0, "--access=exact"},
		{o->doorbell && strcmp(o->doorbell, "patch") == 0, "--doorbell=patch"},
		{o->doorbell && strcmp(o->doorbell, "protect") == 0, "--doorbell=protect"},
	};

	if (o->only_losses && o->verbose) {
		return excludes("--quiet", "--verbose", NULL);
	}
	if (!o->softgpu && (o->softgpu_driver || o->softgpu_transfer)) {
		return requires(o->softgpu_driver ? "--softgpu-driver"
						  : "--softgpu-transfer",
				"--softgpu");
	}
	if (o->cupti && strcmp(o->api, "cupti") != 0) {
		return requires("--cupti", "--api=cupti");
	}
	if (o->api_calls && strcmp(o->api, "none") == 0) {
		return requires("--api-calls", "--api=wrap or --api=cupti");
	}
	if (n_operands == 0 && o->source != KT_RECORD_KERNEL) {
		return kt_error(KT_E_USAGE,
				"no COMMAND to record; see ktail record --help");
	}
	if ((o->source & KT_RECORD_KERNEL) && o->softgpu) {
		return excludes("--softgpu", "--kernel",
				"the software GPU is not in the kernel");
	}
	if (o->source != KT_RECORD_KERNEL && o->doorbell &&
	    strcmp(o->doorbell, "shadow") == 0) {
		return requires("--doorbell=shadow", "--kernel alone");
	}
	for (size_t i = 0; i < sizeof(within) / sizeof(within[0]); i++) {
		if (o->source == KT_RECORD_KERNEL && within[i].is_given) {
			return excludes(within[i].option, "--kernel alone",
					"no recorder is loaded into the programs");
		}
	}
	return KT_OK;
}

int kt_record_options_parse(struct kt_record_options *out, int argc, char **argv,
			    int *n_operands)
{
	const char *mode;

	*out = (struct kt_record_options){
		.source = KT_RECORD_USER,
		.api = "none",
		.subbuf_size = 1 << 20,
		.num_subbuf = 8,
		.hold_ms = KT_ACCOUNT_DEFAULT_MS,
	};
	KT_TRY(kt_options_parse(&kt_record_command, argc, argv, out, n_operands));
	if (kt_asked_any(&out->asked)) {
		return KT_OK;
	}
	KT_TRY(check(out, *n_operands));
	/*
	 * Chooses the parameters of the kernel module. If the recorder runs too, the module
	 * does not watch accesses, because the module and the recorder would close the same
	 * pages. For processes that both of them observe, the events of the recorder are
	 * authoritative.
	 */
	out->kernel_access = out->source == KT_RECORD_BESIDE ? "off" : out->access;
	mode = out->doorbell;
	if (mode && (strcmp(mode, "off") == 0 || strcmp(mode, "shadow") == 0)) {
		out->kernel_mode = mode;
	} else if (mode && out->source == KT_RECORD_KERNEL) {
		out->kernel_mode = "watch";
	}
	out->submissions = out->submissions ? out->submissions : "words";
	out->api_calls = out->api_calls ? out->api_calls : "work";
	out->rings = out->rings ? out->rings : "auto";
	out->access = out->access ? out->access : "coalesced";
	out->doorbell = out->doorbell ? out->doorbell : "auto";
	return KT_OK;
}

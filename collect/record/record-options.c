/* SPDX-License-Identifier: MIT */
#include "collect/record/record-options.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "collect/preload/emit/account.h"
#include "collect/record/own-libraries.h"

#define LONGEST_HOLD_S 86400

static int set_access_limit(void *context, const char *value)
{
	unsigned long limit;
	int code = kt_parse_number(&limit, value, 0, ULONG_MAX, "--access-limit");

	((struct kt_record_options *)context)->access_limit = value;
	return code;
}

static int set_kernel(void *context, const char *value)
{
	struct kt_record_options *options = context;

	if (value && strcmp(value, "beside") != 0) {
		return kt_error(KT_E_USAGE,
				"parse options: --kernel can be 'beside' (the recorder), "
				"not '%s'",
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
		return kt_error(KT_E_USAGE,
				"parse options: --hold must be seconds from 0 to %d, not "
				"'%s'",
				LONGEST_HOLD_S, value);
	}
	((struct kt_record_options *)context)->hold_ms = (unsigned long)(seconds * 1000);
	((struct kt_record_options *)context)->hold_given = true;
	return KT_OK;
}

/* Said where the option stands, as what else is wrong with one. */
static int set_power_of_two(unsigned long *slot, const char *value, unsigned long lo,
			    unsigned long hi, const char *what)
{
	KT_TRY(kt_parse_number(slot, value, lo, hi, what));
	return *slot & (*slot - 1)
		       ? kt_error(KT_E_USAGE, "parse options: %s must be a power of two",
				  what)
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

static int add_user(void *context, const char *value)
{
	struct kt_record_options *options = context;
	const struct passwd *user;
	uid_t *users;

	errno = 0;
	user = getpwnam(value);
	if (!user) {
		return errno ? kt_error_errno(KT_E_IO, "look up user '%s'", value)
			     : kt_error(KT_E_USAGE,
					"parse options: --also-user: there is no user '%s'",
					value);
	}
	users = realloc(options->users, (options->n_users + 1) * sizeof(*users));
	if (!users) {
		return kt_no_memory("parse options");
	}
	users[options->n_users++] = user->pw_uid;
	options->users = users;
	return KT_OK;
}

static const struct kt_option options[] = {
	{"output", 'o', "DIR", "folder for the trace; must be empty or not exist",
	 KT_TEXT(struct kt_record_options, output)},
	{"access", 0, "MODE",
	 "reads and writes of mapped memory: coalesced (default), exact, off",
	 KT_CHOICE(struct kt_record_options, access, "off", "coalesced", "exact")},
	{"access-limit", 0, "N", "with exact: accesses to report for a process at most",
	 KT_SET(set_access_limit)},
	{"pin", 0, NULL, "registered user memory too",
	 KT_FLAG(struct kt_record_options, pin)},
	{"kernel", 0, "[MODE]",
	 "by the kernel's modules instead of a library within the programs; beside: by "
	 "both. "
	 "For root",
	 KT_SET(set_kernel)},
	{"doorbell", 0, "MODE",
	 "doorbell stores: auto (default), watchpoint, patch, protect, off; with --kernel "
	 "alone: auto, watchpoint, shadow, off",
	 KT_CHOICE(struct kt_record_options, doorbell, "auto", "watchpoint", "patch",
		   "protect", "shadow", "off")},
	{"submissions", 0, "MODE",
	 "ring entries and commands that doorbells submit: words (default), off",
	 KT_CHOICE(struct kt_record_options, submissions, "off", "words")},
	{"rings", 0, "MODE",
	 "what rings hold: bus (default, read from the device), stores (as the program has "
	 "stored it), check (both, compared)",
	 KT_CHOICE(struct kt_record_options, rings, "bus", "stores", "check")},
	{"api", 0, "MODE",
	 "calls of the CUDA API: none (default), wrap (pointers to its functions), cupti "
	 "(NVIDIA's own callbacks)",
	 KT_CHOICE(struct kt_record_options, api, "none", "wrap", "cupti")},
	{"cupti", 0, "FILE", "with --api=cupti: the libcupti to use",
	 KT_TEXT(struct kt_record_options, cupti)},
	{"hold", 0, "SECONDS", "how long full buffers may hold a process (default 5)",
	 KT_SET(set_hold)},
	{"lossless", 0, NULL, "full buffers hold a process for as long as it takes",
	 KT_FLAG(struct kt_record_options, lossless)},
	{"subbuf-size", 0, "BYTES", "LTTng sub-buffer, a power of two (default 1048576)",
	 KT_SET(set_subbuf_size)},
	{"num-subbuf", 0, "N", "sub-buffers for each CPU, a power of two (default 8)",
	 KT_SET(set_num_subbuf)},
	{"also-user", 0, "NAME",
	 "record processes, too, that have changed to this user; several times for several",
	 KT_SET(add_user)},
	{"softgpu", 0, NULL,
	 "on the software GPU that comes with ktail: no hardware needed",
	 KT_FLAG(struct kt_record_options, softgpu)},
	{"softgpu-driver", 0, "N", "its driver's version: 1, 2 (default)",
	 KT_CHOICE(struct kt_record_options, softgpu_driver, KT_SOFTGPU_DRIVERS)},
	{"softgpu-transfer", 0, "METHOD",
	 "how it copies: dma (default), mapped, window, chunk1, chunk4",
	 KT_CHOICE(struct kt_record_options, softgpu_transfer, KT_SOFTGPU_TRANSFERS)},
	{"help", 'h', NULL, "print this and exit", KT_FLAG(struct kt_asked, help)},
	{"version", 'V', NULL, "print the version and exit",
	 KT_FLAG(struct kt_asked, version)},
	{0},
};

const struct kt_command_line kt_record_command = {
	.usage = "ktail record [options] -o DIR -- COMMAND [ARGUMENT...]\n"
		 "       ktail record --kernel [options] -o DIR",
	.summary = "Records what COMMAND's processes exchange with the GPU's driver, as an "
		   "LTTng trace.",
	.table = options,
	.posix = true,
};

/* --- what goes together --- */

static int of_no_use(const char *option, const char *where)
{
	return kt_error(KT_E_USAGE, "parse options: %s is of no use %s", option, where);
}

static int check(const struct kt_record_options *o, int n_operands)
{
	/* What is done within programs is not done without the recorder in them. */
	const struct {
		bool is_given;
		const char *option;
	} within[] = {
		{o->access_limit, "--access-limit"},
		{o->pin, "--pin"},
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

	if (!o->output) {
		return kt_error(
			KT_E_USAGE,
			"parse options: -o DIR is missing; see ktail record --help");
	}
	if (!o->softgpu && (o->softgpu_driver || o->softgpu_transfer)) {
		return of_no_use(o->softgpu_driver ? "--softgpu-driver"
						   : "--softgpu-transfer",
				 "without --softgpu");
	}
	if (o->cupti && strcmp(o->api, "cupti") != 0) {
		return of_no_use("--cupti", "without --api=cupti");
	}
	if (n_operands == 0 && o->source != KT_RECORD_KERNEL) {
		return kt_error(KT_E_USAGE, "parse options: there is no COMMAND to run; "
					    "see ktail record --help");
	}
	if ((o->source & KT_RECORD_KERNEL) && o->softgpu) {
		return of_no_use("--softgpu", "with --kernel: it lies above the kernel");
	}
	if (o->source != KT_RECORD_KERNEL && o->doorbell &&
	    strcmp(o->doorbell, "shadow") == 0) {
		return of_no_use("--doorbell=shadow",
				 "without --kernel alone: it is the kernel's");
	}
	for (size_t i = 0; i < sizeof(within) / sizeof(within[0]); i++) {
		if (o->source == KT_RECORD_KERNEL && within[i].is_given) {
			return of_no_use(
				within[i].option,
				"with --kernel alone: nothing is loaded into the programs");
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
	if (out->asked.help || out->asked.version) {
		return KT_OK;
	}
	KT_TRY(check(out, *n_operands));
	/*
	 * What the module is told. Beside the recorder, which closes pages too, it leaves
	 * accesses alone: of a process that both see, the recorder's events are the word.
	 */
	out->kernel_access = out->source == KT_RECORD_BESIDE ? "off" : out->access;
	mode = out->doorbell;
	if (mode && (strcmp(mode, "off") == 0 || strcmp(mode, "shadow") == 0)) {
		out->kernel_mode = mode;
	} else if (mode && out->source == KT_RECORD_KERNEL) {
		out->kernel_mode = "watch";
	}
	out->submissions = out->submissions ? out->submissions : "words";
	out->rings = out->rings ? out->rings : "bus";
	out->access = out->access ? out->access : "coalesced";
	out->doorbell = out->doorbell ? out->doorbell : "auto";
	return KT_OK;
}

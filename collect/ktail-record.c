/* SPDX-License-Identifier: MIT */
/* ktail record: an LTTng session around one command. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/option-table.h"
#include "collect/counters.h"
#include "collect/preload.h"
#include "collect/run-command.h"
#include "collect/session.h"
#include "collect/trace-folder.h"

#define OWN_FAILURE 125 /* as env(1) and timeout(1) */

struct settings {
	const char *output;
	const char *access;
	const char *doorbell;
	unsigned long subbuf_size;
	unsigned long num_subbuf;
	int help;
	int version;
};

/* --- options --- */

static int set_output(void *context, const char *value)
{
	((struct settings *)context)->output = value;
	return KT_OK;
}

static int set_one_of(const char **slot, const char *value, const char *other,
		      const char *what)
{
	if (strcmp(value, "off") != 0 && strcmp(value, other) != 0) {
		return kt_error(KT_E_USAGE, "parse options: %s must be %s or off, not '%s'",
				what, other, value);
	}
	*slot = value;
	return KT_OK;
}

static int set_access(void *context, const char *value)
{
	return set_one_of(&((struct settings *)context)->access, value, "coalesced",
			  "--access");
}

static int set_doorbell(void *context, const char *value)
{
	return set_one_of(&((struct settings *)context)->doorbell, value, "watchpoint",
			  "--doorbell");
}

static int set_power_of_two(unsigned long *slot, const char *value, unsigned long lo,
			    unsigned long hi, const char *what)
{
	int code = kt_parse_number(slot, value, lo, hi, what);

	if (code == KT_OK && (*slot & (*slot - 1))) {
		return kt_error(KT_E_USAGE, "parse options: %s must be a power of two",
				what);
	}
	return code;
}

static int set_subbuf_size(void *context, const char *value)
{
	return set_power_of_two(&((struct settings *)context)->subbuf_size, value, 4096,
				1ul << 30, "--subbuf-size");
}

static int set_num_subbuf(void *context, const char *value)
{
	return set_power_of_two(&((struct settings *)context)->num_subbuf, value, 2, 1024,
				"--num-subbuf");
}

static int set_help(void *context, const char *value)
{
	(void)value;
	((struct settings *)context)->help = 1;
	return KT_OK;
}

static int set_version(void *context, const char *value)
{
	(void)value;
	((struct settings *)context)->version = 1;
	return KT_OK;
}

static const struct kt_option options[] = {
	{"output", 'o', "DIR", "folder for the trace; must be empty or not exist",
	 set_output},
	{"access", 0, "MODE", "reads and writes of mapped memory: coalesced (default), off",
	 set_access},
	{"doorbell", 0, "MODE", "doorbell stores: watchpoint (default), off", set_doorbell},
	{"subbuf-size", 0, "BYTES", "LTTng sub-buffer, a power of two (default 1048576)",
	 set_subbuf_size},
	{"num-subbuf", 0, "N", "sub-buffers for each CPU, a power of two (default 8)",
	 set_num_subbuf},
	{"help", 'h', NULL, "print this and exit", set_help},
	{"version", 0, NULL, "print the version and exit", set_version},
	{0},
};

static const struct kt_command command = {
	.usage = "ktail record [options] -o DIR -- COMMAND [ARGUMENT...]",
	.summary = "Records what COMMAND's processes exchange with the GPU's driver, as an "
		   "LTTng trace.",
	.table = options,
	.posix = true,
};

/* --- set-up --- */

/* The preload library lies in ../lib of the program, installed or not. */
static int find_library(char path[static PATH_MAX])
{
	static const char *const places[] = {("../" KTAIL_LIBDIR), "../lib", "."};
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	if (strrchr(self, '/')) {
		*strrchr(self, '/') = '\0';
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char candidate[2 * PATH_MAX];

		snprintf(candidate, sizeof(candidate), "%s/%s/libktail-record.so", self,
			 places[i]);
		if (!realpath(candidate, path)) {
			continue;
		}
		if (strpbrk(path, " :")) {
			return kt_error(
				KT_E_IO,
				"preload %s: the loader takes no path with a blank or "
				"colon; move it",
				path);
		}
		return KT_OK;
	}
	return kt_error(KT_E_IO, "find libktail-record.so: it is not in %s/../lib", self);
}

/* Counters that the recorded processes share with us; the file is unlinked at the end. */
static int make_counters(struct kt_counters **out, char path[static PATH_MAX])
{
	void *page;
	int fd;

	snprintf(path, PATH_MAX, "/dev/shm/ktail-record-XXXXXX");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0) {
		path[0] = '\0';
		return kt_error_errno(KT_E_IO, "make counters in /dev/shm");
	}
	if (ftruncate(fd, sizeof(**out)) != 0 || fchmod(fd, 0666) != 0) {
		close(fd);
		return kt_error_errno(KT_E_IO, "make counters %s", path);
	}
	page = mmap(NULL, sizeof(**out), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (page == MAP_FAILED) {
		return kt_error_errno(KT_E_IO, "map counters %s", path);
	}
	*out = page;
	return KT_OK;
}

struct environment {
	const struct settings *settings;
	const char *library;
	const char *counters;
};

static void set_environment(const void *context)
{
	const struct environment *e = context;
	const char *others = getenv("LD_PRELOAD");
	char *preload;

	if (others && others[0] && asprintf(&preload, "%s:%s", e->library, others) > 0) {
		setenv("LD_PRELOAD", preload, 1);
		free(preload);
	} else {
		setenv("LD_PRELOAD", e->library, 1);
	}
	setenv(KT_COUNTERS_VARIABLE, e->counters, 1);
	setenv(KT_ACCESS_VARIABLE, e->settings->access, 1);
	setenv(KT_DOORBELL_VARIABLE, e->settings->doorbell, 1);
	setenv("LTTNG_UST_ALLOW_BLOCKING", "1", 0);
	setenv("LTTNG_UST_REGISTER_TIMEOUT", "-1", 0);
}

/* --- what is said at the end --- */

static unsigned long long get(const _Atomic uint64_t *counter)
{
	return (unsigned long long)atomic_load(counter);
}

static void summarise(const struct settings *settings, const struct kt_counters *c,
		      uint64_t lost)
{
	fprintf(stderr, "ktail: recorded %llu events, %llu lost, %llu doorbells",
		get(&c->events) - lost, (unsigned long long)lost, get(&c->doorbells));
	if (strcmp(settings->doorbell, "off") != 0) {
		fprintf(stderr,
			" (%llu without a moved GP_PUT), %llu channels (%llu behind)",
			get(&c->idle_doorbells), get(&c->channels), get(&c->behind));
	}
	fprintf(stderr, " in %s\n", settings->output);
	if (get(&c->device_users) == 0) {
		fprintf(stderr, "ktail: warning: no process opened a GPU's device file\n");
	}
	if (get(&c->without_provider)) {
		fprintf(stderr,
			"ktail: warning: %llu processes found no libktail-gpu-stack.so: "
			"their "
			"events are not in the trace\n",
			get(&c->without_provider));
	}
	if (get(&c->watchpoint_refused)) {
		fprintf(stderr,
			"ktail: warning: %llu watchpoints refused (see "
			"/proc/sys/kernel/perf_event_paranoid): doorbells are taken from "
			"page faults\n",
			get(&c->watchpoint_refused));
	}
	if (get(&c->unknown_values)) {
		fprintf(stderr, "ktail: warning: %llu doorbells with an unknown value\n",
			get(&c->unknown_values));
	}
	if (get(&c->missed) || get(&c->unreadable)) {
		fprintf(stderr,
			"ktail: warning: %llu accesses missed, %llu requests of unknown "
			"layout\n",
			get(&c->missed), get(&c->unreadable));
	}
}

static int record(const struct settings *settings, char **argv)
{
	struct kt_session_options session_options = {
		.subbuf_size = settings->subbuf_size,
		.num_subbuf = settings->num_subbuf,
		.blocking_timeout_us = 100000,
	};
	char library[PATH_MAX];
	char output[PATH_MAX];
	char counters_path[PATH_MAX] = "";
	struct environment environment = {settings, library, counters_path};
	struct kt_counters *counters = NULL;
	struct kt_session *session = NULL;
	uint64_t lost = 0;
	bool started = false;
	bool prepared = false; /* the folder is there, and all that is in it is ours */
	bool made = false;
	int status = -1;
	int code;

	kt_command_mind_signals();
	code = find_library(library);
	code = code ? code : kt_trace_folder_prepare(settings->output, output, &made);
	prepared = code == KT_OK;
	code = code ? code : make_counters(&counters, counters_path);
	session_options.output = output;
	if (code == KT_OK && kt_session_has_company()) {
		fprintf(stderr,
			"ktail: warning: another recording of this user is running: "
			"each trace will hold the events of both\n");
	}
	code = code || kt_command_stop_signal()
		       ? code
		       : kt_session_start(&session, &session_options);
	if (code == KT_OK && !kt_command_stop_signal()) {
		status = kt_command_run(argv, set_environment, &environment, &started);
		code = status < 0 ? KT_E_IO : kt_session_stop(session, &lost);
	}
	if (!kt_session_free(session)) {
		fprintf(stderr, "ktail: warning: lttng-sessiond was left running for the "
				"sessions of others\n");
	}
	if (counters_path[0]) {
		unlink(counters_path);
	}
	if (!started && prepared) {
		kt_trace_folder_discard(output, made);
	}
	if (code) {
		fprintf(stderr, "ktail: %s\n", kt_error_message());
		return status <= 0 ? OWN_FAILURE : status;
	}
	if (status < 0) {
		/* Stopped before there was anything to record. */
		return kt_command_die_of(kt_command_stop_signal());
	}
	if (started) {
		summarise(settings, counters, lost);
	}
	return status;
}

int main(int argc, char **argv)
{
	struct settings settings = {
		.access = "coalesced",
		.doorbell = "watchpoint",
		.subbuf_size = 1 << 20,
		.num_subbuf = 8,
	};
	int n_operands = 0;
	int code = kt_options_parse(&command, argc, argv, &settings, &n_operands);

	if (code == KT_OK && settings.help) {
		kt_options_help(&command, stdout);
		return 0;
	}
	if (code == KT_OK && settings.version) {
		printf("ktail " KTAIL_VERSION "\n");
		return 0;
	}
	if (code == KT_OK && !settings.output) {
		code = kt_error(KT_E_USAGE, "parse options: -o DIR is missing");
	}
	if (code == KT_OK && n_operands == 0) {
		code = kt_error(KT_E_USAGE, "parse options: there is no COMMAND to run");
	}
	if (code) {
		fprintf(stderr, "ktail: %s\nTry 'ktail record --help'.\n",
			kt_error_message());
		return OWN_FAILURE;
	}
	argv[n_operands] = NULL;
	return record(&settings, argv);
}

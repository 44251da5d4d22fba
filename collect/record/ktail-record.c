/* SPDX-License-Identifier: MIT */
/*
 * ktail record: records one command, or all processes of the machine, in an LTTng session.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/standard-files.h"
#include "base/terminal.h"
#include "base/try.h"
#include "collect/api-injection.h"
#include "collect/environment.h"
#include "collect/preload/emit/account.h"
#include "collect/preload/process/counters.h"
#include "collect/record/check-trace.h"
#include "collect/record/command.h"
#include "collect/record/supervisor.h"
#include "collect/record/own-libraries.h"
#include "collect/record/record-options.h"
#include "collect/record/session.h"
#include "collect/record/summary.h"
#include "collect/record/folders.h"

#define RECORDER  "libktail-record.so"
#define INJECTION "libktail-cupti.so"
/* Environment variable that names the library that libcuda loads at its initialization. */
#define INJECTION_VARIABLE "CUDA_INJECTION64_PATH"
#define OWN_FAILURE        125    /* exit status if ktail itself fails, as in env(1) */
#define LONGEST_EVENT      100000 /* microseconds that an event may wait for buffer space */

struct recording {
	const struct kt_record_options *options;
	char library[PATH_MAX];
	char shim[PATH_MAX];
	char injection[PATH_MAX]; /* "": none */
	char cupti[PATH_MAX];     /* "": search for it */
	struct kt_softgpu softgpu;
	struct kt_trace_folder trace;
	bool started;  /* the command was executed, or there is no command */
	bool everyone; /* there is no command: the whole machine is recorded */
	struct kt_run_folder folder;
	struct kt_counters *counters;
	struct kt_supervisor supervisor;
	struct kt_supervisor_start start;
	struct kt_supervisor_end end;
};

/* --- the command's environment --- */

static void set_environment(const void *context)
{
	const struct recording *r = context;
	const struct kt_record_options *options = r->options;
	unsigned long patience_ms = options->hold_ms > KT_ACCOUNT_DEFAULT_MS
					    ? options->hold_ms
					    : KT_ACCOUNT_DEFAULT_MS;
	char hold[32] = "forever";
	char patience[32] = "-1"; /* unlimited */
	char part[32];
	char overhead[32];

	if (options->source == KT_RECORD_KERNEL) {
		return;
	}
	if (options->softgpu) {
		kt_softgpu_set_environment(&r->softgpu);
	}
	kt_own_library_put_first("LD_PRELOAD", r->library);
	if (!options->lossless) {
		snprintf(hold, sizeof(hold), "%lu", options->hold_ms);
		snprintf(patience, sizeof(patience), "%lu", patience_ms);
	}
	setenv(KT_HOLD_VARIABLE, hold, 1);
	setenv(KT_ADMISSION_VARIABLE, r->folder.socket, 1);
	setenv(KT_KEY_VARIABLE, r->folder.key, 1);
	setenv(KT_ACCESS_VARIABLE, options->access, 1);
	setenv(KT_DOORBELL_VARIABLE, options->doorbell, 1);
	setenv(KT_SUBMISSIONS_VARIABLE, options->submissions, 1);
	setenv(KT_RINGS_VARIABLE, options->rings, 1);
	setenv(KT_API_VARIABLE, options->api, 1);
	setenv(KT_API_CALLS_VARIABLE, options->api_calls, 1);
	if (r->injection[0]) {
		setenv(INJECTION_VARIABLE, r->injection, 1);
	}
	if (r->cupti[0]) {
		setenv(KT_CUPTI_VARIABLE, r->cupti, 1);
	}
	/*
	 * GPU commands are recorded in parts of at most a third of a sub-buffer, so that a
	 * part and other events fit into one sub-buffer. The variable counts dwords.
	 */
	snprintf(part, sizeof(part), "%lu", options->subbuf_size / 3 / 4);
	setenv(KT_PART_VARIABLE, part, 1);
	if (options->access_limit) {
		setenv(KT_ACCESS_LIMIT_VARIABLE, options->access_limit, 1);
	}
	if (options->overhead) {
		snprintf(overhead, sizeof(overhead), "%lu", options->overhead);
		setenv(KT_OVERHEAD_VARIABLE, overhead, 1);
	}
	if (options->pin) {
		setenv(KT_PIN_VARIABLE, "1", 1);
	}
	if (r->start.apart) {
		setenv("LTTNG_HOME", r->folder.path, 1);
	}
	setenv("LTTNG_UST_ALLOW_BLOCKING", "1", options->lossless);
	/* Limits how long a starting program waits for an answer of the session daemon. */
	setenv("LTTNG_UST_REGISTER_TIMEOUT", patience, 0);
	/*
	 * Disables LTTng's state dump of base addresses, which would read through all
	 * libraries for events that are not recorded.
	 */
	setenv("LTTNG_UST_WITHOUT_BADDR_STATEDUMP", "1", 0);
}

/* --- start and end --- */

static int start_supervisor(struct recording *r)
{
	const struct kt_record_options *options = r->options;
	bool has_shim =
		kt_own_library_find(r->shim, "libktail-sessiond.so", "find") == KT_OK;
	struct kt_supervisor_options supervisor = {
		.session = {.output = r->trace.absolute,
			    .subbuf_size = options->subbuf_size,
			    .num_subbuf = options->num_subbuf,
			    .blocking_timeout_us = options->lossless ? -1 : LONGEST_EVENT,
			    .user = options->source & KT_RECORD_USER,
			    .kernel = options->source & KT_RECORD_KERNEL},
		.folder = &r->folder,
		.lock = r->trace.lock,
		.shim = has_shim ? r->shim : NULL,
		.kernel = {.mode = options->kernel_mode,
			   .access = options->kernel_access,
			   .only = r->everyone ? 0 : getpid(),
			   .who = getpid(),
			   .output = r->trace.absolute},
		.alone = r->everyone,
	};

	return kt_supervisor_start(&r->supervisor, &supervisor, &r->start);
}

/*
 * Finds the library to inject. KT_E_USAGE if the environment names another one, because a
 * process can have only one injected library.
 */
static int find_injection(struct recording *r)
{
	const char *other = getenv(INJECTION_VARIABLE);
	const char *cupti = r->options->cupti;

	KT_TRY(kt_own_library_find(r->injection, INJECTION, "inject"));
	if (other && other[0] && strcmp(other, r->injection) != 0) {
		return kt_error(KT_E_USAGE,
				"inject " INJECTION ": " INJECTION_VARIABLE
				" is already set to %s; unset it",
				other);
	}
	/*
	 * Makes a path absolute, because the program may change its working directory. A
	 * name without a slash is left to the loader, which searches for it.
	 */
	if (cupti && !strchr(cupti, '/')) {
		snprintf(r->cupti, sizeof(r->cupti), "%s", cupti);
	} else if (cupti && !realpath(cupti, r->cupti)) {
		return kt_error_errno(KT_E_IO, "find %s", cupti);
	}
	return KT_OK;
}

static int prepare(struct recording *r)
{
	const struct kt_record_options *options = r->options;
	struct kt_shm_space space;

	if (options->source & KT_RECORD_KERNEL) {
		if (geteuid() != 0) {
			return kt_error(KT_E_USAGE,
					"--kernel: only root may record in the kernel "
					"(sudo ktail record --kernel ...)");
		}
		KT_TRY(kt_kernel_check_namespace());
	}
	if (options->source & KT_RECORD_USER) {
		KT_TRY(kt_own_library_find(r->library, RECORDER, "preload"));
		if (strcmp(options->api, "cupti") == 0) {
			KT_TRY(find_injection(r));
		}
	}
	if (options->softgpu) {
		KT_TRY(kt_softgpu_find(&r->softgpu));
	}
	/*
	 * Only buffers of user-space events are in /dev/shm; those of kernel events are in
	 * kernel memory.
	 */
	if (options->source & KT_RECORD_USER) {
		KT_TRY(kt_shm_space_read(&space));
		KT_TRY(kt_shm_space_check(&space, options->subbuf_size,
					  options->num_subbuf));
	}
	KT_TRY(kt_run_folder_make(&r->folder, options->users, options->n_users,
				  &r->counters));
	if (kt_command_stop_signal()) {
		return KT_OK;
	}
	KT_TRY(kt_trace_folder_prepare(&r->trace, options->output, options->force));
	KT_TRY(start_supervisor(r));
	kt_trace_folder_replace(&r->trace);
	if (r->start.limits.majors[0]) {
		fprintf(stderr,
			"ktail: warning: only devices with these major numbers are "
			"recorded: %s (doorbell_watch's parameter majors)\n",
			r->start.limits.majors);
	}
	return KT_OK;
}

/*
 * Runs the command or, without a command, waits for the end of the recording. Returns the
 * exit status of the command, 0 without a command, or -1 if nothing was run because of a
 * signal or of an error, which is then in *code.
 */
static int run(struct recording *r, char **argv, int *code)
{
	const char *cgroup = r->start.limits.cgroup;
	int status = -1;

	if (*code || kt_command_stop_signal()) {
		return -1;
	}
	if (!r->everyone) {
		if (r->options->source != KT_RECORD_KERNEL) {
			kt_executable_warn(
				argv[0], "the recorder cannot be loaded into it, only into "
					 "dynamically linked programs that it starts");
		}
		status = kt_command_run(argv, set_environment, r, &r->started);
		*code = status < 0 ? KT_E_IO : KT_OK;
		return status;
	}
	r->started = true;
	if (cgroup[0] && !r->options->only_losses) {
		fprintf(stderr,
			"ktail: recording the processes of the cgroup %s (doorbell_watch's "
			"parameter cgroup) until Ctrl-C\n",
			cgroup);
	} else if (!r->options->only_losses) {
		fprintf(stderr, "ktail: recording all processes until Ctrl-C\n");
	}
	/* Waits until Ctrl-C, or until LTTng's daemon dies. */
	kt_command_wait_signal(kt_supervisor_descriptor(&r->supervisor));
	return 0;
}

/* Prints the error message unless `code` is KT_OK. Returns `code`. */
static int report(int code)
{
	if (code != KT_OK) {
		kt_print_message("ktail", kt_error_message());
	}
	return code;
}

static void finish(const struct recording *r)
{
	const struct kt_record_options *options = r->options;
	const struct kt_record_trace trace = {
		.path = r->trace.path, .softgpu = options->softgpu ? &r->softgpu : NULL};

	/* Marks the trace, so that it is not mistaken for a trace of hardware. */
	if (options->softgpu && kt_softgpu_mark(&r->softgpu, r->trace.absolute) != KT_OK) {
		kt_warn("%s", kt_error_message());
	}
	if (options->source & KT_RECORD_USER) {
		kt_summary_print(options, &trace, r->counters, &r->end);
	}
	if (options->source & KT_RECORD_KERNEL) {
		kt_summary_print_kernel(options, &trace, &r->end);
	}
	if (!options->only_losses) {
		kt_summary_print_next(&trace, r->counters, &r->end);
	}
}

static int record(const struct kt_record_options *options, char **argv)
{
	struct recording r = {.options = options,
			      .everyone = !argv[0],
			      .folder = KT_RUN_FOLDER_NONE,
			      .softgpu = {.driver = options->softgpu_driver,
					  .transfer = options->softgpu_transfer}};
	char executable[PATH_MAX];
	int ending = KT_OK;
	int code;
	int status;

	/* If the command cannot be run, fails before --force replaces the old trace. */
	if (options->force && argv[0] && !kt_executable_find(executable, argv[0])) {
		int error = access(executable, F_OK) == 0 ? EACCES : ENOENT;

		fprintf(stderr, "ktail: run %s: %s\n", argv[0], strerror(error));
		return error == ENOENT ? 127 : 126;
	}
	if (options->check && report(kt_check_trace_possible(options->check)) != KT_OK) {
		return OWN_FAILURE;
	}
	kt_command_mind_signals();
	code = prepare(&r);
	status = run(&r, argv, &code);
	if (report(code) != KT_OK) {
		kt_supervisor_finish(&r.supervisor, &r.end);
	} else {
		ending = report(kt_supervisor_finish(&r.supervisor, &r.end));
		/*
		 * Checked even after another failure: a full disk may have ended LTTng's
		 * daemon.
		 */
		if (r.started &&
		    report(kt_trace_folder_check_space(r.trace.absolute)) != KT_OK) {
			ending = KT_E_IO;
		}
	}
	if (r.trace.claimed && kt_trace_folder_close(r.trace.absolute) != KT_OK) {
		kt_warn("%s", kt_error_message());
	}
	kt_run_folder_remove(&r.folder); /* the supervisor has done so, unless it was
					  * killed */
	if (!r.started && r.trace.claimed) {
		kt_trace_folder_discard(&r.trace);
	}
	if (code || ending) {
		return status <= 0 ? OWN_FAILURE : status;
	}
	if (status < 0) {
		/* A signal arrived before the command ran. */
		return kt_command_die_of(kt_command_stop_signal());
	}
	if (r.started) {
		finish(&r);
	}
	if (r.everyone && (r.end.supervisor_died || r.end.daemon != KT_DAEMON_RUNS)) {
		return OWN_FAILURE; /* the recording ended before the user ended it */
	}
	if (options->check && r.started && status == 0 &&
	    report(kt_check_trace(&status, options->check, r.trace.path)) != KT_OK) {
		return OWN_FAILURE;
	}
	return status;
}

/*
 * If the recorder is preloaded into ktail record itself, as in a recording within a
 * recording, executes ktail record again without the recorder. The LTTng threads of the
 * recorder would not survive when the supervisor closes descriptors. set_environment()
 * preloads the recorder into the command.
 */
static void leave_recorder(char **argv)
{
	const char *preload = getenv("LD_PRELOAD");
	const char *at = preload ? strstr(preload, "/" RECORDER) : NULL;
	const char *begin = at;
	char *rest;

	if (!at) {
		return;
	}
	while (begin > preload && !strchr(" :", begin[-1])) {
		begin--;
	}
	at += strlen("/" RECORDER);
	at += *at == ':' || *at == ' ';
	if (asprintf(&rest, "%.*s%s", (int)(begin - preload), preload, at) < 0) {
		return;
	}
	setenv("LD_PRELOAD", rest, 1);
	free(rest);
	execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
	struct kt_record_options options;
	int n_operands = 0;
	int code;

	kt_standard_files_open();
	leave_recorder(argv);
	code = kt_record_options_parse(&options, argc, argv, &n_operands);
	if (code ||
	    kt_options_answer(&kt_record_command, &options.asked, KT_ABOUT("ktail"))) {
		return kt_standard_files_end("ktail", code, OWN_FAILURE);
	}
	argv[n_operands] = NULL;
	return record(&options, argv);
}

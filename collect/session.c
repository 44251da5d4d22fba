/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <lttng/lttng.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ktail/status.h>

/* Tells a daemon of ours from one that was there before; see find_left_daemon(). */
#define DAEMON_MARK    "KTAIL_RECORD_DAEMON"
#define NAME_PREFIX    "ktail-"
#define CHANNEL        "gpu_stack"
#define EVENTS         "gpu_stack:*"
#define DAEMON_WAIT_MS 10000

struct kt_session {
	pid_t daemon; /* 0: was there before us */
	char name[64];
	bool created;
	bool running;
	struct lttng_handle *handle; /* Owned by this */
};

static int lttng_failed(int lttng_code, const char *what)
{
	return kt_error(KT_E_IO, "%s: LTTng says: %s", what, lttng_strerror(lttng_code));
}

/* --- the daemon --- */

static void run_daemon(const char *path)
{
	int null = open("/dev/null", O_RDWR);

	setsid(); /* an interrupt from the terminal is for the command, not for the daemon
		   */
	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	unsetenv("LD_PRELOAD");
	setenv(DAEMON_MARK, "1", 1);
	execlp(path, path, "--no-kernel", (char *)NULL);
	_exit(127);
}

static void sleep_ms(long ms)
{
	struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&pause, NULL);
}

/* Ours ended at once: perhaps somebody started one at the same time, and was quicker. */
static bool wait_for_other_daemon(void)
{
	for (int waited = 0; waited < 2000; waited += 10) {
		if (lttng_session_daemon_alive() > 0) {
			return true;
		}
		sleep_ms(10);
	}
	return false;
}

static int ensure_daemon(struct kt_session *session)
{
	const char *path = getenv("LTTNG_SESSIOND_PATH");

	path = path ? path : "lttng-sessiond";
	if (lttng_session_daemon_alive() > 0) {
		return KT_OK;
	}
	session->daemon = fork();
	if (session->daemon < 0) {
		session->daemon = 0;
		return kt_error_errno(KT_E_IO, "start %s", path);
	}
	if (session->daemon == 0) {
		run_daemon(path);
	}
	for (int waited = 0; waited < DAEMON_WAIT_MS; waited += 10) {
		int status;

		if (lttng_session_daemon_alive() > 0) {
			return KT_OK;
		}
		if (waitpid(session->daemon, &status, WNOHANG) == session->daemon) {
			session->daemon = 0;
			if (wait_for_other_daemon()) {
				return KT_OK;
			}
			return kt_error(KT_E_IO,
					"start %s: it ended at once (is the package "
					"lttng-tools installed?)",
					path);
		}
		sleep_ms(10);
	}
	return kt_error(KT_E_IO, "start %s: no answer within %d s", path,
			DAEMON_WAIT_MS / 1000);
}

/* Sessions whose names begin with `prefix`. */
static int count_sessions(const char *prefix)
{
	struct lttng_session *sessions = NULL;
	int n = lttng_list_sessions(&sessions);
	int found = 0;

	for (int i = 0; i < n; i++) {
		found += strncmp(sessions[i].name, prefix, strlen(prefix)) == 0;
	}
	free(sessions);
	return found;
}

bool kt_session_has_company(void)
{
	return lttng_session_daemon_alive() > 0 && count_sessions(NAME_PREFIX) > 0;
}

/* Whether the file in /proc holds the text; its members are NUL-ended, so strstr won't do.
 */
static bool proc_has(pid_t pid, const char *file, const char *text)
{
	char path[64];
	char buffer[65536];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, buffer, sizeof(buffer)) : -1;
	if (fd >= 0) {
		close(fd);
	}
	return n > 0 && memmem(buffer, (size_t)n, text, strlen(text)) != NULL;
}

/* A daemon that a recording has started and left to others; 0: there is none. */
static pid_t find_left_daemon(void)
{
	DIR *processes = opendir("/proc");
	pid_t found = 0;

	for (struct dirent *e = processes ? readdir(processes) : NULL; e && !found;
	     e = readdir(processes)) {
		pid_t pid = (pid_t)atol(e->d_name);

		if (pid > 0 && proc_has(pid, "comm", "lttng-sessiond") &&
		    proc_has(pid, "environ", DAEMON_MARK "=1")) {
			found = pid;
		}
	}
	if (processes) {
		closedir(processes);
	}
	return found;
}

/* The last recording to go ends the daemon, whichever of them has started it. */
static bool end_daemon(struct kt_session *session)
{
	pid_t left;

	if (count_sessions("") > 0) {
		return session->daemon <= 0;
	}
	if (session->daemon > 0) {
		kill(session->daemon, SIGTERM);
		waitpid(session->daemon, NULL, 0);
		return true;
	}
	left = find_left_daemon();
	if (left > 0) {
		kill(left, SIGTERM);
		for (int waited = 0; kill(left, 0) == 0 && waited < 2000; waited += 10) {
			sleep_ms(10);
		}
	}
	return true;
}

/* --- the session --- */

/* Buffers lie in /dev/shm; one that is too small gives SIGBUS in the traced program. */
static int check_room(const struct kt_session_options *options)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t need = options->subbuf_size * options->num_subbuf * (uint64_t)cpus;
	struct statvfs fs;

	if (statvfs("/dev/shm", &fs) != 0) {
		return kt_error_errno(KT_E_IO, "look at /dev/shm");
	}
	if ((uint64_t)fs.f_bavail * fs.f_frsize < need) {
		return kt_error(
			KT_E_IO,
			"make buffers: %ld CPUs need %llu MiB of /dev/shm, %llu MiB are "
			"free; give it more (mount -o remount,size=...) or pass a "
			"smaller --subbuf-size or --num-subbuf",
			cpus, (unsigned long long)(need >> 20),
			(unsigned long long)((uint64_t)fs.f_bavail * fs.f_frsize >> 20));
	}
	return KT_OK;
}

static int enable_channel(struct kt_session *session, struct lttng_domain *domain,
			  const struct kt_session_options *options)
{
	struct lttng_channel *channel = lttng_channel_create(domain);
	int code = KT_OK;
	int answer;

	if (!channel) {
		return kt_error(KT_E_MEMORY, "make channel: out of memory");
	}
	snprintf(channel->name, sizeof(channel->name), CHANNEL);
	channel->attr.overwrite = 0;
	channel->attr.subbuf_size = options->subbuf_size;
	channel->attr.num_subbuf = options->num_subbuf;
	channel->attr.output = LTTNG_EVENT_MMAP;
	answer = lttng_channel_set_blocking_timeout(channel, options->blocking_timeout_us);
	if (answer == 0) {
		answer = lttng_enable_channel(session->handle, channel);
	}
	if (answer < 0) {
		code = lttng_failed(answer, "make channel");
	}
	lttng_channel_destroy(channel);
	return code;
}

static int enable_events(struct kt_session *session)
{
	struct lttng_event *event = lttng_event_create();
	int answer;

	if (!event) {
		return kt_error(KT_E_MEMORY, "enable events: out of memory");
	}
	event->type = LTTNG_EVENT_TRACEPOINT;
	event->loglevel_type = LTTNG_EVENT_LOGLEVEL_ALL;
	snprintf(event->name, sizeof(event->name), EVENTS);
	answer = lttng_enable_event(session->handle, event, CHANNEL);
	lttng_event_destroy(event);
	return answer < 0 ? lttng_failed(answer, "enable events") : KT_OK;
}

static int create(struct kt_session *session, const struct kt_session_options *options)
{
	struct lttng_domain domain = {.type = LTTNG_DOMAIN_UST,
				      .buf_type = LTTNG_BUFFER_PER_UID};
	int answer;
	int code;

	snprintf(session->name, sizeof(session->name), NAME_PREFIX "%ld", (long)getpid());
	answer = lttng_create_session(session->name, options->output);
	if (answer < 0) {
		return lttng_failed(answer, "make session");
	}
	session->created = true;
	session->handle = lttng_create_handle(session->name, &domain);
	if (!session->handle) {
		return kt_error(KT_E_MEMORY, "make session: out of memory");
	}
	code = enable_channel(session, &domain, options);
	code = code ? code : enable_events(session);
	if (code) {
		return code;
	}
	answer = lttng_start_tracing(session->name);
	if (answer < 0) {
		return lttng_failed(answer, "start session");
	}
	session->running = true;
	return KT_OK;
}

int kt_session_start(struct kt_session **out, const struct kt_session_options *options)
{
	struct kt_session *session = calloc(1, sizeof(*session));
	int code;

	*out = NULL;
	if (!session) {
		return kt_error(KT_E_MEMORY, "make session: out of memory");
	}
	code = check_room(options);
	code = code ? code : ensure_daemon(session);
	code = code ? code : create(session, options);
	if (code) {
		kt_session_free(session);
		return code;
	}
	*out = session;
	return KT_OK;
}

static uint64_t count_discarded(struct kt_session *session)
{
	struct lttng_channel *channels = NULL;
	int n = lttng_list_channels(session->handle, &channels);
	uint64_t total = 0;

	for (int i = 0; i < n; i++) {
		uint64_t discarded = 0;

		if (lttng_channel_get_discarded_event_count(&channels[i], &discarded) ==
		    0) {
			total += discarded;
		}
	}
	free(channels);
	return total;
}

int kt_session_stop(struct kt_session *session, uint64_t *lost)
{
	int answer = lttng_stop_tracing(session->name); /* waits for the data */

	session->running = false;
	*lost = count_discarded(session);
	return answer < 0 ? lttng_failed(answer, "stop session") : KT_OK;
}

bool kt_session_free(struct kt_session *session)
{
	bool ended;

	if (!session) {
		return true;
	}
	if (session->running) {
		lttng_stop_tracing(session->name);
	}
	lttng_destroy_handle(session->handle);
	if (session->created) {
		lttng_destroy_session(session->name);
	}
	ended = end_daemon(session);
	free(session);
	return ended;
}

/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/try.h"
#include "collect/record/admit.h"
#include "collect/record/daemon.h"

/*
 * Limits for a daemon that does not answer at the start or the end of a recording:
 * PATIENCE_S without the kernel's modules, PATIENCE_KERNEL_S with them.
 */
#define PATIENCE_S        60
#define PATIENCE_KERNEL_S 300
#define POLL_MS           500
#define RETRY_MS          1000

/*
 * The supervisor's report. It is sent when the session runs and again at the end; if the
 * session cannot start, only at the end.
 */
struct note {
	int code;
	char message[512];
	struct kt_supervisor_start start;
	struct kt_supervisor_end end;
};

/* --- in the supervisor --- */

struct keep {
	int socket;
	int counters; /* descriptor of the memory in which processes count */
	const struct kt_supervisor_options *options;
	struct kt_daemon daemon;
	struct kt_session *session; /* Owned by this */
	struct kt_kernel kernel;
	struct kt_admit admit; /* the processes that the session records */
	bool exited;           /* the daemon or its consumer exited early */
	bool written; /* all events are written, and the private daemon may be killed */
	bool stopped; /* the session is stopped, and LTTng has destroyed it */
	struct note note;
};

static void remember(struct keep *keep, int code)
{
	keep->note.code = code;
	snprintf(keep->note.message, sizeof(keep->note.message), "%s",
		 code ? kt_error_message() : "");
}

static void say(struct keep *keep)
{
	send(keep->socket, &keep->note, sizeof(keep->note), MSG_NOSIGNAL);
}

static int compare_descriptors(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/*
 * Closes all descriptors from 3 on that are not in kept[0..n). Sorts kept[], in which -1
 * stands for no descriptor.
 */
static void close_others(int *kept, size_t n)
{
	unsigned from = 3;

	qsort(kept, n, sizeof(*kept), compare_descriptors);
	for (size_t i = 0; i < n; i++) {
		if (kept[i] > (int)from) {
			syscall(SYS_close_range, from, (unsigned)kept[i] - 1, 0);
		}
		from = kept[i] >= (int)from ? (unsigned)kept[i] + 1 : from;
	}
	syscall(SYS_close_range, from, ~0u, 0);
}

/*
 * Detaches the supervisor from ktail record: closes inherited descriptors, leaves the
 * terminal session, and ignores terminating signals.
 */
static void stand_alone(struct keep *keep)
{
	static const int ignored[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int kept[3];

	keep->socket = fcntl(keep->socket, F_DUPFD_CLOEXEC, 3);
	keep->counters = fcntl(keep->options->folder->counters, F_DUPFD_CLOEXEC, 3);
	kept[0] = keep->socket;
	kept[1] = keep->counters;
	kept[2] = fcntl(keep->options->lock, F_DUPFD_CLOEXEC, 3);
	for (int fd = 0; fd < 3; fd++) {
		dup2(null, fd);
	}
	close_others(kept, sizeof(kept) / sizeof(kept[0]));
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++) {
		signal(ignored[i], SIG_IGN);
	}
	signal(SIGCHLD, SIG_DFL);
	setsid();
	prctl(PR_SET_NAME, "kt-supervisor");
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* the daemon's orphans become our children */
}

static int watch(pid_t pid)
{
	return pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*
 * Serves joining processes until ktail record requests the end or has exited. In a
 * recording without a command, the death of a daemon ends the wait, too.
 */
static void wait_for_end(struct keep *keep)
{
	struct pollfd fds[] = {
		{.fd = keep->socket, .events = POLLIN},
		{.fd = watch(keep->daemon.pid ? keep->daemon.pid : keep->daemon.found),
		 .events = POLLIN},
		{.fd = watch(keep->daemon.consumer), .events = POLLIN},
		{.fd = keep->admit.events, .events = POLLIN},
	};
	long asked_ms = 0; /* when the last retry ended */

	while (fds[0].revents == 0 && !(keep->exited && keep->options->alone)) {
		if (poll(fds, 4, keep->admit.stuck ? RETRY_MS : -1) < 0 && errno != EINTR) {
			break;
		}
		if (fds[3].revents) {
			kt_admit_serve(&keep->admit);
		}
		if (keep->admit.stuck && now_ms() - asked_ms >= RETRY_MS) {
			kt_admit_retry(&keep->admit);
			/*
			 * Reads the clock again, because the retry may have taken seconds.
			 * The next retry begins RETRY_MS after the end of this one, and
			 * other requests are served until then.
			 */
			asked_ms = now_ms();
		}
		if (fds[1].revents || fds[2].revents) {
			/*
			 * The session daemon or the consumer daemon has died. If they are
			 * ours, the survivor is ended too, so that programs do not block at
			 * buffers that are never emptied. A session daemon that is not ours
			 * counts as dead even if it was restarted, because our session is
			 * lost.
			 */
			keep->note.end.daemon = keep->daemon.pid
							? kt_daemon_poll(&keep->daemon)
							: KT_DAEMON_DIED;
			kt_daemon_end(&keep->daemon, false);
			keep->exited = true;
			fds[1].fd = -1;
			fds[2].fd = -1;
		}
	}
}

/*
 * Forks a watchdog. If our daemon does not respond, the watchdog kills the daemon, so that
 * the supervisor does not wait for it forever. A daemon that is not ours stays: the
 * watchdog kills the supervisor instead, and completes the work of the supervisor.
 */
static pid_t set_watchdog(struct keep *keep)
{
	const struct timespec pause = {.tv_nsec = POLL_MS * 1000000L};
	bool has_kernel = keep->options->session.kernel;
	int patience = has_kernel ? PATIENCE_KERNEL_S : PATIENCE_S;
	int most = 0;
	int fewer = 0; /* consecutive polls that found fewer processes than before; a single
			* poll may miss a process during exec */
	pid_t supervisor = getpid();
	pid_t dog = fork();

	if (dog != 0) {
		return dog;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != supervisor) {
		_exit(0); /* the supervisor was killed before prctl() */
	}
	/*
	 * Waits until the time is up or a process that our daemon started has exited. If a
	 * consumer was killed at its start, the session daemon would wait for the consumer
	 * forever. With the kernel's modules, exited processes are ignored, because the
	 * daemon also starts short-lived processes (modprobe).
	 */
	for (int waited = 0; waited < patience * 1000; waited += POLL_MS) {
		int n = keep->daemon.pid && !has_kernel
				? kt_process_signal_descendants(keep->daemon.pid, 0)
				: 0;

		fewer = n < most ? fewer + 1 : 0;
		if (fewer == 3) {
			break;
		}
		most = n > most ? n : most;
		nanosleep(&pause, NULL);
	}
	if (keep->daemon.pid) {
		kt_process_signal_descendants(keep->daemon.pid, SIGKILL);
		kill(keep->daemon.pid, SIGKILL);
	} else {
		prctl(PR_SET_PDEATHSIG, 0);
		kill(supervisor, SIGKILL);
		if (has_kernel) {
			kt_kernel_stop(&keep->kernel, keep->note.end.left);
		}
		kt_run_folder_remove(keep->options->folder);
	}
	_exit(0);
}

static void call_off(pid_t dog)
{
	/*
	 * Checks that the watchdog still runs: kt_daemon_end() may have reaped it together
	 * with orphans of the daemon.
	 */
	if (dog > 0 && waitpid(dog, NULL, WNOHANG) == 0) {
		kill(dog, SIGKILL);
		waitpid(dog, NULL, 0);
	}
}

/*
 * Writes out the recording. The death of one of LTTng's daemons is reported in note.end,
 * not as an error.
 */
static int stop(struct keep *keep)
{
	pid_t dog = set_watchdog(keep);
	int code;

	kt_daemon_wake(&keep->daemon);
	code = kt_session_stop(keep->session, &keep->note.end.lost);
	if (!keep->daemon.apart) {
		kt_session_destroy(keep->session);
	}
	call_off(dog);
	/*
	 * A private daemon may be killed without destroying its session, because all its
	 * files are removed with the run folder.
	 */
	keep->written = code == KT_OK && keep->daemon.apart;
	keep->stopped = code == KT_OK && !keep->daemon.apart;
	keep->note.end.daemon = kt_daemon_poll(&keep->daemon);
	return keep->note.end.daemon == KT_DAEMON_RUNS ? code : KT_OK;
}

static bool track(void *context, pid_t pid, bool on)
{
	struct keep *keep = context;

	return !keep->exited && kt_session_track(keep->session, pid, on);
}

/*
 * Starts the kernel modules, the daemon, the session and the admission of processes. Daemon
 * and session each get a watchdog of their own, because a watchdog knows only the state at
 * the time of its fork.
 */
static int begin(struct keep *keep)
{
	const struct kt_supervisor_options *options = keep->options;
	const struct kt_run_folder *folder = options->folder;
	const struct kt_admit_options admit = {
		.socket = folder->socket,
		.key = folder->key,
		.counters = keep->counters,
		.track = track,
		.context = keep,
	};
	pid_t dog;
	int code;

	/*
	 * Loads the modules before the session daemon starts, because our daemon does not
	 * load them (choice_of[] in daemon.c).
	 */
	if (options->session.kernel) {
		code = kt_kernel_start(&keep->kernel, &options->kernel);
		keep->note.start.limits = keep->kernel.limits;
		KT_TRY(code);
	}
	dog = set_watchdog(keep);
	code = kt_daemon_start(&keep->daemon,
			       options->session.kernel ? KT_DAEMON_KERNEL : KT_DAEMON_USER,
			       folder->path, options->shim);
	keep->note.start.apart = keep->daemon.apart;
	call_off(dog);
	KT_TRY(code);
	dog = set_watchdog(keep);
	code = kt_session_start(&keep->session, &options->session);
	if (code == KT_OK) {
		kt_daemon_find_consumer(&keep->daemon);
	}
	call_off(dog);
	KT_TRY(code);
	return options->session.user ? kt_admit_open(&keep->admit, &admit) : KT_OK;
}

/* The supervisor's main function. */
static void keep_all(struct keep *keep)
{
	bool has_kernel = keep->options->session.kernel;
	char word;
	int code;

	stand_alone(keep);
	code = begin(keep);
	remember(keep, code);
	if (code == KT_OK) {
		say(keep);
		wait_for_end(keep);
		kt_admit_close(&keep->admit);
		keep->note.end.refused = keep->admit.refused;
		keep->note.end.late = keep->admit.late;
		if (has_kernel) {
			kt_kernel_count(&keep->kernel, &keep->note.end.kernel);
		}
		remember(keep, keep->exited ? KT_OK : stop(keep));
	}
	/*
	 * The order matters: the session holds the probe, the probe holds LTTng's modules,
	 * and our daemon removes LTTng's modules when it ends.
	 */
	if (has_kernel && keep->stopped) {
		kt_kernel_remove_probe(&keep->kernel);
	}
	kt_daemon_end(&keep->daemon, keep->written);
	if (has_kernel) {
		kt_kernel_stop(&keep->kernel, keep->note.end.left);
	}
	kt_run_folder_remove(keep->options->folder);
	say(keep);
	/*
	 * Reads pending data, because closing a socket with unread data would drop our last
	 * report.
	 */
	shutdown(keep->socket, SHUT_RD);
	recv(keep->socket, &word, sizeof(word), MSG_DONTWAIT);
}

/* --- in ktail record --- */

/* Receives a report. Returns false if the supervisor has exited without one. */
static bool hear(const struct kt_supervisor *supervisor, struct note *note)
{
	ssize_t n;

	do {
		n = recv(supervisor->socket, note, sizeof(*note), 0);
	} while (n < 0 && errno == EINTR);
	return n == sizeof(*note);
}

static void bury(struct kt_supervisor *supervisor)
{
	close(supervisor->socket);
	while (waitpid(supervisor->pid, NULL, 0) < 0 && errno == EINTR) {
	}
	supervisor->pid = 0;
}

int kt_supervisor_start(struct kt_supervisor *supervisor,
			const struct kt_supervisor_options *options,
			struct kt_supervisor_start *start)
{
	struct note note = {0};
	int pair[2];

	*supervisor = (struct kt_supervisor){0};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
		return kt_error_errno(KT_E_IO, "start the session supervisor");
	}
	supervisor->pid = fork();
	if (supervisor->pid == 0) {
		struct keep keep = {
			.socket = pair[1],
			.options = options,
			.kernel = KT_KERNEL_NONE,
			.admit = KT_ADMIT_CLOSED,
		};

		keep_all(&keep);
		_exit(0);
	}
	close(pair[1]);
	supervisor->socket = pair[0];
	if (supervisor->pid < 0) {
		supervisor->pid = 0;
		close(pair[0]);
		return kt_error_errno(KT_E_IO, "start the session supervisor");
	}
	if (!hear(supervisor, &note)) {
		bury(supervisor);
		return kt_error(KT_E_IO,
				"start the session: its supervisor died: does the LTTng "
				"session daemon answer (lttng list)?");
	}
	*start = note.start;
	if (note.code) {
		bury(supervisor);
		return kt_error(note.code, "%s%s%s", note.message,
				note.end.left[0] ? "; " : "", note.end.left);
	}
	return KT_OK;
}

int kt_supervisor_finish(struct kt_supervisor *supervisor, struct kt_supervisor_end *end)
{
	struct note note = {0};

	*end = (struct kt_supervisor_end){0};
	if (!supervisor->pid) {
		return KT_OK;
	}
	send(supervisor->socket, "", 1, MSG_NOSIGNAL);
	if (!hear(supervisor, &note)) {
		note.end.supervisor_died = true;
	}
	*end = note.end;
	bury(supervisor);
	return note.code ? kt_error(note.code, "%s", note.message) : KT_OK;
}

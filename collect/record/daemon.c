/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/daemon.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <lttng/lttng.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ktail/status.h>

#define CLIENT_SOCKET "/client-lttng-sessiond"
#define CONSUMER      "lttng-consumerd"
#define FILES         2048
#define FILES_FOR_CPU 16
#define START_MS      10000
#define START_ALL_MS  120000 /* START_MS with the kernel modules */
#define END_MS        5000
#define ORPHAN_MS     2000
#define STEP_MS       2
#define COMM_SIZE     15 /* characters of a process name in /proc */
#define DEPTH         8  /* limit of generations: ends the walk if pids are reused */

static void sleep_ms(long ms)
{
	struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&pause, NULL);
}

/* --- descendants of a process, found in /proc --- */

struct process {
	pid_t pid;
	pid_t parent;
	char state;
	char name[32];
};

/*
 * Reads a line such as "4242 (name) S 17 ...". The name may contain any character, so it
 * ends at the last ')'.
 */
static bool read_process(struct process *out, const char *number)
{
	char path[64];
	char text[512];
	const char *begin;
	char *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", number);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0) {
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	begin = strchr(text, '(');
	end = strrchr(text, ')');
	if (!begin || !end || end < begin || strlen(end) < 5) {
		return false;
	}
	*end = '\0';
	out->pid = (pid_t)atol(number);
	out->state = end[2];
	out->parent = (pid_t)atol(end + 4);
	snprintf(out->name, sizeof(out->name), "%.31s", begin + 1);
	return true;
}

/*
 * Continues to read `all` (the folder /proc), up to the next child of `parent` that is not
 * a zombie. Returns false if there is no further child.
 */
static bool next_child(DIR *all, pid_t parent, struct process *out)
{
	const struct dirent *e;

	while (all && (e = readdir(all)) != NULL) {
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' &&
		    read_process(out, e->d_name) && out->parent == parent &&
		    out->state != 'Z') {
			return true;
		}
	}
	return false;
}

/* Returns the pid of a child that is an LTTng consumer daemon; 0 if there is none. */
static pid_t find_consumer(pid_t parent)
{
	DIR *all = opendir("/proc");
	struct process process;
	pid_t found = 0;

	while (!found && next_child(all, parent, &process)) {
		if (strncmp(process.name, CONSUMER, COMM_SIZE) == 0) {
			found = process.pid;
		}
	}
	if (all) {
		closedir(all);
	}
	return found;
}

static int signal_below(pid_t ancestor, int number, int depth)
{
	DIR *all = opendir("/proc");
	struct process process;
	int count = 0;

	while (next_child(all, ancestor, &process)) {
		count++;
		if (depth + 1 < DEPTH) {
			count += signal_below(process.pid, number, depth + 1);
		}
		kill(process.pid, number);
	}
	if (all) {
		closedir(all);
	}
	return count;
}

int kt_process_signal_descendants(pid_t ancestor, int number)
{
	return signal_below(ancestor, number, 0);
}

/* --- the connection to the daemon --- */

/*
 * liblttng-ctl always connects root and members of the group "tracing" to the system-wide
 * daemon. connect() and access() below interpose libc's functions, and redirect
 * liblttng-ctl to our daemon once it runs.
 */
static struct sockaddr_un ours; /* empty path: no daemon of our own */
static pid_t answered; /* pid of the daemon that was last connected to; 0: unknown */
static int answer_s;   /* limit for an answer, seconds; 0: unlimited */

static bool is_client_socket(const char *path)
{
	size_t n = strlen(path);
	size_t tail = sizeof(CLIENT_SOCKET) - 1;

	return n >= tail && strcmp(path + n - tail, CLIENT_SOCKET) == 0;
}

#define EXPORT __attribute__((visibility("default")))

EXPORT int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t length)
{
	const struct sockaddr *to = address.__sockaddr__;
	const struct sockaddr_un *local = (const void *)to;
	bool is_client = to->sa_family == AF_UNIX && is_client_socket(local->sun_path);
	struct ucred peer;
	socklen_t peer_length = sizeof(peer);
	int result;

	if (is_client && ours.sun_path[0]) {
		to = (const struct sockaddr *)&ours;
		length = sizeof(ours);
	}
	if (is_client && answer_s) {
		struct timeval patience = {.tv_sec = answer_s};

		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	}
	result = (int)syscall(SYS_connect, fd, to, length);
	if (is_client && result == 0 &&
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_length) == 0) {
		answered = peer.pid;
	}
	return result;
}

EXPORT int access(const char *path, int mode)
{
	bool is_led = ours.sun_path[0] && is_client_socket(path);

	return faccessat(AT_FDCWD, is_led ? ours.sun_path : path, mode, 0);
}

void kt_daemon_limit_answer(int seconds)
{
	answer_s = seconds;
}

/* --- start --- */

/*
 * The option for each kind of daemon. An empty list for --kmod-probes makes the daemon load
 * no probes, because loading all takes seconds. A daemon also unloads all probes of its
 * list when it ends, even those that were loaded before, so our probe must not be in the
 * list. kt_kernel_start() loads our probe before the daemon starts.
 */
static const char *const choice_of[] = {
	[KT_DAEMON_USER] = "--no-kernel",
	[KT_DAEMON_KERNEL] = "--kmod-probes= ",
};

static void run_daemon(const char *path, enum kt_daemon_kind kind, const char *home,
		       const char *shim, pid_t parent)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	rlim_t enough = FILES + FILES_FOR_CPU * (rlim_t)(cpus > 0 ? cpus : 1);
	struct rlimit files;

	/* Ends the daemon if its parent is killed, or was killed before this call. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent) {
		_exit(127);
	}
	/*
	 * LTTng's daemons try to close every possible descriptor, so a high limit makes
	 * their start slow. This limit suffices for the buffers (FILES_FOR_CPU for each
	 * CPU) and two descriptors for each process.
	 */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max < enough ? files.rlim_max : enough;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	unsetenv("LD_PRELOAD");
	if (home) {
		setenv("LTTNG_HOME", home, 1);
	} else {
		setenv(KT_MACHINE_VARIABLE, "1", 1);
	}
	if (shim) {
		setenv("LD_PRELOAD", shim, 1);
	}
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	execlp(path, path, choice_of[kind], (char *)NULL);
	_exit(127);
}

/*
 * Forks the daemon and waits until it answers. If `home` is NULL, the daemon is the
 * system-wide one.
 */
static int start_one(struct kt_daemon *daemon, enum kt_daemon_kind kind, const char *home,
		     const char *shim)
{
	const char *path = getenv("LTTNG_SESSIOND_PATH");
	int patience = kind == KT_DAEMON_KERNEL ? START_ALL_MS : START_MS;
	pid_t self = getpid();

	path = path ? path : "lttng-sessiond";
	ours = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (home) {
		snprintf(ours.sun_path, sizeof(ours.sun_path), "%.76s/.lttng" CLIENT_SOCKET,
			 home);
	}
	daemon->pid = fork();
	if (daemon->pid == 0) {
		run_daemon(path, kind, home, shim, self);
	}
	if (daemon->pid < 0) {
		daemon->pid = 0;
		return kt_error_errno(KT_E_IO, "start %s", path);
	}
	for (int waited = 0; waited < patience; waited += STEP_MS) {
		if (lttng_session_daemon_alive() > 0) {
			daemon->apart = home != NULL;
			return KT_OK;
		}
		if (waitpid(daemon->pid, NULL, WNOHANG) == daemon->pid) {
			daemon->pid = 0;
			return kt_error(KT_E_IO,
					"start %s: it exited at once (is lttng-tools "
					"installed? are descriptors, memory or stack "
					"limited, see ulimit -a?)",
					path);
		}
		sleep_ms(STEP_MS);
	}
	kt_daemon_end(daemon, false);
	return kt_error(KT_E_IO, "start %s: no answer within %d s", path, patience / 1000);
}

int kt_daemon_start(struct kt_daemon *daemon, enum kt_daemon_kind kind, const char *home,
		    const char *shim)
{
	bool root = geteuid() == 0;
	int code;

	*daemon = (struct kt_daemon){.home = home};
	answered = 0;
	if (lttng_session_daemon_alive() > 0) {
		daemon->found = answered;
		return KT_OK;
	}
	if (kind == KT_DAEMON_USER) {
		char path[128];

		snprintf(path, sizeof(path), "%.76s/.lttng", home);
		if (mkdir(path, 0711) != 0 || chmod(path, 0711) != 0) {
			return kt_error_errno(KT_E_IO, "create folder %s", path);
		}
	}
	if (kind == KT_DAEMON_USER && (!root || shim)) {
		code = start_one(daemon, kind, home, shim);
		if (code == KT_OK || !root) {
			return code;
		}
	}
	code = start_one(daemon, kind, NULL, shim);
	/*
	 * If another process starts a daemon at the same time, ours does not start. Waits
	 * up to two seconds for an answer of the other daemon.
	 */
	for (int waited = 0; code && waited < 2000; waited += 10) {
		if (lttng_session_daemon_alive() > 0) {
			daemon->found = answered;
			return KT_OK;
		}
		sleep_ms(10);
	}
	return code;
}

void kt_daemon_find_consumer(struct kt_daemon *daemon)
{
	if (daemon->pid) {
		daemon->consumer = find_consumer(daemon->pid);
	}
}

/* --- state and end --- */

void kt_daemon_wake(const struct kt_daemon *daemon)
{
	if (daemon->pid) {
		kill(daemon->pid, SIGCONT);
		kt_process_signal_descendants(daemon->pid, SIGCONT);
	}
}

enum kt_daemon_state kt_daemon_poll(const struct kt_daemon *daemon)
{
	siginfo_t info = {0};

	if (!daemon->pid) {
		return lttng_session_daemon_alive() > 0 ? KT_DAEMON_RUNS : KT_DAEMON_DIED;
	}
	/* WNOWAIT leaves the daemon unreaped, so that its pid is not reused. */
	if (waitid(P_PID, (id_t)daemon->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	    info.si_pid) {
		return KT_DAEMON_DIED;
	}
	if (daemon->consumer && find_consumer(daemon->pid) != daemon->consumer) {
		return KT_DAEMON_CONSUMER_DIED;
	}
	return KT_DAEMON_RUNS;
}

/* Returns whether the process exited within `ms` milliseconds. Reaps it if it did. */
static bool wait_for(pid_t pid, int ms)
{
	for (int waited = 0; waited < ms; waited += STEP_MS) {
		pid_t got = waitpid(pid, NULL, WNOHANG);

		if (got == pid || (got < 0 && errno == ECHILD)) {
			return true;
		}
		sleep_ms(STEP_MS);
	}
	return false;
}

void kt_daemon_end(struct kt_daemon *daemon, bool written)
{
	if (!daemon->pid) {
		return;
	}
	kt_daemon_wake(daemon);
	if (written) {
		kt_process_signal_descendants(daemon->pid, SIGKILL);
		kill(daemon->pid, SIGKILL);
	}
	kill(daemon->pid, SIGTERM);
	if (!wait_for(daemon->pid, END_MS)) {
		kill(daemon->pid, SIGKILL);
		waitpid(daemon->pid, NULL, 0);
	}
	daemon->pid = 0;
	/*
	 * Descendants of the daemon have become our children, because we are a subreaper.
	 */
	kt_process_signal_descendants(getpid(), SIGCONT);
	for (int waited = 0; waited < ORPHAN_MS; waited += STEP_MS) {
		while (waitpid(-1, NULL, WNOHANG) > 0) {
		}
		if (kt_process_signal_descendants(getpid(), 0) == 0) {
			return;
		}
		sleep_ms(STEP_MS);
	}
	kt_process_signal_descendants(getpid(), SIGKILL);
	while (waitpid(-1, NULL, 0) > 0) {
	}
}

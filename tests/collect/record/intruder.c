/* SPDX-License-Identifier: MIT */
/*
 * Tries to access a running recording in all ways below, with the rights of the user who
 * runs this program. Prints a line for each way: NAME, a tab, and "in" or "out". Run by
 * root, it must get in, which shows that the ways work; run by another user, it must stay
 * out.
 * Usage: intruder COMMAND-PID SUPERVISOR-PID DAEMON-PID TRACE RUN-FOLDER
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/acl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t command, supervisor, daemon_pid;
static const char *trace, *folder;
static char found[64][108]; /* paths of the recording's sockets */
static int n_found;

/* --- information that is public --- */

/* Finds the paths of the recording's sockets: /proc/net/unix shows them to all users. */
static void find_sockets(void)
{
	char line[512];
	FILE *list = fopen("/proc/net/unix", "re");

	while (list && fgets(line, sizeof(line), list) && n_found < 64) {
		char *path = strchr(line, '/');

		if (path && strncmp(path, folder, strlen(folder)) == 0) {
			path[strcspn(path, "\n")] = '\0';
			snprintf(found[n_found++], sizeof(found[0]), "%.107s", path);
		}
	}
	if (list) {
		fclose(list);
	}
}

static bool has_text(const char *path, const char *text)
{
	static char bytes[1 << 16];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));
	bool has = n > 0 && memmem(bytes, (size_t)n, text, strlen(text));

	if (fd >= 0) {
		close(fd);
	}
	return has;
}

static const char *proc(pid_t pid, const char *rest)
{
	static char path[8192];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, rest);
	return path;
}

static bool opens(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd >= 0) {
		close(fd);
	}
	return fd >= 0;
}

static bool lists(const char *path)
{
	DIR *dir = opendir(path);

	if (dir) {
		closedir(dir);
	}
	return dir != NULL;
}

static const char *within(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* --- ways to access the recording --- */

static bool list_folder(void)
{
	return lists(folder);
}

static bool stat_within(void)
{
	struct stat st;

	return stat(within("processes"), &st) == 0;
}

static bool connect_to(const char *tail)
{
	static const int types[] = {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM};
	bool in = false;

	for (int i = 0; i < n_found; i++) {
		struct sockaddr_un address = {.sun_family = AF_UNIX};

		if (!strstr(found[i], tail)) {
			continue;
		}
		memcpy(address.sun_path, found[i], sizeof(address.sun_path));
		for (int t = 0; t < 3; t++) {
			int fd = socket(AF_UNIX, types[t] | SOCK_CLOEXEC, 0);

			in |= connect(fd, (struct sockaddr *)&address, sizeof(address)) ==
			      0;
			close(fd);
		}
	}
	return in;
}

static bool connect_supervisor(void)
{
	return connect_to("/processes");
}

static bool connect_ust(void)
{
	return connect_to("/lttng-ust-sock");
}

static bool connect_client(void)
{
	return connect_to("/client-lttng-sessiond");
}

static bool connect_health(void)
{
	return connect_to("health");
}

static bool connect_consumer(void)
{
	return connect_to("ustconsumerd");
}

static bool connect_any(void)
{
	return connect_to("");
}

static bool open_lock(void)
{
	return opens(within(".lttng/lttng-sessiond.pid"), O_RDONLY) ||
	       opens(within(".lttng/lttng-sessiond.lck"), O_RDWR);
}

static bool truncate_within(void)
{
	return truncate(within(".lttng/lttng-sessiond.pid"), 0) == 0 ||
	       truncate(within("counters"), 0) == 0;
}

static bool make_within(void)
{
	return mkdir(within("mine"), 0700) == 0 && rmdir(within("mine")) == 0;
}

/* Renames the supervisor's socket, and renames it back if that succeeded. */
static bool replace_socket(void)
{
	char other[4096];

	snprintf(other, sizeof(other), "%s/elsewhere", folder);
	return rename(within("processes"), other) == 0 &&
	       rename(other, within("processes")) == 0;
}

static bool rename_folder(void)
{
	char other[4096];

	snprintf(other, sizeof(other), "%s.x", folder);
	return rename(folder, other) == 0 && rename(other, folder) == 0;
}

static bool chmod_folder(void)
{
	return chmod(folder, 0700) == 0;
}

static bool set_acl(void)
{
	acl_t acl = acl_from_text("u::rwx,g::---,o::---");
	bool in = acl_set_file(folder, ACL_TYPE_ACCESS, acl) == 0;

	acl_free(acl);
	return in;
}

static bool link_within(void)
{
	char other[4096];

	snprintf(other, sizeof(other), "%s/../intruder.link", folder);
	return link(within(".lttng/lttng-sessiond.pid"), other) == 0 && unlink(other) == 0;
}

static bool key_in_environment(void)
{
	return has_text(proc(command, "environ"), "KTAIL_RECORD_KEY=") ||
	       has_text(proc(supervisor, "environ"), "KTAIL_RECORD_KEY=");
}

/*
 * Searches all command lines for the recording's key, which this program gets in
 * INTRUDER_KEY.
 */
static bool key_in_arguments(void)
{
	const char *key = getenv("INTRUDER_KEY");
	DIR *all = opendir("/proc");
	bool in = !key || strlen(key) < 32;

	for (struct dirent *e = all ? readdir(all) : NULL; e; e = readdir(all)) {
		pid_t pid = (pid_t)atoi(e->d_name);

		if (!in && pid > 0) {
			in |= has_text(proc(pid, "cmdline"), key);
		}
	}
	closedir(all);
	return in;
}

static bool descriptors_of_supervisor(void)
{
	return lists(proc(supervisor, "fd"));
}

static bool descriptors_of_command(void)
{
	return lists(proc(command, "fd"));
}

static bool descriptors_of_daemon(void)
{
	return lists(proc(daemon_pid, "fd"));
}

static bool counters_by_number(void)
{
	char name[32];
	bool in = false;

	for (int fd = 3; fd < 32; fd++) {
		snprintf(name, sizeof(name), "fd/%d", fd);
		in |= opens(proc(supervisor, name), O_RDWR);
	}
	return in;
}

static bool take_descriptor(void)
{
	int pidfd = (int)syscall(SYS_pidfd_open, supervisor, 0);
	bool in = false;

	for (int fd = 3; fd < 32; fd++) {
		in |= syscall(SYS_pidfd_getfd, pidfd, fd, 0) >= 0;
	}
	close(pidfd);
	return in;
}

static bool memory_of_command(void)
{
	return opens(proc(command, "mem"), O_RDWR);
}

static bool memory_by_call(void)
{
	char byte;
	struct iovec mine = {&byte, 1};
	struct iovec theirs = {&command, 1};

	/* EFAULT means that access is allowed but the address is not mapped. */
	return process_vm_readv(command, &mine, 1, &theirs, 1, 0) == 1 || errno == EFAULT;
}

static bool maps_of_command(void)
{
	return opens(proc(command, "maps"), O_RDONLY) &&
	       has_text(proc(command, "maps"), "/");
}

static bool mapped_files(void)
{
	return lists(proc(command, "map_files"));
}

static bool by_root_of_daemon(void)
{
	char path[4096];

	snprintf(path, sizeof(path), "root%s", folder);
	return lists(proc(daemon_pid, path));
}

static bool by_folder_of_daemon(void)
{
	return lists(proc(daemon_pid, "cwd/"));
}

static bool trace_command(void)
{
	if (ptrace(PTRACE_SEIZE, command, 0, 0) != 0) {
		return false;
	}
	ptrace(PTRACE_INTERRUPT, command, 0, 0);
	waitpid(command, NULL, __WALL);
	ptrace(PTRACE_DETACH, command, 0, 0);
	return true;
}

static bool signal_them(void)
{
	return kill(command, 0) == 0 || kill(supervisor, 0) == 0 ||
	       kill(daemon_pid, 0) == 0;
}

/*
 * Finds TCP ports at which the daemon listens. Only root can attribute sockets by inode, so
 * every listening port is compared with INTRUDER_PORTS, the ports before the recording.
 */
static bool tcp_ports(void)
{
	const char *before = getenv("INTRUDER_PORTS");
	char line[512];
	bool in = false;
	FILE *table = fopen("/proc/net/tcp", "re");

	while (table && fgets(line, sizeof(line), table)) {
		char port[8] = " ";

		/* A line of the table: " 0: 0100007F:14E1 00000000:0000 0A ..." */
		if (sscanf(line, " %*d: %*8[0-9A-F]:%4[0-9A-F] %*s 0A", port + 1) == 1 &&
		    strstr(line, " 0A ")) {
			in |= !before || !strstr(before, port);
		}
	}
	if (table) {
		fclose(table);
	}
	return in;
}

static bool list_trace(void)
{
	return lists(trace);
}

static bool read_trace(void)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/ust", trace);
	return lists(path);
}

static bool write_trace(void)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/mine", trace);
	return mkdir(path, 0700) == 0 && rmdir(path) == 0;
}

static int n_writable;

static int try_shared(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)at;
	n_writable +=
		kind == FTW_F && !strstr(path, "/lttng-ust-wait-") && opens(path, O_RDWR);
	return 0;
}

static bool shared_memory(void)
{
	n_writable = 0;
	nftw("/dev/shm", try_shared, 8, FTW_PHYS);
	return n_writable > 0;
}

/*
 * LTTng's system-wide wait file is accessible to all users, so no recorded process may map
 * it.
 */
static bool wait_page(void)
{
	return has_text(proc(command, "maps"), "/dev/shm/lttng-ust-wait");
}

static const struct {
	const char *name;
	bool (*try)(void);
} ways[] = {
	{"list the run folder", list_folder},
	{"stat a file in it", stat_within},
	{"connect to the supervisor's socket", connect_supervisor},
	{"connect to LTTng's socket for programs", connect_ust},
	{"connect to the session daemon's socket for clients", connect_client},
	{"connect to a health socket", connect_health},
	{"connect to the consumer's sockets", connect_consumer},
	{"connect to any socket in /proc/net/unix", connect_any},
	{"open the lock files", open_lock},
	{"truncate a file in the run folder", truncate_within},
	{"create a folder in it", make_within},
	{"put another socket in place of the supervisor's", replace_socket},
	{"rename the run folder", rename_folder},
	{"chmod the run folder", chmod_folder},
	{"change its access control list", set_acl},
	{"link a file out of it", link_within},
	{"read the key in /proc/PID/environ", key_in_environment},
	{"read the key in a /proc/PID/cmdline", key_in_arguments},
	{"list the supervisor's descriptors", descriptors_of_supervisor},
	{"list the command's descriptors", descriptors_of_command},
	{"list the daemon's descriptors", descriptors_of_daemon},
	{"open the counters by /proc/PID/fd", counters_by_number},
	{"take a descriptor by pidfd_getfd", take_descriptor},
	{"open the command's memory", memory_of_command},
	{"read the command's memory by process_vm_readv", memory_by_call},
	{"read the command's memory map", maps_of_command},
	{"open the files that it maps", mapped_files},
	{"reach the run folder by /proc/PID/root", by_root_of_daemon},
	{"reach the daemon's folder by /proc/PID/cwd", by_folder_of_daemon},
	{"trace the command", trace_command},
	{"send signals", signal_them},
	{"find a new listening TCP port", tcp_ports},
	{"list the trace", list_trace},
	{"read in the trace", read_trace},
	{"write into the trace", write_trace},
	{"write to shared memory", shared_memory},
	{"find LTTng's common wait page in the command", wait_page},
};

int main(int argc, char **argv)
{
	if (argc != 6) {
		fprintf(stderr, "usage: intruder COMMAND SUPERVISOR DAEMON TRACE FOLDER\n");
		return 2;
	}
	command = (pid_t)atoi(argv[1]);
	supervisor = (pid_t)atoi(argv[2]);
	daemon_pid = (pid_t)atoi(argv[3]);
	trace = argv[4];
	folder = argv[5];
	find_sockets();
	printf("sockets found\t%d\n", n_found);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		printf("%s\t%s\n", ways[i].name, ways[i].try() ? "in" : "out");
	}
	return 0;
}

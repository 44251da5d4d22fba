/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "viz/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <graphviz/cgraph.h>
#include <graphviz/gvc.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/try.h"
#include "viz/position-graph.h"
#include "viz/print-dot.h"

#define REASON_MAX 512
#define ATTEMPTS   6   /* layouts with more space, if labels find no position */
#define FEW_EDGES  200 /* a graph with more has one layout alone, to save time */
#define PAD        4.0 /* Graphviz's margin around the drawing, in points */

/* The members are arrays since libcgraph does not accept const strings. */
struct setting {
	char name[12];
	char value[12];
};

/*
 * Layout settings from the best to the cheapest. splines=ortho is not used, since Graphviz
 * crashes with it and is extremely slow.
 */
static struct way {
	const char *description; /* NULL for the first */
	const char *engine;
	struct setting settings[6]; /* a setting with an empty name ends the list */
} ways[] = {
	{NULL, "dot", {{"", ""}}},
	{"dot with cheaper settings",
	 "dot",
	 {{"nslimit", "2"},
	  {"nslimit1", "2"},
	  {"mclimit", "0.5"},
	  {"splines", "line"},
	  {"", ""}}},
	{"sfdp",
	 "sfdp",
	 {{"splines", "line"}, {"overlap", "prism"}, {"K", "1.2"}, {"", ""}}},
};

#define N_WAYS (sizeof(ways) / sizeof(ways[0]))

/* State of a child process. */
struct child {
	pid_t pid;
	/* read end of a pipe: the child's messages, then end of file when the child ends */
	int reasons;
};

/* --- the child --- */

static int reason_fd; /* in the child only: the write end of the pipe */

static void say(const char *text)
{
	/* Ignore errors: the parent may no longer be reading. */
	if (write(reason_fd, text, strlen(text)) < 0) {
		return;
	}
}

/*
 * Sends a part of a message to the parent. Graphviz splits each message into parts; the
 * parts "Error" and ": " are left out.
 */
static int say_error(char *text)
{
	if (strcmp(text, "Error") != 0 && strcmp(text, ": ") != 0) {
		say(text);
	}
	return 0;
}

/* Multiplies a distance among the graph's attributes, which is in inches. */
static void widen(Agraph_t *graph, char *name, double factor)
{
	static char empty[] = "";
	const char *text = agget(graph, name);
	char value[32];

	snprintf(value, sizeof(value), "%.3f",
		 factor * (text && *text ? strtod(text, NULL) : 0.35));
	agsafeset(graph, name, value, empty);
}

/*
 * Lays the graph out. If labels find no free place, tries again with more space between
 * states, unless the graph is large.
 */
static int lay_out(GVC_t *gvc, Agraph_t *graph, const char *engine)
{
	static char nodesep[] = "nodesep";
	static char ranksep[] = "ranksep";
	size_t unmoved = 0;

	for (int attempt = 0;; attempt++) {
		if (gvLayout(gvc, graph, engine) != 0) {
			return 1;
		}
		if (kt_position_graph(graph, &unmoved) != KT_OK) {
			say("out of memory");
			return 1;
		}
		if (!unmoved || attempt == ATTEMPTS || agnedges(graph) > FEW_EDGES) {
			return 0;
		}
		gvFreeLayout(gvc, graph);
		widen(graph, nodesep, 1.3);
		widen(graph, ranksep, 1.3);
	}
}

/* The list of letters takes no space in the layout; kt_position_graph() places it. */
static void shrink_letters(Agraph_t *graph)
{
	static char empty[] = "";
	static char fixed[] = "fixedsize";
	static char yes[] = "true";
	static char tiny[] = "0.01";
	static char width[] = "width";
	static char height[] = "height";
	static char name[] = KT_DOT_LETTERS;
	Agnode_t *node = agnode(graph, name, 0);

	if (node) {
		agsafeset(node, fixed, yes, empty);
		agsafeset(node, width, tiny, empty);
		agsafeset(node, height, tiny, empty);
	}
}

/*
 * Graphviz writes the factor of an SVG with two digits, so the size that is asked for is
 * replaced by one that gives such a factor. Returns the width without reduction.
 */
static double reduce(Agraph_t *graph)
{
	double width = GD_bb(graph).UR.x - GD_bb(graph).LL.x + 2 * PAD;
	pointf *size = &GD_drawing(graph)->size;

	if (size->x > 0 && size->x < width) {
		size->x = width * floor(100 * size->x / width + 1e-6) / 100;
	}
	return width;
}

static int draw(struct kt_picture *pictures, size_t n, const char *dot, struct way *way,
		double *size)
{
	static char empty[] = "";
	GVC_t *gvc;
	Agraph_t *graph;

	agseterrf(say_error);
	agseterr(AGERR);
	gvc = gvContext();
	graph = agmemread(dot);
	if (!gvc || !graph) {
		say("the DOT text cannot be parsed");
		return 1;
	}
	for (struct setting *s = way->settings; s->name[0]; s++) {
		agsafeset(graph, s->name, s->value, empty);
	}
	shrink_letters(graph);
	if (lay_out(gvc, graph, way->engine) != 0) {
		return 1;
	}
	*size = reduce(graph);
	for (size_t i = 0; i < n; i++) {
		if (gvRender(gvc, graph, pictures[i].format, pictures[i].file) != 0 ||
		    fflush(pictures[i].file) != 0) {
			say("no picture in format ");
			say(pictures[i].format);
			return 1;
		}
	}
	return 0;
}

static int start_child(struct child *child, struct kt_picture *pictures, size_t n,
		       const char *dot, struct way *way, double *size)
{
	pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0) {
		return kt_error_errno(KT_E_IO, "lay out drawing");
	}
	fflush(NULL);
	child->pid = fork();
	if (child->pid < 0) {
		close(ends[0]);
		close(ends[1]);
		return kt_error_errno(KT_E_IO, "lay out drawing");
	}
	if (child->pid == 0) {
		close(ends[0]);
		reason_fd = ends[1];
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent) {
			_exit(1);
		}
		_exit(draw(pictures, n, dot, way, size));
	}
	close(ends[1]);
	child->reasons = ends[0];
	return KT_OK;
}

/* --- the parent --- */

/*
 * Reads the child's messages into `reason` until the child ends. Returns false if the
 * deadline comes first.
 */
static bool listen_until(int fd, const struct timespec *deadline, char reason[REASON_MAX])
{
	size_t length = 0;

	reason[0] = '\0';
	for (;;) {
		struct pollfd wanted = {.fd = fd, .events = POLLIN};
		char piece[REASON_MAX];
		struct timespec now;
		long long left;
		ssize_t n;

		clock_gettime(CLOCK_MONOTONIC, &now);
		left = (deadline->tv_sec - now.tv_sec) * 1000LL +
		       (deadline->tv_nsec - now.tv_nsec) / 1000000;
		if (left <= 0) {
			return false;
		}
		if (poll(&wanted, 1, left > 3600000 ? 3600000 : (int)left) <= 0) {
			continue; /* poll() timed out or was interrupted by a signal */
		}
		n = read(fd, piece, sizeof(piece));
		if (n == 0) {
			return true;
		}
		for (ssize_t i = 0; i < n && length + 1 < REASON_MAX; i++) {
			reason[length++] = piece[i] == '\n' ? ' ' : piece[i];
		}
		reason[length] = '\0';
	}
}

/* Tries one setting. If it takes too long, sets *late to true and returns KT_OK. */
static int try_way(struct kt_picture *pictures, size_t n, const char *dot, struct way *way,
		   unsigned seconds, bool *late, double *size)
{
	char reason[REASON_MAX];
	struct timespec deadline;
	struct child child = {.pid = -1, .reasons = -1};
	size_t length;
	int status = 0;

	for (size_t i = 0; i < n; i++) {
		if (ftruncate(fileno(pictures[i].file), 0) != 0) {
			return kt_error_errno(KT_E_IO, "lay out drawing");
		}
		rewind(pictures[i].file);
	}
	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += seconds;
	KT_TRY(start_child(&child, pictures, n, dot, way, size));
	*late = !listen_until(child.reasons, &deadline, reason);
	if (*late) {
		kill(child.pid, SIGKILL);
	}
	close(child.reasons);
	while (waitpid(child.pid, &status, 0) < 0) {
		if (errno != EINTR) {
			return kt_error_errno(KT_E_IO, "lay out drawing");
		}
	}
	if (*late || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) {
		return KT_OK;
	}
	if (WIFSIGNALED(status)) {
		return kt_error(
			KT_E_IO,
			"lay out drawing: Graphviz was terminated by signal %d (%s)",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	}
	length = strlen(reason);
	while (length > 0 && reason[length - 1] == ' ') {
		reason[--length] = '\0';
	}
	return kt_error(KT_E_IO, "lay out drawing: %s",
			reason[0] ? reason : "Graphviz failed without a message");
}

int kt_lay_out(struct kt_picture *pictures, size_t n, const char *dot, unsigned seconds,
	       const char **way, double *width)
{
	/* The child writes the drawing's width here. */
	double *size = mmap(NULL, sizeof(*size), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool late = true;
	int code = size == MAP_FAILED ? kt_error_errno(KT_E_IO, "lay out drawing") : KT_OK;

	for (size_t i = 0; i < n; i++) {
		pictures[i].file = NULL;
	}
	for (size_t i = 0; i < n && !code; i++) {
		int fd = memfd_create("ktail-render", MFD_CLOEXEC);

		pictures[i].file = fd < 0 ? NULL : fdopen(fd, "w+");
		if (!pictures[i].file) {
			code = kt_error_errno(KT_E_IO, "lay out drawing");
			if (fd >= 0) {
				close(fd);
			}
		}
	}
	for (size_t i = 0; i < N_WAYS && late && !code; i++) {
		*way = ways[i].description;
		code = try_way(pictures, n, dot, &ways[i], seconds, &late, size);
	}
	if (late && !code) {
		code = kt_error(KT_E_IO,
				"lay out drawing: no layout finished within %u s; allow "
				"more time, or draw it as DOT",
				seconds);
	}
	for (size_t i = 0; i < n && !code; i++) {
		rewind(pictures[i].file);
	}
	if (code) {
		kt_pictures_close(pictures, n);
	} else {
		*width = *size;
	}
	if (size != MAP_FAILED) {
		munmap(size, sizeof(*size));
	}
	return code;
}

void kt_pictures_close(struct kt_picture *pictures, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (pictures[i].file) {
			fclose(pictures[i].file);
			pictures[i].file = NULL;
		}
	}
}

/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "viz/machine/layout.h"

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
#include "viz/machine/position-graph.h"
#include "viz/machine/print-dot.h"

#define REASON_MAX 512
#define RETRIES    6   /* layouts with more space, if labels find no position */
#define MORE_SPACE 1.3 /* factor by which each retry increases the space */
#define FEW_EDGES  200 /* a graph with more edges gets only one layout, to save time */
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

/* What a child has made, in memory that it shares with its parent. */
struct outcome {
	double width; /* in points, before it is reduced */
	double height;
	struct kt_label_faults faults;
	bool large;     /* the graph has more than FEW_EDGES */
	bool keys;      /* labels are keys, which tell nothing beside another edge */
};

/* One layout. */
struct attempt {
	struct kt_picture *pictures; /* Weak */
	size_t n;
	const char *dot;   /* Weak */
	struct way *way;   /* Weak */
	double spacing;    /* distances between states, as multiples of those in `dot` */
	struct outcome *o; /* Weak; shared */
};

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

/* Lays the graph out, and puts labels beside their lines. */
static int lay_out(GVC_t *gvc, Agraph_t *graph, const struct attempt *attempt)
{
	static char nodesep[] = "nodesep";
	static char ranksep[] = "ranksep";

	if (attempt->spacing > 1) {
		widen(graph, nodesep, attempt->spacing);
		widen(graph, ranksep, attempt->spacing);
	}
	if (gvLayout(gvc, graph, attempt->way->engine) != 0) {
		return 1;
	}
	attempt->o->large = agnedges(graph) > FEW_EDGES;
	if (kt_position_graph(graph, &attempt->o->faults) != KT_OK) {
		say("out of memory");
		return 1;
	}
	return 0;
}

/*
 * The list of letters takes no space in the layout; kt_position_graph() places it. Returns
 * whether there is one.
 */
static bool shrink_letters(Agraph_t *graph)
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
	return node != NULL;
}

/*
 * Graphviz writes the factor of an SVG with two digits, so the size that is asked for is
 * replaced by a size that gives such a factor. Sets the size without reduction.
 */
static void reduce(struct outcome *o, Agraph_t *graph)
{
	double width = GD_bb(graph).UR.x - GD_bb(graph).LL.x + 2 * PAD;
	pointf *size = &GD_drawing(graph)->size;

	if (size->x > 0 && size->x < width) {
		size->x = width * floor(100 * size->x / width + 1e-6) / 100;
	}
	o->width = width;
	o->height = GD_bb(graph).UR.y - GD_bb(graph).LL.y + 2 * PAD;
}

static int draw(const struct attempt *attempt)
{
	static char empty[] = "";
	static char margin[] = "margin";
	static char none[] = "0";
	GVC_t *gvc;
	Agraph_t *graph;

	agseterrf(say_error);
	agseterr(AGERR);
	gvc = gvContext();
	graph = agmemread(attempt->dot);
	if (!gvc || !graph) {
		say("the DOT text cannot be parsed");
		return 1;
	}
	for (struct setting *s = attempt->way->settings; s->name[0]; s++) {
		agsafeset(graph, s->name, s->value, empty);
	}
	attempt->o->keys = shrink_letters(graph);
	if (lay_out(gvc, graph, attempt) != 0) {
		return 1;
	}
	reduce(attempt->o, graph);
	/* By default, a PDF has half an inch more on each side than the other formats. */
	agsafeset(graph, margin, none, empty);
	for (size_t i = 0; i < attempt->n; i++) {
		const struct kt_picture *picture = &attempt->pictures[i];

		if (gvRender(gvc, graph, picture->format, picture->file) != 0 ||
		    fflush(picture->file) != 0) {
			say("no picture in format ");
			say(picture->format);
			return 1;
		}
	}
	return 0;
}

static int start_child(struct child *child, const struct attempt *attempt)
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
		_exit(draw(attempt));
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

/* Makes one layout. If that takes too long, sets *late to true and returns KT_OK. */
static int try_once(const struct attempt *attempt, const struct timespec *deadline,
		    bool *late)
{
	char reason[REASON_MAX];
	struct child child = {.pid = -1, .reasons = -1};
	size_t length;
	int status = 0;

	for (size_t i = 0; i < attempt->n; i++) {
		if (ftruncate(fileno(attempt->pictures[i].file), 0) != 0) {
			return kt_error_errno(KT_E_IO, "lay out drawing");
		}
		rewind(attempt->pictures[i].file);
	}
	KT_TRY(start_child(&child, attempt));
	*late = !listen_until(child.reasons, deadline, reason);
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

static int open_files(struct kt_picture *pictures, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int fd = memfd_create("ktail-render", MFD_CLOEXEC);

		pictures[i].file = fd < 0 ? NULL : fdopen(fd, "w+");
		if (!pictures[i].file) {
			int code = kt_error_errno(KT_E_IO, "lay out drawing");

			if (fd >= 0) {
				close(fd);
			}
			return code;
		}
	}
	return KT_OK;
}

static void swap_files(struct kt_picture *a, struct kt_picture *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		FILE *file = a[i].file;

		a[i].file = b[i].file;
		b[i].file = file;
	}
}

/*
 * Tries one setting for `seconds`. Unless the graph is large, repeats the layout with more
 * space between states as long as labels find no position, or keys none near their own
 * lines, and the layout is not wider than `widest`. The layout with the fewest such labels
 * is taken; if there are several, the first of them. If no layout is done in time, sets
 * *late to true and returns KT_OK.
 */
static int try_way(struct attempt first, struct kt_picture *spare, unsigned seconds,
		   double widest, bool *late, struct kt_layout *layout)
{
	struct attempt next = first;
	struct timespec deadline;

	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += seconds;
	KT_TRY(try_once(&first, &deadline, late));
	layout->faults = first.o->large ? (struct kt_label_faults){0} : first.o->faults;
	layout->width = first.o->width;
	layout->height = first.o->height;
	next.pictures = spare;
	for (int i = 0;
	     i < RETRIES && !*late &&
	     (layout->faults.unmoved || (first.o->keys && layout->faults.unclear));
	     i++) {
		bool enough = false;

		if (strcmp(first.way->engine, "dot") != 0) {
			break;
		}
		next.spacing *= MORE_SPACE;
		if (try_once(&next, &deadline, &enough) != KT_OK || enough) {
			break; /* the first layout is still good */
		}
		if (next.o->width > widest) {
			break;
		}
		if (kt_label_faults_fewer(&next.o->faults, &layout->faults)) {
			layout->faults = next.o->faults;
			layout->width = next.o->width;
			layout->height = next.o->height;
			swap_files(first.pictures, spare, first.n);
		}
	}
	return KT_OK;
}

int kt_lay_out(struct kt_picture *pictures, size_t n, const char *dot, unsigned seconds,
	       double widest, struct kt_layout *layout)
{
	struct attempt first = {.pictures = pictures, .n = n, .dot = dot, .spacing = 1};
	struct kt_picture *spare = calloc(n + 1, sizeof(*spare));
	bool late = true;
	int code = KT_OK;

	for (size_t i = 0; i < n; i++) {
		pictures[i].file = NULL;
	}
	first.o = mmap(NULL, sizeof(*first.o), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!spare) {
		KT_TRY_END(kt_no_memory("lay out drawing"));
	}
	if (first.o == MAP_FAILED) {
		KT_TRY_END(kt_error_errno(KT_E_IO, "lay out drawing"));
	}
	for (size_t i = 0; i < n; i++) {
		spare[i].format = pictures[i].format;
	}
	KT_TRY_END(open_files(pictures, n));
	KT_TRY_END(open_files(spare, n));
	for (size_t i = 0; i < N_WAYS && late; i++) {
		layout->way = ways[i].description;
		first.way = &ways[i];
		KT_TRY_END(try_way(first, spare, seconds, widest, &late, layout));
	}
	if (late) {
		KT_TRY_END(
			kt_error(KT_E_IO,
				 "lay out drawing: no layout finished within %u s; allow "
				 "more time, or draw it as DOT",
				 seconds));
	}
	for (size_t i = 0; i < n; i++) {
		rewind(pictures[i].file);
	}
end:
	if (code) {
		kt_pictures_close(pictures, n);
	}
	kt_pictures_close(spare, spare ? n : 0);
	free(spare);
	if (first.o != MAP_FAILED) {
		munmap(first.o, sizeof(*first.o));
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

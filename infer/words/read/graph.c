/* SPDX-License-Identifier: MIT */
#include "infer/words/read/graph.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ktail/status.h>

#include "base/progress.h"
#include "base/try.h"
#include "infer/words/read/ctf-folder.h"
#include "infer/words/read/watch.h"

struct kt_graph {
	const struct kt_ctf_folder *folders; /* Weak */
	size_t n_folders;
	struct kt_sink_data *data; /* Weak */
	bt_graph *graph;
	const bt_plugin_set *plugins;
	const bt_plugin *ctf;   /* Weak: owned by `plugins` */
	const bt_plugin *utils; /* Weak: owned by `plugins` */
	const bt_component_class_sink *sink_class;
	const bt_component_class_filter *watch_class;
	struct kt_watch watch;
	const bt_component_filter *muxer;
	const bt_component_sink *sink;
	uint64_t muxer_ports;
	/* error that Babeltrace left although its call returned OK; "": none */
	char silent[1024];
};

/* --- errors --- */

static const char *message_of(const bt_error *error, uint64_t i)
{
	return bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, i));
}

/*
 * Reads the numbers of the stream class and the stream from the name of a port, which is
 * "UUID | stream class | stream".
 */
static bool read_port(const char *port, uint64_t *class_id, uint64_t *id)
{
	return sscanf(port, "%*[0-9a-f-] | %" SCNu64 " | %" SCNu64, class_id, id) == 2;
}

/*
 * Returns the file in which reading failed, or NULL if it is unknown. Babeltrace's error
 * does not name the file, but one cause in it names the source component and its port. The
 * name of the component has the number of the folder, and the name of the port has the
 * numbers of the stream.
 */
static const char *find_file(const bt_error *error, const struct kt_graph *g)
{
	uint64_t n = bt_error_get_cause_count(error);

	for (uint64_t i = 0; i < n; i++) {
		const bt_error_cause *cause = bt_error_borrow_cause_by_index(error, i);
		const struct kt_watched *stream;
		const char *port;
		uint64_t class_id;
		uint64_t id;
		size_t folder;

		if (bt_error_cause_get_actor_type(cause) !=
		    BT_ERROR_CAUSE_ACTOR_TYPE_MESSAGE_ITERATOR) {
			continue;
		}
		port = bt_error_cause_message_iterator_actor_get_component_output_port_name(
			cause);
		if (sscanf(bt_error_cause_message_iterator_actor_get_component_name(cause),
			   "trace-%zu", &folder) == 1 &&
		    read_port(port, &class_id, &id)) {
			stream = kt_watch_find(&g->watch, folder, class_id, id);
			return stream ? stream->file : NULL;
		}
	}
	return NULL;
}

/*
 * Writes the innermost cause of Babeltrace's error without line breaks. If that cause does
 * not name a file, a file is written before it: the one in the nearest outer cause that
 * names one, else the file of the stream that could not be read.
 */
static void print_causes(char *out, size_t size, const bt_error *error,
			 const struct kt_graph *g)
{
	uint64_t n_causes = bt_error_get_cause_count(error);
	const char *path = NULL;
	const char *file = NULL;
	size_t length = 0;
	size_t n = 0;
	char *at;

	for (uint64_t i = 0; i < n_causes && !path; i++) {
		const char *text = message_of(error, i);

		/* Finds a path in quotes in the text of the cause, if there is one. */
		while (*text && !(strchr("`'\"", *text) && text[1] == '/')) {
			text++;
		}
		if (!*text) {
			continue;
		}
		path = text + 1;
		length = strcspn(path, "`'\"");
		if (i > 0 && length < size / 2) {
			n = (size_t)snprintf(out, size, "%.*s: ", (int)length, path);
		}
	}
	file = path || !g ? NULL : find_file(error, g);
	if (file && strlen(file) < size / 2) {
		n = (size_t)snprintf(out, size, "%s: ", file);
	}
	for (const char *text = message_of(error, 0); *text && n + 1 < size; text++) {
		out[n++] = *text == '\n' ? ' ' : *text;
	}
	out[n] = '\0';
	/*
	 * Cuts off details of Babeltrace that contain addresses, because these vary from
	 * run to run.
	 */
	at = strstr(out, "-addr=");
	while (at && at > out) {
		at--;
		if (at[0] == ':' && at[1] == ' ') {
			*at = '\0';
			return;
		}
	}
}

/*
 * Takes Babeltrace's error from this thread and writes it as text. `g` is NULL while the
 * graph is built.
 */
static void take_reason(char *out, size_t size, const struct kt_graph *g)
{
	const bt_error *error = bt_current_thread_take_error();

	snprintf(out, size, "Babeltrace gives no reason");
	if (error) {
		if (bt_error_get_cause_count(error) > 0) {
			print_causes(out, size, error, g);
		}
		bt_error_release(error);
	}
}

static int fail(int code, const char *what)
{
	char reason[1024];

	take_reason(reason, sizeof(reason), NULL);
	return kt_error(code, "%s: %s", what, reason);
}

/* --- construction --- */

static int find_plugin(const struct kt_graph *g, const bt_plugin **out, const char *name)
{
	uint64_t n = bt_plugin_set_get_plugin_count(g->plugins);

	for (uint64_t i = 0; i < n; i++) {
		*out = bt_plugin_set_borrow_plugin_by_index_const(g->plugins, i);
		if (strcmp(bt_plugin_get_name(*out), name) == 0) {
			return KT_OK;
		}
	}
	return kt_error(KT_E_IO, "find Babeltrace plugin %s: not found", name);
}

bool kt_graph_is_live(const char *input)
{
	return strncmp(input, "net://", 6) == 0 || strncmp(input, "net4://", 7) == 0;
}

/*
 * Connects every stream of a source to the muxer through a watch filter of its own. The
 * muxer adds an input port for each connection.
 */
static int connect_source(struct kt_graph *g, const bt_component_source *source,
			  size_t ordinal)
{
	const struct kt_ctf_folder *folder = &g->folders[ordinal];
	const char *read = folder->copy ? folder->copy : folder->path;
	uint64_t n = bt_component_source_get_output_port_count(source);
	struct kt_ctf_streams files;
	int code;

	KT_TRY_END(kt_ctf_list(&files, read));
	for (uint64_t i = 0; i < n; i++) {
		const bt_port_output *port =
			bt_component_source_borrow_output_port_by_index_const(source, i);
		const char *file = NULL;
		struct kt_watched *stream;
		const bt_component_filter *watch;
		char path[PATH_MAX];
		char name[32];
		uint64_t class_id = 0;
		uint64_t id = 0;

		if (read_port(bt_port_get_name(bt_port_output_as_port_const(port)),
			      &class_id, &id)) {
			file = kt_ctf_path(&files, class_id, id);
		}
		/* Names the original file even if a copy is read. */
		snprintf(path, sizeof(path), "%s%s", folder->path,
			 file ? file + strlen(read) : "");
		KT_TRY_END(kt_watch_add(&g->watch, &stream, path));
		stream->trace = ordinal;
		stream->class_id = class_id;
		stream->id = id;
		snprintf(name, sizeof(name), "watch-%" PRIu64, g->muxer_ports);
		if (bt_graph_add_filter_component_with_initialize_method_data(
			    g->graph, g->watch_class, name, NULL, stream,
			    BT_LOGGING_LEVEL_NONE, &watch) ||
		    bt_graph_connect_ports(
			    g->graph, port,
			    bt_component_filter_borrow_input_port_by_index_const(watch, 0),
			    NULL) ||
		    bt_graph_connect_ports(
			    g->graph,
			    bt_component_filter_borrow_output_port_by_index_const(watch, 0),
			    bt_component_filter_borrow_input_port_by_index_const(
				    g->muxer, g->muxer_ports),
			    NULL)) {
			code = fail(KT_E_INTERNAL, "connect Babeltrace components");
			goto end;
		}
		g->muxer_ports++;
	}
end:
	kt_ctf_free_list(&files);
	return code;
}

static int add_source(struct kt_graph *g, size_t ordinal)
{
	const char *folder = g->folders[ordinal].copy ? g->folders[ordinal].copy
						      : g->folders[ordinal].path;
	bool live = kt_graph_is_live(folder);
	const bt_component_class_source *class_ =
		bt_plugin_borrow_source_component_class_by_name_const(
			g->ctf, live ? "lttng-live" : "fs");
	const bt_component_source *source;
	bt_value *params = bt_value_map_create(); /* {"inputs": [folder], ...} */
	bt_value *inputs = NULL;
	char name[32];
	int status;

	/*
	 * "end" makes a live session that does not exist count as an ended trace, like a
	 * session that was destroyed.
	 */
	if (!class_ || !params ||
	    bt_value_map_insert_empty_array_entry(params, "inputs", &inputs) ||
	    bt_value_array_append_string_element(inputs, folder) ||
	    (live ? bt_value_map_insert_string_entry(params, "session-not-found-action",
						     "end")
		  : bt_value_map_insert_bool_entry(
			    params, "force-clock-class-origin-unix-epoch", BT_TRUE))) {
		bt_value_put_ref(params);
		return fail(KT_E_INTERNAL, "create Babeltrace source");
	}
	snprintf(name, sizeof(name), "trace-%zu", ordinal);
	status = bt_graph_add_source_component(g->graph, class_, name, params,
					       BT_LOGGING_LEVEL_NONE, &source);
	bt_value_put_ref(params);
	if (status) {
		return live ? fail(KT_E_IO, "reach live session")
			    : fail(KT_E_MALFORMED, "read CTF trace");
	}
	return connect_source(g, source, ordinal);
}

/* --- creation and destruction --- */

int kt_graph_new(struct kt_graph **out, const struct kt_ctf_folder *folders, size_t n,
		 struct kt_sink_data *data)
{
	struct kt_graph *g = calloc(1, sizeof(*g));
	const bt_component_class_filter *muxer;
	int code;

	*out = NULL;
	if (!g) {
		return kt_no_memory("create Babeltrace graph");
	}
	g->folders = folders;
	g->n_folders = n;
	g->data = data;
	g->graph = bt_graph_create(0);
	if (!g->graph ||
	    (g->data->stop && bt_graph_add_interrupter(g->graph, g->data->stop))) {
		code = fail(KT_E_MEMORY, "create Babeltrace graph");
		goto end;
	}
	/*
	 * Loads all plugins at once, because finding each by its name would load some
	 * twice.
	 */
	if (bt_plugin_find_all(BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &g->plugins) !=
	    BT_PLUGIN_FIND_ALL_STATUS_OK) {
		code = fail(KT_E_IO, "find Babeltrace plugins");
		goto end;
	}
	KT_TRY_END(find_plugin(g, &g->ctf, "ctf"));
	KT_TRY_END(find_plugin(g, &g->utils, "utils"));
	muxer = bt_plugin_borrow_filter_component_class_by_name_const(g->utils, "muxer");
	g->sink_class = kt_words_sink_class();
	g->watch_class = kt_watch_class();
	if (!muxer || !g->sink_class || !g->watch_class ||
	    bt_graph_add_filter_component(g->graph, muxer, "muxer", NULL,
					  BT_LOGGING_LEVEL_NONE, &g->muxer) ||
	    bt_graph_add_sink_component_with_initialize_method_data(
		    g->graph, g->sink_class, "words", NULL, g->data, BT_LOGGING_LEVEL_NONE,
		    &g->sink)) {
		code = fail(KT_E_INTERNAL, "create Babeltrace graph");
		goto end;
	}
	for (size_t i = 0; i < n; i++) {
		KT_TRY_END(add_source(g, i));
	}
	/*
	 * The sink itself drops events of other providers. This graph therefore has no
	 * filter.ktail.normalize, unlike graphs of babeltrace2: the filter would cost 2 %
	 * of the time.
	 */
	if (g->muxer_ports > 0 &&
	    bt_graph_connect_ports(
		    g->graph,
		    bt_component_filter_borrow_output_port_by_index_const(g->muxer, 0),
		    bt_component_sink_borrow_input_port_by_index_const(g->sink, 0), NULL)) {
		code = fail(KT_E_INTERNAL, "connect Babeltrace components");
		goto end;
	}
	*out = g;
	/* The length of a live session is unknown, so progress is not shown for one. */
	if (n > 0 && !kt_graph_is_live(folders[0].path)) {
		kt_progress_begin("read events", 0, 4096);
	}
end:
	if (code) {
		kt_graph_free(g);
	}
	return code;
}

void kt_graph_free(struct kt_graph *g)
{
	if (g) {
		kt_progress_end();
		bt_graph_put_ref(g->graph);
		bt_component_class_sink_put_ref(g->sink_class);
		bt_component_class_filter_put_ref(g->watch_class);
		bt_plugin_set_put_ref(g->plugins);
		kt_watch_free(&g->watch);
		bt_current_thread_clear_error();
		free(g);
	}
}

/* --- execution --- */

/*
 * Returns the status for a run of the graph that failed. If it failed because the trace
 * became unreadable, the status is KT_OK, and the reason is in stopped[0..size).
 */
static int judge(struct kt_graph *g, bool no_memory, char *stopped, size_t size)
{
	take_reason(stopped, size, g);
	if (g->data->status) {
		/*
		 * The error comes from ktail's own reader, whose message is still set in
		 * this thread.
		 */
		stopped[0] = '\0';
		return g->data->status;
	}
	return no_memory ? kt_no_memory("read trace") : KT_OK;
}

/*
 * If a stream ends inside an event, Babeltrace ends the stream, returns OK and leaves an
 * error in the thread. The error is taken here, because it would make the next call abort.
 */
static void take_silent_error(struct kt_graph *g)
{
	const bt_error *error = bt_current_thread_take_error();

	if (error && !g->silent[0] && bt_error_get_cause_count(error) > 0) {
		print_causes(g->silent, sizeof(g->silent), error, g);
	}
	if (error) {
		bt_error_release(error);
	}
}

/*
 * Reports the error together with its stream. At the end, only a stream that ends inside an
 * event still has an open packet.
 */
static void report_silent_error(const struct kt_graph *g, char *stopped, size_t size)
{
	const struct kt_watched *stream = kt_watch_open(&g->watch);

	if (g->silent[0] && stream) {
		snprintf(stopped, size,
			 "%s: the last event of its packet %" PRIu64 " is truncated",
			 stream->file, stream->begun - 1);
	} else {
		snprintf(stopped, size, "%s", g->silent);
	}
}

static bool is_stopped(const struct kt_graph *g)
{
	return g->data->stop && bt_interrupter_is_set(g->data->stop);
}

int kt_graph_step(struct kt_graph *g, bool *more, char *stopped, size_t size)
{
	static const struct timespec pause = {.tv_nsec = 100000000};
	bt_graph_run_once_status status = BT_GRAPH_RUN_ONCE_STATUS_END;

	stopped[0] = '\0';
	if (g->muxer_ports > 0 && !is_stopped(g)) {
		status = bt_graph_run_once(g->graph);
	}
	*more = status == BT_GRAPH_RUN_ONCE_STATUS_OK ||
		status == BT_GRAPH_RUN_ONCE_STATUS_AGAIN;
	if (!*more && status != BT_GRAPH_RUN_ONCE_STATUS_END && !is_stopped(g)) {
		return judge(g, status == BT_GRAPH_RUN_ONCE_STATUS_MEMORY_ERROR, stopped,
			     size);
	}
	if (status >= BT_GRAPH_RUN_ONCE_STATUS_OK) {
		take_silent_error(g);
	}
	*more = *more && !is_stopped(g);
	if (!*more) {
		report_silent_error(g, stopped, size);
	} else if (status == BT_GRAPH_RUN_ONCE_STATUS_AGAIN) {
		/* A live session has no new events yet. */
		nanosleep(&pause, NULL);
	}
	return KT_OK;
}

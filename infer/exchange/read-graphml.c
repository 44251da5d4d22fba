/* SPDX-License-Identifier: MIT */
/*
 * Reads GraphML through libxml2's SAX interface, which builds no tree. Network access is
 * off and document type declarations are refused, so the only entities are XML's own. Keys
 * are identified by attr.name, since programs that save a graph give new ids to its keys.
 */
#include <ktail/exchange.h>

#include <libxml/parser.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/exchange/found-graph.h"

#define CHUNK 65536

struct key {
	char *id; /* Owned by this */
	enum kt_found_key key;
};

enum scope {
	OUTSIDE = 0,
	IN_GRAPH,
	IN_NODE,
	IN_EDGE,
};

struct reader {
	xmlParserCtxtPtr xml; /* Owned by this */
	struct kt_found_graph graph;
	struct key *keys; /* Owned by this */
	size_t n_keys;
	size_t keys_capacity;
	enum scope scope;
	unsigned graphs;
	struct kt_found_values values; /* attributes of the open node or edge */
	uint32_t from;                 /* the open node, or the source of the open edge */
	uint32_t to;
	bool in_data;
	enum kt_found_key data;
	char *text; /* Owned by this */
	size_t n_text;
	size_t text_capacity;
	int code; /* the error that stopped the parser */
};

/* --- errors --- */

/* Stops the parser; does nothing if the code is KT_OK. */
static void stop(struct reader *r, int code)
{
	if (code && !r->code) {
		r->code = code;
		xmlStopParser(r->xml);
	}
}

static void on_doctype(void *context, const xmlChar *name, const xmlChar *external,
		       const xmlChar *system)
{
	(void)name;
	(void)external;
	(void)system;
	stop(context, kt_error(KT_E_MALFORMED, "it has a document type declaration"));
}

/* Keeps libxml2 from printing errors: parse() retrieves them at the end. */
static void on_error(void *context, xmlErrorPtr error)
{
	(void)context;
	(void)error;
}

/* --- elements --- */

static bool is(const xmlChar *name, const char *text)
{
	return strcmp((const char *)name, text) == 0;
}

/* Returns the value of an attribute; if the attribute is absent, *length is 0. */
static const char *find(const char *name, int n, const xmlChar **attributes, size_t *length)
{
	for (int i = 0; i < n; i++) {
		const xmlChar **a = attributes + (ptrdiff_t)i * 5;

		if (is(a[0], name)) {
			*length = (size_t)(a[4] - a[3]);
			return (const char *)a[3];
		}
	}
	*length = 0;
	return "";
}

static int find_node(struct reader *r, const char *name, int n, const xmlChar **attributes,
		     uint32_t *out)
{
	static const struct kt_found_values none;
	size_t length;
	const char *id = find(name, n, attributes, &length);

	if (length == 0) {
		return kt_error(KT_E_MALFORMED, "a node or an edge has no %s", name);
	}
	return kt_found_node(&r->graph, id, length, &none, out);
}

static int begin_element(struct reader *r, const xmlChar *name, int n,
			 const xmlChar **attributes)
{
	size_t length;
	const char *id;

	if (is(name, "key")) {
		size_t name_length;
		const char *key = find("attr.name", n, attributes, &name_length);

		KT_TRY(kt_array_reserve(&r->keys, &r->keys_capacity, r->n_keys + 1));
		id = find("id", n, attributes, &length);
		r->keys[r->n_keys] = (struct key){
			.id = strndup(id, length),
			.key = kt_found_key_of(key, name_length),
		};
		return r->keys[r->n_keys++].id ? KT_OK
					       : kt_error(KT_E_MEMORY, "out of memory");
	}
	if (is(name, "graph")) {
		if (r->scope != OUTSIDE || r->graphs++ > 0) {
			return kt_error(KT_E_MALFORMED, "it has more than one graph");
		}
		r->scope = IN_GRAPH;
		return KT_OK;
	}
	if (is(name, "data")) {
		id = find("key", n, attributes, &length);
		r->in_data = true;
		r->n_text = 0;
		r->data = KT_FOUND_KEYS;
		for (size_t i = 0; i < r->n_keys; i++) {
			if (strlen(r->keys[i].id) == length &&
			    memcmp(r->keys[i].id, id, length) == 0) {
				r->data = r->keys[i].key;
				break;
			}
		}
		return KT_OK;
	}
	if (!is(name, "node") && !is(name, "edge")) {
		return KT_OK;
	}
	if (r->scope != IN_GRAPH) {
		return kt_error(KT_E_MALFORMED, "a node or an edge is outside the graph");
	}
	memset(&r->values, 0, sizeof(r->values));
	r->graph.line = (uint64_t)xmlSAX2GetLineNumber(r->xml);
	if (is(name, "node")) {
		r->scope = IN_NODE;
		KT_TRY(find_node(r, "id", n, attributes, &r->from));
		r->graph.nodes[r->from].line = r->graph.line;
		return KT_OK;
	}
	r->scope = IN_EDGE;
	KT_TRY(find_node(r, "source", n, attributes, &r->from));
	return find_node(r, "target", n, attributes, &r->to);
}

static void on_begin(void *context, const xmlChar *name, const xmlChar *prefix,
		     const xmlChar *uri, int n_namespaces, const xmlChar **namespaces,
		     int n, int n_defaulted, const xmlChar **attributes)
{
	struct reader *r = context;

	(void)prefix;
	(void)uri;
	(void)n_namespaces;
	(void)namespaces;
	(void)n_defaulted;
	if (!r->code) {
		stop(r, begin_element(r, name, n, attributes));
	}
}

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix,
		   const xmlChar *uri)
{
	struct reader *r = context;

	(void)prefix;
	(void)uri;
	if (r->code) {
		return;
	}
	if (is(name, "data")) {
		struct kt_found_values *values =
			r->scope == IN_GRAPH ? &r->graph.values : &r->values;

		r->in_data = false;
		if (r->data != KT_FOUND_KEYS && r->scope != OUTSIDE) {
			stop(r, kt_found_keep(&r->graph, r->n_text ? r->text : "",
					      r->n_text, &values->at[r->data]));
		}
	} else if (is(name, "node") && r->scope == IN_NODE) {
		r->graph.nodes[r->from].values = r->values;
		r->scope = IN_GRAPH;
	} else if (is(name, "edge") && r->scope == IN_EDGE) {
		r->scope = IN_GRAPH;
		stop(r, kt_found_edge(&r->graph, r->from, r->to, &r->values));
	} else if (is(name, "graph")) {
		r->scope = OUTSIDE;
	}
}

static void on_text(void *context, const xmlChar *text, int n)
{
	struct reader *r = context;
	int code;

	if (r->code || !r->in_data || r->data == KT_FOUND_KEYS) {
		return;
	}
	code = kt_array_reserve(&r->text, &r->text_capacity, r->n_text + (size_t)n);
	if (code) {
		stop(r, code);
		return;
	}
	memcpy(r->text + r->n_text, text, (size_t)n);
	r->n_text += (size_t)n;
}

/* --- the parser --- */

static void initialise(void)
{
	xmlInitParser();
}

/*
 * Parses the file. Replaces libxml2's error handler while it parses, since the default one
 * prints to standard error, and then restores the handler that other users of libxml2 in
 * this thread may have set.
 */
static int parse(struct reader *r, FILE *in)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	xmlStructuredErrorFunc function = xmlStructuredError;
	void *context = xmlStructuredErrorContext;
	xmlSAXHandler handler = {
		.initialized = XML_SAX2_MAGIC,
		.internalSubset = on_doctype,
		.startElementNs = on_begin,
		.endElementNs = on_end,
		.characters = on_text,
		.cdataBlock = on_text,
		.serror = on_error,
	};
	char *chunk = malloc(CHUNK);
	const xmlError *error;
	int bad = 0;
	size_t n = 1;
	int code = KT_OK;

	xmlSetStructuredErrorFunc(NULL, on_error);
	pthread_once(&once, initialise);
	r->xml = xmlCreatePushParserCtxt(&handler, r, NULL, 0, NULL);
	if (!r->xml || !chunk) {
		code = kt_error(KT_E_MEMORY, "out of memory");
		goto end;
	}
	xmlCtxtUseOptions(r->xml, XML_PARSE_NONET | XML_PARSE_HUGE);
	while (n > 0 && !bad && !r->code) {
		n = fread(chunk, 1, CHUNK, in);
		bad = xmlParseChunk(r->xml, chunk, (int)n, n == 0);
	}
	/* Retrieve libxml2's error before any other call replaces it. */
	error = xmlCtxtGetLastError(r->xml);
	if (ferror(in)) {
		code = kt_error_errno(KT_E_IO, "read");
	} else if (r->code) {
		code = kt_error_prepend(r->code, "line %d", xmlSAX2GetLineNumber(r->xml));
	} else if (error && error->code == XML_ERR_NO_MEMORY) {
		code = kt_error(KT_E_MEMORY, "out of memory");
	} else if (error) {
		const char *message = error->message ? error->message : "";

		code = kt_error(KT_E_MALFORMED, "line %d: %.*s", error->line,
				(int)strcspn(message, "\n"), message);
	}
end:
	free(chunk);
	xmlSetStructuredErrorFunc(context, function);
	return code;
}

int kt_fsm_read_graphml(struct kt_fsm **out, FILE *in, const char *name)
{
	struct reader r = {0};
	int code = parse(&r, in);

	*out = NULL;
	if (!code && !r.graph.values.at[KT_FOUND_FSM]) {
		code = kt_error(KT_E_MALFORMED,
				"its graph has no data 'fsm': it was not written by ktail");
	}
	if (!code) {
		code = kt_found_restore(out, &r.graph);
	}
	for (size_t i = 0; i < r.n_keys; i++) {
		free(r.keys[i].id);
	}
	free(r.keys);
	free(r.text);
	kt_found_graph_clear(&r.graph);
	if (r.xml) {
		xmlFreeParserCtxt(r.xml);
	}
	return code ? kt_error_prepend(code, "read %s", name) : KT_OK;
}

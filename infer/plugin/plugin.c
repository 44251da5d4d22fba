/* SPDX-License-Identifier: MIT */
/* The Babeltrace 2 plugin `ktail`. */
#include "infer/check/component.h"
#include "infer/words/read/sink.h"

/*
 * Babeltrace finds the plugin's descriptors by the symbols of the sections that hold them,
 * so these symbols must be visible.
 */
#pragma GCC visibility push(default)

BT_PLUGIN_MODULE()

BT_PLUGIN(ktail);
BT_PLUGIN_DESCRIPTION("From traces of GPU stacks to words");
BT_PLUGIN_LICENSE("MIT");

BT_PLUGIN_FILTER_COMPONENT_CLASS(normalize, kt_normalize_next);
BT_PLUGIN_FILTER_COMPONENT_CLASS_DESCRIPTION(normalize,
					     "Pass on only events of gpu_stack providers");
BT_PLUGIN_FILTER_COMPONENT_CLASS_HELP(
	normalize, "See the babeltrace2-filter.ktail.normalize(7) manual page.");
BT_PLUGIN_FILTER_COMPONENT_CLASS_INITIALIZE_METHOD(normalize, kt_normalize_initialize);
BT_PLUGIN_FILTER_COMPONENT_CLASS_FINALIZE_METHOD(normalize, kt_normalize_finalize);
BT_PLUGIN_FILTER_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD(
	normalize, kt_normalize_iterator_initialize);
BT_PLUGIN_FILTER_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_FINALIZE_METHOD(
	normalize, kt_normalize_iterator_finalize);

BT_PLUGIN_SINK_COMPONENT_CLASS(words, kt_sink_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(words, "Write the words of a trace as .events");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(words,
				    "See the babeltrace2-sink.ktail.words(7) manual page.");
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(words, kt_words_sink_initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(words, kt_words_sink_finalize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(words, kt_sink_configured);

BT_PLUGIN_SINK_COMPONENT_CLASS(check, kt_sink_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(
	check, "Find where the words of a trace do not fit a machine");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(check,
				    "See the babeltrace2-sink.ktail.check(7) manual page.");
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(check, kt_check_sink_initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(check, kt_check_sink_finalize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(check, kt_sink_configured);

#pragma GCC visibility pop

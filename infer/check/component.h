/* SPDX-License-Identifier: MIT */
/*
 * The Babeltrace 2 component class sink.ktail.check, as methods that the plugin registers.
 */
#ifndef KTAIL_CHECK_COMPONENT_H
#define KTAIL_CHECK_COMPONENT_H

#include <babeltrace2/babeltrace.h>

bt_component_class_initialize_method_status
kt_check_sink_initialize(bt_self_component_sink *self,
			 bt_self_component_sink_configuration *configuration,
			 const bt_value *params, void *data);
void kt_check_sink_finalize(bt_self_component_sink *self);

#endif

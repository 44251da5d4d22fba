/* SPDX-License-Identifier: MIT */
/* Passes the activity of a trace to the finder of roles (infer/words/memory/roles.h). */
#ifndef KTAIL_ANNOTATE_ROLES_H
#define KTAIL_ANNOTATE_ROLES_H

#include "annotate/events/activity.h"
#include "infer/words/memory/roles.h"

/* Learns the roles from a trace. The context is a kt_roles, a new one for each trace. */
extern const struct kt_activity_visitor kt_roles_visitor;

#endif

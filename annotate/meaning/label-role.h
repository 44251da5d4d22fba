/* SPDX-License-Identifier: MIT */
/* Roles: groups of labels, used for phases and for the distilled machine. */
#ifndef KTAIL_ANNOTATE_LABEL_ROLE_H
#define KTAIL_ANNOTATE_LABEL_ROLE_H

#include <stdbool.h>

enum kt_label_role {
	KT_LABEL_OTHER = 0, /* no other role applies */
	KT_LABEL_CREATE,    /* address spaces, channels, objects or memory are created */
	KT_LABEL_INIT,      /* created resources are prepared for use */
	KT_LABEL_DMA,       /* a copy is submitted */
	KT_LABEL_RUN,       /* a launch is submitted */
	KT_LABEL_SUBMIT,    /* other work is submitted, or written for submission */
	KT_LABEL_WAIT,      /* the program waits for completion */
	KT_LABEL_RELEASE,   /* created resources are released */
	KT_LABEL_QUERY,     /* the driver or the GPU is queried */
	KT_LABEL_ROLES,
};

/* Returns the name of a role, such as "create". Static storage. */
const char *kt_label_role_name(enum kt_label_role role);

/* Finds a role by its name. Returns false if no role has the name. */
bool kt_label_role_find(enum kt_label_role *out, const char *name);

#endif

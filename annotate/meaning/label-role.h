/* SPDX-License-Identifier: MIT */
/* What labels are about, coarsely: for phases and for the distilled machine. */
#ifndef KTAIL_ANNOTATE_LABEL_ROLE_H
#define KTAIL_ANNOTATE_LABEL_ROLE_H

#include <stdbool.h>

enum kt_label_role {
	KT_LABEL_OTHER = 0, /* it does not say */
	KT_LABEL_CREATE,    /* address spaces, channels, objects, memory come to be */
	KT_LABEL_INIT,      /* they are made ready for use */
	KT_LABEL_DMA,       /* a copy is submitted */
	KT_LABEL_RUN,       /* a launch is submitted */
	KT_LABEL_SUBMIT,    /* something is submitted, or written to be */
	KT_LABEL_WAIT,      /* for completion */
	KT_LABEL_RELEASE,   /* what was created goes away */
	KT_LABEL_QUERY,     /* the driver is asked for facts */
	KT_LABEL_ROLES,
};

/* "create", "dma", ...; static. */
const char *kt_label_role_name(enum kt_label_role role);

/* false: there is none of that name. */
bool kt_label_role_find(enum kt_label_role *out, const char *name);

#endif

/* SPDX-License-Identifier: MIT */
#include "annotate/meaning/label-role.h"

#include <string.h>

static const char *const names[KT_LABEL_ROLES] = {
	[KT_LABEL_OTHER] = "other", [KT_LABEL_CREATE] = "create",
	[KT_LABEL_INIT] = "init",   [KT_LABEL_DMA] = "dma",
	[KT_LABEL_RUN] = "run",     [KT_LABEL_SUBMIT] = "submit",
	[KT_LABEL_WAIT] = "wait",   [KT_LABEL_RELEASE] = "release",
	[KT_LABEL_QUERY] = "query",
};

const char *kt_label_role_name(enum kt_label_role role)
{
	return names[role];
}

bool kt_label_role_find(enum kt_label_role *out, const char *name)
{
	for (int i = 0; i < KT_LABEL_ROLES; i++) {
		if (strcmp(names[i], name) == 0) {
			*out = (enum kt_label_role)i;
			return true;
		}
	}
	return false;
}

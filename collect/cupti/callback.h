/* SPDX-License-Identifier: MIT */
/* From CUPTI's callbacks to the recorder's events. */
#ifndef KTAIL_COLLECT_CUPTI_CALLBACK_H
#define KTAIL_COLLECT_CUPTI_CALLBACK_H

#include <stdint.h>

#include "collect/api-injection.h"

/* A kt_cupti_callback; context is the recorder's const struct kt_record_api. */
void kt_cupti_on_call(void *context, uint32_t domain, uint32_t id, const void *data);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Minimal declarations of CUPTI, so that no header of the CUDA toolkit is needed. Names,
 * values and layout are from NVIDIA's CUPTI reference, "CUPTI Callback API", and are the
 * same in CUDA 11, 12 and 13.
 */
#ifndef KTAIL_COLLECT_CUPTI_CUPTI_H
#define KTAIL_COLLECT_CUPTI_CUPTI_H

#include <stdint.h>

enum kt_cupti_result {
	KT_CUPTI_SUCCESS = 0,
	KT_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS = 39,
};

enum kt_cupti_domain {
	KT_CUPTI_DRIVER = 1,  /* CUPTI_CB_DOMAIN_DRIVER_API */
	KT_CUPTI_RUNTIME = 2, /* CUPTI_CB_DOMAIN_RUNTIME_API */
};

enum kt_cupti_site {
	KT_CUPTI_ENTER = 0, /* CUPTI_API_ENTER */
	KT_CUPTI_EXIT = 1,  /* CUPTI_API_EXIT */
};

/* CUpti_CallbackData. */
struct kt_cupti_data {
	uint32_t site;
	const char *function_name;   /* static */
	const void *function_params; /* a struct of the parameters, in order */
	void *return_value;          /* at the exit: points to CUresult or cudaError_t */
	const char *symbol_name;
	void *context;
	uint32_t context_uid;
	uint64_t *correlation_data; /* written at the entry, read again at the exit */
	uint32_t correlation_id;
};

typedef void (*kt_cupti_callback)(void *context, uint32_t domain, uint32_t id,
				  const void *data);

/* cuptiSubscribe(), cuptiEnableDomain() */
typedef int (*kt_cupti_subscribe)(void **subscriber, kt_cupti_callback callback,
				  void *context);
typedef int (*kt_cupti_enable_domain)(uint32_t enable, void *subscriber, uint32_t domain);

/* cuptiUnsubscribe() */
typedef int (*kt_cupti_unsubscribe)(void *subscriber);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * libktail-record-last.so: only a destructor that runs after libcuda's and before LTTng's.
 * See kt_device_used() in interpose/descriptors.c.
 */
extern void kt_record_finish(void);

__attribute__((destructor)) static void finish(void)
{
	kt_record_finish();
}

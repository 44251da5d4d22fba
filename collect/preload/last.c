/* SPDX-License-Identifier: MIT */
/*
 * libktail-record-last.so contains only a destructor, which runs after libcuda's destructor
 * and before LTTng's. See kt_device_used() in interpose/descriptors.c.
 */
extern void kt_record_finish(void);

__attribute__((destructor)) static void finish(void)
{
	kt_record_finish();
}

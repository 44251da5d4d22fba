/* SPDX-License-Identifier: MIT */
#include "raw/channel/errors.h"

#include <stddef.h>

/*
 * Numbers and names: ROBUST_CHANNEL_* in nverror.h of NVIDIA's open-gpu-kernel-modules
 * (MIT). That file has no 11, which NVIDIA's list of Xid errors calls "Graphics Engine
 * Error (GR Error 3)" and an H200 reports for a method that the class does not have.
 */
static const struct {
	uint32_t number;
	const char *text;
} errors[] = {
	{11, "an engine's class does not have the method"},
	{13, "an engine refused a method or its data (GR_EXCEPTION)"},
	{31, "an engine accessed an address that is not mapped (FIFO_ERROR_MMU_ERR_FLT)"},
	{32, "the host refused a ring entry, a header or a method (PBDMA_ERROR)"},
	{39, "a copy engine refused a method or its data (CE0_ERROR)"},
	{40, "a copy engine refused a method or its data (CE1_ERROR)"},
	{41, "a copy engine refused a method or its data (CE2_ERROR)"},
	{43, "an engine was reset (RESETCHANNEL_VERIF_ERROR)"},
	{44, "an engine failed while it changed channels (GR_FAULT_DURING_CTXSW)"},
	{45, "it was removed after an error in its group (PREEMPTIVE_REMOVAL)"},
	{69, "an engine refused the data of a method (GR_CLASS_ERROR)"},
	{70, "a copy engine refused a method or its data (CE3_ERROR)"},
	{71, "a copy engine refused a method or its data (CE4_ERROR)"},
	{72, "a copy engine refused a method or its data (CE5_ERROR)"},
	{75, "a copy engine refused a method or its data (CE6_ERROR)"},
	{76, "a copy engine refused a method or its data (CE7_ERROR)"},
	{77, "a copy engine refused a method or its data (CE8_ERROR)"},
	{85, "a copy engine refused a method or its data (CE9_ERROR)"},
	{94, "memory has an error that only this context meets (CONTAINED_ERROR)"},
	{95, "memory has an error that others meet, too (UNCONTAINED_ERROR)"},
};

const char *kt_raw_error_text(uint32_t number)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (errors[i].number == number) {
			return errors[i].text;
		}
	}
	return "see NVIDIA's list of Xid errors";
}

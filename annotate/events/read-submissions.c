/* SPDX-License-Identifier: MIT */
#include <ktail/status.h>

#include "annotate/events/submissions.h"

static int take(void *feed, const struct kt_event *event)
{
	return kt_submission_feed_take(feed, event);
}

static int judge(const struct kt_submission_totals *totals, const char *path)
{
	if (totals->entries > 0) {
		return KT_OK;
	}
	return kt_error(
		KT_E_EMPTY, "read %s: no event gpfifo_entry in it: %s", path,
		totals->doorbells == 0 ? "no doorbell rang, or doorbells were not recorded"
		: totals->moved > 0    ? "its doorbells were recorded without what they "
					 "submitted (--submissions=off, or an older recorder)"
				       : "at none of its doorbells a ring had moved");
}

int kt_submissions_read(const char *path, const struct kt_submission_visitor *visitor,
			void *context, struct kt_submission_totals *totals)
{
	kt_submission_feed *feed;
	int code = kt_submission_feed_new(&feed, visitor, context, totals);

	code = code ? code : kt_read_events(path, take, feed, &totals->reading);
	code = code ? code : kt_submission_feed_end(feed);
	kt_submission_feed_free(feed);
	return code ? code : judge(totals, path);
}

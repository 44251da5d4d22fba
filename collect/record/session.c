/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/session.h"

#include <lttng/lttng.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/try.h"
#include "collect/record/daemon.h"

#define NAME_PREFIX "ktail-"
#define CHANNEL     "gpu_stack"
#define METADATA_US 200000
#define TRACK_S     7 /* limit, seconds; LTTng itself waits 5 for a stopped process */

/* Sources of events. */
enum source { USER, KERNEL, N_SOURCES };

static const struct {
	enum lttng_domain_type type;
	enum lttng_buffer_type buffers;
	const char *events;
	const char *hint; /* appended to the error of creating an LTTng channel */
} sources[N_SOURCES] = {
	[USER] = {LTTNG_DOMAIN_UST, LTTNG_BUFFER_PER_UID, "gpu_stack:*", ""},
	[KERNEL] = {LTTNG_DOMAIN_KERNEL, LTTNG_BUFFER_GLOBAL, "gpu_stack_*",
		    " (are LTTng's kernel modules installed for this kernel: "
		    "lttng-modules-dkms? A session daemon that was started with "
		    "--no-kernel must end first)"},
};

struct kt_session {
	char name[64];
	bool created;
	bool running;
	struct lttng_handle *handles[N_SOURCES]; /* Owned by this; NULL: not recorded */
	/* Owned by this: LTTng's list of processes to record; NULL: no user-space events */
	struct lttng_process_attr_tracker_handle *tracker;
};

static int lttng_failed(int lttng_code, const char *what)
{
	return kt_error(KT_E_IO, "%s: LTTng: %s", what, lttng_strerror(lttng_code));
}

static int enable_channel(struct kt_session *session, enum source source,
			  struct lttng_domain *domain,
			  const struct kt_session_options *options)
{
	struct lttng_channel *channel = lttng_channel_create(domain);
	int code = KT_OK;
	int answer;

	if (!channel) {
		return kt_no_memory("create channel");
	}
	snprintf(channel->name, sizeof(channel->name), CHANNEL);
	channel->attr.overwrite = 0;
	channel->attr.subbuf_size = options->subbuf_size;
	channel->attr.num_subbuf = options->num_subbuf;
	channel->attr.output = source == KERNEL ? LTTNG_EVENT_SPLICE : LTTNG_EVENT_MMAP;
	/* Kernel events never wait for buffer space, so they need no timeout. */
	answer = source == KERNEL ? 0
				  : lttng_channel_set_blocking_timeout(
					    channel, options->blocking_timeout_us);
	if (answer == 0) {
		answer = lttng_enable_channel(session->handles[source], channel);
	}
	if (answer < 0) {
		code = kt_error(KT_E_IO, "create channel: LTTng: %s%s",
				lttng_strerror(answer), sources[source].hint);
	}
	lttng_channel_destroy(channel);
	return code;
}

static int add_source(struct kt_session *session, enum source source,
		      const struct kt_session_options *options)
{
	struct lttng_domain domain = {.type = sources[source].type,
				      .buf_type = sources[source].buffers};
	struct lttng_event *event;
	int answer;

	session->handles[source] = lttng_create_handle(session->name, &domain);
	if (!session->handles[source]) {
		return kt_no_memory("create session");
	}
	/*
	 * LTTng writes user-space metadata only at the end or when 4 KiB are full, and a
	 * trace without metadata is unreadable. A metadata channel with a timer writes the
	 * metadata early, in case a daemon is killed or the disk becomes full.
	 */
	if (source == USER) {
		struct lttng_channel *channel = lttng_channel_create(&domain);

		if (!channel) {
			return kt_no_memory("create channel");
		}
		snprintf(channel->name, sizeof(channel->name), "metadata");
		lttng_channel_set_default_attr(&domain, &channel->attr);
		channel->attr.switch_timer_interval = METADATA_US;
		answer = lttng_enable_channel(session->handles[source], channel);
		lttng_channel_destroy(channel);
		if (answer < 0) {
			return lttng_failed(answer, "create channel metadata");
		}
	}
	KT_TRY(enable_channel(session, source, &domain, options));
	event = lttng_event_create();
	if (!event) {
		return kt_no_memory("enable events");
	}
	event->type = LTTNG_EVENT_TRACEPOINT;
	event->loglevel_type = LTTNG_EVENT_LOGLEVEL_ALL;
	snprintf(event->name, sizeof(event->name), "%s", sources[source].events);
	answer = lttng_enable_event(session->handles[source], event, CHANNEL);
	lttng_event_destroy(event);
	return answer < 0 ? lttng_failed(answer, "enable events") : KT_OK;
}

bool kt_session_track(struct kt_session *session, pid_t pid, bool on)
{
	enum lttng_process_attr_tracker_handle_status status;

	if (!session->tracker) {
		return false;
	}
	kt_daemon_limit_answer(TRACK_S);
	status = on ? lttng_process_attr_virtual_process_id_tracker_handle_add_pid(
			      session->tracker, pid)
		    : lttng_process_attr_virtual_process_id_tracker_handle_remove_pid(
			      session->tracker, pid);
	kt_daemon_limit_answer(0);
	return status == LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK ||
	       status == LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_EXISTS ||
	       status == LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_MISSING;
}

int kt_session_start(struct kt_session **out, const struct kt_session_options *options)
{
	struct kt_session *session = calloc(1, sizeof(*session));
	int answer;
	int code;

	*out = session;
	if (!session) {
		return kt_no_memory("create session");
	}
	snprintf(session->name, sizeof(session->name), NAME_PREFIX "%ld", (long)getpid());
	answer = lttng_create_session(session->name, options->output);
	if (answer < 0) {
		code = lttng_failed(answer, "create session");
		goto end;
	}
	session->created = true;
	if (options->kernel) {
		KT_TRY_END(add_source(session, KERNEL, options));
	}
	if (options->user) {
		KT_TRY_END(add_source(session, USER, options));
		/*
		 * By default, a session records all processes that register with its
		 * daemon, including processes of other recordings. This session therefore
		 * starts with an empty list of processes.
		 */
		if (lttng_session_get_tracker_handle(session->name, LTTNG_DOMAIN_UST,
						     LTTNG_PROCESS_ATTR_VIRTUAL_PROCESS_ID,
						     &session->tracker) != LTTNG_OK ||
		    lttng_process_attr_tracker_handle_set_tracking_policy(
			    session->tracker, LTTNG_TRACKING_POLICY_INCLUDE_SET) !=
			    LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK) {
			code = kt_error(KT_E_IO,
					"select the processes to record: LTTng refused");
			goto end;
		}
	}
	answer = lttng_start_tracing(session->name);
	if (answer < 0) {
		code = lttng_failed(answer, "start session");
		goto end;
	}
	session->running = true;
	return KT_OK;
end:
	kt_session_destroy(session);
	kt_session_free(session);
	*out = NULL;
	return code;
}

int kt_session_stop(struct kt_session *session, uint64_t *lost)
{
	int answer = lttng_stop_tracing_no_wait(session->name);

	/*
	 * Polls at intervals that grow from 1 ms to about 50 ms. LTTng's own wait polls
	 * five times a second, which is too slow for many short sessions.
	 */
	for (long ms = 1; answer >= 0; ms = ms < 50 ? 2 * ms : 50) {
		struct timespec pause = {.tv_nsec = ms * 1000000};

		answer = lttng_data_pending(session->name);
		if (answer != 1) {
			break;
		}
		nanosleep(&pause, NULL);
	}
	session->running = answer < 0;
	*lost = 0;
	if (answer < 0) {
		return lttng_failed(answer, "stop session");
	}
	answer = 0;
	for (int source = 0; source < N_SOURCES && answer >= 0; source++) {
		struct lttng_channel *channels = NULL;
		int n = session->handles[source]
				? lttng_list_channels(session->handles[source], &channels)
				: 0;

		answer = n < 0 ? n : 0;
		for (int i = 0; i < n && answer >= 0; i++) {
			uint64_t discarded = 0;

			answer = lttng_channel_get_discarded_event_count(&channels[i],
									 &discarded);
			*lost += discarded;
		}
		free(channels);
	}
	/* If LTTng returned an error, the number of lost events is unknown. */
	return answer < 0 ? lttng_failed(answer, "count lost events") : KT_OK;
}

void kt_session_destroy(struct kt_session *session)
{
	if (session->running) {
		lttng_stop_tracing(session->name);
		session->running = false;
	}
	if (session->created) {
		/*
		 * Tries twice, because the user would have to destroy a session that LTTng
		 * keeps.
		 */
		if (lttng_destroy_session(session->name) < 0) {
			lttng_destroy_session(session->name);
		}
		session->created = false;
	}
}

void kt_session_free(struct kt_session *session)
{
	if (session) {
		for (int source = 0; source < N_SOURCES; source++) {
			if (session->handles[source]) {
				lttng_destroy_handle(session->handles[source]);
			}
		}
		lttng_process_attr_tracker_handle_destroy(session->tracker);
		free(session);
	}
}

/* --- space for the buffers --- */

#define MIB          (UINT64_C(1) << 20)
#define FOR_EACH_CPU UINT64_C(16384) /* bytes besides the sub-buffers of the CPU */
#define FOR_METADATA (UINT64_C(256) << 10)
#define SMALLEST     4096 /* minimum size of a sub-buffer, bytes */

int kt_shm_space_read(struct kt_shm_space *out)
{
	long known = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t cpus = known > 0 ? (uint64_t)known : 1;
	char text[256];
	struct statvfs fs;
	FILE *file;

	if (statvfs("/dev/shm", &fs) != 0) {
		return kt_error_errno(KT_E_IO, "stat /dev/shm");
	}
	/*
	 * LTTng creates buffers for every CPU number up to the highest possible one: "0-15"
	 * means 16 CPUs.
	 */
	file = fopen("/sys/devices/system/cpu/possible", "re");
	if (file && fgets(text, sizeof(text), file)) {
		const char *last = text + strlen(text);
		uint64_t highest;

		while (last > text && strchr("0123456789\n", last[-1])) {
			last--;
		}
		highest = strtoull(last, NULL, 10);
		cpus = highest + 1 > cpus ? highest + 1 : cpus;
	}
	if (file) {
		fclose(file);
	}
	*out = (struct kt_shm_space){.cpus = cpus,
				     .size = (uint64_t)fs.f_blocks * fs.f_frsize,
				     .free = (uint64_t)fs.f_bavail * fs.f_frsize};
	return KT_OK;
}

uint64_t kt_shm_space_need(const struct kt_shm_space *space, uint64_t subbuf_size,
			   uint64_t num_subbuf)
{
	return space->cpus * (subbuf_size * num_subbuf + FOR_EACH_CPU) + FOR_METADATA;
}

static uint64_t whole_mib(uint64_t bytes)
{
	return (bytes + MIB - 1) / MIB;
}

int kt_shm_space_check(const struct kt_shm_space *space, uint64_t subbuf_size,
		       uint64_t num_subbuf)
{
	uint64_t need = kt_shm_space_need(space, subbuf_size, num_subbuf);
	uint64_t wanted = whole_mib(space->size - space->free + need);
	uint64_t size = 64; /* recommended MiB of /dev/shm, a power of two */
	char options[128] = "";

	if (need <= space->free) {
		return KT_OK;
	}
	while (size < wanted) {
		size *= 2;
	}
	/*
	 * Reduces the buffers until they fit: halves the number of sub-buffers down to 8,
	 * then their size down to SMALLEST, then their number down to 2.
	 */
	while (kt_shm_space_need(space, subbuf_size, num_subbuf) > space->free &&
	       (subbuf_size > SMALLEST || num_subbuf > 2)) {
		if (num_subbuf > 8 || subbuf_size <= SMALLEST) {
			num_subbuf /= 2;
		} else {
			subbuf_size /= 2;
		}
	}
	if (kt_shm_space_need(space, subbuf_size, num_subbuf) <= space->free) {
		snprintf(options, sizeof(options),
			 "pass --subbuf-size %llu --num-subbuf %llu, or ",
			 (unsigned long long)subbuf_size, (unsigned long long)num_subbuf);
	}
	return kt_error(KT_E_IO,
			"create buffers: %llu CPUs need %llu MiB of /dev/shm, %llu KiB are "
			"free; %smake it larger: mount -o remount,size=%llum /dev/shm (for "
			"a container: docker run --shm-size=%llum)",
			(unsigned long long)space->cpus,
			(unsigned long long)whole_mib(need),
			(unsigned long long)(space->free >> 10), options,
			(unsigned long long)size, (unsigned long long)size);
}

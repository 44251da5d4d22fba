/* SPDX-License-Identifier: MIT */
/* Completion evidence of a request, and of all requests that a call of the API submitted. */
#include "annotate/requests/requests.h"

const char *kt_request_sign_name(enum kt_request_sign sign)
{
	static const char *const names[KT_SIGNS] = {"none", "run", "poll", "notice",
						    "interrupt"};

	return names[sign];
}

enum kt_request_sign kt_request_sign(const struct kt_request *request,
				     const struct kt_poll **poll)
{
	const struct kt_completion *c = &request->completion;
	bool own_poll = c->tie == KT_TIE_READ && c->noticed != KT_TIE_READ;

	if (c->noticed && !own_poll) {
		*poll = &c->notice;
		return c->notice_slept ? KT_SIGN_INTERRUPT : KT_SIGN_NOTICE;
	}
	if (c->hidden_wait && (!c->tie || c->wait_run.seq < c->first.seq)) {
		*poll = &c->wait_run;
		return KT_SIGN_RUN;
	}
	if (c->tie) {
		*poll = &c->first;
		return KT_SIGN_POLL;
	}
	*poll = &c->run;
	return c->hidden ? KT_SIGN_RUN : KT_SIGN_NONE;
}

/* Returns whether `call` is `outer` or a call within `outer`; false if `call` is NULL. */
static bool is_inside(const struct kt_requests *r, const struct kt_request_call *call,
		      const struct kt_request_call *outer)
{
	while (call && call != outer) {
		call = kt_requests_call(r, call->outer);
	}
	return call != NULL;
}

const struct kt_request_call *kt_requests_find_call(const struct kt_requests *r,
						    uint64_t id)
{
	size_t at = kt_request_calls_find(&r->calls, id);

	return at == KT_NOWHERE ? NULL : &r->calls.calls[at];
}

const struct kt_request *kt_requests_of_call(const struct kt_requests *r,
					     const struct kt_request_call *call,
					     const struct kt_request *after)
{
	size_t next = after ? (size_t)(after - r->requests) + 2 : call->first_request;

	for (size_t i = next; i && i <= call->last_request; i++) {
		const struct kt_request *request = &r->requests[i - 1];

		if (is_inside(r, kt_requests_call(r, request->call), call)) {
			return request;
		}
	}
	return NULL;
}

struct kt_call_completion kt_requests_completion(const struct kt_requests *r,
						 const struct kt_request_call *call)
{
	struct kt_call_completion all = {.sign = KT_SIGN_NONE};
	const struct kt_request *request = kt_requests_of_call(r, call, NULL);

	for (; request; request = kt_requests_of_call(r, call, request)) {
		const struct kt_poll *poll;

		all.requests++;
		all.sign = kt_request_sign(request, &poll);
		if (all.sign) {
			all.attributed++;
			all.poll = *poll;
			all.in = kt_requests_call(r, poll->call);
			all.inside = is_inside(r, all.in, call);
		}
	}
	return all;
}

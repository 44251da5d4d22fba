/* SPDX-License-Identifier: MIT */
#include <ktail/status.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE_MAX 2048

static _Thread_local char message[MESSAGE_MAX];

static const struct {
	int code;
	int exit_status;
	const char *sentence;
} codes[] = {
	{KT_OK, 0, "done"},
	{KT_E_USAGE, 2, "wrong usage"},
	{KT_E_IO, 2, "input or output failed"},
	{KT_E_MALFORMED, 3, "malformed input"},
	{KT_E_EMPTY, 3, "no input"},
	{KT_E_MEMORY, 2, "out of memory"},
	{KT_E_LOSS, 4, "events are missing"},
	{KT_E_INTERNAL, 2, "internal error"},
};

__attribute__((format(printf, 1, 0))) static size_t set_message(const char *format,
								va_list args)
{
	int n = vsnprintf(message, sizeof(message), format, args);

	if (n < 0) {
		message[0] = '\0';
		return 0;
	}
	return (size_t)n < sizeof(message) ? (size_t)n : sizeof(message) - 1;
}

int kt_error(int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set_message(format, args);
	va_end(args);
	return code;
}

int kt_error_errno(int code, const char *format, ...)
{
	int saved = errno;
	char reason[128];
	va_list args;
	size_t n;

	va_start(args, format);
	n = set_message(format, args);
	va_end(args);
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
	const char *text = strerror_r(saved, reason, sizeof(reason));
#else
	const char *text = strerror_r(saved, reason, sizeof(reason)) == 0 ? reason : "?";
#endif
	snprintf(message + n, sizeof(message) - n, ": %s", text);
	errno = saved;
	return code;
}

int kt_error_prepend(int code, const char *format, ...)
{
	char causes[MESSAGE_MAX];
	va_list args;
	size_t n;

	memcpy(causes, message, sizeof(causes));
	va_start(args, format);
	n = set_message(format, args);
	va_end(args);
	if (causes[0] != '\0') {
		snprintf(message + n, sizeof(message) - n, ": %s", causes);
	}
	return code;
}

int kt_no_memory(const char *what)
{
	return kt_error(KT_E_MEMORY, "%s: out of memory", what);
}

const char *kt_error_message(void)
{
	return message;
}

const char *kt_status_sentence(int code)
{
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		if (codes[i].code == code) {
			return codes[i].sentence;
		}
	}
	return "unknown status";
}

int kt_exit_status(int code)
{
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		if (codes[i].code == code) {
			return codes[i].exit_status;
		}
	}
	return 2;
}

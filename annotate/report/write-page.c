/* SPDX-License-Identifier: MIT */
#include "annotate/report/write-report.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include <ktail/status.h>

#include "base/try.h"

/* Text of the template that the data replace. */
#define MARKER "@DATA@"

/* The template, in pieces, from viz/report/report.html by quote-page.awk. */
static const char *const pieces[] = {
#include "annotate/report-page.inc"
};

/* Writes bytes in base64 (RFC 4648). */
static void put_base64(FILE *out, const unsigned char *bytes, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		const size_t left = n - i;
		const unsigned bits = (unsigned)bytes[i] << 16 |
				      (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
				      (left > 2 ? (unsigned)bytes[i + 2] : 0);
		const char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
				      left > 1 ? digits[bits >> 6 & 63] : '=',
				      left > 2 ? digits[bits & 63] : '='};

		fwrite(four, 1, sizeof(four), out);
	}
}

/* Writes {"deflate": "..."}: the JSON compressed in the format of zlib (RFC 1950). */
static int put_deflated(FILE *out, const char *json, size_t size)
{
	uLongf n = compressBound((uLong)size);
	unsigned char *bytes = malloc(n);
	int status = bytes ? compress2(bytes, &n, (const Bytef *)json, (uLong)size,
				       Z_DEFAULT_COMPRESSION)
			   : Z_MEM_ERROR;

	if (status == Z_OK) {
		fputs("{\"deflate\":\"", out);
		put_base64(out, bytes, n);
		fputs("\"}", out);
	}
	free(bytes);
	return status == Z_OK ? KT_OK : kt_no_memory("write report");
}

int kt_report_write_html(FILE *out, const void *report)
{
	char *json = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&json, &size);
	int code = stream ? kt_report_write_json(stream, report) : KT_OK;

	if (!stream || (fclose(stream) != 0 && !code)) {
		code = kt_no_memory("write report");
	}
	for (size_t i = 0; !code && i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		if (strcmp(pieces[i], MARKER) == 0) {
			code = put_deflated(out, json, size);
		} else {
			fputs(pieces[i], out);
		}
	}
	if (!code && ferror(out)) {
		code = kt_error_errno(KT_E_IO, "write report");
	}
	free(json);
	return code;
}

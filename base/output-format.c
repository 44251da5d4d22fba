/* SPDX-License-Identifier: MIT */
#include "base/output-format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/nearest.h"
#include "base/try.h"

bool kt_output_is_standard(const char *path)
{
	return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0 ||
	       strcmp(path, "/dev/fd/1") == 0 || strcmp(path, "/proc/self/fd/1") == 0;
}

/* Formats that a terminal cannot show: binary ones, and HTML. */
static const char *const not_for_terminals[] = {"png",      "pdf",    "html",
						"perfetto", "sqlite", NULL};

/*
 * Refuses a format that a terminal cannot show. Control sequences among its bytes could
 * change the terminal's settings.
 */
static int check_terminal(const char *name)
{
	for (const char *const *format = not_for_terminals; *format; format++) {
		if (strcmp(*format, name) == 0 && isatty(STDOUT_FILENO)) {
			return kt_error(KT_E_USAGE,
					"a terminal cannot show %s: -o FILE.%s writes a "
					"file, -o - writes to the terminal nevertheless",
					name, name);
		}
	}
	return KT_OK;
}

/* Returns the index of the name, or n if it is not in `names`. */
static size_t find(const char *name, const char *const *names, size_t n)
{
	size_t i = 0;

	while (i < n && strcmp(name, names[i]) != 0) {
		i++;
	}
	return i;
}

static size_t find_ending(const char *path, const char *const *names, size_t n)
{
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash ? slash + 1 : path, '.');

	return dot ? find(dot + 1, names, n) : n;
}

/*
 * Writes a list such as ".dot, .svg and .json" to `out`: `dot` ("." or "") precedes each
 * name, and `last` (" and " or " or ") separates the last two names.
 */
static void list_names(char *out, size_t size, const char *const *names, size_t n,
		       const char *dot, const char *last)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < n && used < size; i++) {
		const char *between = i == 0 ? "" : i + 1 < n ? ", " : last;

		used += (size_t)snprintf(out + used, size - used, "%s%s%s", between, dot,
					 names[i]);
	}
}

int kt_output_format(size_t *out, const struct kt_output_request *request,
		     const char *const *names, size_t n)
{
	bool standard = !request->path || kt_output_is_standard(request->path);
	const char *asked = request->asked;
	const char *dot = request->path ? strrchr(request->path, '.') : NULL;
	struct kt_nearest nearest = {.word = asked ? asked : dot ? dot + 1 : NULL};
	char meant[KT_DID_YOU_MEAN];
	char ending[32];
	char list[256];
	size_t named = n;

	for (size_t i = 0; i < n; i++) {
		kt_nearest_try(&nearest, names[i]);
	}
	if (asked) {
		named = find(strcmp(asked, "text") == 0 ? "txt" : asked, names, n);
		list_names(list, sizeof(list), names, n, "", " or ");
		if (named == n) {
			return kt_error(KT_E_USAGE, "--format must be %s, not '%s'%s", list,
					asked, kt_did_you_mean(meant, nearest.found));
		}
	}
	if (standard) {
		*out = asked ? named : 0;
		return request->path ? KT_OK : check_terminal(names[*out]);
	}
	*out = asked && !request->among ? named : find_ending(request->path, names, n);
	if (*out == n) {
		*out = named;
	}
	if (*out < n) {
		return KT_OK;
	}
	list_names(list, sizeof(list), names, n, ".", " and ");
	if (nearest.found) {
		snprintf(ending, sizeof(ending), ".%s", nearest.found);
	}
	return kt_error(KT_E_USAGE, "write %s: this version writes %s%s", request->path,
			list, kt_did_you_mean(meant, nearest.found ? ending : NULL));
}

int kt_output_check_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder;
	int failed;

	if (!slash || slash == path || kt_output_is_standard(path)) {
		return KT_OK;
	}
	folder = strndup(path, (size_t)(slash - path));
	if (!folder) {
		return kt_error(KT_E_MEMORY, "write %s: out of memory", path);
	}
	failed = access(folder, F_OK);
	free(folder);
	return failed ? kt_error_errno(KT_E_IO, "write %s", path) : KT_OK;
}

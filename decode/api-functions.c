/* SPDX-License-Identifier: MIT */
#include "decode/api-functions.h"

#include <string.h>

static const struct kt_api_function functions[] = {
#include "decode/api.inc"
};

#define N_FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

/*
 * A symbol's name, split into its base, name[0..base), and up to two versions, each of
 * which includes the "_v".
 */
struct symbol {
	const char *name;
	size_t base;
	size_t n_versions;
	struct {
		const char *text;
		size_t length;
	} versions[2]; /* the version at the end of the name first */
};

/*
 * Compares a row's name with the symbol's base followed by version[0..length), and returns
 * the order like strcmp().
 */
static int compare(const char *row, const struct symbol *symbol, const char *version,
		   size_t length)
{
	int order = strncmp(row, symbol->name, symbol->base);

	if (order != 0) {
		return order;
	}
	order = strncmp(row + symbol->base, version, length);
	if (order != 0) {
		return order;
	}
	return row[symbol->base + length] != '\0';
}

static const struct kt_api_function *find(const struct symbol *symbol, const char *version,
					  size_t length)
{
	size_t low = 0;
	size_t high = N_FUNCTIONS;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(functions[middle].name, symbol, version, length);

		if (order == 0) {
			return &functions[middle];
		}
		if (order < 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return NULL;
}

/*
 * Returns the length of the version at the end of name[0..end), such as "_v2" or "_v12000";
 * 0 if name[0..end) does not end with a version.
 */
static size_t version_length(const char *name, size_t end)
{
	size_t begin = end;

	while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') {
		begin--;
	}
	if (begin == end || begin < 3 || memcmp(name + begin - 2, "_v", 2) != 0) {
		return 0;
	}
	return end - begin + 2;
}

/* Returns the length of the _ptsz or _ptds at the end of name[0..end); 0 if it has none. */
static size_t stream_length(const char *name, size_t end)
{
	const char *tail = end > 5 ? name + end - 5 : "";

	return strncmp(tail, "_ptsz", 5) == 0 || strncmp(tail, "_ptds", 5) == 0 ? 5 : 0;
}

const struct kt_api_function *kt_api_function_find(const char *name)
{
	struct symbol symbol = {.name = name, .base = strlen(name)};

	for (;;) {
		size_t length = version_length(name, symbol.base);

		if (length > 0 && symbol.n_versions < 2) {
			symbol.base -= length;
			symbol.versions[symbol.n_versions].text = name + symbol.base;
			symbol.versions[symbol.n_versions].length = length;
			symbol.n_versions++;
		} else if (stream_length(name, symbol.base) > 0) {
			symbol.base -= stream_length(name, symbol.base);
		} else {
			break;
		}
	}
	for (size_t i = 0; i < symbol.n_versions; i++) {
		const struct kt_api_function *found =
			find(&symbol, symbol.versions[i].text, symbol.versions[i].length);

		if (found) {
			return found;
		}
	}
	return find(&symbol, "", 0);
}

bool kt_api_is_variant(const char *name, const char *of, size_t length)
{
	size_t end = strlen(name);
	size_t suffix = 1;

	if (end < length || strncmp(name, of, length) != 0) {
		return false;
	}
	while (end > length && suffix > 0) {
		suffix = version_length(name, end) + stream_length(name, end);
		end -= suffix;
	}
	return end == length;
}

bool kt_api_is_name(const char *text, size_t length)
{
	char name[64]; /* longer than any row, and its variants */

	if (length == 0 || length >= sizeof(name)) {
		return false;
	}
	memcpy(name, text, length);
	name[length] = '\0';
	if (kt_api_function_find(name)) {
		return true;
	}
	for (size_t i = 0; i < N_FUNCTIONS; i++) {
		if (kt_api_is_variant(functions[i].name, name, length)) {
			return true;
		}
	}
	return false;
}

const char *kt_api_kind_name(enum kt_api_kind kind)
{
#define KIND_NAME(name, text) text,
	static const char *const names[] = {KT_API_KINDS(KIND_NAME)};
#undef KIND_NAME

	return names[kind];
}

const char *kt_api_phase_name(enum kt_api_phase phase)
{
	static const char *const names[] = {"-", "CREATE", "INIT", "USE", "DESTROY"};

	return names[phase];
}

/*
 * Codes that are not errors: what the call asks about, or waits for, is not done yet.
 * Sources: CUDA Driver API manual, "CUresult" (CUDA_ERROR_NOT_READY, equal to
 * cudaErrorNotReady); Vulkan 1.3 specification, "Return Codes" (VK_NOT_READY, VK_TIMEOUT).
 */
enum { CUDA_NOT_READY = 600, VULKAN_NOT_READY = 1, VULKAN_TIMEOUT = 2 };

enum kt_api_outcome kt_api_outcome(const char *api, bool known, int64_t result)
{
	if (!known || result == 0) {
		return KT_API_SUCCEEDED;
	}
	if (strcmp(api, "vulkan") == 0) {
		return result < 0 ? KT_API_FAILED
		       : result == VULKAN_NOT_READY || result == VULKAN_TIMEOUT
			       ? KT_API_NOT_YET
			       : KT_API_SUCCEEDED;
	}
	if (strcmp(api, "opencl") == 0) {
		return result < 0 ? KT_API_FAILED : KT_API_SUCCEEDED;
	}
	return result == CUDA_NOT_READY ? KT_API_NOT_YET : KT_API_FAILED;
}

size_t kt_api_functions(void)
{
	return N_FUNCTIONS;
}

const struct kt_api_function *kt_api_function_at(size_t i)
{
	return &functions[i];
}

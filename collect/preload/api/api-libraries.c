/* SPDX-License-Identifier: MIT */
#include "collect/preload/api/api-libraries.h"

#include <string.h>

#include "collect/preload/process/memory.h"
#include "decode/api-functions.h"

enum { LIBRARIES = 16 };

static struct kt_api_library libraries[LIBRARIES];
static size_t n_libraries;

/* --- names --- */

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/*
 * A library's file name up to ".so", or a prefix of function names, with the API to which
 * it belongs.
 */
struct row {
	const char *begin;
	const char *api;
};

/* Also matches names as in Python wheels: "libcudart-1f2e3d.so.12". */
const char *kt_api_library_kind(const char *path)
{
	static const struct row files[] = {
		{"libcuda", "driver"},   {"libcudart", "runtime"},
		{"libOpenCL", "opencl"}, {"libEGL", "egl"},
		{"libGL", "opengl"},     {"libGLESv1_CM", "opengl"},
		{"libGLESv2", "opengl"}, {"libOpenGL", "opengl"},
		{"libGLX", "opengl"},    {"libvulkan", "vulkan"},
	};
	const char *slash = path ? strrchr(path, '/') : NULL;
	const char *file = slash ? slash + 1 : path;

	if (!file) {
		return NULL;
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const char *rest = file + strlen(files[i].begin);

		if (begins(file, files[i].begin) &&
		    (begins(rest, ".so") || (*rest == '-' && strstr(rest, ".so")))) {
			return files[i].api;
		}
	}
	return NULL;
}

const char *kt_api_of_name(const char *name)
{
	static const struct row names[] = {
		{"cl", "opencl"}, {"egl", "egl"}, {"gl", "opengl"}, {"vk", "vulkan"}};

	if (begins(name, "cu")) {
		return begins(name, "cudbg")  ? NULL
		       : begins(name, "cuda") ? "runtime"
					      : "driver";
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (begins(name, names[i].begin) && kt_api_function_find(name)) {
			return names[i].api;
		}
	}
	return NULL;
}

/* --- loaded libraries --- */

void kt_api_libraries_begin(void)
{
	for (size_t i = 0; i < n_libraries; i++) {
		libraries[i].seen = false;
	}
}

bool kt_api_library_add(const struct kt_api_library *library)
{
	struct kt_api_library *added;
	size_t n;

	for (size_t i = 0; i < n_libraries; i++) {
		if (libraries[i].object.base == library->object.base &&
		    libraries[i].object.symbols == library->object.symbols) {
			libraries[i].seen = true;
			return false;
		}
	}
	if (n_libraries == LIBRARIES) {
		return false;
	}
	added = &libraries[n_libraries++];
	*added = *library;
	added->seen = true;
	n = kt_elf_object_count(&added->object);
	for (size_t i = 0; i < n; i++) {
		const ElfW(Sym) *symbol = &added->object.symbols[i];
		const char *name = added->object.strings + symbol->st_name;
		struct kt_api_export *export;

		if (!kt_elf_symbol_is_function(symbol) || !kt_api_of_name(name) ||
		    strlen(name) >= KT_API_NAME) {
			continue;
		}
		if (!kt_table_reserve((void **)&added->exports, &added->capacity,
				      added->n_exports + 1, sizeof(*export))) {
			break;
		}
		export = &added->exports[added->n_exports++];
		export->function = added->object.base + symbol->st_value;
		strcpy(export->name, name);
	}
	return true;
}

void kt_api_libraries_end(void)
{
	size_t kept = 0;

	for (size_t i = 0; i < n_libraries; i++) {
		if (libraries[i].seen) {
			libraries[kept++] = libraries[i];
		} else {
			kt_table_free(libraries[i].exports, libraries[i].capacity,
				      sizeof(*libraries[i].exports));
		}
	}
	n_libraries = kept;
}

size_t kt_api_libraries(void)
{
	return n_libraries;
}

const struct kt_api_library *kt_api_library_at(size_t i)
{
	return &libraries[i];
}

/* --- addresses --- */

const struct kt_api_library *kt_api_library_of(uintptr_t address)
{
	for (size_t i = 0; i < n_libraries * KT_API_CODE; i++) {
		const struct kt_api_library *library = &libraries[i / KT_API_CODE];

		if (address >= library->code[i % KT_API_CODE].begin &&
		    address < library->code[i % KT_API_CODE].end) {
			return library;
		}
	}
	return NULL;
}

/*
 * Rates a name: 3 if it equals `asked`, 2 if it only begins with `asked`, 1 otherwise.
 */
static int how_well(const char *name, const char *asked)
{
	return strcmp(name, asked) == 0 ? 3 : begins(name, asked) ? 2 : 1;
}

const char *kt_api_library_name(const struct kt_api_library *library, uintptr_t address,
				const char *asked, bool *is_data)
{
	const struct kt_elf_object *object = &library->object;
	size_t n = kt_elf_object_count(object);
	const char *best = NULL;
	int rank = 0;

	*is_data = false;
	for (size_t i = 0; i < n; i++) {
		const ElfW(Sym) *symbol = &object->symbols[i];
		const char *name = object->strings + symbol->st_name;

		if (symbol->st_shndx == SHN_UNDEF ||
		    object->base + symbol->st_value != address) {
			continue;
		}
		if (ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT) {
			*is_data = true;
		} else if (how_well(name, asked) > rank) {
			rank = how_well(name, asked);
			best = name;
		}
	}
	return best;
}

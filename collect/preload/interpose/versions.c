/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/interpose/versions.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/about.h"
#include "collect/preload/emit/emit.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/process/next.h"

#define GPUS         "/proc/driver/nvidia/gpus"
#define SOFTWARE_GPU "ktail software GPU"

enum {
	LIBRARIES = 16,
	BUILD_ID = 32, /* bytes kept of a build id; NVIDIA's have 20 */
	TEXT = 4096,   /* bytes kept of a command line */
};

static const char *release = "";
static const char *module = "";
static const char *modes = "";
static atomic_flag busy = ATOMIC_FLAG_INIT;
static atomic_bool begun;
static uint64_t loaded; /* dlpi_adds when libraries were last searched; 0: not yet */

void kt_versions_set(const char *module_release, const char *module_text,
		     const char *recorder_modes)
{
	release = module_release;
	module = module_text;
	modes = recorder_modes;
}

void kt_versions_after_fork(void)
{
	begun = false;
	loaded = 0;
	atomic_flag_clear(&busy);
}

static void emit(const char *what, const char *version, const char *id, const char *detail)
{
	const struct kt_event_version event = {
		.what = what, .version = version, .id = id, .detail = detail};
	const bool locked = kt_lock();

	kt_emit_version(&event);
	kt_unlock(locked);
}

/* Reads up to size - 1 bytes of a text file; returns their number, 0 if unreadable. */
static size_t read_text(char *text, size_t size, const char *path)
{
	const int fd = kt_next()->open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t more = fd >= 0 ? 1 : 0;

	while (more > 0 && n < size - 1) {
		more = read(fd, text + n, size - 1 - n);
		n += more > 0 ? (size_t)more : 0;
	}
	if (fd >= 0) {
		kt_next()->close(fd);
	}
	text[n] = '\0';
	return n;
}

/* --- libraries --- */

/*
 * Libraries whose versions influence the requests to the driver. A library's file name is
 * the name in this list, followed by ".so" or, in Python wheels, by "-HASH.so".
 */
static const char *const library_names[] = {
	"libcuda",  "libcudart", "libcupti",      "libcublas",
	"libcudnn", "libnccl",   "libtorch_cuda", "libnvidia-ml",
};

struct library {
	const char *what; /* element of library_names */
	char path[PATH_MAX];
	unsigned char id[BUILD_ID];
	size_t id_length;
};

struct search {
	struct library found[LIBRARIES];
	size_t n;
	uint64_t adds;
};

static const char *find_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(library_names) / sizeof(library_names[0]); i++) {
		const size_t n = strlen(library_names[i]);

		if (strncmp(file, library_names[i], n) == 0 &&
		    (strncmp(file + n, ".so", 3) == 0 ||
		     (file[n] == '-' && strstr(file + n, ".so")))) {
			return library_names[i];
		}
	}
	return NULL;
}

/* Copies the build id from a loaded library's notes (ELF, NT_GNU_BUILD_ID). */
static void read_build_id(struct library *out, const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		const char *note = (const char *)(info->dlpi_addr + header->p_vaddr);
		size_t left = header->p_memsz;

		while (header->p_type == PT_NOTE && left >= sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *head = (const void *)note;
			const size_t name = ((size_t)head->n_namesz + 3) & ~(size_t)3;
			const size_t value = ((size_t)head->n_descsz + 3) & ~(size_t)3;

			left -= sizeof(*head);
			if (name > left || value > left - name) {
				break;
			}
			if (head->n_type == NT_GNU_BUILD_ID && head->n_namesz == 4 &&
			    memcmp(note + sizeof(*head), "GNU", 4) == 0) {
				out->id_length = head->n_descsz < BUILD_ID ? head->n_descsz
									   : BUILD_ID;
				memcpy(out->id, note + sizeof(*head) + name,
				       out->id_length);
				return;
			}
			note += sizeof(*head) + name + value;
			left -= name + value;
		}
	}
}

static int note_library(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;
	const char *what = info->dlpi_name ? find_name(info->dlpi_name) : NULL;
	struct library *library = &search->found[search->n];

	(void)size;
	search->adds = info->dlpi_adds;
	if (what && search->n < LIBRARIES) {
		library->what = what;
		snprintf(library->path, sizeof(library->path), "%s", info->dlpi_name);
		library->id_length = 0;
		read_build_id(library, info);
		search->n++;
	}
	return 0;
}

static int read_loaded(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(uint64_t *)context = info->dlpi_adds;
	return 1;
}

/*
 * Returns the version at the end of a library's real path: libcuda.so.1 is a link to
 * libcuda.so.580.159.04. The library of the software GPU contains all versions of its
 * driver: returns the version that KTAIL_SOFTGPU_DRIVER chooses.
 */
static const char *version_of(const char *what, const char *real)
{
	static char softgpu[32];
	const char *slash = strrchr(real, '/');
	const char *version = strstr(slash ? slash : real, ".so");
	const char *driver = getenv("KTAIL_SOFTGPU_DRIVER");

	if (driver && strcmp(what, "libcuda") == 0 && strstr(module, SOFTWARE_GPU)) {
		snprintf(softgpu, sizeof(softgpu), "softgpu-%.16s", driver);
		return softgpu;
	}
	return version && version[3] == '.' ? version + 4 : "";
}

static void emit_libraries(void)
{
	static struct search search; /* static, because it is large; `busy` excludes a
				      * second caller */
	static struct library known[LIBRARIES];
	static size_t n_known;

	uint64_t now = 0;

	dl_iterate_phdr(read_loaded, &now);
	if (now == loaded) {
		return;
	}
	n_known = loaded == 0 ? 0 : n_known;
	search.n = 0;
	dl_iterate_phdr(note_library, &search);
	loaded = search.adds;
	for (size_t i = 0; i < search.n; i++) {
		const struct library *library = &search.found[i];
		char real[PATH_MAX];
		char id[2 * BUILD_ID + 1] = "";
		const char *version;
		bool is_known = false;

		for (size_t j = 0; j < n_known; j++) {
			is_known = is_known || strcmp(known[j].path, library->path) == 0;
		}
		if (is_known) {
			continue;
		}
		if (n_known < LIBRARIES) {
			known[n_known++] = *library;
		}
		for (size_t j = 0; j < library->id_length; j++) {
			snprintf(id + 2 * j, 3, "%02x", library->id[j]);
		}
		if (!realpath(library->path, real)) {
			snprintf(real, sizeof(real), "%s", library->path);
		}
		version = version_of(library->what, real);
		emit(library->what, version, id, real);
	}
}

/* --- the machine --- */

/* Finds the line "KEY: VALUE" in a text; writes the value, or "", to value[0..size). */
static void find_value(char *value, size_t size, const char *text, const char *key)
{
	const size_t n = strlen(key);

	value[0] = '\0';
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, n) == 0 && line[n] == ':') {
			line += n + 1;
			line += strspn(line, " \t");
			snprintf(value, size, "%.*s", (int)strcspn(line, "\n"), line);
			value[strcspn(value, "\t")] = '\0';
			return;
		}
	}
}

/* The folder of each GPU is named after the GPU's address on the bus: "0000:19:00.0". */
static void emit_gpus(void)
{
	DIR *folder = opendir(GPUS);
	const struct dirent *entry;
	char gsp[128] = "";

	while (folder && (entry = readdir(folder))) {
		char path[PATH_MAX];
		char text[2048];
		char model[128];
		char vendor[16];
		char chip[40];

		if (entry->d_name[0] == '.') {
			continue;
		}
		snprintf(path, sizeof(path), GPUS "/%s/information", entry->d_name);
		if (read_text(text, sizeof(text), path) == 0) {
			continue;
		}
		find_value(model, sizeof(model), text, "Model");
		find_value(gsp, sizeof(gsp), text, "GPU Firmware");
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/vendor",
			 entry->d_name);
		read_text(vendor, sizeof(vendor), path);
		vendor[strcspn(vendor, "\n")] = '\0';
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/device",
			 entry->d_name);
		read_text(text, sizeof(text), path);
		text[strcspn(text, "\n")] = '\0';
		snprintf(chip, sizeof(chip), "%s%s%.20s", vendor, text[0] ? ":" : "", text);
		emit("gpu", model, chip, entry->d_name);
	}
	if (folder) {
		closedir(folder);
	}
	if (gsp[0] && strcmp(gsp, "N/A") != 0) {
		emit("gsp", gsp, "", "");
	}
}

/* --- the program --- */

static void emit_command(void)
{
	static char text[TEXT];
	const size_t n = read_text(text, sizeof(text), "/proc/self/cmdline");

	/* Each argument ends with NUL; a space replaces all but the last NUL. */
	for (size_t i = 0; i + 1 < n; i++) {
		text[i] = text[i] ? text[i] : ' ';
	}
	emit("command", "", "", text);
}

/* Reports the variables that change what CUDA, or software built on it, does. */
static void emit_environment(void)
{
	/* Not reported: a container's demands on its host do not change what CUDA does. */
	static const char demands[] = "NVIDIA_REQUIRE_";
	static const char *const prefixes[] = {"CUDA_",    "NVIDIA_", "NCCL_",
					       "PYTORCH_", "TORCH_",  "KTAIL_SOFTGPU_"};

	for (char **variable = environ; variable && *variable; variable++) {
		for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
			if (strncmp(*variable, prefixes[i], strlen(prefixes[i])) == 0 &&
			    strncmp(*variable, demands, strlen(demands)) != 0 &&
			    strlen(*variable) < TEXT) {
				emit("environment", "", "", *variable);
			}
		}
	}
}

void kt_versions_emit(void)
{
	const int saved = errno;
	struct utsname kernel;

	if (atomic_flag_test_and_set(&busy)) {
		return;
	}
	if (!begun) {
		begun = true;
		emit("recorder", "ktail " KTAIL_VERSION, kt_commit, modes);
		if (uname(&kernel) == 0) {
			emit("kernel", kernel.release, "", kernel.machine);
		}
		if (release[0]) {
			emit("module", release, "", module);
		}
		/* Real GPUs are not reported: the software GPU stands in for them. */
		if (strstr(module, SOFTWARE_GPU)) {
			emit("gpu", SOFTWARE_GPU, "", "");
		} else {
			emit_gpus();
		}
		emit_command();
		emit_environment();
	}
	emit_libraries();
	atomic_flag_clear(&busy);
	errno = saved;
}

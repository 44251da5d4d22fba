/* SPDX-License-Identifier: MIT */
/*
 * A library that is loaded, used, unloaded and loaded again must open the device only once.
 * Usage: test-reload LIBCUDA
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static unsigned count_files(void)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned n = 0;

	while (folder && readdir(folder)) {
		n++;
	}
	if (folder) {
		closedir(folder);
	}
	return n;
}

static int use(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	int (*init)(unsigned) = NULL;
	void *symbol = library ? dlsym(library, "cuInit") : NULL;
	int code = -1;

	memcpy(&init, &symbol, sizeof(init));
	if (init) {
		code = init(0);
	}
	if (library) {
		dlclose(library);
	}
	return code;
}

int main(int argc, char **argv)
{
	unsigned n;

	if (argc != 2 || use(argv[1]) != 0) {
		return 1;
	}
	n = count_files();
	for (unsigned i = 0; i < 5; i++) {
		if (use(argv[1]) != 0) {
			return 1;
		}
	}
	printf("files: %u, then %u\n", n, count_files());
	return count_files() == n ? 0 : 1;
}

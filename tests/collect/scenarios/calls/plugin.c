/* SPDX-License-Identifier: MIT */
/* The library that uses the device is loaded after the program's start. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

int main(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 32);
	void (*run)(void);
	void *library;
	void *symbol;
	char *slash;

	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	strcpy(slash ? slash : path, "/../lib/libscenario-plugin.so");
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	symbol = library ? dlsym(library, "plugin_run") : NULL;
	if (!symbol) {
		printf("%s\n", dlerror());
		return 1;
	}
	memcpy(&run, &symbol, sizeof(run));
	run();
	printf("unloaded %d\n", dlclose(library));
	return 0;
}

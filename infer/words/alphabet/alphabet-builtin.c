/* SPDX-License-Identifier: MIT */
/* The alphabets that come with the program, in the language of ktail-alphabet(5). */
#include "infer/words/alphabet/alphabet.h"

#include <string.h>

/* Requests of the unified-memory driver are raw numbers, not built by _IOC(). */
#define UVM                                                                                \
	"ioctl device=nvidia-uvm -> ioctl:uvm:{request:x}\n"                               \
	"ioctl device=nvidia-uvm-tools -> ioctl:uvm:{request:x}\n"

#define MEMORY                                                                             \
	"map -> map:{space}\n"                                                             \
	"unmap -> unmap:{space}\n"                                                         \
	"access op=R run:open -> R:{space}\n"                                              \
	"access op=W run:once -> W:{space}\n"                                              \
	"doorbell -> W:reg\n"

static const struct {
	const char *name;
	const char *text;
} builtins[] = {
	/* Menychtas, Shen and Scott, USENIX ATC 2013, table 1 */
	{"table1", UVM "ioctl -> ioctl:{nr:x}\n" MEMORY},
	/* the same, ioctls told apart by control command or object class */
	{"rm", UVM "ioctl command!=0 -> ioctl:{nr:x}/{command:x}\n"
		   "ioctl class!=0 -> ioctl:{nr:x}/{class:x}\n"
		   "ioctl -> ioctl:{nr:x}\n" MEMORY},
	/* calls of the CUDA API, whichever of its libraries they are of */
	{"api", "api_enter -> {name}\n"},
};

enum kt_command_alphabet kt_alphabet_commands(const char *name)
{
	if (strcmp(name, "submission") == 0) {
		return KT_COMMANDS_SUBMISSION;
	}
	return strcmp(name, "methods") == 0 ? KT_COMMANDS_METHODS : KT_COMMANDS_NONE;
}

const char *kt_alphabet_builtin(const char *name)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
		if (strcmp(builtins[i].name, name) == 0) {
			return builtins[i].text;
		}
	}
	return NULL;
}

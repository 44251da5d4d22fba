/* SPDX-License-Identifier: MIT */
/*
 * Runs NVIDIA's nvdisasm on a cubin, and finds what it printed for an instruction.
 *
 * `nvdisasm -c FILE` prints a line `.section .text.NAME,...` for each function, `LABEL:`
 * for each target of a branch, and for each instruction its offset as a hexadecimal number
 * in a comment, then its text up to a semicolon. Source: output of nvdisasm 13.0.
 */
#ifndef KTAIL_ANNOTATE_DISASSEMBLE_H
#define KTAIL_ANNOTATE_DISASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kt_disassembled {
	const char *function; /* Weak */
	uint64_t offset;
	const char *text;  /* Weak: such as "@P0 EXIT", in printable ASCII */
	const char *label; /* Weak: labels before the instruction, separated by blanks;
			    * NULL: none */
};

struct kt_disassembly {
	char *output;                  /* Owned by this: what nvdisasm printed */
	struct kt_disassembled *lines; /* Owned by this: by function, then offset */
	size_t n;
	size_t capacity;
};

/*
 * Runs the nvdisasm at `path` on the cubin in data[0..bytes), which it gets as a file in
 * memory. Lines of another form than the above are ignored. KT_E_IO with a message if
 * nvdisasm fails, or if it is ended, which sets *stopped, because it prints nothing for a
 * minute or prints too much; KT_E_MEMORY. The caller frees *out, also after an error.
 * O(output, plus n log n).
 */
int kt_disassemble(struct kt_disassembly *out, const char *path, const void *data,
		   size_t bytes, bool *stopped);

/* Returns an instruction, or NULL. O(log n). */
const struct kt_disassembled *kt_disassembly_find(const struct kt_disassembly *d,
						  const char *function, uint64_t offset);
void kt_disassembly_free(struct kt_disassembly *d);

#endif

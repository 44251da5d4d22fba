/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/command.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/suite.h"

static char folder[] = "/tmp/test-executable-XXXXXX";

static void write_file(char path[static PATH_MAX], const char *name, const void *bytes,
		       size_t n, mode_t mode)
{
	int fd;

	snprintf(path, PATH_MAX, "%s/%s", folder, name);
	unlink(path);
	fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	CU_ASSERT_EQUAL(write(fd, bytes, n), (ssize_t)n);
	fchmod(fd, mode);
	close(fd);
}

/* Writes an ELF file with one segment of the given type, and returns its kind. */
static enum kt_executable_kind kind_of(unsigned char class_, uint16_t machine,
				       uint32_t segment, const char *name)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
	} file = {.header = {.e_machine = machine,
			     .e_phoff = sizeof(Elf64_Ehdr),
			     .e_phentsize = sizeof(Elf64_Phdr),
			     .e_phnum = 1},
		  .segment = {.p_type = segment}};
	char path[PATH_MAX];

	memcpy(file.header.e_ident, ELFMAG, SELFMAG);
	file.header.e_ident[EI_CLASS] = class_;
	write_file(path, name, &file, sizeof(file), 0755);
	return kt_executable_read(path);
}

static void test_elf(void)
{
	CU_ASSERT_EQUAL(kind_of(ELFCLASS64, EM_X86_64, PT_INTERP, "a"),
			KT_EXECUTABLE_DYNAMIC);
	CU_ASSERT_EQUAL(kind_of(ELFCLASS64, EM_X86_64, PT_LOAD, "a"), KT_EXECUTABLE_STATIC);
	CU_ASSERT_EQUAL(kind_of(ELFCLASS32, EM_386, PT_INTERP, "a"), KT_EXECUTABLE_FOREIGN);
	CU_ASSERT_EQUAL(kind_of(ELFCLASS64, EM_AARCH64, PT_INTERP, "a"),
			KT_EXECUTABLE_FOREIGN);
	CU_ASSERT_EQUAL(kind_of(ELFCLASS64, EM_X86_64, PT_LOAD, "ld-linux-x86-64.so.2"),
			KT_EXECUTABLE_DYNAMIC);
}

static void test_own(void)
{
	char path[PATH_MAX] = "/proc/self/exe";

	CU_ASSERT_EQUAL(kt_executable_read(path), KT_EXECUTABLE_DYNAMIC);
}

static void test_script(void)
{
	char interpreter[PATH_MAX];
	char path[PATH_MAX];
	char text[2 * PATH_MAX];

	kind_of(ELFCLASS64, EM_X86_64, PT_LOAD, "static");
	snprintf(interpreter, sizeof(interpreter), "%s/static", folder);
	snprintf(text, sizeof(text), "#! %s -x\necho\n", interpreter);
	write_file(path, "script", text, strlen(text), 0755);
	CU_ASSERT_EQUAL(kt_executable_read(path), KT_EXECUTABLE_STATIC);
	CU_ASSERT_STRING_EQUAL(path, interpreter);
	/* A script that names itself as its interpreter must not cause a loop. */
	snprintf(text, sizeof(text), "#!%s/loop", folder);
	write_file(path, "loop", text, strlen(text), 0755);
	CU_ASSERT_EQUAL(kt_executable_read(path), KT_EXECUTABLE_UNKNOWN);
}

static void test_odd(void)
{
	char path[PATH_MAX];

	write_file(path, "odd", "", 0, 0755);
	CU_ASSERT_EQUAL(kt_executable_read(path), KT_EXECUTABLE_UNKNOWN);
	write_file(path, "odd", "#!", 2, 0755);
	CU_ASSERT_EQUAL(kt_executable_read(path), KT_EXECUTABLE_UNKNOWN);
	write_file(path, "odd", ELFMAG, 4, 0755);
	CU_ASSERT_EQUAL(kt_executable_read(path), KT_EXECUTABLE_UNKNOWN);
	write_file(path, "odd", "echo\n", 5, 0755);
	CU_ASSERT_EQUAL(kt_executable_read(path), KT_EXECUTABLE_UNKNOWN);
	snprintf(path, sizeof(path), "%s/none", folder);
	CU_ASSERT_EQUAL(kt_executable_read(path), KT_EXECUTABLE_UNKNOWN);
}

/* Finds programs as execvp() does: in the order of PATH, and only executable files. */
static void test_find(void)
{
	char search[PATH_MAX];
	char path[PATH_MAX];

	write_file(path, "tool", "x", 1, 0644);
	snprintf(search, sizeof(search), "/no/such:%s:/bin", folder);
	setenv("PATH", search, 1);
	CU_ASSERT_FALSE(kt_executable_find(path, "tool"));
	CU_ASSERT_TRUE(kt_executable_find(path, "sh"));
	CU_ASSERT_STRING_EQUAL(path, "/bin/sh");
	write_file(path, "sh", "x", 1, 0755);
	CU_ASSERT_TRUE(kt_executable_find(path, "sh"));
	CU_ASSERT_NOT_EQUAL(strcmp(path, "/bin/sh"), 0);
	CU_ASSERT_TRUE(kt_executable_find(path, "/bin/sh"));
	CU_ASSERT_FALSE(kt_executable_find(path, "./no/such"));
}

static void remove_files(void)
{
	static const char *const names[] = {
		"a", "ld-linux-x86-64.so.2", "static", "script", "loop", "odd", "tool",
		"sh"};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"ELF files", test_elf},       {"this program", test_own},
		{"scripts", test_script},      {"odd files", test_odd},
		{"search on PATH", test_find}, CU_TEST_INFO_NULL,
	};
	int failed;

	if (!mkdtemp(folder)) {
		return 1;
	}
	failed = kt_run_suite("executable", tests);
	remove_files();
	return failed;
}

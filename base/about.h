/* SPDX-License-Identifier: MIT */
/* Output of a program's --version. */
#ifndef KTAIL_BASE_ABOUT_H
#define KTAIL_BASE_ABOUT_H

struct kt_about {
	const char *program;
	const char *commit;
	const char *linked; /* the linked libraries: "babeltrace2 2.0.4, jansson 2.14" */
};

/*
 * The commit of the source, from cmake/Commit.cmake. The CMake function ktail_about()
 * links it into programs only, so after a new commit only programs are linked again.
 */
extern const char kt_commit[];

/*
 * Describes the program being compiled; CMakeLists.txt must call ktail_about() for the
 * program's target.
 */
#define KT_ABOUT(program) (&(const struct kt_about){(program), kt_commit, KTAIL_LINKED})

/*
 * Prints to standard output, each on a line: the program with its version, the commit, and
 * each linked library.
 */
void kt_about_print(const struct kt_about *about);

#endif

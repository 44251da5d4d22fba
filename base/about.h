/* SPDX-License-Identifier: MIT */
/* What --version says of a program. */
#ifndef KTAIL_BASE_ABOUT_H
#define KTAIL_BASE_ABOUT_H

struct kt_about {
	const char *program;
	const char *commit;
	const char *linked; /* "babeltrace2 2.0.4, jansson 2.14": the linked libraries */
};

/*
 * The commit of the source, from cmake/Commit.cmake. Only programs are linked with it
 * (ktail_about()), so a new commit causes only programs to be linked again.
 */
extern const char kt_commit[];

/*
 * Describes the program being compiled; CMakeLists.txt must call ktail_about() for its
 * target.
 */
#define KT_ABOUT(program) (&(const struct kt_about){(program), kt_commit, KTAIL_LINKED})

/*
 * Prints on standard output, one line each: the program with its version, its commit, and
 * each linked library.
 */
void kt_about_print(const struct kt_about *about);

#endif

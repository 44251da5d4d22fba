/* SPDX-License-Identifier: MIT */
/* What --version says of a program. */
#ifndef KTAIL_BASE_ABOUT_H
#define KTAIL_BASE_ABOUT_H

struct kt_about {
	const char *program;
	const char *commit;
	const char *linked; /* "babeltrace2 2.0.4, jansson 2.14", as the build found them */
};

/* Of the source that is built: cmake/Commit.cmake. In programs alone (ktail_about()), so
 * that nothing else is linked anew with each commit. */
extern const char kt_commit[];

/* Of the program that is compiled; its target is one of ktail_about(). */
#define KT_ABOUT(program) (&(const struct kt_about){(program), kt_commit, KTAIL_LINKED})

/* On standard output: the program and its version, its commit, what is linked, a line each.
 */
void kt_about_print(const struct kt_about *about);

#endif

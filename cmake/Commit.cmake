# SPDX-License-Identifier: MIT
# Writes OUT, a C file with the commit of the folder SOURCE: from the file SOURCE/COMMIT, which
# scripts/make-packages makes, or else from git; "unknown" without either. An OUT that already has
# this content is not written, so nothing is rebuilt.
set(commit unknown)
if(EXISTS ${SOURCE}/COMMIT)
	file(STRINGS ${SOURCE}/COMMIT commit LIMIT_COUNT 1)
elseif(EXISTS ${SOURCE}/.git)
	execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
		OUTPUT_VARIABLE head ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE result)
	if(result EQUAL 0)
		set(commit ${head})
	endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT [[/* Made by cmake/Commit.cmake. */
#include "base/about.h"

const char kt_commit[] = "@commit@";
]] @ONLY)

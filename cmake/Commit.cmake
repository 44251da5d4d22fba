# SPDX-License-Identifier: MIT
# Writes OUT, a C file with the commit that SOURCE is of: of a git work tree, or as the file COMMIT
# says, which scripts/make-packages makes; "unknown" otherwise. OUT stays as it is if it says so.
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

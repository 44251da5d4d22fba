# SPDX-License-Identifier: MIT
# Removes the files that the last `cmake --install` of this build installed, then the empty folders
# below its prefix. DESTDIR must be the same as for the installation.
if(NOT EXISTS ${MANIFEST})
	message(FATAL_ERROR "read ${MANIFEST}: nothing was installed from this build")
endif()
file(STRINGS ${MANIFEST} files)
set(folders "")
foreach(file ${files})
	message(STATUS "Removing: $ENV{DESTDIR}${file}")
	file(REMOVE $ENV{DESTDIR}${file})
	cmake_path(GET file PARENT_PATH folder)
	list(APPEND folders ${folder})
endforeach()
list(REMOVE_DUPLICATES folders)

# The prefix is the common parent of the folders; `cmake --install` may have overridden it.
list(GET folders 0 prefix)
foreach(folder ${folders})
	set(within FALSE)
	while(NOT within)
		cmake_path(IS_PREFIX prefix ${folder} within)
		if(NOT within)
			cmake_path(GET prefix PARENT_PATH prefix)
		endif()
	endwhile()
endforeach()

# Removes an empty folder and its empty parents, except the prefix, the folders directly in /usr or
# /usr/local, and share/man.
function(remove_if_empty folder)
	cmake_path(GET folder PARENT_PATH parent)
	if(folder STREQUAL prefix OR (parent MATCHES "^/usr(/local)?$") OR folder MATCHES "/share/man$")
		return()
	endif()
	file(GLOB left LIST_DIRECTORIES true $ENV{DESTDIR}${folder}/* $ENV{DESTDIR}${folder}/.[!.]*)
	if(NOT left)
		file(REMOVE_RECURSE $ENV{DESTDIR}${folder})
		remove_if_empty(${parent})
	endif()
endfunction()
foreach(folder ${folders})
	remove_if_empty(${folder})
endforeach()

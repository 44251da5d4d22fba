# SPDX-License-Identifier: MIT
# ktail_target(TARGET): sets the warnings, sanitizers and include folders that all targets share.
# ktail_about(PROGRAM "LIBRARY VERSION"...): sets what --version prints (base/about.h).
# ktail_public_header(FILE...): makes a header available as <ktail/NAME>, here and installed.
# ktail_test(NAME LABEL COMMAND ...): adds a CTest test with a label; exit status 77 means skipped.
#   A test with the label lttng or gpu has daemons of its own, or takes turns with the others. It
#   also gets the label slow if tests/slow-tests lists it, and soak if its name marks a long trial.
# Target fuzz-targets: builds only the targets called fuzz-* and what they need.

if(KTAIL_FUZZ)
	add_custom_target(fuzz-targets)
endif()

function(ktail_target target)
	target_compile_options(${target} PRIVATE
		-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes
		-Wpointer-arith -Wcast-qual -Wwrite-strings -Wvla -Wformat=2 -Wundef
		-fvisibility=hidden)
	if(KTAIL_WERROR)
		target_compile_options(${target} PRIVATE -Werror)
	endif()
	if(KTAIL_SANITIZE)
		target_compile_options(${target} PRIVATE
			-fsanitize=${KTAIL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
		target_link_options(${target} PRIVATE -fsanitize=${KTAIL_SANITIZE})
		target_compile_definitions(${target} PRIVATE KTAIL_SANITIZED)
	endif()
	if(KTAIL_FUZZ)
		# Instruments libraries too, so that libFuzzer sees their coverage.
		target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
		target_link_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
		if(target MATCHES "^fuzz-")
			add_dependencies(fuzz-targets ${target})
		endif()
	endif()
	target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
	target_include_directories(${target} PRIVATE
		${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include)
endfunction()

function(ktail_about target)
	list(JOIN ARGN ", " linked)
	target_compile_definitions(${target} PRIVATE KTAIL_LINKED="${linked}")
	target_link_libraries(${target} PRIVATE ktail-commit)
endfunction()

function(ktail_public_header)
	foreach(header ${ARGN})
		cmake_path(GET header FILENAME name)
		configure_file(${header} ${PROJECT_BINARY_DIR}/include/ktail/${name} COPYONLY)
		install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ktail)
	endforeach()
endfunction()

# Tests that record would disturb each other in LTTng's daemons, folders and /dev/shm. Each runs in
# namespaces of its own if they can be made (as root), else the tests take turns.
if(NOT DEFINED KTAIL_TESTS_APART)
	execute_process(COMMAND ${PROJECT_SOURCE_DIR}/tests/apart.sh true
		RESULT_VARIABLE apart OUTPUT_QUIET ERROR_QUIET)
	if(apart EQUAL 0)
		set(apart ON)
	else()
		set(apart OFF)
	endif()
	set(KTAIL_TESTS_APART ${apart} CACHE BOOL "Tests with sessions of LTTng run in namespaces, side by side")
endif()

file(STRINGS ${PROJECT_SOURCE_DIR}/tests/slow-tests KTAIL_SLOW_TESTS REGEX "^[^#]")
list(JOIN KTAIL_SLOW_TESTS "|" KTAIL_SLOW_TESTS)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/slow-tests)

function(ktail_test name label)
	set(command ${ARGN})
	if(label MATCHES "^(lttng|gpu)$" AND KTAIL_TESTS_APART)
		list(PREPEND command ${PROJECT_SOURCE_DIR}/tests/apart.sh)
	endif()
	add_test(NAME ${name} COMMAND ${command})
	set(labels ${label})
	if(name MATCHES "${KTAIL_SLOW_TESTS}")
		list(APPEND labels slow)
	endif()
	if(name MATCHES "^soak-|-stress-million")
		list(APPEND labels soak)
	endif()
	set_tests_properties(${name} PROPERTIES LABELS "${labels}" SKIP_RETURN_CODE 77 TIMEOUT 600)
	if(label MATCHES "^(lttng|gpu)$" AND NOT KTAIL_TESTS_APART)
		set_tests_properties(${name} PROPERTIES RESOURCE_LOCK lttng)
	endif()
endfunction()

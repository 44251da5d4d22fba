# SPDX-License-Identifier: MIT
# ktail_recorder_variant(NAME [SOURCES FILE...] [OPTIONS FLAG...] [LINK FLAG...]): builds the target
# ktail-record-NAME, the recorder with additional FILEs and FLAGs, for tests. The variant is in
# variants/NAME/{bin,lib} of the build folder, so that `ktail-record` there finds its libraries.

function(ktail_recorder_variant name)
	cmake_parse_arguments(arg "" "" "SOURCES;OPTIONS;LINK" ${ARGN})
	set(target ktail-record-${name})
	set(prefix ${PROJECT_BINARY_DIR}/variants/${name})

	get_target_property(folder ktail-record SOURCE_DIR)
	get_target_property(sources ktail-record SOURCES)
	get_target_property(parts ktail-record-parts SOURCES)
	list(FILTER sources EXCLUDE REGEX TARGET_OBJECTS)
	list(PREPEND sources ${parts})
	get_target_property(options ktail-record COMPILE_OPTIONS)
	get_target_property(definitions ktail-record COMPILE_DEFINITIONS)
	get_target_property(includes ktail-record INCLUDE_DIRECTORIES)
	get_target_property(libraries ktail-record LINK_LIBRARIES)
	get_target_property(link_options ktail-record LINK_OPTIONS)
	list(TRANSFORM sources PREPEND ${folder}/ REGEX "^[^/]")

	add_library(${target} SHARED ${sources} ${arg_SOURCES})
	# -w, because the product's build already reports the warnings.
	target_compile_options(${target} PRIVATE ${options} -w ${arg_OPTIONS})
	target_compile_definitions(${target} PRIVATE ${definitions})
	target_include_directories(${target} PRIVATE ${includes})
	target_link_libraries(${target} PRIVATE ${libraries})
	if(link_options)
		target_link_options(${target} PRIVATE ${link_options})
	endif()
	target_link_options(${target} PRIVATE ${arg_LINK})
	set_target_properties(${target} PROPERTIES OUTPUT_NAME ktail-record
		LIBRARY_OUTPUT_DIRECTORY ${prefix}/lib)

	add_custom_target(${target}-prefix ALL
		COMMAND ${CMAKE_COMMAND} -E make_directory ${prefix}/bin
		COMMAND ${CMAKE_COMMAND} -E copy_if_different
			$<TARGET_FILE:ktail-record-program> ${prefix}/bin/ktail-record
		COMMAND ${CMAKE_COMMAND} -E create_symlink
			$<TARGET_FILE:ktail-gpu-stack> ${prefix}/lib/libktail-gpu-stack.so
		COMMAND ${CMAKE_COMMAND} -E create_symlink
			$<TARGET_FILE:ktail-record-last> ${prefix}/lib/libktail-record-last.so
		DEPENDS ${target} ktail-record-program ktail-gpu-stack ktail-record-last
		VERBATIM)
endfunction()

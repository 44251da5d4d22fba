# SPDX-License-Identifier: MIT
# Tests of the driver's upper half: its API functions, PTX, and the workloads.
add_executable(test-softgpu-ptx test-ptx.c)
ktail_target(test-softgpu-ptx)
target_link_libraries(test-softgpu-ptx PRIVATE ktail-softgpu-driver PkgConfig::CUNIT)
ktail_test(softgpu-driver-ptx unit test-softgpu-ptx)

add_executable(test-softgpu-cubin test-cubin.c)
ktail_target(test-softgpu-cubin)
target_link_libraries(test-softgpu-cubin PRIVATE ktail-softgpu-driver PkgConfig::CUNIT)
ktail_test(softgpu-driver-cubin unit test-softgpu-cubin)
set(kernels ${PROJECT_SOURCE_DIR}/corpus/softgpu/driver/kernels)
ktail_test(softgpu-driver-kernels cli ${CMAKE_CURRENT_SOURCE_DIR}/test-kernels.sh
	${kernels}/kernels.ptx ${kernels}/kernels-sm90.inc)
ktail_test(softgpu-driver-needs cli ${CMAKE_CURRENT_SOURCE_DIR}/test-kernels.sh
	${CMAKE_CURRENT_SOURCE_DIR}/needs.cu ${CMAKE_CURRENT_SOURCE_DIR}/needs-sm90.inc)

if(TARGET ktail-softgpu)
	add_executable(test-softgpu-above test-above.c)
	ktail_target(test-softgpu-above)
	target_link_libraries(test-softgpu-above PRIVATE ktail-softgpu-driver
		ktail-workload -Wl,--no-as-needed ktail-softgpu PkgConfig::CUNIT)
	foreach(transfer dma mapped window chunk1 chunk4)
		ktail_test(softgpu-driver-above-${transfer} softgpu ${CMAKE_COMMAND} -E env
			KTAIL_SOFTGPU_TRANSFER=${transfer} $<TARGET_FILE:test-softgpu-above>)
	endforeach()
	ktail_test(softgpu-driver-above-version-1 softgpu ${CMAKE_COMMAND} -E env
		KTAIL_SOFTGPU_DRIVER=1 $<TARGET_FILE:test-softgpu-above>)

	add_executable(test-softgpu-lives test-dead-contexts.c)
	ktail_target(test-softgpu-lives)
	target_link_libraries(test-softgpu-lives PRIVATE ktail-softgpu-driver
		-Wl,--no-as-needed ktail-softgpu PkgConfig::CUNIT)
	ktail_test(softgpu-driver-lives softgpu test-softgpu-lives)

	add_executable(test-softgpu-reload test-reload.c)
	ktail_target(test-softgpu-reload)
	target_link_libraries(test-softgpu-reload PRIVATE
		-Wl,--no-as-needed ktail-softgpu ${CMAKE_DL_LIBS})
	add_dependencies(test-softgpu-reload ktail-softgpu-cuda)
	ktail_test(softgpu-driver-reload softgpu test-softgpu-reload
		$<TARGET_FILE:ktail-softgpu-cuda>)

	foreach(name entry-points labels)
		add_executable(test-softgpu-${name} test-${name}.c)
		ktail_target(test-softgpu-${name})
		target_link_libraries(test-softgpu-${name} PRIVATE ktail-softgpu-driver
			-Wl,--no-as-needed ktail-softgpu PkgConfig::CUNIT)
		ktail_test(softgpu-driver-${name} softgpu test-softgpu-${name})
	endforeach()

	# test-injection.c is both the program and the tool's library that the driver loads into it.
	add_library(test-softgpu-injected MODULE test-injection.c)
	ktail_target(test-softgpu-injected)
	add_executable(test-softgpu-injection test-injection.c)
	ktail_target(test-softgpu-injection)
	target_link_libraries(test-softgpu-injection PRIVATE
		-Wl,--no-as-needed ktail-softgpu Threads::Threads ${CMAKE_DL_LIBS})
	add_dependencies(test-softgpu-injection ktail-softgpu-cuda test-softgpu-injected)
	foreach(row "loaded 1 $<TARGET_FILE:test-softgpu-injected>"
			"missing 0 /no/such/library.so"
			"without-function 0 $<TARGET_FILE:ktail-softgpu>" "empty 0")
		string(REPLACE " " ";" row "${row} ")
		list(GET row 0 name)
		list(GET row 1 calls)
		list(GET row 2 library)
		ktail_test(softgpu-driver-injection-${name} softgpu ${CMAKE_COMMAND} -E env
			CUDA_INJECTION64_PATH=${library} $<TARGET_FILE:test-softgpu-injection>
			$<TARGET_FILE:ktail-softgpu-cuda> ${calls})
	endforeach()

	# No leak check: it would read, and so fill, the device's sparse memory.
	if(VALGRIND AND NOT KTAIL_SANITIZE)
		ktail_test(softgpu-driver-above-valgrind softgpu ${VALGRIND} --quiet
			--error-exitcode=9 --leak-check=no
			$<TARGET_FILE:test-softgpu-above>)
	endif()

	# A sanitizer's library must be preloaded first.
	set(sanitizer "")
	if(KTAIL_SANITIZE MATCHES "address")
		set(sanitizer asan)
	elseif(KTAIL_SANITIZE MATCHES "thread")
		set(sanitizer tsan)
	endif()
	set(sanitizer_library "")
	if(sanitizer AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
		execute_process(
			COMMAND ${CMAKE_C_COMPILER} -print-file-name=lib${sanitizer}.so
			OUTPUT_VARIABLE sanitizer_library OUTPUT_STRIP_TRAILING_WHITESPACE)
	endif()
	ktail_test(softgpu-driver-workloads softgpu
		${CMAKE_CURRENT_SOURCE_DIR}/test-workloads.sh ${PROJECT_BINARY_DIR}/bin/corpus
		$<TARGET_FILE_DIR:ktail-softgpu-cuda>
		${PROJECT_SOURCE_DIR}/corpus ${sanitizer_library})
	if(NOT KTAIL_SANITIZE)
		add_executable(hardware-needs hardware-needs.c)
		ktail_target(hardware-needs)
		target_link_libraries(hardware-needs PRIVATE ktail-workload)
		target_link_options(hardware-needs PRIVATE -Wl,--as-needed)
		ktail_test(softgpu-driver-hardware cli ${CMAKE_CURRENT_SOURCE_DIR}/test-hardware.sh
			${PROJECT_BINARY_DIR}/bin/ktail ${PROJECT_BINARY_DIR}/bin/corpus
			${PROJECT_SOURCE_DIR}/corpus $<TARGET_FILE:hardware-needs>)
	endif()
	if(VALGRIND AND NOT KTAIL_SANITIZE)
		ktail_test(softgpu-driver-workloads-valgrind softgpu
			${CMAKE_CURRENT_SOURCE_DIR}/test-workloads.sh
			${PROJECT_BINARY_DIR}/bin/corpus $<TARGET_FILE_DIR:ktail-softgpu-cuda>
			${PROJECT_SOURCE_DIR}/corpus --valgrind)
	endif()
endif()

if(KTAIL_FUZZ)
	set(fuzz_ptx -max_len=4096 -dict=${CMAKE_CURRENT_SOURCE_DIR}/ptx.dict)
	set(fuzz_cubin -max_len=256)
	foreach(name ptx cubin)
		add_executable(fuzz-${name} fuzz-${name}.c)
		ktail_target(fuzz-${name})
		target_compile_options(fuzz-${name} PRIVATE -fsanitize=fuzzer)
		target_link_options(fuzz-${name} PRIVATE -fsanitize=fuzzer)
		target_link_libraries(fuzz-${name} PRIVATE ktail-softgpu-driver)
		# libFuzzer writes new inputs to the first folder.
		file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fuzz-${name}-corpus)
		ktail_test(fuzz-${name} unit fuzz-${name} -error_exitcode=1
			-max_total_time=20 ${fuzz_${name}}
			${CMAKE_CURRENT_BINARY_DIR}/fuzz-${name}-corpus)
	endforeach()
endif()

# SPDX-License-Identifier: MIT
# Makes completions for bash, zsh and fish from the programs' own tables of options, and installs
# them where the shells search. To try those of the build tree in bash: `. completions/ktail.bash`.
set(KTAIL_INSTALL_ZSHDIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
	CACHE STRING "Where zsh looks for completions")
set(programs ktail-program ktail-record-program ktail-softgpu-program ktail-decode-program
	ktail-stats-program ktail-policy-program ktail-report-program ktail-export-program
	ktail-annotate-program ktail-replay-program ktail-top-program ktail-raw-program ktail-render)
set(folder ${PROJECT_BINARY_DIR}/completions)
file(MAKE_DIRECTORY ${folder})
foreach(form bash zsh fish)
	set(file ${folder}/ktail.${form})
	add_custom_command(OUTPUT ${file}
		# No leak check: leaks must fail tests, not the build.
		COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0
			${PROJECT_SOURCE_DIR}/scripts/make-completions ${PROJECT_BINARY_DIR}/bin ${form} > ${file}
		DEPENDS ${PROJECT_SOURCE_DIR}/scripts/make-completions ${programs}
		VERBATIM)
	list(APPEND files ${file})
endforeach()
add_custom_target(ktail-completions ALL DEPENDS ${files})
install(FILES ${folder}/ktail.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
	RENAME ktail)
install(FILES ${folder}/ktail.zsh DESTINATION ${KTAIL_INSTALL_ZSHDIR} RENAME _ktail)
install(FILES ${folder}/ktail.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

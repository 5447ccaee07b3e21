# Writes completions and manual pages, which dl-submit generates. Runs at installation.
# PROGRAM: dl-submit in the build folder. OUT: share folder of the installation, with DESTDIR.
function(generate file)
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY ${OUT}/${folder})
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_FILE ${OUT}/${file} COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS "Installing: ${OUT}/${file}")
endfunction()

generate(bash-completion/completions/dl-submit completion bash)
foreach(program dl-master dl-executor)
  file(CREATE_LINK dl-submit ${OUT}/bash-completion/completions/${program} SYMBOLIC)
endforeach()
generate(zsh/site-functions/_dl-submit completion zsh)
generate(fish/vendor_completions.d/dl-submit.fish completion fish)
file(MAKE_DIRECTORY ${OUT}/man/man1)
execute_process(COMMAND ${PROGRAM} man --output ${OUT}/man/man1 COMMAND_ERROR_IS_FATAL ANY)
message(STATUS "Installing: ${OUT}/man/man1/dl-submit*.1")

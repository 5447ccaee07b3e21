# Run at installation, when the prefix is known: units of systemd that name the programs where they are put.
# IN, OUT: folders. BIN: of the programs.
file(READ ${IN}/hardening.conf hardening)
set(bin ${BIN})
foreach(unit paravane-master paravane-executor)
  configure_file(${IN}/${unit}.service.in ${OUT}/${unit}.service @ONLY)
  message(STATUS "Installing: ${OUT}/${unit}.service")
endforeach()

# Writes systemd units with the paths of the programs. Runs at installation, when the prefix is known.
# IN, OUT: folders of the templates and of the units. BIN: folder of the programs.
file(READ ${IN}/hardening.conf hardening)
set(bin ${BIN})
foreach(unit paravane-master paravane-executor)
  configure_file(${IN}/${unit}.service.in ${OUT}/${unit}.service @ONLY)
  message(STATUS "Installing: ${OUT}/${unit}.service")
endforeach()

# Adds to the installed files what Debian asks for, before CPack packs them: the license, the changes, compressed manual
# pages, and the folder from which Debian's zsh reads completions.
file(GLOB roots ${CPACK_TEMPORARY_DIRECTORY}/*/usr)
foreach(root ${roots})
  set(documents ${root}/share/doc/paravane)
  file(MAKE_DIRECTORY ${documents})
  file(COPY ${CPACK_PARAVANE_SOURCE}/deploy/debian/copyright DESTINATION ${documents})
  file(COPY_FILE ${CPACK_PARAVANE_SOURCE}/CHANGELOG.md ${documents}/changelog)
  file(WRITE ${documents}/changelog.Debian
       "paravane (${CPACK_PACKAGE_VERSION}-1) unstable; urgency=medium\n\n  * The changes are in changelog.gz.\n\n"
       " -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  Mon, 30 Nov 2026 00:00:00 +0000\n\n"
       "paravane (0.1.0-1) unstable; urgency=medium\n\n  * First version.\n\n"
       " -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  Thu, 01 Oct 2026 00:00:00 +0000\n")
  file(GLOB pages ${root}/share/man/man1/*.1)
  execute_process(COMMAND gzip -9n ${documents}/changelog ${documents}/changelog.Debian ${pages}
                  COMMAND_ERROR_IS_FATAL ANY)
  file(RENAME ${root}/share/zsh/site-functions ${root}/share/zsh/vendor-completions)
  execute_process(COMMAND chmod -R u=rwX,go=rX ${root} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

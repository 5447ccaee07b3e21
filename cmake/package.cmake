# The Debian package: programs, units, completions and manual pages, without headers and libraries. ./dev package builds it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME paravane)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "training of neural networks on clusters of ordinary machines")
set(CPACK_PACKAGE_DESCRIPTION "Paravane trains neural networks by parameter averaging. The weights of a job
are the same, bit for bit, on any number of machines, also if machines fail.
This package contains the programs and units for systemd.")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
# Only the component of programs; the package has no suffix for it.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL programs)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME paravane)
set(CPACK_DEBIAN_PROGRAMS_FILE_NAME paravane.deb)
set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION ${CPACK_PACKAGE_DESCRIPTION})
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "Paravane maintainers <maintainers@example.org>")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS adduser)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/deploy/debian/postinst
                                                ${CMAKE_SOURCE_DIR}/deploy/debian/postrm)
# Adds the files that Debian's policy asks for.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/package_documents.cmake)
set(CPACK_PARAVANE_SOURCE ${CMAKE_SOURCE_DIR})
include(CPack)

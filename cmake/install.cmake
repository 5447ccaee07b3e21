# Defines what `cmake --install` installs: the programs, and the target paravane::paravane for job programs outside this
# repository. The target has only the headers that describe a job. It needs no engine, store or network.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(job_libraries dl_base dl_nn_conf dl_job dl_launch_job)
target_compile_features(dl_base PUBLIC cxx_std_20)

add_library(paravane INTERFACE)
add_library(paravane::paravane ALIAS paravane)
target_link_libraries(paravane INTERFACE dl_launch_job)

# Builds everything that the target needs.
add_custom_target(paravane-job DEPENDS ${job_libraries})

# Two components: `programs` is the Debian package (package.cmake), `development` is for job programs.
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/paravane)
install(TARGETS dl-submit dl-master dl-executor RUNTIME COMPONENT programs)
install(TARGETS paravane ${job_libraries} EXPORT paravane ARCHIVE COMPONENT development)
install(EXPORT paravane NAMESPACE paravane:: FILE paravaneTargets.cmake DESTINATION ${package_folder}
        COMPONENT development)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/paravaneConfig.cmake.in paravaneConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(paravaneConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/paravaneConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/paravaneConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT development)

# Includes are relative to the root, as in this repository: #include "job/job_builder.h".
set(header_folder ${CMAKE_INSTALL_INCLUDEDIR}/paravane)
install(FILES base/document_kind.h base/json.h base/json_fwd.h base/limits.h base/one_of.h base/segment_table.h base/status.h DESTINATION ${header_folder}/base COMPONENT development)
install(FILES job/augmentation.h job/dataset_spec.h job/initial_weights.h job/job_builder.h job/job_spec.h job/job_words.h job/normalizer_choice.h job/parameter_averaging.h job/split_config.h
        job/strategy_conf.h job/training_config.h
        DESTINATION ${header_folder}/job COMPONENT development)
install(DIRECTORY job/sources/ DESTINATION ${header_folder}/job/sources COMPONENT development FILES_MATCHING PATTERN "*.h")
install(FILES launch/job_main.h DESTINATION ${header_folder}/launch COMPONENT development)
install(DIRECTORY nn/conf/ DESTINATION ${header_folder}/nn/conf COMPONENT development FILES_MATCHING PATTERN "*.h")

# Dashboard and alerts (docs/operations/watch.md, "Prometheus and Grafana").
install(FILES deploy/monitoring/grafana_dashboard.json deploy/monitoring/alert_rules.yml
        DESTINATION ${CMAKE_INSTALL_DATADIR}/paravane/monitoring)

# Completions and manual pages.
install(CODE "
  set(PROGRAM \"$<TARGET_FILE:dl-submit>\")
  get_filename_component(prefix \"\${CMAKE_INSTALL_PREFIX}\" ABSOLUTE)
  set(OUT \"\$ENV{DESTDIR}\${prefix}/${CMAKE_INSTALL_DATADIR}\")
  include(\"${CMAKE_SOURCE_DIR}/cmake/install_texts.cmake\")" COMPONENT programs)

# Units of systemd, in the folder where administrators expect them (docs/deploy/systemd.md).
install(CODE "
  set(IN \"${CMAKE_SOURCE_DIR}/deploy/systemd\")
  get_filename_component(prefix \"\${CMAKE_INSTALL_PREFIX}\" ABSOLUTE)
  set(OUT \"\$ENV{DESTDIR}\${prefix}/lib/systemd/system\")
  set(BIN \"\${prefix}/${CMAKE_INSTALL_BINDIR}\")
  include(\"${CMAKE_SOURCE_DIR}/cmake/install_units.cmake\")" COMPONENT programs)

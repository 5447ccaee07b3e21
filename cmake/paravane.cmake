# Compile options of the project, and one short function per kind of folder.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(DL_OPTIMIZE -O2 CACHE STRING "How far the compiler optimizes")
set(CMAKE_CXX_FLAGS_RELEASE ${DL_OPTIMIZE})

# For equal bits, a fused multiply-add is used only where the source contains it (docs/adr/0008).
add_compile_options(-ffp-contract=off -Wall -Wextra -Wno-missing-field-initializers -Werror)

set(DL_SANITIZE "" CACHE STRING "Sanitizers to build with, as -fsanitize takes them")
if(DL_SANITIZE)
  add_compile_options(-fsanitize=${DL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)  # -g1: line numbers
  add_link_options(-fsanitize=${DL_SANITIZE})
endif()

# Hardening. docs/security.md describes the threats and the cost; tests/tidy checks the linked programs. Sanitizer builds do
# not use fortified functions, which check less than a sanitizer and hide calls from it.
option(DL_HARDEN "Build hardened; OFF is for measuring what it costs" ON)
if(DL_HARDEN)
  add_compile_options(-fPIE -fstack-protector-strong -fstack-clash-protection)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  if(NOT DL_SANITIZE)
    add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  endif()
  add_link_options(-pie -Wl,-z,relro,-z,now)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # ccache does not cache compilations with a precompiled header without these settings. Comments count, because a
  # precompiled header holds checksums of its files: one of the same code with other comments would be parsed twice.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_COMMENTS=1
                                  ${CCACHE})
  add_compile_options(-fpch-preprocess)
endif()

# Headers that are parsed once (cmake/precompiled.h): one copy for the product, and one for tests, which are optimized less
# because they are compiled more often than they run. Folders whose sources have their own options use NO_PRECOMPILED.
option(DL_COMPILE_TOGETHER "Precompiled headers, sixteen sources at a time; OFF says where an include is missing" ON)
function(dl_precompiled name header)
  file(WRITE ${CMAKE_BINARY_DIR}/${name}.cc.new "")
  file(COPY_FILE ${CMAKE_BINARY_DIR}/${name}.cc.new ${CMAKE_BINARY_DIR}/${name}.cc ONLY_IF_DIFFERENT)
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cc)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE absl::statusor absl::strings nlohmann_json::nlohmann_json ${ARGN})
  target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/${header})
endfunction()
function(dl_use_precompiled target name)
  if(DL_COMPILE_TOGETHER)
    target_precompile_headers(${target} REUSE_FROM ${name})
    # g++ 12 warns about moves of std::string in its own header if that header is precompiled.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endfunction()
set(DL_TEST_OPTIONS -O1)
find_program(GOLD ld.gold)

# dl_read_bug(bug source_out finds_out): reads the first two lines of a .bug file: the source that it changes, relative to the
# root, and the test that must find the bug.
function(dl_read_bug bug source_out finds_out)
  file(STRINGS ${bug} head LIMIT_COUNT 2)
  list(GET head 0 source)
  list(GET head 1 finds)
  string(REPLACE "file: " "" source "${source}")
  string(REPLACE "finds: " "" finds "${finds}")
  set(${source_out} ${source} PARENT_SCOPE)
  set(${finds_out} "${finds}" PARENT_SCOPE)
endfunction()

# DL_EXCHANGED_BY_PATH lists, for each source, the programs that link a copy of it with a bug (dl_plant). A .bug file without a
# line `in` belongs to the simulator.
file(GLOB bugs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*/planted_bugs/*.bug)
foreach(bug ${bugs})
  dl_read_bug(${bug} source finds)
  file(STRINGS ${bug} program REGEX "^in: ")
  if(NOT program)
    set(program "in: sim")
  endif()
  string(REPLACE "in: " "" program "${program}")
  list(APPEND DL_EXCHANGED_BY_${CMAKE_SOURCE_DIR}/${source} ${program})
endforeach()

# Compiles the sources of a target in groups of sixteen, because most of the compile time is spent on templates that the next
# source needs too. So two sources of a group must not define the same name. Some programs link another copy of a source before
# the library. Such a source is grouped only with sources that the same programs replace, so that a program replaces all sources
# of a group or none.
function(dl_compile_together target)
  if(NOT DL_COMPILE_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_compile_options(${target} PRIVATE -Wno-subobject-linkage)  # the sources are included, but by one file each
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "^\\$<")  # skip objects that are compiled elsewhere
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    set(programs ${DL_EXCHANGED_BY_${path}})
    list(REMOVE_DUPLICATES programs)
    list(SORT programs)
    list(JOIN programs _ kind)
    if(NOT programs)
      set(kind others)
    endif()
    math(EXPR group "0${count_${kind}} / 16")
    math(EXPR count_${kind} "0${count_${kind}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${kind}_${group})
  endforeach()
endfunction()

# dl_library(NAME DEPS ... PRIVATE_DEPS ...): a static library of every *.cc in the calling folder (not in folders below it),
# with includes relative to the root.
function(dl_library name)
  cmake_parse_arguments(arg "NO_PRECOMPILED" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS *.cc)
  endif()
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                            $<INSTALL_INTERFACE:include/paravane>)
  target_link_libraries(${name} PUBLIC ${arg_DEPS} PRIVATE ${arg_PRIVATE_DEPS})
  if(NOT arg_NO_PRECOMPILED)
    dl_use_precompiled(${name} dl_precompiled)
  endif()
endfunction()

# dl_test_sources(NAME): compiles and links a target with the options of tests.
function(dl_test_sources name)
  if(GOLD AND NOT DL_SANITIZE)
    target_link_options(${name} PRIVATE -fuse-ld=gold)  # takes half the time; installed programs use the default linker
  endif()
  target_compile_options(${name} PRIVATE ${DL_TEST_OPTIONS})
  target_compile_definitions(${name} PRIVATE GTEST_HAS_PTHREAD=1)  # the precompiled header was compiled with this value
  dl_use_precompiled(${name} dl_precompiled_test)
endfunction()

# Target of the sanitizer presets: builds the tests with one of these labels.
add_custom_target(unit_and_sim)

# Timeout of a test in seconds: many times the duration on a machine that gives it a tenth of a core.
set(DL_TEST_TIMEOUT 5400)

# dl_test(NAME DEPS ...): one GoogleTest binary of every *_test.cc in the calling folder, run in random order.
# SHARDS N: runs as N tests, which may run in parallel. COST: approximate duration in seconds, if it is long; such tests start
# first. COMPUTES: the test computes with several threads, in its own process or in programs other than dl-submit. OpenMP
# threads then wait asleep, as in dl-submit.
function(dl_test name)
  cmake_parse_arguments(arg "COMPUTES" "SHARDS;COST" "SOURCES;DEPS;LABELS" ${ARGN})
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS *_test.cc)
  endif()
  if(NOT arg_SOURCES)
    message(WARNING "${name}: no *_test.cc in ${CMAKE_CURRENT_SOURCE_DIR}")
    return()
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} GTest::gtest GTest::gmock GTest::gtest_main)
  dl_test_sources(${name})
  dl_compile_together(${name})
  if("unit" IN_LIST arg_LABELS OR "sim" IN_LIST arg_LABELS)
    add_dependencies(unit_and_sim ${name})
  endif()
  set(tests ${name})
  if(arg_SHARDS)
    set(tests)
    foreach(shard RANGE 1 ${arg_SHARDS})
      list(APPEND tests ${name}.${shard})
    endforeach()
  endif()
  set(shard 0)
  foreach(test ${tests})
    add_test(NAME ${test} COMMAND ${name} --gtest_shuffle --gtest_brief=1)
    set(environment "DL_BIN=${CMAKE_BINARY_DIR}/bin")
    if(arg_COMPUTES)
      list(APPEND environment OMP_WAIT_POLICY=passive)
    endif()
    if(arg_SHARDS)
      list(APPEND environment GTEST_TOTAL_SHARDS=${arg_SHARDS} GTEST_SHARD_INDEX=${shard})
      math(EXPR shard "${shard} + 1")
    endif()
    set_tests_properties(${test} PROPERTIES TIMEOUT ${DL_TEST_TIMEOUT} LABELS "${arg_LABELS}" ENVIRONMENT "${environment}")
    if(arg_COST)
      set_tests_properties(${test} PROPERTIES COST ${arg_COST})
    endif()
  endforeach()
endfunction()

# dl_plant(PROGRAM bug...): links, before the libraries, copies of the sources that the .bug files name into PROGRAM. The copies
# are generated at build time and contain the bugs. A bug is active only if the variable PLANTED_BUG names it.
function(dl_plant program)
  set(plant ${CMAKE_SOURCE_DIR}/tests/sim/plant.cmake)
  set(sources)
  foreach(bug ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${bug})  # its first lines are read here
    dl_read_bug(${bug} source finds)
    list(APPEND sources ${source})
    list(APPEND bugs_of_${source} ${bug})
  endforeach()
  list(REMOVE_DUPLICATES sources)
  foreach(source ${sources})
    string(REPLACE / _ copy ${source})
    set(copy ${CMAKE_CURRENT_BINARY_DIR}/planted_bugs/${copy})
    list(JOIN bugs_of_${source} " " bugs)
    add_custom_command(OUTPUT ${copy}
      COMMAND ${CMAKE_COMMAND} -DBUGS=${bugs} -DSOURCE=${CMAKE_SOURCE_DIR}/${source} -DOUT=${copy} -P ${plant}
      DEPENDS ${bugs_of_${source}} ${CMAKE_SOURCE_DIR}/${source} ${plant}
      VERBATIM)
    target_sources(${program} PRIVATE ${copy})
  endforeach()
  target_link_libraries(${program} PRIVATE dl_test_support)
  dl_test_sources(${program})
  dl_compile_together(${program})
  add_dependencies(unit_and_sim ${program})
endfunction()

# Warnings that every target of the project is built with. Third-party headers come in as system
# headers, so only our own code has to answer for them.
#
# -Wextra's missing-field-initializers is off: designated initializers that name only the fields that
# matter are this project's way to pass many values, and the fields left out have defaults.
add_library(jettison_warnings INTERFACE)
target_compile_options(jettison_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Wno-missing-field-initializers)

# g++ 12 takes members of moved variants for uninitialized when it instruments code.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  target_compile_options(jettison_warnings INTERFACE -Wno-maybe-uninitialized)
endif()

# clang++ looks into g++ 12's std::stable_sort, which uses what C++17 deprecates.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(jettison_warnings INTERFACE -Wno-deprecated-declarations)
endif()

# jettison_room(NAME [DEPS target...] [TEST_DEPS target...])
#
# A room is one folder: every .cc becomes the library jettison_<NAME>, every *_test.cc the program
# <NAME>_test, registered with CTest test by test. Tests whose suite name starts with "Live" need
# root and a real kernel: they get the label `live`; all the others get `fast`. Sources that hold
# nothing else are named live_*_test.cc; without JETTISON_LIVE_TESTS they are left out.
function(jettison_room name)
  cmake_parse_arguments(ROOM "" "" "DEPS;TEST_DEPS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  if(NOT JETTISON_LIVE_TESTS)
    list(FILTER tests EXCLUDE REGEX "/live_[^/]*_test\\.cc$")
  endif()
  list(FILTER sources EXCLUDE REGEX "(_test|_main|/main)\\.cc$")
  if(sources)
    add_library(jettison_${name} STATIC ${sources})
    target_include_directories(jettison_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(jettison_${name} PUBLIC ${ROOM_DEPS} fmt::fmt tl::expected
                          PRIVATE jettison_warnings)
    if("CLI11::CLI11" IN_LIST ROOM_DEPS)
      jettison_precompile(jettison_${name} jettison_precompiled_commands)
    else()
      jettison_precompile(jettison_${name} jettison_precompiled)
    endif()
    jettison_unite(jettison_${name})
    set_property(GLOBAL APPEND PROPERTY JETTISON_ROOMS jettison_${name})
  else()
    add_library(jettison_${name} INTERFACE)
    target_include_directories(jettison_${name} INTERFACE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(jettison_${name} INTERFACE ${ROOM_DEPS} fmt::fmt tl::expected)
  endif()
  if(JETTISON_TESTS AND tests)
    if(JETTISON_TEST_OBJECTS)
      jettison_compiled_tests(${name}_test)
      set_property(GLOBAL APPEND PROPERTY JETTISON_COMPILED_TESTS_NEED jettison_${name} ${ROOM_TEST_DEPS})
    else()
      jettison_test(${name}_test SOURCES ${tests} DEPS jettison_${name} ${ROOM_TEST_DEPS})
    endif()
  endif()
endfunction()

# A build of the same sources, build/dev for example, whose objects of rooms' tests are linked instead
# of compiling those tests again, and all into one program. Sanitizers look at what is tested, then,
# and not at the tests.
set(JETTISON_TEST_OBJECTS "" CACHE PATH "a build whose objects of tests are used")

# jettison_compiled_tests(NAME): takes what that build has of the test program in this folder.
function(jettison_compiled_tests name)
  file(RELATIVE_PATH folder ${CMAKE_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR})
  file(GLOB_RECURSE objects ${JETTISON_TEST_OBJECTS}/${folder}/CMakeFiles/${name}.dir/*.o)
  list(FILTER objects EXCLUDE REGEX "cmake_pch")
  if(NOT objects)
    message(FATAL_ERROR "JETTISON_TEST_OBJECTS: ${JETTISON_TEST_OBJECTS} has no objects of ${name}; "
                        "build it first, or configure without")
  endif()
  set_property(GLOBAL APPEND PROPERTY JETTISON_COMPILED_TESTS ${objects})
endfunction()

# jettison_rooms_test(): the program rooms_test of all of them, which is run in eight parts.
function(jettison_rooms_test)
  get_property(rooms GLOBAL PROPERTY JETTISON_ROOMS)
  get_property(tests GLOBAL PROPERTY JETTISON_COMPILED_TESTS)
  get_property(needed GLOBAL PROPERTY JETTISON_COMPILED_TESTS_NEED)
  # Rooms come before tests: of an inline function that both have the linker takes the first.
  list(TRANSFORM rooms REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  add_executable(rooms_test ${rooms} ${tests})
  set_target_properties(rooms_test PROPERTIES LINKER_LANGUAGE CXX)
  list(REMOVE_DUPLICATES needed)
  target_link_libraries(rooms_test PRIVATE ${needed} GTest::gtest GTest::gmock GTest::gtest_main)
  foreach(part RANGE 1 8)
    jettison_register_whole(rooms_test ${part} 8)
  endforeach()
endfunction()

# A program takes longer to start than most of its tests take, with sanitizers many times longer.
option(JETTISON_WHOLE_TESTS "run the fast tests of a program in one process" OFF)

# jettison_register_whole(PROGRAM PART OF): the fast ones of a program, or of those the PARTth of so many
# parts, as one test. The results of each stand in a file of their own then, which scripts/tally.py counts.
function(jettison_register_whole program part of)
  set(name ${program})
  if(of GREATER 1)
    set(name ${program}_${part})
  endif()
  math(EXPR index "${part} - 1")
  set(path ${CMAKE_CURRENT_BINARY_DIR}/${program})
  set(results ${CMAKE_BINARY_DIR}/test-results/programs/${name}.xml)
  # Read by ctest: a program that was not built is no test.
  file(WRITE ${path}_whole_${part}.cmake "if(EXISTS \"${path}\")
  add_test(${name} \"${path}\" \"--gtest_filter=-Live*.*\" \"--gtest_output=xml:${results}\")
  set_tests_properties(${name} PROPERTIES LABELS fast TIMEOUT 600
    ENVIRONMENT \"GTEST_TOTAL_SHARDS=${of};GTEST_SHARD_INDEX=${index}\")
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${path}_whole_${part}.cmake)
endfunction()

# jettison_register_suite(PROGRAM SUITE): a suite of live tests, which share what takes long to make, as one test.
function(jettison_register_suite program suite)
  set(path ${CMAKE_CURRENT_BINARY_DIR}/${program})
  set(results ${CMAKE_BINARY_DIR}/test-results/programs/${suite}.xml)
  file(WRITE ${path}_${suite}.cmake "if(EXISTS \"${path}\")
  add_test(${suite} \"${path}\" \"--gtest_filter=${suite}.*\" \"--gtest_output=xml:${results}\")
  set_tests_properties(${suite} PROPERTIES LABELS live)
  list(APPEND ${program}_LIVE_TESTS ${suite})
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${path}_${suite}.cmake)
endfunction()

# jettison_register(NAME SUITE...): the tests of a program, one by one, or the fast ones as a whole. Each of
# these live suites is one test.
function(jettison_register name)
  if(JETTISON_WHOLE_TESTS)
    jettison_register_whole(${name} 1 1)
  else()
    gtest_discover_tests(${name} TEST_FILTER -Live*.* PROPERTIES LABELS fast DISCOVERY_TIMEOUT 60)
  endif()
  if(JETTISON_LIVE_TESTS)
    set(filter Live*.*)
    if(ARGN)
      list(JOIN ARGN ".*:" suites)
      string(APPEND filter -${suites}.*)
    endif()
    gtest_discover_tests(${name} TEST_FILTER ${filter} PROPERTIES LABELS live TIMEOUT 300 DISCOVERY_TIMEOUT 60
                         TEST_LIST ${name}_LIVE_TESTS)
    foreach(suite IN LISTS ARGN)
      jettison_register_suite(${name} ${suite})
    endforeach()
  endif()
endfunction()

# jettison_run_alone(TEST...): live tests beside which no other runs, because they look at the whole machine.
# To be called behind the program's own function. Read by ctest, to which a test that is not there is no error.
function(jettison_run_alone)
  list(JOIN ARGN "\" \"" tests)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/run_alone.cmake
       "set_tests_properties(\"${tests}\" PROPERTIES RUN_SERIAL TRUE)\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/run_alone.cmake)
endfunction()

# jettison_test(NAME SOURCES file... [DEPS target...] [TOGETHER suite...])
#
# What a test itself does is not looked at for undefined behaviour: that takes a quarter of the time
# that compiling it takes.
function(jettison_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPS;TOGETHER" ${ARGN})
  if(NOT JETTISON_LIVE_TESTS)
    list(FILTER TEST_SOURCES EXCLUDE REGEX "(^|/)live_[^/]*_test\\.cc$")
  endif()
  add_executable(${name} ${TEST_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${TEST_DEPS} GTest::gtest GTest::gmock GTest::gtest_main
                        jettison_warnings)
  target_compile_definitions(${name} PRIVATE
    JETTISON_TESTDATA="${CMAKE_SOURCE_DIR}/tests/testdata"
    JETTISON_ROOM_TESTDATA="${CMAKE_CURRENT_SOURCE_DIR}/testdata"
    JETTISON_BINARY="${CMAKE_BINARY_DIR}/jettison")
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*undefined")
    target_compile_options(${name} PRIVATE -fno-sanitize=undefined)
  endif()
  jettison_precompile(${name} jettison_precompiled_tests)
  jettison_unite(${name})
  jettison_register(${name} ${TEST_TOGETHER})
endfunction()

# With JETTISON_PCH the headers that nearly every source includes are compiled once and not hundreds
# of times; clang then needs a third less time for a source. Off by default: a source that forgets an
# include must not build, and ccache gets on without. Of ours there are two, which bring the values that
# most rooms hand on; more of them take as much time as they save.
option(JETTISON_PCH "compile the headers that most sources include only once" OFF)
# A target with other definitions compiles them for itself.
set(CMAKE_PCH_WARN_INVALID OFF)

# jettison_precompiled_for(NAME [LIBRARIES library...] HEADERS header...): a library that holds them for others.
function(jettison_precompiled_for name)
  cmake_parse_arguments(PCH "" "" "LIBRARIES;HEADERS" ${ARGN})
  set(source ${CMAKE_BINARY_DIR}/${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "// precompiled headers need a source\n")
  add_library(${name} STATIC ${source})
  target_link_libraries(${name} PRIVATE fmt::fmt tl::expected jettison_warnings ${PCH_LIBRARIES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  # Whether a header has changed is ninja's and ccache's business: a copy from the cache has other times.
  target_compile_options(${name} PRIVATE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  target_precompile_headers(${name} PRIVATE ${PCH_HEADERS})
endfunction()

if(JETTISON_PCH)
  set(headers <algorithm> <array> <atomic> <bitset> <chrono> <cmath> <condition_variable> <cstdint>
              <deque> <filesystem> <fstream> <functional> <map> <memory> <mutex> <numeric> <optional>
              <ranges> <set> <span> <sstream> <string> <string_view> <thread> <tuple> <utility>
              <variant> <vector>
              <fmt/format.h> <tl/expected.hpp>
              "${CMAKE_SOURCE_DIR}/src/core/pass/pass.h")
  jettison_precompiled_for(jettison_precompiled HEADERS ${headers})
  # Whoever includes the last compiles its validators, so that it is for commands alone.
  jettison_precompiled_for(jettison_precompiled_commands
                           LIBRARIES CLI11::CLI11 HEADERS ${headers} <CLI/CLI.hpp>)
  if(JETTISON_TESTS)
    jettison_precompiled_for(jettison_precompiled_tests
                             LIBRARIES GTest::gtest GTest::gmock nlohmann_json::nlohmann_json
                             HEADERS ${headers} <gmock/gmock.h> <gtest/gtest.h> <nlohmann/json.hpp>)
  endif()
endif()

# jettison_precompile(TARGET FROM): TARGET uses what FROM holds, if anything is precompiled.
function(jettison_precompile target from)
  if(JETTISON_PCH)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()

# With JETTISON_UNITY the sources of a room are compiled as one: what they all include is read and
# instantiated once, which takes half the time of a whole build. Names in anonymous namespaces then
# meet, so two sources of a room must not give one name to two things.
option(JETTISON_UNITY "compile the sources of a room as one" OFF)

# jettison_unite(TARGET)
function(jettison_unite target)
  if(JETTISON_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    # g++ takes every file but the first for a header, in which an anonymous namespace would be a fault.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
  endif()
endfunction()

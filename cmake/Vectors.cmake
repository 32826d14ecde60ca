# The conformance vectors stand in the tree as tests/testdata/vectors/*.ndjson.xz and are unpacked
# into <build>/vectors when a test that reads them is built.
set(JETTISON_VECTORS_DIR ${CMAKE_BINARY_DIR}/vectors)

function(jettison_unpack_vectors)
  find_program(JETTISON_XZ xz REQUIRED)
  file(GLOB packed CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/testdata/vectors/*.ndjson.xz)
  file(MAKE_DIRECTORY ${JETTISON_VECTORS_DIR})
  foreach(from IN LISTS packed)
    cmake_path(GET from STEM LAST_ONLY name)
    set(to ${JETTISON_VECTORS_DIR}/${name})
    add_custom_command(
      OUTPUT ${to}
      COMMAND ${JETTISON_XZ} --decompress --stdout ${from} > ${to}
      DEPENDS ${from}
      COMMENT "Unpacking ${name}"
      VERBATIM)
    list(APPEND unpacked ${to})
  endforeach()
  add_custom_target(jettison_unpacked_vectors DEPENDS ${unpacked})
endfunction()

# jettison_vectors(TARGET)
#
# Gives the sources of TARGET the macro JETTISON_VECTORS, the folder that holds the unpacked
# quantities.ndjson, durations.ndjson, thresholds.ndjson, pods.ndjson, images.ndjson and
# scenarios.ndjson, and sees that they are there before TARGET is built. Where TARGET does not exist,
# because tests are switched off, there is nothing to do.
function(jettison_vectors target)
  if(NOT TARGET ${target})
    return()
  endif()
  target_compile_definitions(${target} PRIVATE JETTISON_VECTORS="${JETTISON_VECTORS_DIR}")
  add_dependencies(${target} jettison_unpacked_vectors)
endfunction()

if(JETTISON_TESTS OR JETTISON_BENCH)
  jettison_unpack_vectors()
endif()

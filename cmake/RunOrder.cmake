# An agent that runs calls an eighth of the program's functions; the rest belongs to other commands and
# to what seldom happens. The functions of cmake/run_order.txt, a name on each line, are put side by side,
# so that few pages of the program are read at the start and kept in memory. A name that no longer exists
# does no harm, and a function that is missing there lies among the others. scripts/run-order.sh writes
# the file anew.
option(JETTISON_TRACE_CALLS "build a program that writes down which functions it calls" OFF)

if(JETTISON_TRACE_CALLS)
  add_compile_options(-finstrument-functions)
endif()

# jettison_put_in_order(TARGET). Only the linker of binutils can do it.
function(jettison_put_in_order target)
  if(JETTISON_TRACE_CALLS)
    set(noter ${CMAKE_SOURCE_DIR}/tests/measure/touched.cc)
    target_sources(${target} PRIVATE ${noter})
    set_source_files_properties(${noter} PROPERTIES COMPILE_OPTIONS -fno-instrument-functions)
    return()
  endif()
  if(NOT CMAKE_BUILD_TYPE STREQUAL Release OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU
     OR CMAKE_EXE_LINKER_FLAGS MATCHES "-fuse-ld")
    return()
  endif()
  set(names_file ${CMAKE_SOURCE_DIR}/cmake/run_order.txt)
  set(script ${CMAKE_BINARY_DIR}/run_order.ld)
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${names_file})
  file(STRINGS ${names_file} names)
  # The compiler gives a variant of a function its name with more behind it.
  list(TRANSFORM names REPLACE "(.+)" "    *(.text.\\1 .text.\\1.* .text.startup.\\1)")
  list(JOIN names "\n" sections)
  file(CONFIGURE OUTPUT ${script} @ONLY
       CONTENT "SECTIONS\n{\n  .text.run :\n  {\n@sections@\n  }\n}\nINSERT BEFORE .text;\n")
  target_link_options(${target} PRIVATE -ffunction-sections "LINKER:-T,${script}")
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${script})
endfunction()

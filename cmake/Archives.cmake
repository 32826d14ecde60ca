# A shared library costs each start of the program 0.1 ms and more, and each agent some 0.2 MiB, most of it for what nobody calls. So those
# of which Debian has an archive are linked from it, and what the program does not call is left out.
#
# jettison_archive(VARIABLE SHARED ARCHIVE): sets VARIABLE to a target for the archive, with what its users need of the target SHARED.
# Builds with a sanitizer get SHARED itself: ThreadSanitizer can tell shared libraries from instrumented code.
function(jettison_archive variable shared archive)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    set(${variable} ${shared} PARENT_SCOPE)
    return()
  endif()
  find_library(JETTISON_LIB_${archive} NAMES ${archive} REQUIRED)
  add_library(${variable} STATIC IMPORTED GLOBAL)
  set_target_properties(${variable} PROPERTIES
    IMPORTED_LOCATION ${JETTISON_LIB_${archive}}
    INTERFACE_INCLUDE_DIRECTORIES "$<TARGET_PROPERTY:${shared},INTERFACE_INCLUDE_DIRECTORIES>")
  set(${variable} ${variable} PARENT_SCOPE)
endfunction()

jettison_archive(JETTISON_YAML yaml-cpp libyaml-cpp.a)
jettison_archive(JETTISON_ZSTD PkgConfig::zstd libzstd.a)
jettison_archive(JETTISON_ZLIB ZLIB::ZLIB libz.a)
jettison_archive(JETTISON_PROTOBUF PkgConfig::protobuf libprotobuf.a)

# libjettison: the core, and the readers of documents and of Kubernetes' objects, for other programs. It is installed as
# the component `library`, with its headers and the CMake package `jettison` (examples/README.md).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

add_library(libjettison STATIC)
set_target_properties(libjettison PROPERTIES OUTPUT_NAME jettison EXPORT_NAME jettison LINKER_LANGUAGE CXX)
target_link_libraries(libjettison PUBLIC fmt::fmt tl::expected simdjson::simdjson yaml-cpp)
target_compile_features(libjettison PUBLIC cxx_std_20)
target_include_directories(libjettison INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>
                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/jettison>)

get_property(rooms GLOBAL PROPERTY JETTISON_ROOMS)
foreach(room IN LISTS rooms)
  get_target_property(folder ${room} SOURCE_DIR)
  if(folder MATCHES "/src/(core|codec/documents|codec/kubernetes)(/|$)")
    target_sources(libjettison PRIVATE $<TARGET_OBJECTS:${room}>)
    # Whoever links the library may have another compiler, which cannot optimise what this one left for later.
    if(CMAKE_INTERPROCEDURAL_OPTIMIZATION AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${room} PRIVATE -ffat-lto-objects)
    endif()
  endif()
endforeach()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/jettison)
install(TARGETS libjettison EXPORT jettison COMPONENT library)
install(EXPORT jettison FILE jettison-targets.cmake NAMESPACE jettison:: DESTINATION ${package} COMPONENT library)
write_basic_package_version_file(jettison-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/jettison-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/jettison-config-version.cmake
        DESTINATION ${package} COMPONENT library)
foreach(folder core codec/documents codec/kubernetes)
  install(DIRECTORY src/${folder}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/jettison/${folder} COMPONENT library
          FILES_MATCHING PATTERN *.h PATTERN test_* EXCLUDE)
endforeach()

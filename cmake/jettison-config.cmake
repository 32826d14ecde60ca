# find_package(jettison): the target jettison::jettison.
include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(tl-expected)
find_dependency(simdjson)
find_dependency(yaml-cpp)
include(${CMAKE_CURRENT_LIST_DIR}/jettison-targets.cmake)

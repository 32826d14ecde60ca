#pragma once

#include <string>

#include "core/units/result.h"

namespace jettison {

// The images of a demo on a container runtime, made on the spot: no registry is asked.
inline constexpr const char* kDemoHostImage = "jettison.demo/host:1";    // the host's programs
inline constexpr const char* kDemoPauseImage = "jettison.demo/pause:1";  // what holds a sandbox

// Makes an archive with an image that holds no file: only the links to /usr that a program of the
// host needs once /usr is mounted.
[[nodiscard]] Result<void> MakeHostImage(const std::string& folder, const std::string& archive);

// Makes an archive with an image of one statically linked program that is started with one
// argument.
[[nodiscard]] Result<void> MakePauseImage(const std::string& folder, const std::string& archive,
                                          const std::string& program, const std::string& argument);

}  // namespace jettison

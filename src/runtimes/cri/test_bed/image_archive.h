#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/units/result.h"

namespace jettison::cri {

// An image of the test program (see test_program_main.cc), at /test-program in it. Two that differ
// in any of this have different IDs.
struct TestImage {
  std::string reference;                        // with tag: "bed.local/app:1"
  std::vector<std::string> arguments{"pause"};  // when a container names none
  std::size_t padding_bytes = 0;                // of a file in the image that nobody reads
};

// An archive of images as `docker save` writes it; `program` is the path of the test program.
[[nodiscard]] Result<std::string> ImageArchive(const std::vector<TestImage>& images,
                                               const std::string& program);

}  // namespace jettison::cri

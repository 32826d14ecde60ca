#pragma once

#include <cstddef>
#include <string>

namespace jettison::process {

// Keeps the file of a program in memory, as it is now. To start a program the kernel reads its
// first page, and whoever starts it (posix_spawn) waits for that; without this the page may have to
// come from a disk that others saturate. A file that is put in its place later is another file.
class ResidentProgram {
 public:
  // Reads the file, at most 4 MiB of it. Where it cannot be mapped nothing is kept: it may be
  // missing, and the program starts as soon as it is there.
  explicit ResidentProgram(const std::string& path);
  ResidentProgram(const ResidentProgram&) = delete;
  ResidentProgram& operator=(const ResidentProgram&) = delete;
  ~ResidentProgram();

 private:
  void* pages_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace jettison::process

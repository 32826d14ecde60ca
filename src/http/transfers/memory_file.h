#pragma once

#include <string>
#include <string_view>

#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison::http {

// A text that a library wants to read from a file, in memory and nowhere else: a key that came
// without a file is not put on a disk. It is there for this process, for as long as this is.
class MemoryFile {
 public:
  // kUnavailable: there is no descriptor or no memory for it.
  [[nodiscard]] static Result<MemoryFile> Make(std::string_view text);

  // "/proc/self/fd/7": who opens it reads from its beginning.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit MemoryFile(FileDescriptor file);

  FileDescriptor file_;
  std::string path_;
};

}  // namespace jettison::http

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison {

// A file that is there once it is complete, and not before: it is written beside its place, as
// PATH.jettison-XXXXXX. What others of its kind have left there, because they were killed, is
// removed; what somebody is writing is not.
class WholeFile {
 public:
  explicit WholeFile(std::string path);
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  ~WholeFile();

  // False: it cannot be written, and `fault` says why.
  [[nodiscard]] bool Add(std::string_view bytes);
  // Makes it outlive the machine, and takes the place of what was there.
  [[nodiscard]] Result<void> PutInPlace();
  [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  std::string path_;
  std::string draft_;
  FileDescriptor file_;  // none: it is in place
  std::optional<Error> fault_;
  std::uint64_t size_ = 0;
};

// A file that is there with this text, or is as it was.
[[nodiscard]] Result<void> WriteWholeFile(const std::string& path, std::string_view text);

}  // namespace jettison

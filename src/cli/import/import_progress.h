#pragma once

#include <unistd.h>

#include <cstdint>
#include <string_view>

namespace jettison {

// How far an import is: a line on standard error that is drawn anew, where that is a terminal.
class ImportProgress {
 public:
  ImportProgress() = default;
  ImportProgress(const ImportProgress&) = delete;
  ImportProgress& operator=(const ImportProgress&) = delete;
  ~ImportProgress();

  // It is drawn where the share in percent is another one than before.
  void Draw(std::string_view what, std::uint64_t done, std::uint64_t all);

 private:
  bool shown_ = ::isatty(STDERR_FILENO) == 1;
  std::uint64_t percent_ = 101;
};

}  // namespace jettison

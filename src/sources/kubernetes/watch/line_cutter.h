#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace jettison::kube {

// Cuts the bytes of a stream into lines, however they come.
class LineCutter {
 public:
  explicit LineCutter(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // Visits each line that is whole now, without its newline; empty ones are passed over. False, and
  // nothing more is held, where a line has more than `most_bytes`.
  [[nodiscard]] bool Push(std::string_view bytes,
                          const std::function<void(std::string_view)>& visit);
  // Whether a line has begun that has not ended.
  [[nodiscard]] bool has_half_line() const { return !rest_.empty(); }
  void Clear() { rest_.clear(); }

 private:
  std::size_t most_bytes_;
  std::string rest_;
};

}  // namespace jettison::kube

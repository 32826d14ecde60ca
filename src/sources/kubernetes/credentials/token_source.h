#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "sources/kubernetes/credentials/api_access.h"

namespace jettison::kube {

// The token in a file: one line. kInvalidArgument where there is none in it.
[[nodiscard]] Result<std::string> ReadToken(const std::string& path);

// A text without the blanks around it.
[[nodiscard]] std::string TrimmedLine(std::string_view text);

// The token that a request is to have. One in a file is read again every minute, for the kubelet
// puts a new one there before the old one expires, and after it was refused.
class TokenSource {
 public:
  explicit TokenSource(const ApiAccess& access);

  // Empty where there is none. While the file cannot be read, the last token that was.
  [[nodiscard]] const std::string& Current(Instant now);
  // The server did not know it: the next one is read from the file.
  void Refused() { read_at_.reset(); }
  // Why the file could not be read the last time.
  [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }

 private:
  std::string token_;
  std::string file_;
  std::optional<Instant> read_at_;
  std::optional<Error> fault_;
};

}  // namespace jettison::kube

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/late_reading.h"
#include "sources/kubernetes/credentials/api_access.h"

namespace jettison::kube {

// The token in a file: one line. kInvalidArgument where there is none in it.
[[nodiscard]] Result<std::string> ReadToken(const std::string& path);

// A text without the blanks around it.
[[nodiscard]] std::string TrimmedLine(std::string_view text);

// Supplies the token for requests. A token in a file is read again every minute, because the
// kubelet replaces it before it expires, and after the server refused it.
class TokenSource {
 public:
  // The file is read `elsewhere`; null: in Current and Refused.
  explicit TokenSource(const ApiAccess& access, Elsewhere elsewhere = {});

  // Empty where no token is configured. While the file cannot be read, or is being read, the last
  // token that could be.
  [[nodiscard]] const std::string& Current(Instant now);
  // The server refused the token, so the file is read.
  void Refused(Instant now);
  // Why the file could not be read the last time.
  [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }

 private:
  void Read(Instant now);
  void TakeRead();

  std::string token_;
  std::string file_;
  std::optional<Instant> read_at_;
  LateReading<Result<std::string>> reading_;
  std::optional<Error> fault_;
};

}  // namespace jettison::kube

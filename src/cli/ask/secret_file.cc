#include "cli/ask/secret_file.h"

#include <fmt/format.h>

#include "kernel/files/files.h"

namespace jettison {

namespace {

constexpr std::size_t kLongestSecret = std::size_t{64} << 10;

}  // namespace

Result<std::string> SecretIn(const std::string& path, std::string_view what) {
  auto text = kernel::ReadInput(path, kLongestSecret);
  if (!text) return Fail(text.error().In(fmt::format("{} {}", what, path)));
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text->find_first_not_of(kBlanks);
  if (begin == std::string::npos) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{} {} is empty", what, path));
  }
  return text->substr(begin, text->find_last_not_of(kBlanks) + 1 - begin);
}

}  // namespace jettison

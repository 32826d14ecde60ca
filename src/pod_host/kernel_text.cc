#include "pod_host/kernel_text.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <string>
#include <system_error>

namespace jettison::pod_host {
namespace {

constexpr std::size_t kQuoted = 40;

std::string_view WithoutNewline(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

// A number and nothing else.
std::optional<std::uint64_t> Number(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

tl::unexpected<Error> FailText(std::string_view what, std::string_view text) {
  return Fail(ErrorCode::kInternal,
              fmt::format("expected {}, found {:?}", what, std::string(text.substr(0, kQuoted))));
}

Result<std::uint64_t> ParseCounter(std::string_view text) {
  const auto value = Number(WithoutNewline(text));
  if (!value) return FailText("a number", text);
  return *value;
}

std::optional<std::string_view> FindRow(std::string_view text, std::string_view key) {
  std::size_t at = 0;
  while ((at = text.find(key, at)) != std::string_view::npos) {
    const std::size_t after = at + key.size();
    const bool starts_row = at == 0 || text[at - 1] == '\n';
    if (starts_row && after < text.size() && text[after] == ' ') {
      const std::string_view rest = text.substr(after + 1);
      return rest.substr(0, rest.find('\n'));
    }
    at = after;
  }
  return std::nullopt;
}

Result<std::uint64_t> RowNumber(std::string_view text, std::string_view key) {
  const auto row = FindRow(text, key);
  if (!row) return Fail(ErrorCode::kInternal, fmt::format("no row {}", key));
  const auto value = Number(*row);
  if (!value) return FailText(fmt::format("a number in row {}", key), *row);
  return *value;
}

std::optional<std::uint64_t> RowNumberIfAny(std::string_view text, std::string_view key) {
  if (!FindRow(text, key)) return std::nullopt;
  const auto number = RowNumber(text, key);
  return number ? std::optional(*number) : std::nullopt;
}

Result<std::vector<pid_t>> ParseProcs(std::string_view text) {
  std::vector<pid_t> pids;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const auto pid = Number(line);
    if (!pid || *pid > static_cast<std::uint64_t>(std::numeric_limits<pid_t>::max())) {
      return FailText("a process id", line);
    }
    if (*pid != 0) pids.push_back(static_cast<pid_t>(*pid));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return pids;
}

}  // namespace jettison::pod_host

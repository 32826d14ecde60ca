#include "kernel/groups/kernel_text.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <string>
#include <system_error>

namespace jettison::kernel {
namespace {

constexpr std::size_t kQuoted = 40;

// The space is compared first, because it rules out nearly every other row.
bool IsRow(std::string_view line, std::string_view key) {
  return line.size() > key.size() && line[key.size()] == ' ' && line.starts_with(key);
}

}  // namespace

tl::unexpected<Error> FailText(std::string_view what, std::string_view text) {
  return Fail(ErrorCode::kInternal,
              fmt::format("expected {}, found {:?}", what, std::string(text.substr(0, kQuoted))));
}

Result<std::uint64_t> ParseCounter(std::string_view text) {
  const auto value = ParseNumber<std::uint64_t>(WithoutNewline(text));
  if (!value) return FailText("a number", text);
  return *value;
}

Result<std::optional<std::uint64_t>> ParseMax(std::string_view text) {
  if (text == "max\n" || text == "max") return std::optional<std::uint64_t>();
  return ParseCounter(text).map([](std::uint64_t limit) { return std::optional(limit); });
}

Result<std::uint64_t> Row::Number() const {
  if (!rest) return Fail(ErrorCode::kInternal, fmt::format("no row {}", key));
  const auto value = ParseNumber<std::uint64_t>(*rest);
  if (!value) return FailText(fmt::format("a number in row {}", key), *rest);
  return *value;
}

std::optional<std::uint64_t> Row::NumberIfAny() const {
  return rest ? ParseNumber<std::uint64_t>(*rest) : std::nullopt;
}

void FindRows(std::string_view text, std::span<Row> rows) {
  std::size_t missing = rows.size();
  while (!text.empty() && missing > 0) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    for (Row& row : rows) {
      if (row.rest || !IsRow(line, row.key)) continue;
      row.rest = line.substr(row.key.size() + 1);
      --missing;
      break;
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

std::optional<std::string_view> FindRow(std::string_view text, std::string_view key) {
  Row row{.key = key};
  FindRows(text, {&row, 1});
  return row.rest;
}

Result<std::uint64_t> RowNumber(std::string_view text, std::string_view key) {
  Row row{.key = key};
  FindRows(text, {&row, 1});
  return row.Number();
}

Result<std::vector<pid_t>> ParseProcs(std::string_view text) {
  std::vector<pid_t> pids;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const auto pid = ParseNumber<std::uint64_t>(line);
    if (!pid || *pid > static_cast<std::uint64_t>(std::numeric_limits<pid_t>::max())) {
      return FailText("a process id", line);
    }
    if (*pid != 0) pids.push_back(static_cast<pid_t>(*pid));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return pids;
}

}  // namespace jettison::kernel

#include "platform/cgroup_v1/kernel_files.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <string>
#include <system_error>

namespace jettison::cgroup_v1 {
namespace {

constexpr std::uint64_t kUnlimitedFrom = std::uint64_t{1} << 62;
constexpr std::size_t kQuoted = 40;

tl::unexpected<Error> FailText(std::string_view what, std::string_view text) {
  return Fail(ErrorCode::kInternal,
              fmt::format("expected {}, found {:?}", what, std::string(text.substr(0, kQuoted))));
}

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

// The rest of the row that begins with `key` and a space; absent where there is no such row.
std::optional<std::string_view> Row(std::string_view text, std::string_view key) {
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
  const auto row = Row(text, key);
  if (!row) return Fail(ErrorCode::kInternal, fmt::format("no row {}", key));
  const auto value = Number(*row);
  if (!value) return FailText(fmt::format("a number in row {}", key), *row);
  return *value;
}

std::optional<std::uint64_t> AbsentIfUnlimited(std::uint64_t limit) {
  if (limit >= kUnlimitedFrom) return std::nullopt;
  return limit;
}

}  // namespace

Result<std::uint64_t> ParseCounter(std::string_view text) {
  const auto value = Number(WithoutNewline(text));
  if (!value) return FailText("a number", text);
  return *value;
}

Result<std::optional<std::uint64_t>> ParseLimit(std::string_view text) {
  const auto value = ParseCounter(text);
  if (!value) return Fail(value.error());
  return AbsentIfUnlimited(*value);
}

Result<MemoryStat> ParseMemoryStat(std::string_view text) {
  const auto inactive = RowNumber(text, "total_inactive_file");
  if (!inactive) return Fail(inactive.error());
  const auto limit = RowNumber(text, "hierarchical_memory_limit");
  if (!limit) return Fail(limit.error());
  return MemoryStat{.total_inactive_file = *inactive,
                    .hierarchical_memory_limit = AbsentIfUnlimited(*limit)};
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

Result<std::uint64_t> ParseOomKills(std::string_view text) {
  if (!Row(text, "oom_kill")) {
    return Fail(ErrorCode::kUnavailable, "this kernel does not count OOM kills (before 4.13)");
  }
  return RowNumber(text, "oom_kill");
}

}  // namespace jettison::cgroup_v1

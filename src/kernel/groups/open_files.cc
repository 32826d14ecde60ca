#include "kernel/groups/open_files.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
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

// A group has at most three files for memory, one of which is kept by itself too, and one for its
// tasks.
std::size_t GroupsToKeep() {
  constexpr std::size_t kMost = 4096;
  constexpr rlim_t kShare = 10;
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return std::min(kMost, static_cast<std::size_t>(limit.rlim_cur / kShare));
}

Result<OpenFiles::Files> OpenFiles::Open(std::string_view group) const {
  if (auto ok = CheckPath(group); !ok) return Fail(ok.error());
  const auto directory = OpenGroup(root_, group);
  if (!directory) return Fail(directory.error());
  Files files;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    auto file = OpenFile(directory->get(), names_[i]);
    if (!file && file.error().code == ErrorCode::kNotFound && OpenGroup(root_, group)) {
      if (i >= needed_) continue;
      return Fail(ErrorCode::kUnavailable, fmt::format("it has no {}", names_[i]));
    }
    if (!file) return Fail(file.error());
    files[i] = std::move(*file);
  }
  return files;
}

Result<std::uint64_t> OpenFiles::ReadCounter(std::string_view group) {
  auto counter = Read<std::uint64_t>(group, [](std::span<const FileDescriptor> files) {
    return ParseKept<32>(files.front(), "text", ParseCounter);
  });
  if (!counter) return Fail(counter.error().In(names_.front()));
  return counter;
}

void OpenFiles::Forget(std::string_view group) {
  const std::lock_guard lock(mutex_);
  std::erase_if(files_, [&](const auto& entry) {
    const std::string_view path = entry.first;
    return group.empty() || path == group || (path.starts_with(group) && path[group.size()] == '/');
  });
}

}  // namespace jettison::kernel

#include "kernel/procfs/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "kernel/groups/open_files.h"

namespace jettison::procfs {
namespace {

using kernel::FailText;
using kernel::Row;
using kernel::WithoutNewline;

constexpr std::uint64_t kKibi = 1024;

// The row's value in bytes; absent without the row.
Result<std::optional<std::uint64_t>> Kibibytes(const Row& row) {
  constexpr std::string_view kUnit = " kB";
  if (!row.rest) return std::nullopt;
  std::string_view value = *row.rest;
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  const bool has_unit = value.ends_with(kUnit);
  if (has_unit) value.remove_suffix(kUnit.size());
  const auto number = has_unit ? ParseNumber<std::uint64_t>(value) : std::nullopt;
  std::uint64_t bytes = 0;
  if (!number || __builtin_mul_overflow(*number, kKibi, &bytes)) {
    return FailText(fmt::format("a number of kB in row {}", row.key), value);
  }
  return bytes;
}

}  // namespace

Result<MachineMemory> ParseMemInfo(std::string_view text) {
  // In the kernel's order.
  std::array<Row, 6> rows = {Row{"MemTotal:"}, {"MemFree:"},  {"MemAvailable:"},
                             {"SwapTotal:"},   {"SwapFree:"}, {"Hugetlb:"}};
  kernel::FindRows(text, rows);
  std::array<std::optional<std::uint64_t>, rows.size()> amounts;
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    const auto amount = Kibibytes(rows[i]);
    if (!amount) return Fail(amount.error());
    amounts[i] = *amount;
  }
  if (amounts[0].value_or(0) == 0) {
    return Fail(ErrorCode::kInternal, amounts[0] ? "MemTotal is 0" : "no row MemTotal");
  }
  return MachineMemory{.total = *amounts[0],
                       .huge_pages = amounts[5].value_or(0),
                       .free = amounts[1],
                       .available = amounts[2],
                       .swap_total = amounts[3],
                       .swap_free = amounts[4]};
}

// A kernel has no memory available where it has little free. It always has some free.
Result<std::uint64_t> MachineMemory::Available() const {
  if (!available) return Fail(ErrorCode::kUnavailable, "no row MemAvailable");
  const bool is_none = *available == 0 && (free.value_or(0) == 0 || *free > total / 4);
  if (!is_none && *available <= total) return *available;
  return Fail(ErrorCode::kInternal,
              fmt::format("MemAvailable cannot be {} bytes where MemTotal is {} and MemFree {}",
                          *available, total, free.value_or(0)));
}

std::uint64_t ParseListedPages(std::string_view lines) {
  std::uint64_t pages = 0;
  while (!lines.empty()) {
    const auto end = lines.find('\n');
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (!line.starts_with("count:")) continue;
    line.remove_prefix(std::min(line.find_first_not_of(' ', 6), line.size()));
    pages += ParseNumber<std::uint32_t>(line).value_or(0);
  }
  return pages;
}

Result<std::int64_t> ParseTaskCount(std::string_view text) {
  constexpr int kFieldsBefore = 3;
  std::string_view rest = WithoutNewline(text);
  for (int field = 0; field < kFieldsBefore; ++field) {
    const auto space = rest.find(' ');
    if (space == std::string_view::npos) return FailText("five fields", text);
    rest.remove_prefix(space + 1);
  }
  const std::string_view field = rest.substr(0, rest.find(' '));
  const auto slash = field.find('/');
  if (slash == std::string_view::npos) return FailText("running/tasks as fourth field", text);
  const auto tasks = ParseNumber<std::int64_t>(field.substr(slash + 1));
  if (!tasks || *tasks < 0) return FailText("a number of tasks as fourth field", text);
  return *tasks;
}

Result<std::int64_t> ParsePidLimit(std::string_view text) {
  const auto limit = ParseNumber<std::int64_t>(WithoutNewline(text));
  if (!limit || *limit <= 0) return FailText("a positive number", text);
  return *limit;
}

Result<PageCounts> ParseStatm(std::string_view text) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 52;  // pages of 4 KiB in 64 bits of address
  const auto first = text.find(' ');
  if (first == std::string_view::npos) return FailText("numbers of pages", text);
  const std::string_view rest = text.substr(first + 1);
  const auto all = ParseNumber<std::uint64_t>(text.substr(0, first));
  const auto resident = ParseNumber<std::uint64_t>(rest.substr(0, rest.find(' ')));
  if (!all || !resident || *all > kMost || *resident > kMost) {
    return FailText("numbers of pages", text);
  }
  return PageCounts{.all = *all, .resident = *resident};
}

}  // namespace jettison::procfs

#include "kernel/procfs/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>
#include <system_error>

namespace jettison::procfs {
namespace {

constexpr std::size_t kQuoted = 40;

tl::unexpected<Error> FailText(std::string_view what, std::string_view text) {
  return Fail(ErrorCode::kInternal,
              fmt::format("expected {}, found {:?}", what, std::string(text.substr(0, kQuoted))));
}

std::string_view WithoutNewline(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

template <typename T>
std::optional<T> Number(std::string_view text) {
  T value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// A row "KEY:   VALUE" that is looked for.
struct Row {
  std::string_view key;
  std::optional<std::string_view> value = std::nullopt;  // absent: there is no such row
};

bool TakeIfOf(std::string_view line, Row& row) {
  if (row.value || line.size() <= row.key.size() || line[row.key.size()] != ':') return false;
  if (!line.starts_with(row.key)) return false;
  line.remove_prefix(row.key.size() + 1);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  row.value = line;
  return true;
}

// Finds all rows in one pass, which ends when there is nothing more to find.
void FindRows(std::string_view text, std::span<Row> rows) {
  std::size_t missing = rows.size();
  while (!text.empty() && missing > 0) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (std::ranges::any_of(rows, [&](Row& row) { return TakeIfOf(line, row); })) --missing;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

// The row's value, which ends in `unit` and is then multiplied by `factor`; absent without the row.
Result<std::optional<std::uint64_t>> Amount(const Row& row, std::string_view unit,
                                            std::uint64_t factor) {
  if (!row.value) return std::nullopt;
  std::string_view value = *row.value;
  const bool has_unit = value.ends_with(unit);
  if (has_unit) value.remove_suffix(unit.size());
  const auto number = has_unit ? Number<std::uint64_t>(value) : std::nullopt;
  std::uint64_t product = 0;
  if (!number || __builtin_mul_overflow(*number, factor, &product)) {
    return FailText(fmt::format("a number{} in row {}", unit, row.key), value);
  }
  return product;
}

constexpr std::uint64_t kKibi = 1024;

Result<std::optional<std::uint64_t>> Kibibytes(const Row& row) {
  return Amount(row, " kB", kKibi);
}

Result<std::uint64_t> HugePages(const Row& total, const Row& page_size, const Row& all_sizes) {
  const auto all = Kibibytes(all_sizes);
  if (!all) return Fail(all.error());
  if (*all) return **all;
  const auto size = Kibibytes(page_size);
  if (!size) return Fail(size.error());
  if (!*size) return 0;
  const auto pages = Amount(total, "", **size);
  if (!pages) return Fail(pages.error());
  return pages->value_or(0);
}

}  // namespace

Result<MachineMemory> ParseMemInfo(std::string_view text) {
  // In the kernel's order.
  std::array<Row, 6> rows = {Row{"MemTotal"},     {"SwapTotal"},    {"SwapFree"},
                             {"HugePages_Total"}, {"Hugepagesize"}, {"Hugetlb"}};
  FindRows(text, rows);
  const auto total = Kibibytes(rows[0]);
  if (!total) return Fail(total.error());
  if (!*total) return Fail(ErrorCode::kInternal, "no row MemTotal");
  const auto swap_total = Kibibytes(rows[1]);
  if (!swap_total) return Fail(swap_total.error());
  const auto swap_free = Kibibytes(rows[2]);
  if (!swap_free) return Fail(swap_free.error());
  const auto huge = HugePages(rows[3], rows[4], rows[5]);
  if (!huge) return Fail(huge.error());
  return MachineMemory{
      .total = **total, .huge_pages = *huge, .swap_total = *swap_total, .swap_free = *swap_free};
}

Result<std::uint64_t> ParseMinFree(std::string_view text) {
  const auto kibibytes = Number<std::uint64_t>(WithoutNewline(text));
  std::uint64_t bytes = 0;
  if (!kibibytes || __builtin_mul_overflow(*kibibytes, kKibi, &bytes)) {
    return FailText("a number of kibibytes", text);
  }
  return bytes;
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
  const auto tasks = Number<std::int64_t>(field.substr(slash + 1));
  if (!tasks || *tasks < 0) return FailText("a number of tasks as fourth field", text);
  return *tasks;
}

Result<std::int64_t> ParsePidLimit(std::string_view text) {
  const auto limit = Number<std::int64_t>(WithoutNewline(text));
  if (!limit || *limit <= 0) return FailText("a positive number", text);
  return *limit;
}

Result<PageCounts> ParseStatm(std::string_view text) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 52;  // pages of 4 KiB in 64 bits of address
  const auto first = text.find(' ');
  if (first == std::string_view::npos) return FailText("numbers of pages", text);
  const std::string_view rest = text.substr(first + 1);
  const auto all = Number<std::uint64_t>(text.substr(0, first));
  const auto resident = Number<std::uint64_t>(rest.substr(0, rest.find(' ')));
  if (!all || !resident || *all > kMost || *resident > kMost) {
    return FailText("numbers of pages", text);
  }
  return PageCounts{.all = *all, .resident = *resident};
}

}  // namespace jettison::procfs

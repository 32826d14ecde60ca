#include "platform/procfs/parse.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
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

// The value of the row "KEY:   VALUE"; absent where there is no such row.
std::optional<std::string_view> Row(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.starts_with(key) && line.substr(key.size()).starts_with(':')) {
      line.remove_prefix(key.size() + 1);
      const auto value = line.find_first_not_of(' ');
      return value == std::string_view::npos ? std::string_view() : line.substr(value);
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return std::nullopt;
}

// The row's value, which ends in `unit` and is then multiplied by `factor`; absent without the row.
Result<std::optional<std::uint64_t>> Amount(std::string_view text, std::string_view key,
                                            std::string_view unit, std::uint64_t factor) {
  auto row = Row(text, key);
  if (!row) return std::nullopt;
  const bool has_unit = row->ends_with(unit);
  if (has_unit) row->remove_suffix(unit.size());
  const auto number = has_unit ? Number<std::uint64_t>(*row) : std::nullopt;
  std::uint64_t product = 0;
  if (!number || __builtin_mul_overflow(*number, factor, &product)) {
    return FailText(fmt::format("a number{} in row {}", unit, key), *row);
  }
  return product;
}

Result<std::optional<std::uint64_t>> Kibibytes(std::string_view text, std::string_view key) {
  constexpr std::uint64_t kKibi = 1024;
  return Amount(text, key, " kB", kKibi);
}

Result<std::uint64_t> HugePages(std::string_view text) {
  const auto all = Kibibytes(text, "Hugetlb");
  if (!all) return Fail(all.error());
  if (*all) return **all;
  const auto size = Kibibytes(text, "Hugepagesize");
  if (!size) return Fail(size.error());
  if (!*size) return 0;
  const auto pages = Amount(text, "HugePages_Total", "", **size);
  if (!pages) return Fail(pages.error());
  return pages->value_or(0);
}

}  // namespace

Result<MachineMemory> ParseMemInfo(std::string_view text) {
  const auto total = Kibibytes(text, "MemTotal");
  if (!total) return Fail(total.error());
  if (!*total) return Fail(ErrorCode::kInternal, "no row MemTotal");
  const auto huge = HugePages(text);
  if (!huge) return Fail(huge.error());
  return MachineMemory{.total = **total, .huge_pages = *huge};
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

}  // namespace jettison::procfs

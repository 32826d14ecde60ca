#include "agent/tell/past_evictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "kernel/files/files.h"

namespace jettison {
namespace {

constexpr std::string_view kSuffix = ".json";
// Longer than any file that is written here: an explanation has at most `order_limit` pods.
constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{4} << 20;

std::uint64_t NumberOf(std::string_view file) {
  if (!file.ends_with(kSuffix)) return 0;
  return EvictionNumber(file.substr(0, file.size() - kSuffix.size()));
}

Result<KeptEviction> ReadKept(const std::string& path, std::uint64_t number) {
  std::error_code unknown;
  const auto status = std::filesystem::symlink_status(path, unknown);
  if (!std::filesystem::is_regular_file(status)) {
    return Fail(ErrorCode::kInvalidArgument, "it is not a regular file");
  }
  if (std::filesystem::file_size(path, unknown) > kMaxFileBytes) {
    return Fail(ErrorCode::kInvalidArgument, "it is larger than any file that the agent writes");
  }
  auto text = kernel::ReadFile(path);
  if (!text) return Fail(text.error());
  auto kept = ParseKeptEviction(*std::move(text));
  if (kept && kept->number != number) {
    return Fail(ErrorCode::kInvalidArgument, "it holds another eviction, " + kept->id);
  }
  return kept;
}

Result<void> ReadCounter(const NumberFile& counter, PastEvictions& past) {
  const auto number = counter.Read();
  if (number) {
    past.last_number = number->value_or(0);
    return {};
  }
  if (!kernel::Exists(counter.path())) return {};
  if (number.error().code != ErrorCode::kInvalidArgument) return Fail(number.error());
  const std::string aside = counter.path() + ".damaged";
  (void)std::rename(counter.path().c_str(), aside.c_str());
  past.damages.push_back(
      {"the number of the last eviction is damaged; the agent takes it from the files of past "
       "evictions",
       "it is in " + aside + " now"});
  return {};
}

Result<std::vector<std::uint64_t>> NumbersIn(const std::string& folder) {
  std::vector<std::uint64_t> numbers;
  const auto names = kernel::NamesIn(folder);
  if (!names && !kernel::Exists(folder)) return numbers;
  if (!names) return Fail(names.error());
  for (const std::string& name : *names) {
    if (const std::uint64_t number = NumberOf(name); number > 0) numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace

std::string EvictionPath(const std::string& folder, std::uint64_t number) {
  return fmt::format("{}/{}{}", folder, EvictionId(number), kSuffix);
}

Result<PastEvictions> ReadPastEvictions(const std::string& folder, const NumberFile& counter,
                                        std::size_t max_evictions) {
  PastEvictions past;
  const auto numbers = NumbersIn(folder);
  if (!numbers) return Fail(numbers.error());
  if (auto counted = ReadCounter(counter, past); !counted) return Fail(counted.error());
  if (numbers->empty()) return past;
  past.last_number = std::max(past.last_number, numbers->back());
  const std::size_t old = numbers->size() - std::min(numbers->size(), max_evictions);
  const auto first_kept = numbers->begin() + static_cast<std::ptrdiff_t>(old);
  past.fallen_out.assign(numbers->begin(), first_kept);
  for (auto number = first_kept; number != numbers->end(); ++number) {
    const std::string path = EvictionPath(folder, *number);
    auto kept = ReadKept(path, *number);
    if (kept) {
      past.kept.push_back(std::make_shared<const KeptEviction>(*std::move(kept)));
    } else {
      past.damages.push_back(
          {"the file of a past eviction is damaged and is ignored", kept.error().In(path).message});
    }
  }
  return past;
}

}  // namespace jettison

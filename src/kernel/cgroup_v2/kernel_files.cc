#include "kernel/cgroup_v2/kernel_files.h"

#include <fmt/format.h>

#include <array>

#include "kernel/groups/kernel_text.h"

namespace jettison::cgroup_v2 {
namespace {

using kernel::RowNumber;

Result<bool> RowFlag(std::string_view text, std::string_view key) {
  const auto value = RowNumber(text, key);
  if (!value) return Fail(value.error());
  if (*value > 1) return kernel::FailText(fmt::format("0 or 1 in row {}", key), text);
  return *value == 1;
}

}  // namespace

Result<std::optional<std::uint64_t>> ParseLimit(std::string_view text) {
  if (text == "max\n" || text == "max") return std::nullopt;
  const auto value = kernel::ParseCounter(text);
  if (!value) return Fail(value.error());
  return *value;
}

Result<MemoryStat> ParseMemoryStat(std::string_view text) {
  // In the kernel's order.
  std::array<kernel::Row, 6> rows = {kernel::Row{"anon"}, {"file"},          {"kernel"},
                                     {"shmem"},           {"inactive_file"}, {"active_file"}};
  kernel::FindRows(text, rows);
  const auto anon = rows[0].Number();
  if (!anon) return Fail(anon.error());
  const auto file = rows[1].Number();
  if (!file) return Fail(file.error());
  const auto inactive = rows[4].Number();
  if (!inactive) return Fail(inactive.error());
  return MemoryStat{.anon = *anon,
                    .file = *file,
                    .inactive_file = *inactive,
                    .active_file = rows[5].NumberIfAny(),
                    .kernel = rows[2].NumberIfAny(),
                    .shmem = rows[3].NumberIfAny()};
}

Result<std::uint64_t> ParseOomKills(std::string_view text) {
  return RowNumber(text, "oom_kill");
}

Result<GroupEvents> ParseEvents(std::string_view text) {
  const auto populated = RowFlag(text, "populated");
  if (!populated) return Fail(populated.error());
  if (!kernel::FindRow(text, "frozen")) return GroupEvents{.populated = *populated};
  const auto frozen = RowFlag(text, "frozen");
  if (!frozen) return Fail(frozen.error());
  return GroupEvents{.populated = *populated, .frozen = *frozen};
}

bool HasController(std::string_view text, std::string_view controller) {
  while (!text.empty()) {
    const auto end = text.find_first_of(" \n");
    if (text.substr(0, end) == controller) return true;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return false;
}

Result<std::string_view> ParseCpuQuota(std::string_view text) {
  const std::string_view quota = text.substr(0, text.find(' '));
  if (quota == text || (quota != "max" && !kernel::ParseCounter(quota))) {
    return kernel::FailText("a quota and a period", text);
  }
  return quota;
}

}  // namespace jettison::cgroup_v2

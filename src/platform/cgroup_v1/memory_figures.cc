#include "platform/cgroup_v1/memory_figures.h"

#include <array>
#include <utility>

#include "platform/cgroup_v1/group_io.h"
#include "platform/cgroup_v1/kernel_files.h"

namespace jettison::cgroup_v1 {
namespace {

constexpr std::size_t kStatBytes = 8192;  // memory.stat takes 1.3 KiB on Linux 6.18
constexpr std::size_t kCounterBytes = 32;

template <typename T>
Result<T> Named(const char* file, Result<T> result) {
  if (!result) return Fail(result.error().In(file));
  return result;
}

bool IsWithin(std::string_view path, std::string_view group) {
  if (group.empty() || path == group) return true;
  return path.starts_with(group) && path[group.size()] == '/';
}

}  // namespace

Result<MemoryFigures::Reading> MemoryFigures::ReadFiles(const Files& files) {
  std::array<char, kStatBytes> stat_buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const auto stat = Named("memory.stat", ReadKept(files.stat.get(), stat_buffer));
  if (!stat) return Fail(stat.error());
  const auto rows = Named("memory.stat", ParseMemoryStat(*stat));
  if (!rows) return Fail(rows.error());

  std::array<char, kCounterBytes> usage_buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const auto text = Named("memory.usage_in_bytes", ReadKept(files.usage.get(), usage_buffer));
  if (!text) return Fail(text.error());
  const auto usage = Named("memory.usage_in_bytes", ParseCounter(*text));
  if (!usage) return Fail(usage.error());
  return Reading{.memory = {.usage = *usage, .inactive_file = rows->total_inactive_file},
                 .limit = rows->hierarchical_memory_limit};
}

Result<MemoryFigures::Files> MemoryFigures::OpenFiles(std::string_view path) const {
  if (auto ok = CheckPath(path); !ok) return Fail(ok.error());
  const auto group = OpenGroup(node_, path);
  if (!group) return Fail(group.error());
  auto usage = OpenFile(group->get(), "memory.usage_in_bytes");
  if (!usage) return Fail(usage.error());
  auto stat = OpenFile(group->get(), "memory.stat");
  if (!stat) return Fail(stat.error());
  return Files{.usage = std::move(*usage), .stat = std::move(*stat)};
}

Result<MemoryFigures::Reading> MemoryFigures::ReadKeeping(std::string_view path) {
  const std::lock_guard lock(mutex_);
  if (const auto kept = files_.find(path); kept != files_.end()) {
    auto reading = ReadFiles(kept->second);
    if (reading || reading.error().code != ErrorCode::kNotFound) return reading;
    files_.erase(kept);  // that group is gone; there may be a new one of its name
  }
  auto files = OpenFiles(path);
  if (!files) return Fail(files.error());
  auto reading = ReadFiles(*files);
  if (reading && files_.size() < keep_) files_.emplace(path, std::move(*files));
  return reading;
}

Result<MemoryFigures::Reading> MemoryFigures::ReadNamed(std::string_view path) {
  auto reading = ReadKeeping(path);
  if (!reading)
    return Fail(reading.error().In("read memory of group \"" + std::string(path) + '"'));
  return reading;
}

Result<CgroupMemory> MemoryFigures::Read(std::string_view path) {
  const auto reading = ReadNamed(path);
  if (!reading) return Fail(reading.error());
  return reading->memory;
}

Result<std::optional<std::uint64_t>> MemoryFigures::ReadLimit(std::string_view path) {
  const auto reading = ReadNamed(path);
  if (!reading) return Fail(reading.error());
  return reading->limit;
}

void MemoryFigures::Forget(std::string_view path) {
  const std::lock_guard lock(mutex_);
  std::erase_if(files_, [&](const auto& entry) { return IsWithin(entry.first, path); });
}

std::size_t MemoryFigures::kept() const {
  const std::lock_guard lock(mutex_);
  return files_.size();
}

}  // namespace jettison::cgroup_v1

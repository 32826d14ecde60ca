#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ports/fakes/fake_cgroups.h"
#include "ports/group_memory.h"

namespace jettison {

// Takes from groups of a FakeCgroups what the test says that they can spare. What the test reads
// after the thread that takes has ended needs no lock.
class FakeGroupMemory : public GroupMemory {
 public:
  explicit FakeGroupMemory(FakeCgroups& groups) : groups_(groups) {}

  [[nodiscard]] Result<void> Take(std::string_view group, std::uint64_t bytes) override {
    asked.emplace_back(group, bytes);
    if (on_take) on_take();
    if (unavailable) return Fail(ErrorCode::kUnavailable, "no such file");
    const auto memory = groups_.ReadMemory(group);
    if (!memory) return Fail(memory.error());
    std::uint64_t& spare = spare_by_group[std::string(group)];
    const std::uint64_t taken = std::min({bytes, spare, memory->usage});
    spare -= taken;
    groups_.SetMemory(group, {.usage = memory->usage - taken});
    return {};
  }
  [[nodiscard]] Result<std::uint64_t> CpuTimeUs(std::string_view group) override {
    const auto known = cpu_us.find(std::string(group));
    if (known == cpu_us.end()) return Fail(ErrorCode::kNotFound, "no such group");
    return known->second;
  }

  std::map<std::string, std::uint64_t> spare_by_group;  // bytes
  std::map<std::string, std::uint64_t> cpu_us;
  std::vector<std::pair<std::string, std::uint64_t>> asked;
  std::function<void()> on_take;
  bool unavailable = false;

 private:
  FakeCgroups& groups_;
};

}  // namespace jettison

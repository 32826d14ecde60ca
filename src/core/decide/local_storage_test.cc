#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "core/decide/decide.h"

namespace jettison {
namespace {

Quantity Parsed(const char* text) {
  return *Quantity::Parse(text);
}

// A pod with an emptyDir of 1Ki and a container limited to 2Ki.
Pod LimitedPod() {
  Pod pod;
  pod.uid = "u";
  pod.volumes = {{"v", EmptyDirSource{.medium = "", .size_limit = Parsed("1Ki")}}};
  pod.containers.resize(1);
  pod.containers[0].name = "c";
  pod.containers[0].resources.limits.emplace("ephemeral-storage", Parsed("2Ki"));
  return pod;
}

struct Usage {
  std::uint64_t volume = 0;
  std::uint64_t layer = 0;
  std::uint64_t logs = 0;
  std::uint64_t pod = 0;
};

PodStats StatsOf(const Usage& usage) {
  PodStats stats;
  stats.uid = "u";
  stats.volumes = {{"v", {usage.volume, 1}}};
  stats.containers = {
      {.name = "c", .rootfs = FsUsage{usage.layer, 1}, .logs = FsUsage{usage.logs, 1}}};
  stats.ephemeral_storage = FsUsage{usage.pod, 1};
  return stats;
}

TEST(LocalStorage, UnknownUsageIsNoViolation) {
  const PodFacts facts = FactsOf(LimitedPod(), Profile::kStandalone);
  PodStats stats = StatsOf({});
  stats.volumes[0].usage.used_bytes.reset();
  stats.ephemeral_storage.reset();
  stats.containers[0].logs.reset();
  EXPECT_TRUE(StorageViolations(std::vector<ActivePod>{{&facts, &stats}}, {}).empty());
  EXPECT_TRUE(StorageViolations(std::vector<ActivePod>{{&facts, nullptr}}, {}).empty());
}

TEST(LocalStorage, NobodyGoesForALimitByFiguresThatAreOlderThanThePass) {
  const PodFacts facts = FactsOf(LimitedPod(), Profile::kStandalone);
  PodStats stats = StatsOf({.volume = 4096, .layer = 4096, .pod = 9000});
  const std::vector<ActivePod> pods = {{&facts, &stats}};
  EXPECT_EQ(StorageViolations(pods, {}).size(), 1U);
  stats.stale_disk = StaleDisk{.measured_at = Instant(std::chrono::seconds(1))};
  EXPECT_TRUE(StorageViolations(pods, {}).empty());
}

// The kubelet's result: its maps keep the last entry of a name, and it visits volumes in order.
std::string KubeletsMessage(const Pod& pod, const PodStats& stats) {
  for (const Volume& volume : pod.volumes) {
    const auto* empty_dir = std::get_if<EmptyDirSource>(&volume.source);
    if (empty_dir == nullptr || !empty_dir->size_limit) continue;
    std::int64_t used = -1;
    for (const VolumeStats& each : stats.volumes) {
      if (each.name == volume.name) used = static_cast<std::int64_t>(*each.usage.used_bytes);
    }
    if (used <= empty_dir->size_limit->Value()) continue;
    return "Usage of EmptyDir volume \"" + volume.name + "\" exceeds the limit \"" +
           empty_dir->size_limit->ToString() + "\". ";
  }
  for (const ContainerStats& each : stats.containers) {
    const Quantity* limit = nullptr;
    for (const Container& container : pod.containers) {
      const auto found = container.resources.limits.find("ephemeral-storage");
      if (container.name != each.name || found == container.resources.limits.end()) continue;
      limit = &found->second;
    }
    const auto used = static_cast<std::int64_t>(*each.logs->used_bytes);
    if (limit == nullptr || used <= limit->Value()) continue;
    return "Container " + each.name + " exceeded its local ephemeral storage limit \"" +
           limit->ToString() + "\". ";
  }
  return "";
}

TEST(LocalStorage, VolumesAndContainersOfOneNameAreToldApartAsTheKubeletDoes) {
  std::mt19937 random(20);
  const auto one_of = [&](std::uint32_t count) {
    return static_cast<std::uint32_t>(random()) % count;
  };
  const auto name = [&] { return std::string(1, static_cast<char>('a' + one_of(2))); };
  int violations_seen = 0;
  for (int round = 0; round < 5000; ++round) {
    Pod pod;
    PodStats stats;
    pod.uid = stats.uid = "u";
    for (std::uint32_t i = one_of(4); i > 0; --i) {
      Volume volume{name(), HostPathSource{"/x", ""}};
      if (one_of(2) == 0) volume.source = EmptyDirSource{};
      if (one_of(2) == 0) {
        volume.source = EmptyDirSource{.medium = "", .size_limit = Quantity::Of(1 + one_of(4))};
      }
      pod.volumes.push_back(std::move(volume));
    }
    for (std::uint32_t i = one_of(4); i > 0; --i) {
      Container container{.name = name()};
      // The pod has a limit (the sum) only if every container has one.
      if (i > 1 && one_of(2) == 0) {
        container.resources.limits.emplace("ephemeral-storage", Quantity::Of(1 + one_of(4)));
      }
      pod.containers.push_back(std::move(container));
    }
    for (std::uint32_t i = one_of(4); i > 0; --i) {
      stats.volumes.push_back({name(), FsUsage{one_of(8), 1}});
      stats.containers.push_back(
          {.name = name(), .rootfs = FsUsage{0, 1}, .logs = FsUsage{one_of(8), 1}});
    }
    PodFacts facts = FactsOf(pod, Profile::kKubelet);
    std::erase_if(facts.storage_limits,
                  [](const StorageLimit& limit) { return limit.kind == StorageLimitKind::kPod; });
    const std::vector<ActivePod> pods = {{&facts, &stats}};
    const auto violations = StorageViolations(pods, {});
    violations_seen += violations.empty() ? 0 : 1;
    ASSERT_EQ(violations.empty() ? "" : ViolationMessage(facts, violations[0]),
              KubeletsMessage(pod, stats))
        << round;
  }
  EXPECT_GT(violations_seen, 500);
}

TEST(StorageViolations, ALimitIsBrokenByTheFirstByteAboveIt) {
  struct Row {
    const char* limit;
    std::uint64_t used;
    bool is_broken;
  };
  const Row rows[] = {{"10", 10, false},       {"10", 11, true}, {"10500m", 10, false},
                      {"10500m", 11, true},    {"1m", 0, false}, {"1m", 1, true},
                      {"20E", 1 << 30, false}, {"-1", 0, true},  {"-1500m", 0, true}};
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(row.limit) + " " + std::to_string(row.used));
    Pod pod;
    Container container{.name = "c"};
    container.resources.limits.emplace("ephemeral-storage", *Quantity::Parse(row.limit));
    pod.containers.push_back(std::move(container));
    PodFacts facts = FactsOf(std::move(pod), Profile::kKubelet);
    PodStats stats;
    stats.containers.push_back({.name = "c", .logs = FsUsage{row.used, 1}});
    const std::vector<ActivePod> pods = {{&facts, &stats}};
    EXPECT_EQ(StorageViolations(pods, {}).size(), row.is_broken ? 1U : 0U);
  }
}

// The sum of logs and writable layer is less than either if it wraps around, and logs alone count
// against the limit if images have a file system of their own.
TEST(StorageViolations, FiguresTooLargeToBeAddedAreNotTakenForSmallOnes) {
  const PodFacts facts = FactsOf(LimitedPod(), Profile::kStandalone);
  PodStats stats = StatsOf({.layer = 2, .logs = std::numeric_limits<std::uint64_t>::max() / 2});
  stats.containers[0].rootfs->used_bytes = std::numeric_limits<std::uint64_t>::max() / 2 + 3;
  const std::vector<ActivePod> pods = {{&facts, &stats}};
  EXPECT_EQ(StorageViolations(pods, {.dedicated_image_fs = true}).size(), 1U);
}

}  // namespace
}  // namespace jettison

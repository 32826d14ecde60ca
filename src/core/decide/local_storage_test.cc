#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "core/decide/decide.h"

namespace jettison {
namespace {

// A pod with an emptyDir of 1Ki and a container limited to 2Ki.
PodFacts Limited() {
  Pod pod;
  pod.uid = "u";
  pod.volumes = {{"v", EmptyDirSource{.medium = "", .size_limit = *Quantity::Parse("1Ki")}}};
  pod.containers.resize(1);
  pod.containers[0].name = "c";
  pod.containers[0].resources.limits.emplace("ephemeral-storage", *Quantity::Parse("2Ki"));
  return FactsOf(std::move(pod), Profile::kStandalone);
}

PodStats Using(std::uint64_t volume, std::uint64_t layer, std::uint64_t logs, std::uint64_t pod) {
  PodStats stats;
  stats.uid = "u";
  stats.volumes = {{"v", {volume, 1}}};
  stats.containers = {{.name = "c", .rootfs = FsUsage{layer, 1}, .logs = FsUsage{logs, 1}}};
  stats.ephemeral_storage = FsUsage{pod, 1};
  return stats;
}

// The messages of the violations.
std::string Broken(const PodFacts& facts, const PodStats* stats, DiskLayout layout = {}) {
  const ActivePod pod{&facts, stats};
  std::string messages;
  for (const StorageViolation& violation : StorageViolations({&pod, 1}, layout)) {
    messages += ViolationMessage(facts.storage_limits[violation.index]);
  }
  return messages;
}

constexpr const char* kOfVolume = "Usage of EmptyDir volume \"v\" exceeds the limit \"1Ki\". ";
constexpr const char* kOfContainer =
    "Container c exceeded its local ephemeral storage limit \"2Ki\". ";

TEST(LocalStorage, AVolumeComesBeforeThePodAndThePodBeforeItsContainers) {
  struct Row {
    PodStats stats;
    std::string message;
  };
  for (const Row& row : {
           Row{Using(1024, 1024, 1024, 2048), ""},
           Row{Using(1025, 1024, 1025, 2049), kOfVolume},
           Row{Using(1024, 1024, 1025, 2049),
               "Pod ephemeral local storage usage exceeds the total limit of containers 2Ki. "},
           Row{Using(1024, 1024, 1025, 2048), kOfContainer},
       }) {
    EXPECT_EQ(Broken(Limited(), &row.stats), row.message);
  }
}

TEST(LocalStorage, UnknownUsageIsNoViolation) {
  PodStats stats = Using(0, 0, 0, 0);
  stats.volumes[0].usage.used_bytes.reset();
  stats.ephemeral_storage.reset();
  stats.containers[0].logs.reset();
  EXPECT_EQ(Broken(Limited(), &stats), "");
  EXPECT_EQ(Broken(Limited(), nullptr), "");
}

TEST(LocalStorage, NobodyGoesForALimitByFiguresThatAreOlderThanThePass) {
  PodStats stats = Using(4096, 4096, 0, 9000);
  EXPECT_EQ(Broken(Limited(), &stats), kOfVolume);
  stats.stale_disk = StaleDisk{.measured_at = Instant(std::chrono::seconds(1))};
  EXPECT_EQ(Broken(Limited(), &stats), "");
}

TEST(LocalStorage, ALimitIsBrokenByTheFirstByteAboveIt) {
  struct Row {
    const char* limit;
    std::uint64_t used;
    bool is_broken;
  };
  const Row rows[] = {{"10", 10, false},       {"10", 11, true}, {"10500m", 10, false},
                      {"10500m", 11, true},    {"1m", 0, false}, {"1m", 1, true},
                      {"20E", 1 << 30, false}, {"-1", 0, true},  {"-1500m", 0, true}};
  for (const Row& row : rows) {
    Pod pod;
    pod.containers.resize(1);
    pod.containers[0].resources.limits.emplace("ephemeral-storage", *Quantity::Parse(row.limit));
    PodStats stats;
    stats.containers.push_back({.name = "", .logs = FsUsage{row.used, 1}});
    EXPECT_EQ(Broken(FactsOf(std::move(pod), Profile::kKubelet), &stats).empty(), !row.is_broken)
        << row.limit << " " << row.used;
  }
}

// The sum of logs and writable layer is less than either if it wraps around, and logs alone count
// against the limit if images have a file system of their own.
TEST(LocalStorage, FiguresTooLargeToBeAddedAreNotTakenForSmallOnes) {
  constexpr std::uint64_t kHalf = std::numeric_limits<std::uint64_t>::max() / 2;
  const PodStats stats = Using(0, kHalf + 3, kHalf, 0);
  EXPECT_EQ(Broken(Limited(), &stats, {.dedicated_image_fs = true}), kOfContainer);
}

}  // namespace
}  // namespace jettison

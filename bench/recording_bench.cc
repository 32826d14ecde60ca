// What a recording of a day costs, on the disk and to be read: a node of so many pods with a pass
// every 10 s. Of its pods a quarter change their memory from pass to pass, by a few pages, and a
// few write logs.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include "codec/flight/recording_reader.h"
#include "codec/flight/recording_writer.h"
#include "core/recording/recording.h"
#include "tests/synthetic_node.h"

namespace jettison {
namespace {

constexpr int kPassesOfADay = 8640;

// Pods as people write them: forty programs, with names for everything.
Pod PodOf(std::size_t i) {
  const std::size_t app = i % 40;
  Pod pod{.name = fmt::format("app-{}-{:x}-{:05x}", app, app * 7919, i * 104'729)};
  pod.namespace_ = fmt::format("team-{}", app % 9);
  pod.uid =
      fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", i * 2'654'435'761U, i * 40'503U % 65'536,
                  i * 31 % 4096, i * 17 % 4096, i * 11'400'714'819'323ULL % (1ULL << 48U));
  pod.labels = {{"app.kubernetes.io/name", fmt::format("app-{}", app)},
                {"app.kubernetes.io/version", fmt::format("1.{}.{}", app, app % 7)},
                {"pod-template-hash", fmt::format("{:x}", app * 7919)}};
  for (std::size_t c = 0; c < 1 + app % 2; ++c) {
    Container container{.name = c == 0 ? "main" : "proxy",
                        .image = fmt::format("registry.example/team/app-{}:1.{}", app, app % 7)};
    for (std::size_t e = 0; e < 8; ++e) {
      container.env.push_back({.name = fmt::format("SETTING_{}_{}", app, e), .value = "x"});
    }
    container.resources.requests.emplace("memory", Quantity::Of(std::int64_t{64} << 20));
    container.resources.limits.emplace("memory", Quantity::Of(std::int64_t{512} << 20));
    pod.containers.push_back(std::move(container));
  }
  pod.volumes.push_back({.name = "config", .source = ConfigMapSource{}});
  pod.volumes.push_back({.name = "tmp", .source = EmptyDirSource{}});
  return pod;
}

class Day {
 public:
  explicit Day(std::size_t pods) : node_(pods, 1) {
    auto policy = std::make_shared<PassPolicy>();
    policy->thresholds = DefaultThresholds();
    pass_.policy = std::move(policy);
    pass_.summary = node_.summary;
    auto& node = pass_.summary.node;
    node.memory->available_bytes = 20ULL << 30;
    node.memory->working_set_bytes = 44ULL << 30;
    node.memory->usage_bytes = 50ULL << 30;
    node.memory_pressure = node.io_pressure = PressureStats{.some = {0, 0}, .full = {0, 0}};
    for (std::size_t i = 0; i < pods; ++i) {
      Pod pod = PodOf(i);
      PodStats& stats = pass_.summary.pods[i];
      stats = {.uid = pod.uid, .name = pod.name, .namespace_ = pod.namespace_};
      for (const Container& container : pod.containers) {
        stats.containers.push_back({.name = container.name,
                                    .memory_working_set_bytes = random_() % (1U << 18) * 4096,
                                    .rootfs = FsUsage{random_() % (1U << 20) * 4096, 17},
                                    .logs = FsUsage{random_() % (1U << 20) * 4096, 3}});
      }
      for (const Volume& volume : pod.volumes) stats.volumes.push_back({volume.name, {4096, 2}});
      stats.has_memory = true;
      stats.process_count = 1 + random_() % 20;
      stats.io_some_avg10 = 0;
      pass_.pods.push_back(
          std::make_shared<const PodFacts>(FactsOf(std::move(pod), Profile::kKubelet)));
    }
  }

  // The next pass.
  std::shared_ptr<const RecordedPass> Next() {
    Summary& summary = pass_.summary;
    at_ += std::chrono::seconds(10) + std::chrono::nanoseconds(random_() % 100'000);
    for (PodStats& pod : summary.pods) MovePod(pod);
    MoveNode(summary.node);
    ++pass_.number;
    pass_.report.at = at_;
    FillInReport(pass_);
    auto done = std::make_shared<const RecordedPass>(pass_);
    pass_.before = StateAfter(pass_);
    return done;
  }
  [[nodiscard]] RecordingAbout About() const {
    return {.at = at_, .node = "node-1", .maker = "jettison", .profile = Profile::kKubelet};
  }

 private:
  std::uint64_t Steps(std::uint64_t most) { return (random_() % (2 * most + 1) - most) * 4096; }

  void MovePod(PodStats& pod) {
    if (random_() % 4 == 0) *pod.containers[0].memory_working_set_bytes += Steps(16);
    if (random_() % 20 == 0) *pod.containers[0].logs->used_bytes += 4096;
    if (random_() % 50 == 0) pod.process_count = *pod.process_count % 20 + 1;
    std::uint64_t memory = 0;
    std::uint64_t disk = 0;
    for (const ContainerStats& container : pod.containers) {
      memory += *container.memory_working_set_bytes;
      disk += *container.rootfs->used_bytes + *container.logs->used_bytes;
    }
    pod.memory_working_set_bytes = memory + (340U << 10);
    pod.ephemeral_storage = FsUsage{disk, 24};
  }

  void MoveNode(NodeStats& node) {
    const std::uint64_t moved = Steps(2000);
    *node.memory->available_bytes += moved;
    *node.memory->working_set_bytes -= moved;
    *node.memory->usage_bytes += Steps(4000);
    node.pods_memory = node.memory;
    *node.fs->available_bytes -= 4096 * (random_() % 50);
    *node.fs->used_bytes = *node.fs->capacity_bytes - *node.fs->available_bytes;
    node.image_fs = node.container_fs = node.fs;
    node.rlimit->running = 2000 + static_cast<std::int64_t>(random_() % 10);
    node.memory->time = node.pods_memory->time = at_ - std::chrono::microseconds(40);
    node.fs->time = node.image_fs->time = node.container_fs->time = node.rlimit->time =
        node.memory_pressure->time = node.io_pressure->time = node.memory->time;
    node.io_pressure->some.avg10 = static_cast<std::int32_t>(random_() % 30);
  }

  SyntheticNode node_;
  std::mt19937_64 random_{7};
  Instant at_ = Instant(std::chrono::hours(24 * 365 * 55));
  RecordedPass pass_;
};

// Passes that are written at a time, as the agent does every 5 min.
constexpr int kPassesOfAFrame = 30;

std::string RecordDay(std::size_t pods, int passes) {
  std::string bytes;
  Day day(pods);
  RecordingWriter writer([&](std::string_view frames) -> Result<void> {
    bytes += frames;
    return {};
  });
  (void)writer.Add(day.About());
  for (int i = 0; i < passes; ++i) {
    (void)writer.Add(day.Next());
    if (i % kPassesOfAFrame == 0) (void)writer.Flush();
  }
  (void)writer.Finish();
  return bytes;
}

const std::string& ADay() {
  static const std::string kDay = RecordDay(110, kPassesOfADay);
  return kDay;
}

void BM_MakePass(benchmark::State& bench) {
  Day day(110);
  for (auto _ : bench) benchmark::DoNotOptimize(day.Next());
}
BENCHMARK(BM_MakePass)->Unit(benchmark::kMicrosecond);

// A pass made and recorded; BM_MakePass is to be taken off.
void BM_Record(benchmark::State& bench) {
  Day day(110);
  std::size_t bytes = 0;
  std::uint64_t passes = 0;
  RecordingWriter writer([&](std::string_view chunk) -> Result<void> {
    bytes += chunk.size();
    return {};
  });
  (void)writer.Add(day.About());
  for (auto _ : bench) {
    (void)writer.Add(day.Next());
    if (++passes % kPassesOfAFrame == 0) (void)writer.Flush();
  }
  (void)writer.Finish();
  bench.counters["KiB_a_day"] =
      static_cast<double>(bytes) / static_cast<double>(passes) * kPassesOfADay / 1024;
}
BENCHMARK(BM_Record)->Unit(benchmark::kMicrosecond)->Iterations(kPassesOfADay);

RecordingReader::Read BytesIn(std::string_view bytes) {
  return [bytes](std::span<char> into) mutable -> Result<std::size_t> {
    const std::size_t size = std::min(into.size(), bytes.size());
    std::copy_n(bytes.begin(), size, into.begin());
    bytes.remove_prefix(size);
    return size;
  };
}

void BM_Read(benchmark::State& bench) {
  const std::string& day = ADay();
  std::uint64_t passes = 0;
  for (auto _ : bench) {
    RecordingReader reader(BytesIn(day));
    for (;;) {
      const auto item = reader.Next();
      if (!item || !*item) break;
      benchmark::DoNotOptimize(**item);
    }
    passes += kPassesOfADay;
  }
  bench.SetItemsProcessed(static_cast<std::int64_t>(passes));
}
BENCHMARK(BM_Read)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace jettison

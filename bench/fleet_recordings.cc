// usage: fleet_recordings FOLDER NODES [PODS] [PASSES]
//
// Writes recordings of so many nodes, a file each, for scripts/bench-fleet.sh: each node has its
// own pods, whose memory swings over the day, and passes 10 s apart (8640 of them are a day). Some
// pods leak, so that memory runs out now and then. The same numbers give the same bytes.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "codec/flight/recording_writer.h"
#include "core/observe/observations.h"
#include "tests/synthetic_node.h"

namespace jettison {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kCapacity = 65'536 * kMiB;
const Instant kBegin(std::chrono::hours(496'000));

struct Load {
  double hold = 0;   // MiB
  double swing = 0;  // MiB, up and down once in `period` passes
  double period = 0;
  double phase = 0;
  double leak = 0;  // MiB a pass, until it starts anew
  double life = 0;  // passes
};

std::vector<Load> LoadsOf(std::size_t pods, std::mt19937& random) {
  const auto within = [&random](double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random);
  };
  std::vector<Load> loads(pods);
  // All together hold a little less than the node has.
  const double share = 56.0 * 1024 / static_cast<double>(pods);
  for (Load& load : loads) {
    load.hold = share * within(0.6, 1.1);
    load.swing = load.hold * within(0.02, 0.15);
    load.period = within(300, 3000);
    load.phase = within(0, 6.3);
    if (within(0, 1) < 0.02) load.leak = within(0.2, 2);
    load.life = within(1500, 6000);
  }
  return loads;
}

std::int64_t MemoryOf(const Load& load, std::size_t pass) {
  const auto at = static_cast<double>(pass);
  const double swing = load.swing * std::sin(at * 6.283 / load.period + load.phase);
  const double leak = load.leak * std::fmod(at, load.life);
  return static_cast<std::int64_t>(std::max(1.0, load.hold + swing + leak)) * kMiB;
}

bool WriteNode(const std::string& path, std::size_t number, std::size_t pods, std::size_t passes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "we"),
                                                             &std::fclose);
  if (!file) return false;
  RecordingWriter writer([&file](std::string_view chunk) -> Result<void> {
    if (std::fwrite(chunk.data(), 1, chunk.size(), file.get()) == chunk.size()) return {};
    return Fail(ErrorCode::kInternal, "cannot write");
  });
  std::mt19937 random(static_cast<std::uint32_t>(number));
  const SyntheticNode node(pods, static_cast<std::uint32_t>(number));
  const std::vector<Load> loads = LoadsOf(pods, random);
  auto policy = std::make_shared<PassPolicy>();
  policy->thresholds = DefaultThresholds();
  policy->local_storage_capacity_isolation = false;
  std::vector<std::shared_ptr<const PodFacts>> facts;
  for (const PodFacts& each : node.facts) facts.push_back(std::make_shared<const PodFacts>(each));
  bool written = writer
                     .Add(RecordingAbout{.at = kBegin,
                                         .node = fmt::format("node-{:05}", number),
                                         .maker = "fleet_recordings",
                                         .profile = Profile::kKubelet})
                     .has_value();
  for (std::size_t i = 0; written && i < passes; ++i) {
    auto pass = std::make_shared<RecordedPass>();
    pass->number = i + 1;
    pass->policy = policy;
    pass->pods = facts;
    pass->summary = node.summary;
    std::int64_t used = 1024 * kMiB;
    for (std::size_t pod = 0; pod < pods; ++pod) {
      const std::int64_t memory = MemoryOf(loads[pod], i);
      used += memory;
      pass->summary.pods[pod].memory_working_set_bytes = static_cast<std::uint64_t>(memory);
    }
    used = std::min(used, kCapacity - 8 * kMiB);
    pass->summary.node.memory->available_bytes = static_cast<std::uint64_t>(kCapacity - used);
    pass->summary.node.memory->working_set_bytes = static_cast<std::uint64_t>(used);
    pass->report.at = kBegin + std::chrono::seconds(10 * (i + 1));
    pass->report.observations = ObservationsFrom(pass->summary);
    written = writer.Add(std::shared_ptr<const RecordedPass>(std::move(pass))).has_value();
  }
  return written && writer.Finish().has_value() && std::fflush(file.get()) == 0;
}

int WriteAll(const std::string& folder, std::size_t nodes, std::size_t pods, std::size_t passes) {
  for (std::size_t number = 0; number < nodes; ++number) {
    const std::string path = fmt::format("{}/node-{:05}.jtr", folder, number);
    if (WriteNode(path, number, pods, passes)) continue;
    fmt::print(stderr, "cannot write {}\n", path);
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace jettison

int main(int argc, char** argv) {
  const auto number = [&](int at, std::size_t other) {
    return at < argc ? static_cast<std::size_t>(std::strtoull(argv[at], nullptr, 10)) : other;
  };
  if (argc < 3 || number(2, 0) == 0) {
    fmt::print(stderr, "usage: fleet_recordings FOLDER NODES [PODS] [PASSES]\n");
    return 2;
  }
  return jettison::WriteAll(argv[1], number(2, 0), number(3, 110), number(4, 8640));
}

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "agent/figures/stats_collector.h"
#include "core/model/pressure.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

// Groups with plain files as pressure files; counts how often a directory is opened.
class GroupsWithPressure : public FakeCgroups {
 public:
  [[nodiscard]] Result<FileDescriptor> OpenPressureDirectory(std::string_view path) const override {
    ++opened;
    const std::string folder = root.path() + "/" + std::string(path);
    FileDescriptor directory(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) return FailErrno("open " + folder);
    return directory;
  }
  void SetPressure(const std::string& file, const char* avg10) const {
    const std::filesystem::path path = root.path() + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "some avg10=" << avg10 << " avg60=1.00 avg300=0.00 total=0\n"
                        << "full avg10=0.00 avg60=2.00 avg300=0.00 total=0\n";
  }

  mutable int opened = 0;
  kernel::TemporaryFolder root;
};

class StatsPressure : public testing::Test {
 protected:
  StatsPressure() {
    EXPECT_TRUE(groups_.Create("kubepods/besteffort/podu/c", {}));
    groups_.SetPressure("memory.pressure", "3.00");
    groups_.SetPressure("io.pressure", "30.00");
    groups_.SetPressure("kubepods/besteffort/podu/io.pressure", "12.34");
    Pod pod;
    pod.uid = "u";
    pod.containers.emplace_back().name = "c";
    facts_ = FactsOf(pod, Profile::kStandalone);
  }
  StatsCollector CollectorFor(std::vector<Threshold> thresholds) {
    return {{.node = groups_,
             .pods = groups_,
             .procfs = procfs_,
             .whole_machine = false,
             .node_fs = "/",
             .thresholds = std::move(thresholds)},
            clock_,
            log_};
  }
  PodStats ReadPod(StatsCollector& collector) const {
    std::vector<PodStats> stats;
    collector.ReadPods(std::vector<const PodFacts*>{&facts_}, nullptr, stats);
    return stats.at(0);
  }

  GroupsWithPressure groups_;
  FakeClock clock_{Instant(std::chrono::hours(1))};
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  Procfs procfs_ = Procfs::Open().value();
  PodFacts facts_;
};

Threshold Above(Signal signal, std::int32_t share) {
  return {.signal = signal, .value = LeftOf(share)};
}

TEST_F(StatsPressure, IsNotLookedAtUnlessAThresholdAsksForIt) {
  StatsCollector collector =
      CollectorFor({{.signal = Signal::kMemoryAvailable, .value = Quantity::Of(1)}});
  const NodeStats stats = collector.ReadNode();
  EXPECT_FALSE(stats.memory_pressure || stats.io_pressure);
  EXPECT_FALSE(ReadPod(collector).io_some_avg10);
  EXPECT_EQ(groups_.opened, 0);
}

TEST_F(StatsPressure, OfTheResourceThatAThresholdAsksForIsRead) {
  StatsCollector collector = CollectorFor({Above(Signal::kMemoryPressureFullAvg60, 5000)});
  for (const std::int32_t share : {300, 400}) {
    const NodeStats stats = collector.ReadNode();
    ASSERT_TRUE(stats.memory_pressure);
    EXPECT_EQ(stats.memory_pressure->some.avg10, share);
    EXPECT_EQ(stats.memory_pressure->full.avg60, 200);
    EXPECT_EQ(stats.memory_pressure->time, clock_.Now());
    EXPECT_FALSE(stats.io_pressure);
    groups_.SetPressure("memory.pressure", "4.00");
  }
  EXPECT_EQ(groups_.opened, 1) << "the file stays open";
}

TEST_F(StatsPressure, PodsHaveTheirOwnOnlyWhileAThresholdOnIoIsMet) {
  StatsCollector collector = CollectorFor(
      {Above(Signal::kIoPressureSomeAvg10, 2500), Above(Signal::kMemoryPressureSomeAvg10, 100)});
  EXPECT_TRUE(collector.ReadNode().io_pressure);
  EXPECT_EQ(ReadPod(collector).io_some_avg10, 1234);
  groups_.SetPressure("io.pressure", "25.00");
  (void)collector.ReadNode();
  EXPECT_FALSE(ReadPod(collector).io_some_avg10) << "25% is not above 25%";
}

TEST_F(StatsPressure, AKernelWithoutItIsSaidOnceAndUnknown) {
  std::filesystem::remove(groups_.root.path() + "/memory.pressure");
  StatsCollector collector = CollectorFor({Above(Signal::kMemoryPressureFullAvg10, 2500)});
  EXPECT_FALSE(collector.ReadNode().memory_pressure);
  EXPECT_FALSE(collector.ReadNode().memory_pressure);
  EXPECT_EQ(std::ranges::count_if(lines_,
                                  [](const std::string& line) {
                                    return line.find("memory.pressure") != std::string::npos;
                                  }),
            1);
}

}  // namespace
}  // namespace jettison

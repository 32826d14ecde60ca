#include "agent/wake/memory_watch.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/model/pressure.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class PressureTriggersTest : public testing::Test {
 protected:
  std::vector<psi::PressureTrigger> Open() {
    const auto open_folder = [this] {
      return Result<FileDescriptor>(
          FileDescriptor(open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
    };
    return OpenTriggers({.machine_pressure = "",
                         .node_pressure = open_folder,
                         .pods_pressure = open_folder,
                         .thresholds = thresholds_},
                        log_);
  }

  std::vector<Threshold> thresholds_;
  kernel::TemporaryFolder folder_;
  FakeClock clock_{Instant(std::chrono::hours(1))};
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
};

TEST_F(PressureTriggersTest, WhereTheKernelOffersNothingThatIsSaidOnce) {
  EXPECT_THAT(Open(), IsEmpty());
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("of=node"), HasSubstr("of=pods")));
}

TEST_F(PressureTriggersTest, OfIoNothingIsAskedForUnlessAThresholdIsAboutIt) {
  thresholds_ = {{.signal = Signal::kIoPressureFullAvg60, .value = LeftOf(5000)}};
  const auto triggers = Open();
  EXPECT_THAT(lines_,
              ElementsAre(HasSubstr("memory pressure cannot wake the agent"),
                          HasSubstr("I/O pressure cannot wake the agent"), HasSubstr("of=pods")));
}

TEST(StallsToReport, AreHalfOfWhatTheLowestThresholdAllows) {
  using psi::PressureResource;
  using std::chrono::microseconds;
  const auto above = [](Signal signal, std::int32_t share) {
    return Threshold{.signal = signal, .value = LeftOf(share), .min_reclaim = {}};
  };
  const auto of_memory = [&](const std::vector<Threshold>& thresholds) {
    return StallsToReport(thresholds, PressureResource::kMemory)->stall;
  };
  EXPECT_EQ(of_memory({}), microseconds(50'000)) << "a tenth of half a second";
  EXPECT_EQ(of_memory({above(Signal::kMemoryPressureFullAvg10, 6000)}), microseconds(50'000));
  EXPECT_EQ(of_memory({above(Signal::kMemoryPressureSomeAvg10, 1000),
                       above(Signal::kMemoryPressureFullAvg10, 6000)}),
            microseconds(25'000));
  EXPECT_EQ(of_memory({above(Signal::kMemoryPressureSomeAvg10, 1)}), microseconds(1'000));
  EXPECT_FALSE(
      StallsToReport({above(Signal::kMemoryPressureSomeAvg10, 1000)}, PressureResource::kIo));
  const auto io =
      StallsToReport({above(Signal::kIoPressureFullAvg60, 6000)}, PressureResource::kIo);
  ASSERT_TRUE(io);
  EXPECT_EQ(io->stall, microseconds(150'000));
  EXPECT_EQ(io->kind, StallKind::kFull) << "no threshold is on `some`";
}

// Even without privileges, the kernel lets a process wait for pressure in windows of two seconds.
TEST(LivePressureTriggers, TheMachinesPressureCanBeWaitedFor) {
  const FakeClock clock{Instant(std::chrono::hours(1))};
  std::vector<std::string> lines;
  const Log log(LogFormat::kText, clock,
                [&lines](std::string_view line) { lines.emplace_back(line); });
  const auto nowhere = [] {
    return Result<FileDescriptor>(Fail(ErrorCode::kNotFound, "no such group"));
  };
  const auto triggers = OpenTriggers(
      {
          .machine_pressure = "/proc/pressure",
          .node_pressure = nowhere,
          .pods_pressure = nowhere,
      },
      log);
  ASSERT_THAT(triggers, SizeIs(1)) << (lines.empty() ? "" : lines.front());
}

}  // namespace
}  // namespace jettison

#include "agent/wake/memory_watch.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/model/pressure.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Each group has an empty folder, without pressure files.
class GroupsIn : public FakeCgroups {
 public:
  [[nodiscard]] Result<FileDescriptor> OpenPressureDirectory(std::string_view) const override {
    return FileDescriptor(open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

 private:
  kernel::TemporaryFolder folder_;
};

class PressureTriggersTest : public testing::Test {
 protected:
  std::vector<psi::PressureTrigger> Open(bool whole_machine = false) {
    return OpenTriggers(
        {.node = groups_, .pods = groups_, .pods_group = "pods", .whole_machine = whole_machine},
        thresholds_, log_);
  }

  std::vector<Threshold> thresholds_;
  GroupsIn groups_;
  FakeClock clock_{Instant(std::chrono::hours(1))};
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
};

TEST_F(PressureTriggersTest, WhereTheKernelOffersNothingThatIsSaidOnce) {
  EXPECT_THAT(Open(), IsEmpty());
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("of=node"), HasSubstr("of=pods")));
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

using LivePressureTriggers = PressureTriggersTest;

// Even without privileges, the kernel lets a process wait for pressure in windows of two seconds.
TEST_F(LivePressureTriggers, TheMachinesPressureCanBeWaitedFor) {
  ASSERT_THAT(Open(true), SizeIs(1)) << (lines_.empty() ? "" : lines_.front());
}

}  // namespace
}  // namespace jettison

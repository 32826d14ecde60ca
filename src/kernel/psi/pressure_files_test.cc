#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "kernel/files/testing/temporary_folder.h"
#include "kernel/psi/live_group.h"
#include "kernel/psi/pressure.h"
#include "ports/system_error.h"

namespace jettison::psi {
namespace {

using testing::HasSubstr;

GroupOpener Below(const std::string& root) {
  return [root](std::string_view group) -> Result<FileDescriptor> {
    const std::string path = root + "/" + std::string(group);
    FileDescriptor directory(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) return FailErrno("open " + path);
    return directory;
  };
}

// A hierarchy made of plain files.
class PressureTree : public testing::Test {
 protected:
  void Write(const std::string& file, const std::string& avg10) const {
    const std::filesystem::path path = root_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "some avg10=" << avg10 << " avg60=0.00 avg300=0.00 total=0\n";
  }
  const kernel::TemporaryFolder folder_;
  const std::filesystem::path root_ = folder_.path();
};

TEST_F(PressureTree, EachReadingIsFreshFromAFileThatStaysOpen) {
  Write("a/b/io.pressure", "1.00");
  Write("a/b/memory.pressure", "2.00");
  PressureFiles files(Below(root_));
  EXPECT_EQ(files.Read("a/b", PressureResource::kIo)->some.avg10, 100);
  EXPECT_EQ(files.Read("a/b", PressureResource::kMemory)->some.avg10, 200);
  Write("a/b/io.pressure", "3.00");
  EXPECT_EQ(files.Read("a/b", PressureResource::kIo)->some.avg10, 300);
  EXPECT_EQ(files.open_files(), 2U);
  files.CloseAll();
  EXPECT_EQ(files.open_files(), 0U);
}

TEST_F(PressureTree, AGroupWithoutTheFileMeansAKernelWithoutIt) {
  Write("a/memory.pressure", "0.00");
  PressureFiles files(Below(root_));
  const auto pressure = files.Read("a", PressureResource::kIo);
  EXPECT_EQ(pressure.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(pressure.error().message, HasSubstr("io.pressure"));
}

TEST_F(PressureTree, AFileThatIsMalformedOrHugeIsAnError) {
  PressureFiles files(Below(root_));
  Write("a/io.pressure", "nonsense");
  EXPECT_EQ(files.Read("a", PressureResource::kIo).error().code, ErrorCode::kInternal);
  Write("a/io.pressure", std::string(5000, '1'));
  EXPECT_EQ(files.Read("a", PressureResource::kIo).error().code, ErrorCode::kInternal);
  std::ofstream(root_ / "a/io.pressure") << "";
  EXPECT_EQ(files.Read("a", PressureResource::kIo).error().code, ErrorCode::kInternal);
}

TEST(LivePressureFiles, TheMachineHasPressure) {
  PressureFiles files = PressureFiles::OfMachine();
  const auto memory = files.Read("", PressureResource::kMemory);
  if (!memory) GTEST_SKIP() << memory.error().message;
  EXPECT_TRUE(memory->full);
  EXPECT_TRUE(files.Read("", PressureResource::kIo));
}

TEST(LivePressureFiles, AGroupThatWasMadeAgainIsAnother) {
  if (const auto obstacle = LiveGroup::Obstacle()) GTEST_SKIP() << *obstacle;
  const LiveGroup group;
  PressureFiles files(Below(std::filesystem::path(group.path()).parent_path()));
  const std::string name = std::filesystem::path(group.path()).filename();
  const auto first = files.Read(name, PressureResource::kIo);
  ASSERT_TRUE(first) << first.error().message;
  group.Remove();
  EXPECT_EQ(files.Read(name, PressureResource::kIo).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(files.open_files(), 0U);
  group.Make();
  EXPECT_TRUE(files.Read(name, PressureResource::kIo));
}

TEST(LivePressureFiles, AProcessThatWaitsForTheDiskIsSeenInItsGroup) {
  if (const auto obstacle = LiveGroup::Obstacle()) GTEST_SKIP() << *obstacle;
  const LiveGroup group;
  ChildProcess child([](const auto&) { WaitForDisk(); });
  group.Take(child);
  child.Start();
  PressureFiles files(Below(group.path()));
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  std::uint64_t total = 0;
  while (total == 0 && std::chrono::steady_clock::now() < until) {
    const auto pressure = files.Read("", PressureResource::kIo);
    ASSERT_TRUE(pressure) << pressure.error().message;
    total = pressure->some.total;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_GT(total, 0U);
}

}  // namespace
}  // namespace jettison::psi

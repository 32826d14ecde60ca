#include "kernel/procfs/procfs.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "kernel/files/testing/temporary_folder.h"
#include "kernel/procfs/parse.h"

namespace jettison {
namespace {

using namespace procfs;
using testing::HasSubstr;

// A proc mount made of plain files.
class ProcfsTree : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(root_ / "sys/kernel");
    Write("meminfo", "MemTotal: 1000 kB\n");
    Write("loadavg", "0.00 0.00 0.00 1/88 4929\n");
    Write("sys/kernel/pid_max", "32768\n");
    Write("sys/kernel/threads-max", "1000\n");
  }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name) << text;
  }
  const kernel::TemporaryFolder folder_;
  const std::filesystem::path root_ = folder_.path();
};

TEST_F(ProcfsTree, MaxPidIsTheSmallerOfPidMaxAndThreadsMax) {
  const auto procfs = Procfs::Open(root_).value();
  EXPECT_EQ(procfs.ReadRlimit()->max_pid, 1000);
  Write("sys/kernel/threads-max", "99999\n");
  EXPECT_EQ(procfs.ReadRlimit()->max_pid, 32768);
  EXPECT_EQ(procfs.ReadRlimit()->running, 88);
}

TEST_F(ProcfsTree, AMalformedFileIsNamedInTheError) {
  const auto procfs = Procfs::Open(root_);
  Write("loadavg", "nonsense\n");
  const auto read = procfs->ReadRlimit();
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("loadavg"));
}

TEST_F(ProcfsTree, ListsOfAnyNumberOfProcessorsAreRead) {
  EXPECT_EQ(Procfs::Open(root_)->ReadListed(), 0U) << "there is no zoneinfo";
  std::string text;
  for (int processor = 0; processor < 500; ++processor) {
    text += "    cpu: " + std::to_string(processor) + "\n              count:    3\n  high: 9\n";
  }
  Write("zoneinfo", text);
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  EXPECT_EQ(Procfs::Open(root_)->ReadListed(), 1500 * page);
}

std::string Recorded(const std::string& name) {
  std::ifstream file(std::string(JETTISON_ROOM_TESTDATA) + "/6.18/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ProcfsParse, RealFilesOfLinux618AreUnderstood) {
  const auto memory = ParseMemInfo(Recorded("meminfo")).value();
  EXPECT_EQ(memory.total, 24684092ULL * 1024);
  EXPECT_EQ(memory.huge_pages, 0U);
  EXPECT_EQ(*ParseTaskCount(Recorded("loadavg")), 97);
  EXPECT_EQ(*ParsePidLimit(Recorded("pid_max")), 32768);
}

TEST(ProcfsParse, HugePagesOfAllSizesAreSetAside) {
  EXPECT_EQ(ParseMemInfo("MemTotal: 9000 kB\nHugetlb: 6144 kB\n")->huge_pages, 6144U * 1024);
}

TEST(ProcfsParse, SwapIsWhatTheRowsSayAndUnknownWithoutThem) {
  const auto memory = ParseMemInfo("MemTotal: 9 kB\nSwapTotal: 6 kB\nSwapFree:  2 kB\n");
  EXPECT_EQ(memory->swap_total, 6U * 1024);
  EXPECT_EQ(memory->swap_free, 2U * 1024);
  EXPECT_EQ(ParseMemInfo("MemTotal: 9 kB\n")->swap_total, std::nullopt);
  EXPECT_FALSE(ParseMemInfo("MemTotal: 9 kB\nSwapTotal: x kB\n"));
}

TEST(ProcfsParse, AvailableMemoryIsWhatAKernelCanHaveWritten) {
  const auto available = [](const char* rows) {
    return ParseMemInfo(std::string("MemTotal: 1000 kB\n") + rows)->Available();
  };
  EXPECT_EQ(*available("MemFree: 10 kB\nMemAvailable: 300 kB\n"), 300U * 1024);
  EXPECT_EQ(*available("MemFree: 30 kB\nMemAvailable: 0 kB\n"), 0U) << "it may be so";
  EXPECT_EQ(available("").error().code, ErrorCode::kUnavailable) << "before Linux 3.14";
  for (const char* const made_up :
       {"MemFree: 10 kB\nMemAvailable: 1001 kB\n", "MemFree: 900 kB\nMemAvailable: 0 kB\n",
        "MemFree: 0 kB\nMemAvailable: 0 kB\n"}) {
    EXPECT_EQ(available(made_up).error().code, ErrorCode::kInternal) << made_up;
  }
}

TEST(ProcfsParse, AMeminfoThatIsNotOneIsAnErrorNotAZero) {
  for (const char* const hostile :
       {"", "MemTotal:\n", "MemTotal: kB\n", "MemTotal: 5\n", "MemTotal: -5 kB\n",
        "MemTotal: 5 MB\n", "MemTotal: 5 kB junk\n", "xMemTotal: 5 kB\n", "MemTotals: 5 kB\n",
        "MemTotal: 18446744073709551615 kB\n", "MemTotal: 5 kB\nHugetlb: x kB\n"}) {
    EXPECT_FALSE(ParseMemInfo(hostile)) << hostile;
  }
}

TEST(ProcfsParse, TasksAreBehindTheSlashOfTheFourthField) {
  EXPECT_EQ(*ParseTaskCount("1.36 3.49 4.53 2/3518 3715089\n"), 3518);
  EXPECT_EQ(*ParseTaskCount("0 0 0 0/0"), 0);
  for (const char* const hostile :
       {"", "\n", "1 2 3\n", "1 2 3 4 5\n", "1 2 3 4/ 5\n", "1 2 3 4/-5 6\n", "1 2 3 4/x 6\n",
        "1 2 3 4/5/6 7\n", "1 2 3  4/5 6\n", "1 2 3 4/99999999999999999999 5\n"}) {
    EXPECT_FALSE(ParseTaskCount(hostile)) << hostile;
  }
}

TEST(ProcfsParse, StatmCountsPages) {
  const auto pages = ParseStatm("1893 1029 929 7 0 141 0\n").value();
  EXPECT_EQ(pages.all, 1893U);
  EXPECT_EQ(pages.resident, 1029U);
  for (const char* text : {"", "1", "1 ", "a 1 1", "1 b 1", "-1 1 1", "99999999999999999999 1 1",
                           "1 9223372036854775807 1"}) {
    EXPECT_FALSE(ParseStatm(text)) << text;
  }
}

}  // namespace
}  // namespace jettison

#include "kernel/psi/pressure.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/child_process.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison::psi {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

std::string Recorded(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(JETTISON_ROOM_TESTDATA "/" + name).rdbuf();
  return text.str();
}

TEST(ParsePressure, ReadsWhatKernelsWrite) {
  struct Row {
    const char* file;
    StallLine some;
    std::optional<StallLine> full;
  };
  const Row rows[] = {
      {"6.18-memory", {0, 0, 0, 46639}, StallLine{0, 0, 0, 15799}},
      {"6.18-io", {0, 0, 13, 81458482}, StallLine{0, 0, 0, 22455584}},
      {"6.18-cpu", {9923, 9930, 9190, 6390005784}, StallLine{0, 0, 0, 0}},
      {"all-stalled", {10000, 9987, 5001, 600000000}, StallLine{9999, 9000, 4800, 590000000}},
      {"no-full", {105, 61, 40, 18446744073709551615U}, std::nullopt},
  };
  for (const Row& row : rows) {
    const auto pressure = ParsePressure(Recorded(row.file));
    ASSERT_TRUE(pressure) << row.file << ": " << pressure.error().message;
    EXPECT_EQ(pressure->some, row.some) << row.file;
    EXPECT_EQ(pressure->full, row.full) << row.file;
  }
}

TEST(ParsePressure, RefusesWhatTheKernelWouldNotWrite) {
  struct Row {
    std::string text;
    const char* told;
  };
  const std::string good = "avg10=0.00 avg60=0.00 avg300=0.00 total=0";
  const Row rows[] = {
      {"", "expected a line some"},
      {"full " + good + "\n", "expected a line some"},
      {"some " + good, "expected whole lines"},
      {"some " + good + "\nfull avg10=0.0", "expected whole lines"},
      {"some " + good + "\nsome " + good + "\n", "one line some"},
      {"some avg10=0.00 avg60=0.00 avg300=0.00\n", "some: expected avg10="},
      {"some " + good + "\nfull \n", "full: expected avg10="},
      {"some avg10=0.0 avg60=0.00 avg300=0.00 total=0\n", "expected avg10="},
      {"some avg10=-1.00 avg60=0.00 avg300=0.00 total=0\n", "expected avg10="},
      {"some avg10=100.01 avg60=0.00 avg300=0.00 total=0\n", "expected avg10="},
      {"some avg10=0.00 avg60=0.00 avg300=0.00 total=18446744073709551616\n", "expected avg10="},
      {std::string("some avg10=0.00\0 avg60=0.00", 27) + good + "\n", "expected avg10="},
  };
  for (const Row& row : rows) {
    const auto pressure = ParsePressure(row.text);
    ASSERT_FALSE(pressure) << row.text;
    EXPECT_EQ(pressure.error().code, ErrorCode::kInternal);
    EXPECT_THAT(pressure.error().message, HasSubstr(row.told)) << row.text;
  }
}

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

TEST_F(PressureTree, AFileThatIsMalformedOrHugeIsAnError) {
  PressureFiles files(Below(root_));
  Write("a/io.pressure", "nonsense");
  EXPECT_EQ(files.Read("a", PressureResource::kIo).error().code, ErrorCode::kInternal);
  Write("a/io.pressure", std::string(5000, '1'));
  EXPECT_EQ(files.Read("a", PressureResource::kIo).error().code, ErrorCode::kInternal);
  std::ofstream(root_ / "a/io.pressure") << "";
  EXPECT_EQ(files.Read("a", PressureResource::kIo).error().code, ErrorCode::kInternal);
}

// For live tests: a group of the unified hierarchy, gone at the end.
class LiveGroup {
 public:
  // Why such a group cannot be made on this machine; absent where it can.
  [[nodiscard]] static std::optional<std::string> Obstacle() {
    if (::geteuid() != 0) return "making control groups needs root";
    if (Root().empty()) return "no unified hierarchy below /sys/fs/cgroup";
    if (::access("/proc/pressure/memory", F_OK) != 0) return "this kernel has no PSI";
    return std::nullopt;
  }

  LiveGroup() { Make(); }
  LiveGroup(const LiveGroup&) = delete;
  LiveGroup& operator=(const LiveGroup&) = delete;
  ~LiveGroup() { Remove(); }

  [[nodiscard]] const std::string& path() const { return path_; }
  void Make() const { ::mkdir(path_.c_str(), 0755); }
  // Removes the group when its processes are gone, which the kernel may notice a moment after they
  // were reaped.
  void Remove() const {
    while (::rmdir(path_.c_str()) != 0 && errno == EBUSY) std::this_thread::yield();
  }
  void Take(const ChildProcess& child) const {
    std::ofstream(path_ + "/cgroup.procs") << child.pid();
  }

 private:
  static std::string Root() {
    for (const char* root : {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"}) {
      if (std::filesystem::exists(std::string(root) + "/cgroup.controllers")) return root;
    }
    return {};
  }

  const std::string path_ = Root() + "/jettison-psi-test-" + std::to_string(::getpid());
};

// A body for a child: waits for the disk, again and again, until it is killed.
void WaitForDisk() {
  std::string name = "/var/tmp/jettison-psi-XXXXXX";
  const FileDescriptor file(::mkostemp(name.data(), O_DSYNC | O_CLOEXEC));
  ::unlink(name.c_str());
  const std::array<char, 4096> block{};
  while (::pwrite(file.get(), block.data(), block.size(), 0) > 0) {
  }
  SleepForever();
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

constexpr int kPatienceMs = 10'000;

// The events of the descriptor; 0 when none came in time.
short EventsOf(const PressureTrigger& trigger, int patience_ms) {
  pollfd poll{.fd = trigger.fd(), .events = POLLPRI, .revents = 0};
  return ::poll(&poll, 1, patience_ms) == 1 ? poll.revents : short{0};
}

TEST(PressureTrigger, AKernelWithoutPsiIsUnavailable) {
  const auto trigger = PressureTrigger::Open("/nonexistent/pressure/memory",
                                             {.stall = milliseconds(1), .window = seconds(2)});
  EXPECT_EQ(trigger.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(trigger.error().message, HasSubstr("CONFIG_PSI"));
}

class LivePressureTrigger : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto obstacle = LiveGroup::Obstacle()) GTEST_SKIP() << *obstacle;
    group_.emplace();
    const auto machine = PressureTrigger::Open("/proc/pressure/memory",
                                               {.stall = milliseconds(1), .window = seconds(2)});
    if (!machine) GTEST_SKIP() << machine.error().message;
  }
  [[nodiscard]] Result<PressureTrigger> OpenIo(const Stalls& stalls) const {
    const FileDescriptor directory(
        ::open(group_->path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    return PressureTrigger::Open(directory.get(), "io.pressure", stalls);
  }

  std::optional<LiveGroup> group_;
};

TEST_F(LivePressureTrigger, WhatIsNotGivenIsTakenWithALongerWindow) {
  const Stalls wanted = {
      .kind = StallKind::kFull, .stall = milliseconds(100), .window = milliseconds(700)};
  const auto trigger = OpenIo(wanted).value();
  EXPECT_EQ(trigger.granted().stall, wanted.stall);
  EXPECT_EQ(trigger.granted().kind, wanted.kind);
  EXPECT_TRUE(trigger.granted().window == wanted.window ||
              trigger.granted().window == PressureTrigger::kUnprivilegedWindow);
  const auto longest = OpenIo({.stall = seconds(10), .window = seconds(10)});
  ASSERT_TRUE(longest) << longest.error().message;
  EXPECT_EQ(longest->granted().window, seconds(10));
}

TEST_F(LivePressureTrigger, StallsWakeTheirGroupsTriggerAndNoOther) {
  const Stalls stalls = {.stall = milliseconds(1), .window = seconds(2)};
  auto some = OpenIo(stalls);
  auto memory = PressureTrigger::Open(group_->path() + "/memory.pressure", stalls);
  ASSERT_TRUE(some && memory);
  EXPECT_EQ(EventsOf(*some, 0), 0);
  ChildProcess child([](const auto&) { WaitForDisk(); });
  group_->Take(child);
  child.Start();
  EXPECT_EQ(EventsOf(*some, kPatienceMs), POLLPRI);
  EXPECT_EQ(EventsOf(*some, 0), 0) << "polling consumes the event";
  EXPECT_EQ(EventsOf(*memory, 0), 0);
}

}  // namespace
}  // namespace jettison::psi

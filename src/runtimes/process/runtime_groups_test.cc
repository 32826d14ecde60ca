#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "ports/system_error.h"
#include "runtimes/process/runtime_fixture.h"

namespace jettison::process {

using namespace kernel;
namespace {

using testing::Contains;
using testing::HasSubstr;

// Control groups in memory, one of which accepts a process only when the test allows it.
class SlowGroups : public FakeCgroups {
 public:
  explicit SlowGroups(std::string slow) : slow_(std::move(slow)) {}

  [[nodiscard]] Result<std::vector<ProcsFile>> OpenProcs(std::string_view path) override {
    if (path != slow_) return FakeCgroups::OpenProcs(path);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return FailErrno("pipe2");
    pipe_ = FileDescriptor(ends[0]);
    const std::vector<char> full(static_cast<std::size_t>(::fcntl(ends[1], F_GETPIPE_SZ)), ' ');
    EXPECT_EQ(::write(ends[1], full.data(), full.size()), static_cast<ssize_t>(full.size()));
    std::vector<ProcsFile> files;
    files.push_back({.name = slow_, .file = FileDescriptor(ends[1])});
    return files;
  }
  // Waits until the process has been written into the file.
  void LetIn() {
    std::string text;
    std::array<char, 4096> piece{};
    while (text.find('\n') == std::string::npos) {
      const ssize_t n = ::read(pipe_.get(), piece.data(), piece.size());
      ASSERT_GT(n, 0);
      text.append(piece.data(), static_cast<std::size_t>(n));
    }
    ASSERT_TRUE(Join(slow_, std::atoi(text.c_str())));
  }

 private:
  const std::string slow_;
  FileDescriptor pipe_;
};

class ProcessRuntimeGroups : public testing::Test {
 protected:
  void SetUp() override {
    cgroups_.OnSignal([](pid_t pid, int signal) { ::kill(pid, signal); });
    bed_.Open();
  }
  void TearDown() override {
    for (const auto& [uid, pod] : bed_.known) EXPECT_TRUE(bed_.Remove(uid));
  }

  SlowGroups cgroups_{kGroup + "/main"};
  kernel::TemporaryFolder folder_;
  const std::string mark_ = folder_.path() + "/ran";
  RuntimeBed bed_{cgroups_, folder_.path()};
};

TEST_F(ProcessRuntimeGroups, WhileTheKernelMovesAProcessTheRuntimeDoesOtherWork) {
  ASSERT_TRUE(bed_.Create(ShellPod("u", "touch " + mark_)));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  const auto* other = bed_.Run(ShellPod("other", "exit 3"));
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->exit.exit_code, 3);
  EXPECT_FALSE(Exists(mark_)) << "the program does not run outside of its groups";
  cgroups_.LetIn();
  ASSERT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  EXPECT_TRUE(Exists(mark_));
}

TEST_F(ProcessRuntimeGroups, AKillThatComesMeanwhileComesBeforeTheProgram) {
  ASSERT_TRUE(bed_.Create(ShellPod("u", "touch " + mark_)));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  bed_.runtime().KillContainer("u", "main");
  cgroups_.LetIn();
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 137);
  EXPECT_FALSE(Exists(mark_));
}

using ProcessRuntimeFailedGroups = ProcessRuntimeTest;

TEST_F(ProcessRuntimeFailedGroups, AHookThatCannotJoinTheGroupsIsNotRunAndTermFollows) {
  const std::string mark = folder_.path() + "/hook";
  Pod pod = ShellPod("u", "exec sleep 1000");
  pod.containers[0].pre_stop = ExecAction{{"/bin/sh", "-c", "touch " + mark}};
  ASSERT_TRUE(bed_.Create(pod));
  bed_.runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
  cgroups_.FailOn(FakeCgroups::Operation::kJoin, kGroup + "/main",
                  {ErrorCode::kInternal, "no room"});
  bed_.runtime().StopContainer("u", "main", std::chrono::hours(1));
  const auto* exited = bed_.Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.signal, SIGTERM);
  EXPECT_FALSE(Exists(mark));
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("into its control groups: no room")));
}

}  // namespace
}  // namespace jettison::process

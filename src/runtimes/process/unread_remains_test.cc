// What is left of a pod of an earlier agent, where a look at it fails for a moment.
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>

#include "runtimes/process/runtime_bed.h"

namespace jettison::process {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ProcessRuntimeUnreadRemains : public ProcessRuntimeTest {
 protected:
  void SetUp() override {
    ProcessRuntimeTest::SetUp();
    ASSERT_TRUE(bed_.Create(ShellPod("u", "exec sleep 1000")));
    bed_.runtime().StartContainer("u", "main", 0, 0);
    ASSERT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
    process_ = cgroups_.Processes(kGroup)->at(0);
    bed_.Close();
  }
  void TearDown() override {
    ::kill(process_, SIGKILL);
    cgroups_.ProcessExited(process_);
    ProcessRuntimeTest::TearDown();
  }
  // Access to the path fails from now on, but not because there is nothing.
  static void MakeUnreadable(const std::string& path) {
    EXPECT_EQ(::symlink(path.c_str(), path.c_str()), 0);
  }

  pid_t process_ = 0;
};

TEST_F(ProcessRuntimeUnreadRemains, AMarkThatCannotBeLookedUpEndsNoPod) {
  const std::string record = bed_.paths().PodFile("u");
  ASSERT_EQ(::unlink(record.c_str()), 0);
  MakeUnreadable(record + ".gone");
  bed_.Open();
  EXPECT_THAT(*bed_.runtime().List(), IsEmpty());
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("pod.json is missing")));
  EXPECT_EQ(::kill(process_, 0), 0);
  EXPECT_THAT(cgroups_.signals(), IsEmpty());
}

TEST_F(ProcessRuntimeUnreadRemains, ARunThatNeverBeganIsNotLostIfItsRecordIsUnreadableLater) {
  const std::string record = bed_.paths().Run("u", "main", 0) + "/running";
  const pid_t shim = ParseRunRecord(*kernel::ReadFile(record)).value().shim.pid;
  ASSERT_EQ(::kill(shim, SIGSTOP), 0) << "it is not to write how the run ended";
  ASSERT_EQ(::unlink(record.c_str()), 0);
  cgroups_.OnSignal([&](pid_t pid, int signal) {
    ::kill(pid, signal);
    MakeUnreadable(record);
  });
  bed_.Open();
  const auto listed = bed_.runtime().List();
  ASSERT_TRUE(listed);
  ASSERT_THAT(*listed, SizeIs(1));
  EXPECT_THAT(listed->front().containers, IsEmpty());
  ::kill(shim, SIGKILL);
}

}  // namespace
}  // namespace jettison::process

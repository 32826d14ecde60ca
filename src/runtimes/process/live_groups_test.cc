#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "kernel/groups/group_files.h"
#include "runtimes/process/live_bed.h"

namespace jettison::process {

using namespace kernel;
namespace {

using cgroup_v1::Controller;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPodGroup = "kubepods/burstable/podu";

class LiveGroups : public LiveBed {
 protected:
  void SetUp() override {
    LiveBed::SetUp();
    if (!IsSkipped() && bed_) bed_->Open();
  }
  [[nodiscard]] static std::string GroupsOf(pid_t pid) {
    return kernel::ReadFile(fmt::format("/proc/{}/cgroup", pid)).value_or("");
  }
  [[nodiscard]] static std::vector<std::string> OpenFilesOf(pid_t pid) {
    std::vector<std::string> files;
    const std::string folder = fmt::format("/proc/{}/fd", pid);
    const auto names = NamesIn(folder);
    if (!names) return files;
    for (const std::string& name : *names) {
      std::array<char, 4096> target{};
      const ssize_t size =
          ::readlink((folder + "/" + name).c_str(), target.data(), target.size() - 1);
      if (size > 0) files.emplace_back(target.data(), static_cast<std::size_t>(size));
    }
    return files;
  }
  // The number of hierarchies in which `groups` names `group`.
  [[nodiscard]] static std::size_t CountIn(const std::string& groups, const std::string& group) {
    std::size_t count = 0;
    const std::string end = ":/" + group + "\n";
    for (auto at = groups.find(end); at != std::string::npos; at = groups.find(end, at + 1)) {
      ++count;
    }
    return count;
  }
};

TEST_F(LiveGroups, AContainerIsInItsGroupOfEachHierarchyAndItsShimStaysInTheAgents) {
  ASSERT_TRUE(bed_->Create(ShellPod("u", "exec sleep 1000")));
  bed_->runtime().StartContainer("u", "main", 0, 0);
  ASSERT_NE(bed_->Await<ContainerStarted>("u"), nullptr);
  const auto record =
      ParseRunRecord(*kernel::ReadFile(bed_->paths().Run("u", "main", 0) + "/running"));
  ASSERT_TRUE(record);
  const auto files = cgroups_->OpenProcs(std::string(kPodGroup) + "/main");
  ASSERT_TRUE(files);
  EXPECT_EQ(CountIn(GroupsOf(record->container), node_ + "/" + kPodGroup + "/main"), files->size())
      << GroupsOf(record->container);
  EXPECT_EQ(GroupsOf(record->shim.pid), GroupsOf(::getpid()));
  for (const pid_t pid : {record->container, record->shim.pid}) {
    EXPECT_THAT(OpenFilesOf(pid), Contains("/dev/null"));
    EXPECT_THAT(OpenFilesOf(pid), Not(Contains(HasSubstr("cgroup.procs"))));
  }
  RemoveAllAndLookForRemains();
}

// Below a threaded domain only threaded groups accept processes: the unified hierarchy, which is
// the last one, refuses what all others have accepted.
TEST_F(LiveGroups, AContainerThatOneHierarchyDoesNotTakeIsNotStarted) {
  if (!cgroups_->Has(Controller::kUnified)) GTEST_SKIP() << "the host has no unified hierarchy";
  const std::string mark = folder_.path() + "/ran";
  ASSERT_TRUE(bed_->Create(ShellPod("u", "touch " + mark)));
  const auto pod = cgroups_->OpenPressureDirectory(kPodGroup);
  ASSERT_TRUE(pod);
  ASSERT_EQ(::mkdirat(pod->get(), "threads", 0755), 0);
  const auto threads = OpenGroup(pod->get(), "threads");
  ASSERT_TRUE(threads);
  ASSERT_TRUE(kernel::WriteFile(threads->get(), "cgroup.type", "threaded"));

  bed_->runtime().StartContainer("u", "main", 0, 0);
  const auto* failed = bed_->Await<ContainerStartFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message,
              AllOf(HasSubstr("put the process into its control groups: join "),
                    HasSubstr("podu/main (unified): Operation not supported")));
  EXPECT_FALSE(Exists(mark));
  EXPECT_THAT(*cgroups_->Processes(kPodGroup), testing::IsEmpty());
  EXPECT_THAT(*NamesIn(bed_->paths().Container("u", "main")), testing::IsEmpty());
  RemoveAllAndLookForRemains();
}

}  // namespace
}  // namespace jettison::process

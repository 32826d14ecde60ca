// Manifests that are away, empty or faulty for a moment, or at a restart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <filesystem>

#include "http/client/client.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kMissing = "manifests of running pods are missing or empty";

class LiveManifests : public testing::Test {
 protected:
  void SetUp() override {
    if (!bed_.error().empty()) GTEST_SKIP() << bed_.error();
    bed_.Configure("evictionHard: {memory.available: 50Mi}\nfileCheckFrequency: 1s\n");
    bed_.Put("a.yaml", a_);
    bed_.Put("b.yaml", AgentBed::Manifest("b", {"sleep", "1000"}));
    bed_.StartAgent();
    ASSERT_TRUE(bed_.WaitForLine({"Started container main"}));
    ASSERT_TRUE(bed_.WaitForLine({"Started container main"}));
    before_ = bed_.Processes();
    ASSERT_THAT(before_, SizeIs(2));
  }
  void TearDown() override {
    umount2(folder_.c_str(), MNT_DETACH);
    if (!HasFailure()) return;
    for (const std::string& line : bed_.lines()) ADD_FAILURE() << line;
  }
  void ExpectNobodyHurt() {
    EXPECT_EQ(bed_.Processes(), before_);
    EXPECT_THAT(bed_.LinesWith("container ended"), IsEmpty());
    EXPECT_THAT(bed_.LinesWith("pod started"), SizeIs(2));
  }
  [[nodiscard]] std::string Readiness() const {
    const auto answer =
        HttpGet({.endpoint = bed_.endpoint(), .timeout = std::chrono::seconds(5)}, "/readyz");
    return answer ? answer->body : answer.error().message;
  }

  AgentBed bed_;
  const std::string folder_ = bed_.folder() + "/manifests";
  const std::string a_ = AgentBed::Manifest("a", {"sleep", "1000"});
  std::vector<pid_t> before_;
};

TEST_F(LiveManifests, AFolderThatIsRenamedAwayAndBackEndsNoPod) {
  fs::rename(folder_, bed_.folder() + "/away");
  EXPECT_TRUE(bed_.WaitForLine({kMissing, "count=2"}));
  EXPECT_THAT(Readiness(), HasSubstr("2 manifests of running pods are missing"));
  fs::rename(bed_.folder() + "/away", folder_);
  EXPECT_TRUE(bed_.WaitForLine({"manifest is back", "b.yaml"}));
  EXPECT_EQ(Readiness(), "ok");
  ExpectNobodyHurt();
}

TEST_F(LiveManifests, AMountOverTheFolderEndsNoPodAtOnce) {
  ASSERT_EQ(mount("test", folder_.c_str(), "tmpfs", 0, "size=1m"), 0);
  EXPECT_TRUE(bed_.WaitForLine({kMissing, "count=2"}));
  ASSERT_EQ(umount2(folder_.c_str(), MNT_DETACH), 0);
  EXPECT_TRUE(bed_.WaitForLine({"manifest is back", "b.yaml"}));
  ExpectNobodyHurt();
}

TEST_F(LiveManifests, AFileThatIsTruncatedEndsItsPodOnlyWhenItStaysSo) {
  bed_.Put("a.yaml", "");
  EXPECT_TRUE(bed_.WaitForLine({kMissing, "count=1", "a.yaml"}));
  bed_.Put("a.yaml", a_);
  EXPECT_TRUE(bed_.WaitForLine({"manifest is back", "a.yaml"}));
  ExpectNobodyHurt();
  bed_.Put("a.yaml", "");
  EXPECT_TRUE(bed_.WaitForLine({"manifests stayed missing or empty", "a.yaml"}));
  EXPECT_TRUE(bed_.WaitForLine({"container ended", "default/a"}));
  EXPECT_THAT(bed_.Processes(), SizeIs(1));
}

TEST_F(LiveManifests, AFolderThatStaysAwayEndsItsPods) {
  fs::rename(folder_, bed_.folder() + "/away");
  EXPECT_TRUE(bed_.WaitForLine({"manifests stayed missing or empty", "count=2"}));
  EXPECT_TRUE(bed_.WaitForLine({"container ended"}));
  EXPECT_TRUE(bed_.WaitForLine({"container ended"}));
}

TEST_F(LiveManifests, AFaultyManifestAtARestartHarmsNoPod) {
  bed_.KillAgent();
  bed_.Put("a.yaml", "a: [");
  bed_.StartAgent();
  EXPECT_TRUE(bed_.WaitForLine({"agent is ready"}));
  EXPECT_TRUE(bed_.WaitForLine({"manifest is not valid", "a.yaml"}));
  bed_.Put("c.yaml", AgentBed::Manifest("c", {"true"}));
  EXPECT_TRUE(bed_.WaitForLine({"container ended", "default/c"}));
  for (const pid_t pid : before_) EXPECT_THAT(bed_.Processes(), testing::Contains(pid));
  bed_.Put("a.yaml", a_);
  bed_.Remove("b.yaml");
  EXPECT_TRUE(bed_.WaitForLine({"container ended", "default/b"}));
  EXPECT_THAT(bed_.LinesWith("container ended"),
              testing::Not(testing::Contains(HasSubstr("default/a"))));
}

TEST_F(LiveManifests, AFolderThatIsNotMountedYetAtARestartHarmsNoPod) {
  bed_.KillAgent();
  fs::rename(folder_, bed_.folder() + "/away");
  fs::create_directory(folder_);
  bed_.StartAgent();
  EXPECT_TRUE(bed_.WaitForLine({"agent is ready"}));
  EXPECT_TRUE(bed_.WaitForLine({kMissing, "count=2", "endedAfter=\"120 s\""}));
  ASSERT_EQ(mount((bed_.folder() + "/away").c_str(), folder_.c_str(), nullptr, MS_BIND, nullptr),
            0);
  EXPECT_TRUE(bed_.WaitForLine({"manifest is back", "b.yaml"}));
  ExpectNobodyHurt();
}

}  // namespace
}  // namespace jettison

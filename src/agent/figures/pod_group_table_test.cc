#include "agent/figures/pod_group_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_runtime.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class NotingCgroups : public FakeCgroups {
 public:
  void Forget(std::string_view path) override { forgotten.emplace_back(path); }
  std::vector<std::string> forgotten;
};

// The groups of a foreign pod, and of the run of its container, as others name them.
class NamingRuntime : public FakeRuntime {
 public:
  [[nodiscard]] std::string_view GroupOf(const std::string&, const std::string&) const override {
    return container;
  }
  [[nodiscard]] const std::vector<std::string>& ForeignGroupsOf(const std::string&) const override {
    return pod;
  }
  std::string container;
  std::vector<std::string> pod;
};

PodFacts FactsNamed(const std::string& uid) {
  Pod pod;
  pod.uid = uid;
  pod.containers.emplace_back().name = "c";
  return FactsOf(pod, Profile::kStandalone);
}

class PodGroupTableTest : public ::testing::Test {
 protected:
  NotingCgroups cgroups_;
  NamingRuntime runtime_;
  PodGroupTable table_{cgroups_, &runtime_, CgroupDriver::kCgroupfs};
};

TEST_F(PodGroupTableTest, AContainerThatIsStartedAgainLeavesNothingOpen) {
  const PodFacts facts = FactsNamed("u");
  runtime_.container = "first";
  EXPECT_EQ(table_.Of(facts).containers.front().second, "kubepods/besteffort/podu/first");
  EXPECT_EQ(table_.Of(facts).pod, std::vector<std::string>{"kubepods/besteffort/podu"});
  EXPECT_THAT(cgroups_.forgotten, IsEmpty());
  runtime_.container = "second";
  EXPECT_EQ(table_.Of(facts).containers.front().second, "kubepods/besteffort/podu/second");
  EXPECT_THAT(cgroups_.forgotten,
              ElementsAre("kubepods/besteffort/podu", "kubepods/besteffort/podu/first"));
}

TEST_F(PodGroupTableTest, PodsThatComeAndGoLeaveNothingOpen) {
  const PodFacts stays = FactsNamed("stays");
  const std::vector<const PodFacts*> pods = {&stays};
  for (int i = 0; i < 300; ++i) {
    const std::string uid = "pod" + std::to_string(i);
    runtime_.pod = {"kubepods.slice/" + uid};
    runtime_.container = "kubepods.slice/" + uid + "/c";
    (void)table_.Of(FactsNamed(uid));
    runtime_.pod.clear();
    runtime_.container = "c";
    (void)table_.Of(stays);
    table_.ForgetOthers(pods);
  }
  EXPECT_GE(cgroups_.forgotten.size(), 2 * 280U);
  EXPECT_THAT(cgroups_.forgotten, ::testing::Contains("kubepods.slice/pod0"));
  EXPECT_THAT(cgroups_.forgotten, ::testing::Contains("kubepods.slice/pod0/c"));
  EXPECT_THAT(cgroups_.forgotten,
              ::testing::Not(::testing::Contains("kubepods/besteffort/podstays")));
}

}  // namespace
}  // namespace jettison

#include "tests/arch/include_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(IncludeRules, PartsPointOneWay) {
  EXPECT_TRUE(PartMayInclude("core", "core"));
  EXPECT_FALSE(PartMayInclude("core", "ports"));
  EXPECT_TRUE(PartMayInclude("kernel", "ports"));
  EXPECT_FALSE(PartMayInclude("kernel", "apply"));
  EXPECT_FALSE(PartMayInclude("sim", "kernel"));
  EXPECT_FALSE(PartMayInclude("sim", "agent"));
  EXPECT_FALSE(PartMayInclude("agent", "api"));
  EXPECT_TRUE(PartMayInclude("agent", "machine"));
  EXPECT_FALSE(PartMayInclude("machine", "agent"));
  EXPECT_FALSE(PartMayInclude("agent", "sim"));
  EXPECT_FALSE(PartMayInclude("agent", "cli"));
  EXPECT_FALSE(PartMayInclude("api", "runtimes"));
  EXPECT_FALSE(PartMayInclude("runtimes", "sources"));
  EXPECT_FALSE(PartMayInclude("sources", "runtimes"));
  EXPECT_FALSE(PartMayInclude("containers", "sources"));
  EXPECT_TRUE(PartMayInclude("cli", "api"));
  EXPECT_FALSE(PartMayInclude("no such part", "core"));
}

TEST(IncludeRules, RoomsOfTheKernelDoNotKnowEachOther) {
  EXPECT_FALSE(NeighbourMayInclude("kernel/procfs", "kernel/cgroup_v1"));
  EXPECT_TRUE(NeighbourMayInclude("kernel/cgroup_v1", "kernel/groups"));
  EXPECT_FALSE(NeighbourMayInclude("runtimes/process", "runtimes/cri"));
  EXPECT_TRUE(NeighbourMayInclude("runtimes/cri", "runtimes/cri/values"));
  EXPECT_TRUE(NeighbourMayInclude("sources/containerd", "sources/foreign"));
  EXPECT_FALSE(NeighbourMayInclude("sources/manifests", "sources/containerd"));
  EXPECT_TRUE(NeighbourMayInclude("agent/pods", "agent/workers"));
}

TEST(IncludeRules, ARoomIsTheFolderOfAFile) {
  EXPECT_EQ(RoomOf("core/units/quantity.h"), "core/units");
  EXPECT_EQ(PartOf("core/units"), "core");
  EXPECT_EQ(PartOf("apply"), "apply");
}

TEST(IncludeRules, ARoomDeclaresWhatItDependsOn) {
  const auto room = DeclaredIn(
      "# jettison_room(nothing)\n"
      "jettison_room(pods\n  DEPS jettison_units\n       fmt::fmt\n  TEST_DEPS jettison_fakes)\n");
  ASSERT_TRUE(room);
  EXPECT_EQ(room->name, "pods");
  EXPECT_THAT(room->deps, ElementsAre("units"));
  EXPECT_THAT(room->test_deps, ElementsAre("fakes"));
  EXPECT_EQ(DeclaredIn("add_library(jettison_page STATIC page.cc)")->name, "page");
  EXPECT_THAT(DeclaredIn("add_library(jettison_page STATIC page.cc)\n"
                         "target_link_libraries(jettison_page PUBLIC jettison_units)")
                  ->deps,
              ElementsAre("units"));
  EXPECT_EQ(DeclaredIn("add_library(jettison_stubs INTERFACE)\njettison_room(rpc)")->name, "rpc");
  EXPECT_FALSE(DeclaredIn("add_subdirectory(inner)"));
}

TEST(IncludeRules, ACycleIsFoundAndShown) {
  EXPECT_THAT(CycleIn({{"a", {"b"}}, {"b", {"c"}}}), IsEmpty());
  EXPECT_THAT(CycleIn({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}), ElementsAre("b", "c", "b"));
}

TEST(IncludeRules, ClassesAreToldByTheMembersThatAreDefined) {
  EXPECT_THAT(ClassesDefinedIn("Node::Node(int a) : a_(a) {}\n"
                               "Result<void> Node::Look() {\n  Other::Call();\n}\n"
                               "const std::string& Table::Row::name() const {}\n"
                               "int x = Limits::Most();\n"),
              ElementsAre("Node", "Table::Row"));
}

TEST(IncludeRules, ImpuritiesAreFoundInCodeAndNotInComments) {
  EXPECT_THAT(Impurities("auto t = std::chrono::system_clock::now();"), ElementsAre("::now("));
  EXPECT_THAT(Impurities("#include <thread>\n"), ElementsAre("<thread>"));
  EXPECT_THAT(Impurities("throw 1;"), ElementsAre("throw"));
  EXPECT_THAT(Impurities("// a catch and a throw\n/* try */ int throwing;"), IsEmpty());
}

}  // namespace
}  // namespace jettison

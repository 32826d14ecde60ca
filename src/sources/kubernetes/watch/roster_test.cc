#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sources/kubernetes/watch/reflector.h"

namespace jettison::kube {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

ObjectHead HeadOf(const std::string& uid, const std::string& version) {
  return {.namespace_ = "d", .name = "pod-" + uid, .uid = uid, .resource_version = version};
}

TEST(Roster, AListTellsWhatIsNotInIt) {
  Roster roster;
  EXPECT_EQ(roster.Tell(HeadOf("a", "1")), Verdict::kAppeared);
  EXPECT_EQ(roster.Tell(HeadOf("b", "2")), Verdict::kAppeared);
  roster.BeginList(false);
  EXPECT_EQ(roster.Tell(HeadOf("b", "1")), Verdict::kKnown);  // old, but it exists
  const auto vanished = roster.EndList();
  ASSERT_THAT(vanished, SizeIs(1));
  EXPECT_EQ(vanished[0], HeadOf("a", "1"));
  roster.BeginList(false);
  EXPECT_THAT(roster.EndList(), SizeIs(1));
  EXPECT_THAT(roster.objects(), IsEmpty());
}

TEST(Roster, AnotherPodOfTheSameNameIsAnother) {
  Roster roster;
  ObjectHead again = HeadOf("b", "2");
  again.name = HeadOf("a", "1").name;
  EXPECT_EQ(roster.Tell(HeadOf("a", "1")), Verdict::kAppeared);
  EXPECT_EQ(roster.Tell(again), Verdict::kAppeared);
  EXPECT_EQ(roster.TellGone(HeadOf("a", "3")), Verdict::kGone);
  EXPECT_TRUE(roster.objects().contains("b"));
}

TEST(Roster, RemembersOnlySoManyThatAreGone) {
  Roster roster;
  for (int i = 0; i < 2000; ++i) {
    static_cast<void>(roster.TellGone(HeadOf("u" + std::to_string(i), "10")));
  }
  EXPECT_EQ(roster.Tell(HeadOf("u1999", "9")), Verdict::kKnown);
  EXPECT_EQ(roster.Tell(HeadOf("u0", "9")), Verdict::kAppeared);
}

}  // namespace
}  // namespace jettison::kube

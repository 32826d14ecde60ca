#include "agent/passes/spared_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <utility>

namespace jettison {
namespace {

PodFacts Named(const char* uid) {
  Pod pod;
  pod.uid = uid;
  return FactsOf(std::move(pod), Profile::kStandalone);
}

struct Fixture {
  PodFacts a = Named("a");
  PodFacts b = Named("b");
  SparedPods::Pods active = {&a, &b};
  SparedPods spared;
};

TEST(SparedPods, WhereNobodyIsSparedThePodsAreTheSame) {
  Fixture f;
  EXPECT_EQ(f.spared.Among(f.active, {}), f.active);
}

TEST(SparedPods, WhoIsSparedIsProtectedInThisPassAlone) {
  Fixture f;
  const auto seen = f.spared.Among(f.active, {{.uid = "b", .why = "budget", .until = {}}});
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0], &f.a);
  EXPECT_EQ(seen[1]->pod.uid, "b");
  EXPECT_EQ(seen[1]->protection, Protection::kSpared);
  EXPECT_FALSE(f.b.IsProtected());
  EXPECT_EQ(f.spared.spared().front().why, "budget");
  EXPECT_EQ(f.spared.Themselves(seen), f.active);
}

TEST(SparedPods, WhoIsProtectedAnywayStaysSoForThatReason) {
  Fixture f;
  f.b.protection = Protection::kCritical;
  EXPECT_EQ(f.spared.Among(f.active, {{.uid = "b", .why = "", .until = {}}})[1], &f.b);
}

TEST(SparedPods, APassIsKeptWithThePodsAsItHasSeenThem) {
  Fixture f;
  const auto b = std::make_shared<const PodFacts>(f.b);
  const SparedPods::Pods active = {b.get()};
  const auto seen = f.spared.Among(active, {{.uid = "b", .why = "", .until = {}}});
  EXPECT_EQ(f.spared.AsSeen({b}).front().get(), seen.front());
  f.spared.Clear();
  EXPECT_EQ(f.spared.AsSeen({b}).front(), b);
}

}  // namespace
}  // namespace jettison

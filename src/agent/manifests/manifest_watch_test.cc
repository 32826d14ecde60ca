#include "agent/manifests/manifest_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

constexpr const char* kManifest =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
    "spec: {containers: [{name: c, command: [sleep]}]}\n";

class WatchWithoutPath : public testing::Test {
 protected:
  // Whether Wanted may be another, this much later.
  bool AdvanceBy(Duration duration) {
    clock_.Advance(duration);
    return watch_.Advance(clock_.Now());
  }

  std::vector<std::string> lines_;
  FakeClock clock_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  ManifestWatch watch_{nullptr, {}, clock_, log_};
  const std::vector<Pod> earlier_ = ReadManifest("/m/a.yaml", kManifest).pods;
};

TEST_F(WatchWithoutPath, PodsOfAnEarlierAgentEndAfterTwoMinutesAndNotAtOnce) {
  watch_.Begin(earlier_);
  EXPECT_THAT(watch_.Wanted(), SizeIs(1));
  EXPECT_THAT(lines_, Contains(HasSubstr("staticPodPath is not set, but pods of an earlier")));
  EXPECT_THAT(watch_.Problem(), HasSubstr("1 manifests of running pods are missing"));
  ASSERT_TRUE(watch_.NextDeadline());
  EXPECT_FALSE(AdvanceBy(119s));
  EXPECT_THAT(watch_.Wanted(), SizeIs(1));
  EXPECT_TRUE(AdvanceBy(1s));
  EXPECT_THAT(watch_.Wanted(), IsEmpty());
  EXPECT_FALSE(watch_.NextDeadline());
}

TEST_F(WatchWithoutPath, APodWhoseManifestIsNotKnownEndsNoSooner) {
  std::vector<Pod> unplaced = earlier_;
  unplaced[0].annotations.clear();
  watch_.Begin(unplaced);
  EXPECT_FALSE(AdvanceBy(1s));
  EXPECT_FALSE(AdvanceBy(119s));
  EXPECT_THAT(watch_.Wanted(), SizeIs(1));
  EXPECT_TRUE(AdvanceBy(1s));
  EXPECT_THAT(watch_.Wanted(), IsEmpty());
}

TEST_F(WatchWithoutPath, APodThatIsFoundLateHasItsOwnTwoMinutes) {
  watch_.Begin({});
  EXPECT_THAT(lines_, IsEmpty());
  EXPECT_FALSE(watch_.NextDeadline());
  watch_.AdoptLate(earlier_[0], clock_.Now());
  EXPECT_THAT(watch_.Wanted(), SizeIs(1));
  EXPECT_FALSE(AdvanceBy(119s));
  EXPECT_TRUE(AdvanceBy(1s));
  EXPECT_THAT(watch_.Wanted(), IsEmpty());
}

}  // namespace
}  // namespace jettison

// An evicted pod of an earlier agent that runs and cannot be read.
#include <fmt/format.h>

#include "agent/pods/pod_table_test_bed.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class PodTableUnreadablePodTest : public PodTableTest {
 protected:
  // What its folders tell of its containers need not be what a manifest says.
  static RuntimePod Unreadable(const std::string& name, bool unread = true) {
    RuntimePod found{.pod = PodNamed(name), .containers = {}, .foreign = unread, .unread = unread};
    found.pod.containers[0].name = unread ? "old" : "c";
    found.containers.push_back(
        {.pod_uid = found.pod.uid, .name = found.pod.containers[0].name, .created = Instant{}});
    return found;
  }
  // The same when it can be read, after it has ended.
  [[nodiscard]] RuntimePod Ended(const std::string& name) const {
    RuntimePod found = Unreadable(name, false);
    found.containers[0].exit =
        ContainerExit{.exit_code = 137, .signal = 9, .started = now_, .finished = now_};
    return found;
  }
  void Find(const RuntimePod& pod) {
    runtime_.SetExisting({pod});
    table_.Handle(PodFound{.pod_uid = pod.pod.uid, .pod = pod}, now_);
    Deliver();
  }
  void WantInPlaceOfUnreadable(const std::string& name) {
    runtime_.FailCreate("uid-" + name, {ErrorCode::kUnavailable, "in its place"});
    Want({PodNamed(name)});
    runtime_.TakeCommands();
  }
  void Restart(std::vector<RuntimePod> found) {
    std::vector<SavedPod> kept = table_.Kept(now_);
    present_.emplace(Profile::kStandalone, kComeBackRule, edges_);
    (void)runtime_.TakeEvents();
    runtime_.TakeCommands();
    table_.Remember(std::move(kept));
    runtime_.SetExisting(found);
    table_.Adopt(std::move(found), now_);
  }
  // What was evicted is out for its back-off, and then starts if admission accepts it.
  void ExpectOutFor(Duration back_off, const std::string& name) {
    EXPECT_EQ(View(name).comes_back_at, now_ + back_off);
    EXPECT_EQ(View(name).evictions, 1);
    EXPECT_EQ(View(name).status.reason, "Evicted");
    runtime_.CreateSucceeds("uid-" + name);
    runtime_.TakeCommands();
    PassDone(Pressure(NodeConditionType::kMemoryPressure));
    Pass(back_off);
    EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
    PassDone();
    EXPECT_THAT(runtime_.TakeCommands(), Contains("create uid-" + name));
  }
};

TEST_F(PodTableUnreadablePodTest, TheEvictionOfAPodInWhosePlaceItRunsEndsIt) {
  for (const bool is_found_first : {true, false}) {
    const std::string name = is_found_first ? "a" : "b";
    if (is_found_first) Find(Unreadable(name));
    WantInPlaceOfUnreadable(name);
    if (!is_found_first) Find(Unreadable(name));
    EXPECT_THAT(Active(), ElementsAre(name)) << "with the priority that the manifest says";
    runtime_.IgnoreStop("old");
    EXPECT_TRUE(table_.Evict(OrderFor(name, 5), now_).value());
    Deliver();
    EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop uid-" + name + "/old 5s"));
    EXPECT_THAT(Active(), ElementsAre(name)) << "its end is not over before it has ended";
    Pass(seconds(5));
    EXPECT_THAT(runtime_.TakeCommands(),
                ElementsAre("kill uid-" + name + "/old", "remove uid-" + name));
    EXPECT_TRUE(View(name).comes_back_at);
    Want({});
  }
}

TEST_F(PodTableUnreadablePodTest, WhatHasEndedOfItMeanwhileIsNotAwaited) {
  Find(Unreadable("a"));
  WantInPlaceOfUnreadable("a");
  runtime_.Exit("uid-a", "old", 1);
  Deliver();
  Evict("a");
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("remove uid-a"));
}

TEST_F(PodTableUnreadablePodTest, AManifestThatIsTakenBackEndsNothingOfIt) {
  Find(Unreadable("a"));
  WantInPlaceOfUnreadable("a");
  Want({});
  EXPECT_TRUE(runtime_.IsRunning("uid-a", "old"));
  EXPECT_THAT(Active(), ElementsAre("a")) << "it is still measured";
  Want({});
  Evict("a");
  EXPECT_THAT(runtime_.TakeCommands(),
              ElementsAre("remove uid-a", "stop uid-a/old 1s", "remove uid-a"));
}

TEST_F(PodTableUnreadablePodTest, AManifestThatChangesMeanwhileStillHasItInItsPlace) {
  Find(Unreadable("a"));
  WantInPlaceOfUnreadable("a");
  Want({PodNamed("a", 7)});
  Want({PodNamed("a", 7)});
  ASSERT_THAT(table_.Active(), SizeIs(1));
  EXPECT_EQ(table_.Active().front()->priority, 7);
  runtime_.TakeCommands();
  Evict("a");
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop uid-a/old 1s", "remove uid-a"));
}

TEST_F(PodTableUnreadablePodTest, OneThatHasEndedByItselfIsNotFoundAgain) {
  Find(Unreadable("a"));
  WantInPlaceOfUnreadable("a");
  runtime_.Exit("uid-a", "old", 1);
  Deliver();
  Want({});
  EXPECT_THAT(Active(), IsEmpty());
}

TEST_F(PodTableUnreadablePodTest, ItStaysOutForItsBackOffWhenAManifestAsksForItAfterwards) {
  Find(Unreadable("a"));
  Evict("a");
  EXPECT_THAT(table_.Views(now_), IsEmpty());
  EXPECT_THAT(table_.Kept(now_), SizeIs(1)) << "also for the next agent";
  Restart({});
  Want({PodNamed("a")});
  ExpectOutFor(seconds(10), "a");
}

TEST_F(PodTableUnreadablePodTest, ItStaysOutWhenAManifestAsksForItWhileItEnds) {
  Find(Unreadable("a"));
  runtime_.IgnoreStop("old");
  Evict("a");
  Want({PodNamed("a")});
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop uid-a/old 1s"));
  EXPECT_EQ(View("a").status.phase, PodPhase::kPending);
  Pass(seconds(1));
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("kill uid-a/old", "remove uid-a"));
  ExpectOutFor(seconds(10), "a");
}

TEST_F(PodTableUnreadablePodTest, WhatIsLeftOfItIsRemovedWhenItCanBeRead) {
  Find(Unreadable("a"));
  Evict("a");
  runtime_.TakeCommands();
  Find(Ended("a"));
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("remove uid-a")) << "nothing of it is started";
  Want({PodNamed("a")});
  ExpectOutFor(seconds(10), "a");
}

TEST_F(PodTableUnreadablePodTest, WhatIsLeftOfItIsRemovedInItsBackOffWhichThatDoesNotLengthen) {
  Find(Unreadable("a"));
  WantInPlaceOfUnreadable("a");
  Evict("a");
  runtime_.TakeCommands();
  Pass(seconds(4));
  Find(Ended("a"));
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("remove uid-a"));
  Restart({Ended("a")});
  Deliver();
  Want({PodNamed("a")});
  ExpectOutFor(seconds(6), "a");
}

TEST_F(PodTableUnreadablePodTest, ItsEvictionGoesOnWhenItCanBeReadMeanwhileOrTheAgentStartsAgain) {
  runtime_.IgnoreStop("c");
  runtime_.IgnoreStop("old");
  for (const bool is_read : {true, false}) {
    for (const bool starts_again : {true, false}) {
      const std::string name = fmt::format("{}{}", is_read ? "a" : "b", starts_again);
      const std::string container = fmt::format("uid-{}/{}", name, is_read ? "c" : "old");
      if (!is_read && !starts_again) continue;
      Find(Unreadable(name));
      EXPECT_TRUE(table_.Evict(OrderFor(name, 30), now_).value());
      Pass(seconds(10));
      runtime_.TakeCommands();
      if (starts_again) {
        Restart({Unreadable(name, !is_read)});
      } else {
        Find(Unreadable(name, false));
      }
      EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop " + container + " 20s"));
      Want({PodNamed(name)});
      Pass(seconds(20));
      EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("kill " + container, "remove uid-" + name));
      EXPECT_EQ(View(name).evictions, 1);
      EXPECT_TRUE(View(name).comes_back_at);
      Want({});
    }
  }
}

TEST_F(PodTableUnreadablePodTest, OneThatRunsAgainByNowIsNotEndedByAnOldRecord) {
  table_.Remember({{.name = "default/a",
                    .uid = "uid-a",
                    .evictions = 1,
                    .absence = SavedAbsence{
                        .reason = "Evicted", .message = "", .comes_back_at = now_ - seconds(1)}}});
  Find(Unreadable("a", false));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  EXPECT_THAT(Active(), ElementsAre("a"));
}

TEST_F(PodTableUnreadablePodTest, ItIsKnownByItsUidWhereItsFoldersDoNotTellItsName) {
  RuntimePod nameless = Unreadable("a");
  nameless.pod.name = "uid-a";
  nameless.pod.namespace_ = "unknown";
  Find(nameless);
  Evict("a");
  Want({PodNamed("a")});
  ExpectOutFor(seconds(10), "a");
}

}  // namespace
}  // namespace jettison

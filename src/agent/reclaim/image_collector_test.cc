#include "agent/reclaim/image_collector.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "agent/reclaim/testing/image_test_bed.h"

namespace jettison {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ImageCollectorTest : public testing::Test {
 protected:
  void Start(ImageGcPolicy policy = {}) {
    collector_.emplace(ImageCollectorSettings{.policy = policy}, bed_.Dependencies());
  }
  void Pass(Duration time) { bed_.Pass(*collector_, time); }
  std::vector<std::string> DeleteUnused() {
    collector_->DeleteUnused();
    Pass(seconds(5));
    return Removals();
  }
  // The removals so far.
  std::vector<std::string> Removals() {
    std::vector<std::string> removals = bed_.store.TakeCommands();
    std::erase(removals, "list");
    return removals;
  }
  const ImageRecord& Image(const std::string& id) {
    const auto found = std::ranges::find(collector_->images(), id, &ImageRecord::id);
    EXPECT_NE(found, collector_->images().end()) << id;
    return *found;
  }

  ImageTestBed bed_;
  std::optional<ImageCollector> collector_;
};

TEST_F(ImageCollectorTest, LooksAtTheImagesAtTheStartAndRemovesNone) {
  bed_.Add("a");
  bed_.disk.available_mi = 10;
  Start();
  Pass(minutes(4));
  EXPECT_THAT(bed_.store.TakeCommands(), ElementsAre("list"));
  EXPECT_EQ(Image("a").first_detected, Instant()) << "older than any listing";
  EXPECT_TRUE(bed_.Reasons().empty());
}

TEST_F(ImageCollectorTest, CollectsEveryFiveMinutesFromTheHighThresholdDownToTheLowOne) {
  for (const char* id : {"a", "b", "c"}) bed_.Add(id);
  Start();
  Pass(minutes(5));
  EXPECT_THAT(Removals(), IsEmpty()) << "half full";
  bed_.disk.available_mi = 150;  // 85% used; 80% are reached with one image of 100 MiB
  Pass(minutes(4) + seconds(59));
  EXPECT_THAT(Removals(), IsEmpty());
  Pass(seconds(10));
  EXPECT_THAT(Removals(), ElementsAre("remove a"));
  EXPECT_TRUE(bed_.Said("images removed"));
  EXPECT_TRUE(bed_.Said("freed=104857600"));
  const ImageCounters& counters = collector_->counters();
  EXPECT_EQ(counters.removed[static_cast<std::size_t>(ImageGcReason::kSpace)], 1U);
  EXPECT_EQ(counters.removed[static_cast<std::size_t>(ImageGcReason::kAge)], 0U);
  EXPECT_EQ(counters.freed_bytes, 100 * kTestMi);
}

TEST_F(ImageCollectorTest, InUsePinnedSandboxAndNeededImagesStay) {
  bed_.Add("by-id");
  bed_.Add("by-name", {"docker.io/app:1"});
  bed_.Add("pinned");
  bed_.store.Pin("pinned");
  bed_.Add("wanted", {"local/never-pulled:1"});
  bed_.Add("wanted-too", {"docker.io/library/busybox:latest"});
  bed_.Add("unused");
  bed_.Add("");
  bed_.store.Use("no-such-image");
  bed_.store.Use("by-id");
  bed_.store.Use("docker.io/app:1");
  bed_.needed = {"local/never-pulled:1", "busybox"};
  Start();
  Pass(seconds(1));
  EXPECT_THAT(DeleteUnused(), ElementsAre("remove unused"));
  EXPECT_TRUE(collector_->deleted());
}

TEST_F(ImageCollectorTest, BeforeTheManifestsAreReadNoImageIsRemoved) {
  bed_.Add("wanted", {"local/never-pulled:1"});
  bed_.Add("unused");
  bed_.needed.reset();
  Start();
  collector_->DeleteUnused();
  Pass(seconds(4));
  EXPECT_TRUE(collector_->DeletingUnused()) << "they may be read in a moment";
  Pass(seconds(2));
  EXPECT_FALSE(collector_->DeletingUnused());
  ASSERT_FALSE(collector_->deleted());
  EXPECT_THAT(collector_->deleted().error().message, HasSubstr("manifests have not been read"));
  EXPECT_THAT(Removals(), IsEmpty());
  EXPECT_EQ(collector_->counters().list_errors, 0U);
  bed_.needed = {"local/never-pulled:1"};
  EXPECT_THAT(DeleteUnused(), ElementsAre("remove unused"));
  EXPECT_TRUE(collector_->deleted());
}

TEST_F(ImageCollectorTest, ACollectionEndsWhenTheManifestsCannotBeReadAnyLonger) {
  for (const char* id : {"a", "b"}) bed_.Add(id);
  bed_.store.OnRemoved([this](const StoredImage&) {
    bed_.clock.Advance(seconds(2));  // the listing does not show what is in use any longer
    bed_.needed.reset();
  });
  Start();
  Pass(seconds(1));
  collector_->DeleteUnused();
  Pass(seconds(20));
  EXPECT_THAT(Removals(), ElementsAre("remove a"));
  EXPECT_FALSE(collector_->deleted());
}

TEST_F(ImageCollectorTest, DiskPressureDeletesEveryUnusedImageLeastRecentlyUsedFirst) {
  for (const char* id : {"a", "b", "c"}) bed_.Add(id);
  bed_.store.Use("a");
  Start();
  Pass(minutes(6));
  bed_.store.Release("a");
  collector_->DeleteUnused();
  EXPECT_TRUE(collector_->DeletingUnused());
  const int looks = bed_.disk.looks;
  Pass(seconds(5));
  EXPECT_FALSE(collector_->DeletingUnused());
  EXPECT_GT(bed_.disk.looks, looks + 2);
  EXPECT_THAT(Removals(), ElementsAre("remove b", "remove c", "remove a"));
}

TEST_F(ImageCollectorTest, AnImageYoungerThanTheMinimumAgeStays) {
  Start();
  Pass(seconds(1));
  bed_.Add("new");
  EXPECT_THAT(DeleteUnused(), IsEmpty());
  Pass(minutes(2));
  EXPECT_THAT(DeleteUnused(), ElementsAre("remove new"));
}

TEST_F(ImageCollectorTest, AnImageUnusedForLongerThanTheMaximumAgeGoesWithoutPressure) {
  bed_.Add("a");
  bed_.Add("used");
  bed_.store.Use("used");
  Start({.max_age = minutes(12)});
  Pass(minutes(11));
  EXPECT_THAT(Removals(), IsEmpty()) << "it is not known what was used before the start";
  Pass(minutes(5));
  EXPECT_THAT(Removals(), ElementsAre("remove a"));
}

TEST_F(ImageCollectorTest, WhatWasTakenIntoUseMeanwhileStays) {
  bed_.Add("a");
  bed_.Add("b");
  Start();
  Pass(seconds(1));
  bed_.store.TakeCommands();
  collector_->DeleteUnused();
  bed_.store.DeliverOne();
  bed_.clock.Advance(seconds(20));  // the first removal takes its time
  bed_.store.Use("b");
  bed_.store.Deliver();
  EXPECT_THAT(bed_.store.TakeCommands(), ElementsAre("list", "remove a", "list"));
  Pass(seconds(5));
  ASSERT_FALSE(collector_->deleted());
  EXPECT_THAT(collector_->deleted().error().message, HasSubstr("b is now in use"));
}

TEST_F(ImageCollectorTest, IsOverOnlyWhenTheSpaceIsReallyFree) {
  bed_.frees = false;
  bed_.Add("a");
  Start();
  Pass(seconds(1));
  collector_->DeleteUnused();
  Pass(milliseconds(800));
  EXPECT_TRUE(collector_->DeletingUnused());
  bed_.disk.available_mi += 60;
  Pass(milliseconds(800));
  EXPECT_TRUE(collector_->DeletingUnused());
  bed_.disk.available_mi += 40;
  Pass(milliseconds(1200));
  EXPECT_FALSE(collector_->DeletingUnused());
  EXPECT_TRUE(bed_.Said("freed=104857600"));
}

TEST_F(ImageCollectorTest, SpaceIsMeasuredAfterOldImagesAreReallyGone) {
  bed_.frees = false;
  bed_.Add("old");
  bed_.Add("other");
  bed_.store.Use("other");
  Start({.max_age = minutes(12)});
  Pass(minutes(10));
  bed_.store.Release("other");
  bed_.disk.available_mi = 100;
  Pass(minutes(5) + milliseconds(100));
  EXPECT_THAT(Removals(), ElementsAre("remove old"));
  bed_.disk.available_mi = 200;  // the space becomes free: 80% used
  Pass(seconds(5));
  EXPECT_THAT(Removals(), IsEmpty());
}

TEST_F(ImageCollectorTest, TooLittleFreedIsAnEventAndRepeatedFailureIsAnother) {
  bed_.Add("a");
  bed_.store.Use("a");
  bed_.disk.available_mi = 100;
  Start();
  Pass(minutes(5));
  EXPECT_THAT(bed_.Reasons(), ElementsAre("FreeDiskSpaceFailed"));
  Pass(minutes(5));
  EXPECT_THAT(bed_.Reasons(), ElementsAre("FreeDiskSpaceFailed", "ImageGCFailed"));
  bed_.disk.available_mi = 500;
  Pass(minutes(5));
  EXPECT_TRUE(bed_.Said("Image garbage collection succeeded"));
}

TEST_F(ImageCollectorTest, AFileSystemThatCannotBeReadIsAFailureNotAnEmptyOne) {
  bed_.Add("a");
  Start();
  Pass(minutes(1));
  bed_.disk.readable = false;
  Pass(minutes(4));
  EXPECT_THAT(Removals(), IsEmpty());
  EXPECT_TRUE(bed_.Said("measure the image file system"));
  EXPECT_THAT(bed_.Reasons(), IsEmpty());
}

TEST_F(ImageCollectorTest, ARefusedRemovalLeavesTheOthersToGo) {
  bed_.Add("a");
  bed_.Add("b");
  bed_.store.FailRemove("a", {ErrorCode::kInternal, "busy"});
  Start();
  Pass(seconds(1));
  EXPECT_THAT(DeleteUnused(), ElementsAre("remove a", "remove b"));
  ASSERT_FALSE(collector_->deleted());
  EXPECT_THAT(collector_->deleted().error().message, HasSubstr("a: busy"));
  EXPECT_TRUE(bed_.store.Has("a"));
}

TEST_F(ImageCollectorTest, ARuntimeThatDoesNotListIsGivenUpAndAskedAgainLater) {
  bed_.Add("a");
  Start();
  Pass(seconds(1));
  bed_.store.Hang();
  collector_->DeleteUnused();
  Pass(seconds(29));
  EXPECT_TRUE(collector_->DeletingUnused());
  Pass(seconds(1));
  EXPECT_FALSE(collector_->DeletingUnused());
  EXPECT_EQ(collector_->deleted().error().code, ErrorCode::kDeadlineExceeded);
  bed_.store.Resume();
  bed_.store.TakeCommands();
  bed_.store.Deliver();
  EXPECT_THAT(bed_.store.TakeCommands(), IsEmpty()) << "an answer that comes too late is ignored";
  EXPECT_THAT(DeleteUnused(), ElementsAre("remove a"));
}

TEST_F(ImageCollectorTest, ARemovalThatHangsEndsTheCollection) {
  bed_.Add("a");
  bed_.Add("b");
  Start();
  Pass(seconds(1));
  collector_->DeleteUnused();
  bed_.store.DeliverOne();
  bed_.store.Hang();
  Pass(minutes(2));
  EXPECT_FALSE(collector_->DeletingUnused());
  EXPECT_THAT(Removals(), ElementsAre("remove a"));
}

TEST_F(ImageCollectorTest, AnswersAfterTheEndHarmNobody) {
  bed_.Add("a");
  Start();
  collector_->Advance(bed_.clock.Now());
  collector_.reset();
  bed_.store.Deliver();
}

TEST_F(ImageCollectorTest, AFirstLookThatFailsIsRepeatedAndSaidOnce) {
  bed_.store.FailList(Error{ErrorCode::kUnavailable, "no socket"});
  Start();
  Pass(seconds(70));
  EXPECT_THAT(bed_.store.TakeCommands(), ElementsAre("list", "list", "list"));
  EXPECT_EQ(std::ranges::count_if(
                bed_.lines, [](const auto& line) { return line.find("no socket") != line.npos; }),
            1);
  bed_.Add("a");
  bed_.store.FailList(std::nullopt);
  Pass(seconds(30));
  EXPECT_EQ(collector_->images().size(), 1U);
}

TEST_F(ImageCollectorTest, DeletionWaitsForTheCollectionThatIsUnderWay) {
  bed_.Add("a");
  bed_.Add("b");
  Start();
  Pass(minutes(4));
  bed_.disk.available_mi = 110;
  bed_.store.Hang();
  Pass(minutes(1));
  collector_->DeleteUnused();
  EXPECT_TRUE(collector_->DeletingUnused());
  bed_.store.Resume();
  Pass(seconds(10));
  EXPECT_FALSE(collector_->DeletingUnused());
  EXPECT_THAT(Removals(), ElementsAre("remove a", "remove b"));
}

TEST_F(ImageCollectorTest, AtAHundredPercentNothingIsCollectedButLookedAt) {
  bed_.Add("a");
  bed_.disk.available_mi = 0;
  Start({.high_threshold_percent = 100});
  Pass(minutes(11));
  EXPECT_THAT(bed_.store.TakeCommands(), ElementsAre("list", "list", "list"));
}

TEST_F(ImageCollectorTest, RecordsSurviveARestart) {
  Start();
  Pass(minutes(5));
  bed_.Add("a");
  bed_.store.Use("a");
  Pass(minutes(5));
  const Instant used = bed_.clock.Now();
  bed_.store.Release("a");
  Pass(minutes(5));
  const Instant detected = Image("a").first_detected;
  EXPECT_EQ(detected, used);
  const std::uint64_t changes = collector_->changes();
  Pass(minutes(5));
  EXPECT_EQ(collector_->changes(), changes) << "nothing new is to be saved";
  const auto records = collector_->images();
  bed_.clock.Advance(hours(1));
  Start();
  collector_->Resume(records);
  Pass(seconds(1));
  EXPECT_EQ(Image("a").first_detected, detected);
  EXPECT_EQ(Image("a").last_used, used);
}

TEST(ImageName, IsCompletedAsARuntimeDoes) {
  constexpr std::array<std::pair<const char*, const char*>, 15> kRows = {{
      {"busybox", "docker.io/library/busybox:latest"},
      {"busybox:1.36", "docker.io/library/busybox:1.36"},
      {"someone/app", "docker.io/someone/app:latest"},
      {"docker.io/busybox", "docker.io/library/busybox:latest"},
      {"index.docker.io/busybox", "docker.io/library/busybox:latest"},
      {"docker.io/library/busybox:1", "docker.io/library/busybox:1"},
      {"registry.k8s.io/pause:3.9", "registry.k8s.io/pause:3.9"},
      {"registry:5000/app", "registry:5000/app:latest"},
      {"localhost/app", "localhost/app:latest"},
      {"localhost:5000/a/b:2", "localhost:5000/a/b:2"},
      {"Host/app", "Host/app:latest"},
      {"app@sha256:0a", "docker.io/library/app@sha256:0a"},
      {"r.io/app:1@sha256:0a", "r.io/app@sha256:0a"},
      {"", "docker.io/library/:latest"},
      {"r.io/", "r.io/:latest"},
  }};
  for (const auto& [name, full] : kRows) EXPECT_EQ(FullImageName(name), full) << name;
}

}  // namespace
}  // namespace jettison

#include "agent/manifests/manifest_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

std::string ManifestOf(const std::string& pod) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + pod +
         "}\nspec: {containers: [{name: c, command: [sleep]}]}\n";
}

const std::string kManifest = ManifestOf("a");

class WatchWithoutPath : public testing::Test {
 protected:
  // Whether Wanted may be another, this much later.
  bool AdvanceBy(Duration duration) {
    clock_.Advance(duration);
    return watch_.Advance(clock_.Now()).has_value();
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

TEST_F(WatchWithoutPath, APodThatIsFoundLateHasItsOwnTwoMinutes) {
  EXPECT_FALSE(watch_.HasLooked()) << "nobody has told of the pods of an earlier agent yet";
  watch_.Begin({});
  EXPECT_TRUE(watch_.HasLooked());
  EXPECT_TRUE(watch_.IsComplete(clock_.Now()));
  EXPECT_THAT(lines_, IsEmpty());
  EXPECT_FALSE(watch_.NextDeadline());
  watch_.AdoptLate(earlier_[0], clock_.Now());
  EXPECT_THAT(watch_.Wanted(), SizeIs(1));
  EXPECT_FALSE(AdvanceBy(119s));
  EXPECT_TRUE(AdvanceBy(1s));
  EXPECT_THAT(watch_.Wanted(), IsEmpty());
}

class WatchOfAFolder : public testing::Test {
 protected:
  WatchOfAFolder() { std::filesystem::create_directory(path_); }

  [[nodiscard]] std::string FileNamed(const std::string& name) const { return path_ + "/" + name; }
  // Takes in what there is next, as if that were so long ago.
  void TakeNext(Duration ago = 0s) {
    pollfd readable = {.fd = watch_.fd(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&readable, 1, 60'000), 1);
    (void)watch_.Take(clock_.Now() - ago);
  }
  // Of the wanted pod of that name; empty: there is none.
  [[nodiscard]] std::string UidOf(const std::string& pod) {
    for (const SharedPodFacts& facts : watch_.Wanted()) {
      if (facts->pod.name == pod) return facts->pod.uid;
    }
    return "";
  }
  // Looks through the folder again.
  void LookAgain() {
    (void)watch_.Advance(clock_.Now() + 1h);
    TakeNext();
  }
  [[nodiscard]] bool IsComplete(Duration later = 0s) const {
    return watch_.IsComplete(clock_.Now() + later);
  }

  kernel::TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/manifests";
  SteadyClock clock_;
  Log log_{LogFormat::kText, clock_, [](std::string_view) {}};
  ManifestReader reader_{ManifestDirectory(path_), clock_};
  ManifestWatch watch_{&reader_, {.path = path_}, clock_, log_};
};

TEST_F(WatchOfAFolder, AMissingOneMayNotBeMountedYet) {
  std::filesystem::remove(path_);
  watch_.Begin({});
  TakeNext();
  EXPECT_TRUE(watch_.HasLooked());
  EXPECT_FALSE(IsComplete());
  EXPECT_FALSE(IsComplete(115s));
  EXPECT_TRUE(IsComplete(2min));
  std::filesystem::create_directory(path_);
  LookAgain();
  EXPECT_TRUE(IsComplete());
}

TEST_F(WatchOfAFolder, OneThatCannotBeListedIsNotCompleteHoweverLongThatLasts) {
  watch_.Begin({});
  EXPECT_FALSE(watch_.HasLooked());
  EXPECT_FALSE(IsComplete(1h)) << "it has not been looked through";
  TakeNext();
  ASSERT_TRUE(IsComplete());
  std::filesystem::remove(path_);
  ASSERT_EQ(::symlink("manifests", path_.c_str()), 0);  // a link to itself
  LookAgain();
  EXPECT_TRUE(watch_.HasLooked());
  // A scan may be from before the link.
  for (int scans = 0; scans < 5 && IsComplete(24h); ++scans) TakeNext();
  EXPECT_FALSE(IsComplete(24h));
}

TEST_F(WatchOfAFolder, IsNotCompleteWhileAManifestCannotBeRead) {
  ASSERT_EQ(::symlink("a.yaml", FileNamed("a.yaml").c_str()), 0);  // a link to itself
  watch_.Begin({});
  TakeNext();
  EXPECT_TRUE(watch_.HasLooked());
  EXPECT_FALSE(IsComplete(24h));
  std::filesystem::remove(FileNamed("a.yaml"));
  LookAgain();
  for (int takes = 0; takes < 5 && !IsComplete(); ++takes) TakeNext();
  EXPECT_TRUE(IsComplete());
}

TEST_F(WatchOfAFolder, IsNotCompleteWhileManifestsOfRunningPodsAreMissing) {
  watch_.Begin(ReadManifest(FileNamed("a.yaml"), kManifest).pods);
  TakeNext();
  EXPECT_TRUE(watch_.HasLooked());
  EXPECT_FALSE(IsComplete());
}

TEST_F(WatchOfAFolder, AFileThatIsBeingWrittenHoldsUpNoOther) {
  for (const char* name : {"a", "b"}) std::ofstream(FileNamed(name)) << ManifestOf(name);
  watch_.Begin({});
  TakeNext();
  std::ofstream writer(FileNamed("a"), std::ios::app);
  writer << "#" << std::flush;
  std::filesystem::remove(FileNamed("b"));
  for (int looks = 0; looks < 50 && !UidOf("b").empty(); ++looks) {
    (void)watch_.Advance(clock_.Now() + 1h);
    TakeNext(1500ms);
  }
  EXPECT_EQ(UidOf("b"), "");
  EXPECT_NE(UidOf("a"), "");
}

}  // namespace
}  // namespace jettison

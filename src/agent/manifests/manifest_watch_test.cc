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
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

std::string Manifest(const std::string& name, const std::string& more = "") {
  return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: " + name + "\n" + more +
         "spec:\n  containers:\n  - name: c\n    command: [\"sleep\"]\n";
}

class ManifestPodsTest : public testing::Test {
 protected:
  template <typename Now>
  void Report(const std::string& file, Now now) {
    pods_.Apply({{.file = file, .now = std::move(now)}}, clock_.Now());
  }
  void Put(const std::string& file, const std::string& text) {
    Report(file, ReadManifest(file, text));
  }
  void Remove(const std::string& file) { Report(file, ManifestGone{}); }
  void Lose(const std::string& file) { Report(file, ManifestGone{.with_folder = true}); }
  void Fail(const std::string& file) {
    Report(file, ManifestUnreadable{{ErrorCode::kInternal, "open: Too many open files"}});
  }
  // Scans the manifests this much later.
  void SettleAfter(Duration duration) {
    clock_.Advance(duration);
    pods_.Settle(clock_.Now());
  }
  // Pods as an agent before this one ran them.
  static std::vector<Pod> PodsOf(const std::string& file, const std::string& text) {
    return ReadManifest(file, text).pods;
  }
  std::vector<Pod> Wanted() {
    std::vector<Pod> pods;
    for (const auto& facts : pods_.Wanted()) pods.push_back(facts->pod);
    return pods;
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const Pod& pod : Wanted()) names.push_back(FullName(pod));
    return names;
  }

  std::vector<std::string> lines_;
  FakeClock clock_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  ManifestPods pods_{log_, Profile::kStandalone};
};

TEST_F(ManifestPodsTest, AMalformedDocumentIsReportedWithFileAndFieldAndHarmsNoOther) {
  Put("/m/a.yaml", Manifest("good") + "---\n" + Manifest("Bad Name"));
  EXPECT_THAT(Names(), ElementsAre("default/good"));
  EXPECT_THAT(lines_,
              ElementsAre(testing::AllOf(HasSubstr("level=error"), HasSubstr("file=/m/a.yaml"),
                                         HasSubstr("field=metadata.name"))));
  Put("/m/b.yaml", "a: [");
  EXPECT_THAT(lines_.back(), HasSubstr("file=/m/b.yaml"));
  EXPECT_THAT(Names(), ElementsAre("default/good"));
}

TEST_F(ManifestPodsTest, TheLastGoodVersionStaysWhileAFileHasFaults) {
  Put("/m/a.yaml", Manifest("a") + "---\n" + Manifest("b"));
  Put("/m/a.yaml", "a: [");
  EXPECT_THAT(Names(), ElementsAre("default/a", "default/b"));
  Put("/m/a.yaml", "kind: Pod\n---\n" + Manifest("b"));
  EXPECT_THAT(Names(), ElementsAre("default/a", "default/b"));
  Put("/m/a.yaml", Manifest("b"));
  EXPECT_THAT(Names(), ElementsAre("default/b"));
}

TEST_F(ManifestPodsTest, TheUidFollowsTheContentButNotItsForm) {
  const auto uid_of = [this](const std::string& text, const std::string& file = "/m/a") {
    Put(file, text);
    const std::string uid = Wanted().at(0).uid;
    Remove(file);
    SettleAfter(1s);
    return uid;
  };
  const std::string uid = uid_of(Manifest("a"));
  EXPECT_EQ(uid.size(), 32U);
  EXPECT_EQ(uid_of("# comment\n" + Manifest("a")), uid);
  EXPECT_NE(uid_of(Manifest("a", "  labels: {x: z}\n")), uid);
  EXPECT_NE(uid_of(Manifest("a"), "/m/b"), uid);
  const std::string given = "  uid: given\n";
  EXPECT_EQ(uid_of(Manifest("a", given)), "given");
  const Pod pod = PodsOf("/m/a", Manifest("a", given)).at(0);
  EXPECT_TRUE(SayTheSame(pod, PodsOf("/m/b", Manifest("a", given)).at(0)));
  EXPECT_FALSE(SayTheSame(pod, PodsOf("/m/b", Manifest("a", given + "  labels: {x: z}\n")).at(0)));
}

TEST_F(ManifestPodsTest, OfTwoPodsWithOneNameTheFirstFileWins) {
  Put("/m/b", Manifest("a"));
  Put("/m/a", Manifest("a", "  uid: first\n"));
  ASSERT_THAT(Names(), ElementsAre("default/a"));
  EXPECT_EQ(Wanted().front().uid, "first");
  SettleAfter(0s);
  EXPECT_THAT(lines_, IsEmpty()) << "one of them may be about to replace the other";
  EXPECT_TRUE(pods_.IsUnsettled());
  SettleAfter(1s);
  EXPECT_THAT(lines_.back(), HasSubstr("file=/m/b field=metadata.name value=default/a"));
  EXPECT_THAT(lines_.back(), HasSubstr("/m/a has a pod of the same namespace and name"));
  SettleAfter(1s);
  EXPECT_EQ(lines_.size(), 1U);
  EXPECT_FALSE(pods_.IsUnsettled());
}

TEST_F(ManifestPodsTest, AnotherFileWithTheSamePodReplacesNoneThatIsWanted) {
  Put("/m/b", Manifest("a", "  uid: there\n"));
  ASSERT_EQ(Wanted().front().uid, "there");
  Put("/m/a", Manifest("a", "  uid: new\n"));
  EXPECT_EQ(Wanted().front().uid, "there");
  Remove("/m/b");
  SettleAfter(1s);
  EXPECT_EQ(Wanted().front().uid, "new");
}

// What sed -i, install, and editors do when nothing but a comment changes.
TEST_F(ManifestPodsTest, AFileThatIsReplacedInAnyOrderIsTheSame) {
  for (const char* uid : {"", "  uid: given\n"}) {
    Put("/m/web", Manifest("web", uid));
    const auto before = Wanted();
    const auto again = [&] { return Manifest("web", uid) + "# comment\n"; };
    Put("/m/sedXyz", again());
    EXPECT_EQ(Wanted(), before);
    pods_.Apply({{.file = "/m/sedXyz", .now = ManifestGone{}},
                 {.file = "/m/web", .now = ReadManifest("/m/web", again())}},
                clock_.Now());
    EXPECT_EQ(Wanted(), before);
    SettleAfter(0s);
    SettleAfter(999ms);
    EXPECT_EQ(pods_.Problem(), "");
    SettleAfter(2s);
    EXPECT_EQ(Wanted(), before);
    Remove("/m/web");
    EXPECT_EQ(Wanted(), before);
    EXPECT_EQ(pods_.Problem(), "");
    SettleAfter(500ms);
    Put("/m/web", again());
    SettleAfter(2s);
    EXPECT_EQ(Wanted(), before);
    Remove("/m/web");
    Put("/m/web~", again());
    EXPECT_EQ(Wanted(), before);
    Put("/m/web", again());
    Remove("/m/web~");
    EXPECT_EQ(Wanted(), before);
    SettleAfter(2s);
    EXPECT_EQ(Wanted(), before);
    EXPECT_THAT(lines_, IsEmpty());
    Remove("/m/web");
    SettleAfter(1s);
    EXPECT_THAT(Names(), IsEmpty());
  }
}

TEST_F(ManifestPodsTest, AFileThatIsDeletedBesideOthersCountsAfterASecondEvenIfNoAgentWasThere) {
  EXPECT_THAT(pods_.Adopt(PodsOf("/m/a", Manifest("a"))), ElementsAre("/m/a"));
  Put("/m/b", Manifest("b"));
  Remove("/m/a");
  EXPECT_TRUE(pods_.IsUnsettled());
  EXPECT_EQ(pods_.Problem(), "");
  SettleAfter(999ms);
  EXPECT_THAT(Names(), ElementsAre("default/a", "default/b"));
  SettleAfter(1ms);
  EXPECT_THAT(Names(), ElementsAre("default/b"));
  EXPECT_FALSE(pods_.IsUnsettled());
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(ManifestPodsTest, FilesThatGoWithTheirFolderCountWhenTheyHaveStayedAway) {
  Put("/m/a", Manifest("a"));
  Put("/m/b", Manifest("b"));
  pods_.Apply({{.file = "/m/a", .now = ManifestGone{.with_folder = true}},
               {.file = "/m/b", .now = ManifestGone{.with_folder = true}}},
              clock_.Now());
  ASSERT_EQ(lines_.size(), 1U) << "logged at once, in one line for all";
  EXPECT_THAT(lines_.back(), HasSubstr("level=warn"));
  EXPECT_THAT(lines_.back(), HasSubstr("count=2 file=/m/a endedAfter=\"5 s\""));
  EXPECT_TRUE(pods_.IsUnsettled());
  EXPECT_THAT(pods_.Problem(), HasSubstr("2 manifests of running pods are missing"));
  SettleAfter(4s);
  const auto before = Wanted();
  for (const char* name : {"a", "b"}) Put(std::string("/m/") + name, Manifest(name));
  EXPECT_EQ(pods_.Problem(), "") << "they have never been away";
  SettleAfter(10s);
  EXPECT_EQ(Wanted(), before);
  for (const char* name : {"a", "b"}) Lose(std::string("/m/") + name);
  SettleAfter(4999ms);
  EXPECT_THAT(Names(), ElementsAre("default/a", "default/b"));
  SettleAfter(1ms);
  EXPECT_THAT(Names(), IsEmpty());
  EXPECT_THAT(lines_.back(), HasSubstr("stayed missing or empty; their pods are ended"));
  EXPECT_EQ(pods_.Problem(), "");
}

TEST_F(ManifestPodsTest, AnEmptiedFileCountsWhenItHasStayedEmpty) {
  for (const char* empty : {"", "\n\n", "# nothing here\n", "---\n"}) {
    lines_.clear();
    Put("/m/a", Manifest("a"));
    Put("/m/b", Manifest("b"));
    Put("/m/a", empty);
    EXPECT_THAT(Names(), ElementsAre("default/a", "default/b"));
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_THAT(lines_.back(), HasSubstr("of running pods are missing or empty"));
    SettleAfter(4s);
    Put("/m/a", empty);  // touched: its waiting time does not start again
    SettleAfter(1s);
    EXPECT_THAT(Names(), ElementsAre("default/b"));
  }
}

TEST_F(ManifestPodsTest, AMissingFileThatIsBeingWrittenIsWaitedFor) {
  Put("/m/a", Manifest("a"));
  Put("/m/a", "");
  clock_.Advance(5s);
  Report("/m/a", ManifestUnsettled{});
  pods_.Settle(clock_.Now());
  EXPECT_THAT(Names(), ElementsAre("default/a"));
  Put("/m/a", Manifest("a"));
  SettleAfter(10s);
  EXPECT_THAT(Names(), ElementsAre("default/a"));
}

TEST_F(ManifestPodsTest, AFileThatCannotBeReadKeepsItsPodsAndIsSaidOnce) {
  Put("/m/a", Manifest("a"));
  Fail("/m/a");
  Fail("/m/a");
  EXPECT_THAT(Names(), ElementsAre("default/a"));
  EXPECT_EQ(lines_.size(), 1U);
  EXPECT_TRUE(pods_.IsUnsettled());
  EXPECT_THAT(pods_.Problem(), HasSubstr("/m/a: open: Too many open files"));
  Put("/m/a", Manifest("a"));
  EXPECT_EQ(pods_.Problem(), "");
}

TEST_F(ManifestPodsTest, PodsOfAnAgentBeforeStayWhileTheirFileHasFaultsOrCannotBeRead) {
  const auto a = PodsOf("/m/a", Manifest("a") + "---\n" + Manifest("b"));
  const auto c = PodsOf("/m/c", Manifest("c"));
  std::vector<Pod> all = a;
  all.insert(all.end(), c.begin(), c.end());
  EXPECT_THAT(pods_.Adopt(all), ElementsAre("/m/a", "/m/c"));
  Put("/m/a", "a: [");
  Fail("/m/c");
  SettleAfter(1h);
  EXPECT_EQ(Wanted(), all);
  // A fault of one document does not affect the others.
  Put("/m/a", "kind: Pod\n---\n" + Manifest("b", "  labels: {x: z}\n"));
  EXPECT_THAT(Names(), ElementsAre("default/a", "default/b", "default/c"));
  EXPECT_NE(Wanted().at(1).uid, all[1].uid);
  Put("/m/a", Manifest("b"));
  Put("/m/c", Manifest("c"));
  EXPECT_THAT(Names(), ElementsAre("default/b", "default/c"));
}

TEST_F(ManifestPodsTest, AFolderThatIsMissingAtTheStartIsGivenMoreTime) {
  EXPECT_THAT(pods_.Adopt(PodsOf("/m/a", Manifest("a"))), ElementsAre("/m/a"));
  Lose("/m/a");
  EXPECT_THAT(lines_.back(), HasSubstr("endedAfter=\"120 s\""));
  SettleAfter(119s);
  EXPECT_THAT(Names(), ElementsAre("default/a"));
  SettleAfter(1s);
  EXPECT_THAT(Names(), IsEmpty());
}

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
  const std::vector<Pod> earlier_ = ReadManifest("/m/a.yaml", Manifest("a")).pods;
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
  watch_.Begin(ReadManifest(FileNamed("a.yaml"), Manifest("a")).pods);
  TakeNext();
  EXPECT_TRUE(watch_.HasLooked());
  EXPECT_FALSE(IsComplete());
}

TEST_F(WatchOfAFolder, AFileThatIsBeingWrittenHoldsUpNoOther) {
  for (const char* name : {"a", "b"}) std::ofstream(FileNamed(name)) << Manifest(name);
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

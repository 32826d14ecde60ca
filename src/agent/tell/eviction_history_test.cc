#include "agent/tell/eviction_history.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>

#include "core/explain/test_bed.h"
#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"
#include "ports/fakes/fake_clock.h"
#include "ports/fakes/scarcity.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class EvictionHistoryTest : public testing::Test {
 protected:
  EvictionHistoryTest() {
    bed_.AddPod({.name = "leaker", .memory_mi = 300});
    bed_.AddPod({.name = "quiet", .memory_mi = 10, .memory_request_mi = 20});
    bed_.SetAvailable(66);
  }

  EvictionHistorySettings Settings() const { return {.folder = root_ + "/state/evictions"}; }
  std::shared_ptr<const RecordedPass> Pass() {
    bed_.now += std::chrono::seconds(10);
    return std::make_shared<const RecordedPass>(bed_.Pass());
  }
  // Adds evictions and waits until they are explained and written.
  void Evict(int count, const EvictionHistorySettings& settings) {
    EvictionHistory history(settings, log_);
    for (int i = 0; i < count; ++i) history.Add(Pass());
  }
  static std::vector<std::string> Ids(const EvictionHistory& history) {
    std::vector<std::string> ids;
    const auto evictions = history.Evictions();
    for (const auto& kept : *evictions) ids.push_back(kept->id);
    return ids;
  }
  void WriteFile(const std::string& name, const std::string& text) const {
    fs::create_directories(Settings().folder);
    std::ofstream(Settings().folder + "/" + name) << text;
  }

  FakeClock clock_{Instant(std::chrono::hours(1))};
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  ExplainTestBed bed_;
  const kernel::TemporaryFolder folder_;
  const std::string root_ = folder_.path();
};

TEST_F(EvictionHistoryTest, AnEvictionIsExplainedBesideTheLoop) {
  EvictionHistory history(Settings(), log_);
  history.Add(Pass());
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (history.Evictions()->empty() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  ASSERT_EQ(history.Evictions()->size(), 1U);
  const KeptEviction& kept = *history.Evictions()->front();
  EXPECT_EQ(kept.id, "ev-1");
  EXPECT_EQ(kept.pod.FullName(), "default/leaker");
  EXPECT_EQ(kept.signal, "memory.available");
  EXPECT_THAT(kept.message, HasSubstr("The node was low on resource: memory."));
  EXPECT_THAT(kept.text, HasSubstr("eviction ev-1"));
}

TEST_F(EvictionHistoryTest, SurvivesARestartAndGoesOnCounting) {
  Evict(2, Settings());
  {
    EvictionHistory again(Settings(), log_);
    EXPECT_THAT(Ids(again), ElementsAre("ev-1", "ev-2"));
    const KeptEviction& kept = *again.Evictions()->front();
    EXPECT_EQ(kept.pod.uid, "uid-leaker");
    EXPECT_THAT(kept.text, HasSubstr("default/leaker was evicted"));
    EXPECT_THAT(kept.message, HasSubstr("low on resource"));
    EXPECT_TRUE(lines_.empty());
  }
  Evict(1, Settings());
  EvictionHistory third(Settings(), log_);
  EXPECT_THAT(Ids(third), ElementsAre("ev-1", "ev-2", "ev-3"));
}

TEST_F(EvictionHistoryTest, ABrokenFileIsLeftOutAndItsNumberIsNotGivenAgain) {
  Evict(1, Settings());
  WriteFile("ev-7.json", "{\"kind\":\"Explanation\"");
  WriteFile("ev-8.json.new", "half");
  WriteFile("notes.txt", "mine");
  fs::create_directory(Settings().folder + "/ev-9.json");
  {
    EvictionHistory again(Settings(), log_);
    EXPECT_THAT(Ids(again), ElementsAre("ev-1"));
    ASSERT_EQ(lines_.size(), 2U);
    EXPECT_THAT(lines_[0], HasSubstr("the file of a past eviction is damaged and is ignored"));
    EXPECT_THAT(lines_[0], HasSubstr("ev-7.json"));
  }
  Evict(1, Settings());
  EXPECT_TRUE(kernel::Exists(Settings().folder + "/ev-10.json"));
}

TEST_F(EvictionHistoryTest, NumbersGoOnWhereTheFilesAreLost) {
  Evict(2, Settings());
  fs::remove_all(Settings().folder);
  Evict(1, Settings());
  EvictionHistory again(Settings(), log_);
  EXPECT_THAT(Ids(again), ElementsAre("ev-3"));
}

TEST_F(EvictionHistoryTest, NoNumberComesAgainAfterAKillWithoutAnyFileWritten) {
  const std::string counter = Settings().folder + ".reserve/counter";
  std::string as_killed;
  {
    EvictionHistory history(Settings(), log_);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    // An existing file may still be empty.
    while (kernel::ReadFile(counter).value_or("").empty() &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    for (int i = 0; i < 3; ++i) history.Add(Pass());
    as_killed = kernel::ReadFile(counter).value_or("");
  }
  fs::remove_all(Settings().folder);
  ASSERT_TRUE(kernel::WriteFile(counter, as_killed));
  Evict(1, Settings());
  EvictionHistory again(Settings(), log_);
  ASSERT_EQ(again.Evictions()->size(), 1U);
  EXPECT_GT(again.Evictions()->front()->number, 3U);
  EXPECT_LT(again.Evictions()->front()->number, 3U + 2 * 16) << "few numbers are skipped";
}

TEST_F(EvictionHistoryTest, ADamagedCounterIsPutAsideAndTheFilesTell) {
  Evict(2, Settings());
  const std::string counter = Settings().folder + ".reserve/counter";
  for (const char* text :
       {"", "rubbish", "jettison number 1 -5\n", "jettison number 1 18446744073709551615\n"}) {
    ASSERT_TRUE(kernel::WriteFile(counter, text));
    lines_.clear();
    const EvictionHistory again(Settings(), log_);
    EXPECT_THAT(lines_, ElementsAre(HasSubstr(counter + ".damaged"))) << text;
    EXPECT_TRUE(kernel::Exists(counter + ".damaged"));
    EXPECT_EQ(again.Evictions()->back()->id, "ev-2");
  }
  Evict(1, Settings());
  EXPECT_TRUE(kernel::Exists(Settings().folder + "/ev-3.json"));
}

TEST_F(EvictionHistoryTest, OnlyTheLastOnesAreKept) {
  EvictionHistorySettings settings = Settings();
  settings.max_evictions = 3;
  Evict(5, settings);
  EvictionHistory again(settings, log_);
  EXPECT_THAT(Ids(again), ElementsAre("ev-3", "ev-4", "ev-5"));
  EXPECT_EQ(kernel::NamesIn(settings.folder)->size(), 3U);
}

TEST_F(EvictionHistoryTest, BytesAreBoundedAndTheNewestIsKeptWhateverItsSize) {
  EvictionHistorySettings settings = Settings();
  settings.max_bytes = 100;
  Evict(3, settings);
  EvictionHistory again(settings, log_);
  EXPECT_THAT(Ids(again), ElementsAre("ev-3"));
}

TEST_F(EvictionHistoryTest, AFolderThatCannotBeWrittenIsToldAndHarmsNothing) {
  std::ofstream(root_ + "/state") << "a file in the way";
  EvictionHistory history(Settings(), log_);
  lines_.clear();
  history.Add(Pass());
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const auto said = [&] {
    return std::ranges::any_of(lines_, [](const std::string& line) {
      return line.find("it is lost if the agent restarts") != std::string::npos;
    });
  };
  while (!said() && std::chrono::steady_clock::now() < deadline) history.LogComplaints();
  EXPECT_THAT(lines_, Contains(HasSubstr("it is lost if the agent restarts")));
  EXPECT_EQ(history.Evictions()->size(), 1U);
}

TEST_F(EvictionHistoryTest, NoNumberIsUsedAgainWhereThePastCannotBeReadAtFirst) {
  WriteFile("ev-17.json", "mine");
  std::optional<ScarceDescriptors> none(std::in_place);
  EvictionHistory history(Settings(), log_);
  EXPECT_THAT(lines_, Contains(HasSubstr("past evictions cannot be read")));
  history.Add(Pass());
  const auto become = [&](const std::vector<std::string>& ids) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (Ids(history) != ids && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    return Ids(history) == ids;
  };
  EXPECT_TRUE(become({"ev-1"})) << "it is explained all the same";
  none.reset();
  EXPECT_THAT(*kernel::NamesIn(Settings().folder), ElementsAre("ev-17.json"));
  EXPECT_FALSE(kernel::Exists(Settings().folder + ".reserve/counter"));
  history.Retry();
  EXPECT_TRUE(become({"ev-18"}));
  history.Add(Pass());
  EXPECT_TRUE(become({"ev-18", "ev-19"}));
  EXPECT_EQ(*kernel::ReadFile(Settings().folder + "/ev-17.json"), "mine");
}

TEST_F(EvictionHistoryTest, WhatWaitsForTheDiskIsLimitedInBytesAndTheOldestAreDroppedAloud) {
  WriteFile("ev-17.json", "mine");
  EvictionHistorySettings settings = Settings();
  settings.max_waiting_bytes = 3 * BytesOf(*Pass());
  std::optional<ScarceDescriptors> none(std::in_place);
  EvictionHistory history(settings, log_);
  for (int i = 0; i < 10; ++i) history.Add(Pass());
  lines_.clear();
  history.LogComplaints();
  ASSERT_EQ(lines_.size(), 7U);
  EXPECT_THAT(lines_[0], HasSubstr("is not kept, because too many wait for the disk"));
  EXPECT_THAT(lines_[0], HasSubstr("default/leaker, evicted at "));
  none.reset();
  history.Retry();
  const std::vector<std::string> last = {"ev-25", "ev-26", "ev-27"};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (Ids(history) != last && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_EQ(Ids(history), last) << "of ten evictions after the 17th";
}

TEST_F(EvictionHistoryTest, InADryRunTheSameVictimCountsOnce) {
  EvictionHistorySettings settings = Settings();
  settings.dry_run = true;
  Evict(3, settings);
  EvictionHistory again(settings, log_);
  EXPECT_THAT(Ids(again), ElementsAre("ev-1"));
  EXPECT_TRUE(again.Evictions()->front()->dry_run);
}

TEST(KeptEvictionParsing, RefusesWhatIsNoEviction) {
  EXPECT_FALSE(ParseKeptEviction(""));
  EXPECT_FALSE(ParseKeptEviction("[]"));
  EXPECT_FALSE(ParseKeptEviction(R"({"kind":"Explanation","about":"node"})"));
  const auto without_pod =
      ParseKeptEviction(R"({"kind":"Explanation","about":"eviction","id":"ev-1"})");
  ASSERT_FALSE(without_pod);
  EXPECT_THAT(without_pod.error().message, HasSubstr("`pod`"));
  EXPECT_TRUE(ParseKeptEviction(R"({"kind":"Explanation","about":"eviction","id":"ev-1",
      "pod":{"uid":"u"},"at":"2026-01-01T00:00:00Z","unknown":{}})"));
}

TEST(KeptEvictionParsing, IdsAreNumbersWithoutFrills) {
  EXPECT_EQ(EvictionNumber("ev-12"), 12U);
  EXPECT_EQ(EvictionNumber("ev-18446744073709551615"), 0U) << "there would be no next number";
  for (const char* text :
       {"", "ev-", "ev-0", "ev-01", "ev-1x", "ev--1", "12", "ev-99999999999999999999"}) {
    EXPECT_EQ(EvictionNumber(text), 0U) << text;
  }
}

TEST_F(EvictionHistoryTest, TheEndDoesNotWaitForADiskThatHangs) {
  auto history = std::make_shared<EvictionHistory>(Settings(), log_);
  const std::string counter = Settings().folder + ".reserve/counter";
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!fs::exists(Settings().folder + ".reserve/draft-0")) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::yield();
  }
  fs::remove(counter);
  ASSERT_EQ(::mkfifo(counter.c_str(), 0600), 0);  // whoever writes it waits for a reader
  history->Finish(std::chrono::milliseconds(20));
  const std::weak_ptr<EvictionHistory> left = history;
  history.reset();
  EXPECT_FALSE(left.expired()) << "its thread still uses it";
  const FileDescriptor reader(::open(counter.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  EXPECT_TRUE(reader);
}

}  // namespace
}  // namespace jettison

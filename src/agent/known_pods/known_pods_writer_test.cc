#include "agent/known_pods/known_pods_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "agent/known_pods/hanging_file_fixture.h"
#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"

namespace jettison {
namespace {

class KnownPodsWriterTest : public testing::Test {
 protected:
  [[nodiscard]] std::string PathOf(const std::string& uid) const {
    return folder_.path() + "/" + uid + ".json";
  }
  [[nodiscard]] bool AwaitText(const std::string& uid, const std::string& text) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (kernel::ReadFile(PathOf(uid)).value_or("") != text) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      ::poll(nullptr, 0, 1);
    }
    return true;
  }

  [[nodiscard]] static std::optional<Error> AwaitComplaint(KnownPodsWriter& writer) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < deadline) {
      if (auto complaint = writer.TakeComplaint()) return complaint;
      ::poll(nullptr, 0, 1);
    }
    return std::nullopt;
  }
  // Until the writer waits for its next try.
  [[nodiscard]] static bool AwaitPause(KnownPodsWriter& writer, Instant now) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (writer.Advance(now) != now + KnownPodsWriter::kTryAgainEvery) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      ::poll(nullptr, 0, 1);
    }
    return true;
  }

  kernel::TemporaryFolder folder_;
};

TEST_F(KnownPodsWriterTest, NobodyWaitsForADiskThatHangsAndTheLatestStateIsWritten) {
  KnownPodsWriter writer(folder_.path());
  writer.Keep("gone", "1");
  ASSERT_TRUE(AwaitText("gone", "1"));
  HangingFile hanging(PathOf("a"));
  writer.Keep("a", "1");
  writer.Keep("b", "1");
  writer.Keep("b", "2");
  writer.Keep("gone", "2");
  writer.Forget("gone");
  hanging.Release();
  EXPECT_TRUE(AwaitText("b", "2"));
  EXPECT_TRUE(AwaitText("gone", ""));
  EXPECT_FALSE(kernel::Exists(PathOf("gone")));
}

TEST_F(KnownPodsWriterTest, WhatCannotBeWrittenIsSaidOnceAndWrittenLater) {
  const std::string folder = folder_.path() + "/pods";
  ASSERT_TRUE(kernel::WriteFile(folder, "no folder"));
  KnownPodsWriter writer(folder);
  Instant now(std::chrono::hours(1));
  EXPECT_FALSE(writer.Advance(now));
  writer.Keep("a", "1");
  writer.Keep("b", "1");
  const std::optional<Error> complaint = AwaitComplaint(writer);
  ASSERT_TRUE(complaint);
  EXPECT_NE(complaint->message.find(folder), std::string::npos) << complaint->message;
  ASSERT_TRUE(AwaitPause(writer, now));
  EXPECT_EQ(writer.Advance(now), now + KnownPodsWriter::kTryAgainEvery);
  now += KnownPodsWriter::kTryAgainEvery;
  (void)writer.Advance(now);
  ASSERT_TRUE(AwaitPause(writer, now));
  EXPECT_FALSE(writer.TakeComplaint()) << "it is still the same";
  ASSERT_EQ(::unlink(folder.c_str()), 0);
  writer.Forget("b");
  now += KnownPodsWriter::kTryAgainEvery;
  (void)writer.Advance(now);
  EXPECT_TRUE(AwaitText("pods/a", "1"));
  EXPECT_FALSE(kernel::Exists(PathOf("pods/b"))) << "it is gone meanwhile";
  while (writer.Advance(now)) ::poll(nullptr, 0, 1);
  // From now on it is news again.
  ASSERT_EQ(std::filesystem::remove_all(folder), 2U);
  ASSERT_TRUE(kernel::WriteFile(folder, "no folder"));
  writer.Keep("a", "2");
  EXPECT_TRUE(AwaitComplaint(writer));
}

}  // namespace
}  // namespace jettison

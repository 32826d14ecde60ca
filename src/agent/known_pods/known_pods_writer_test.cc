#include "agent/known_pods/known_pods_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>

#include <chrono>
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

}  // namespace
}  // namespace jettison

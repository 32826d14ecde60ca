#include "agent/manifests/manifest_reader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <fstream>

#include "kernel/files/testing/temporary_folder.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

using testing::ElementsAre;

std::string SmallManifest(const std::string& name) {
  return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: " + name +
         "\nspec:\n  containers:\n  - name: c\n    command: [\"sleep\"]\n";
}

class ManifestReaderTest : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() + "/" + name) << text;
  }
  // The names of the pods in the next scan with news. The kernel also reports a new file before its
  // writer has closed it, and a file from before the first scan; such scans have no news.
  std::vector<std::string> Next() {
    std::vector<std::string> names;
    while (names.empty()) {
      pollfd readable = {.fd = reader_.fd(), .events = POLLIN, .revents = 0};
      if (::poll(&readable, 1, 60'000) != 1) return {"nothing"};
      for (const ManifestScan& scan : reader_.TakeScans()) Take(scan, names);
    }
    return names;
  }
  void Take(const ManifestScan& scan, std::vector<std::string>& names) {
    if (!scan.news.empty()) whole_ = scan.whole;
    for (const ManifestNews& news : scan.news) {
      const auto* reading = std::get_if<ManifestReading>(&news.now);
      if (reading == nullptr) names.push_back("no text of " + news.file);
      for (const Pod& pod : reading ? reading->pods : std::vector<Pod>{}) names.push_back(pod.name);
    }
  }

  kernel::TemporaryFolder folder_;
  bool whole_ = false;
  SteadyClock clock_;
  ManifestReader reader_{ManifestDirectory(folder_.path()), clock_};
};

TEST_F(ManifestReaderTest, ReadsBesideTheLoopWhatIsThereAndWhatChanges) {
  Write("a", SmallManifest("a"));
  reader_.Rescan({folder_.path() + "/gone"});
  EXPECT_THAT(Next(), ElementsAre("a", "no text of " + folder_.path() + "/gone"));
  EXPECT_TRUE(whole_);
  Write("b", SmallManifest("b"));
  EXPECT_THAT(Next(), ElementsAre("b"));
  EXPECT_FALSE(whole_);
}

// The kernel tells of the end of a writer before the writer is gone. A writer under another name,
// whose end the kernel does not tell of in this folder, makes that moment last.
TEST_F(ManifestReaderTest, AFileIsReadWhenItsWriterIsGoneAlthoughTheKernelToldOfItBefore) {
  const kernel::TemporaryFolder elsewhere;
  Write("a", SmallManifest("a"));
  const std::string other = elsewhere.path() + "/a";
  ASSERT_EQ(::link((folder_.path() + "/a").c_str(), other.c_str()), 0);
  reader_.Rescan();
  EXPECT_THAT(Next(), ElementsAre("a"));
  FileDescriptor writer(::open(other.c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(writer);
  Write("a", SmallManifest("b"));
  EXPECT_THAT(Next(), ElementsAre("no text of " + folder_.path() + "/a"));
  writer.Close();
  reader_.LookAgain();
  std::vector<std::string> next = Next();
  while (next.front() == "no text of " + folder_.path() + "/a") {
    reader_.LookAgain();
    next = Next();
  }
  EXPECT_THAT(next, ElementsAre("b"));
}

// This must hold however busy the processors are.
std::chrono::nanoseconds SpentByThisThread() {
  timespec spent{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return std::chrono::seconds(spent.tv_sec) + std::chrono::nanoseconds(spent.tv_nsec);
}

// The loop must not wait for a large manifest, which takes 100 ms and more.
TEST_F(ManifestReaderTest, AskingTakesNoTimeHoweverMuchThereIsToRead) {
  std::string large;
  while (large.size() < std::size_t{1} << 17) large += SmallManifest("a") + "---\n";
  Write("a", large);
  const auto before = SpentByThisThread();
  reader_.Rescan();
  EXPECT_LT(SpentByThisThread() - before, std::chrono::milliseconds(20));
  EXPECT_GT(Next().size(), 100U);
}

}  // namespace
}  // namespace jettison

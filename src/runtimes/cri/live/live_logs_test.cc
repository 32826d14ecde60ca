// Logs that a real containerd writes while the agent rotates them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>

#include "runtimes/cri/test_bed/live_runtime_bed.h"

namespace jettison::cri {
namespace {

using std::chrono::seconds;

// The lines that a container wrote. If the log was reopened in the middle of a line, the last entry
// of the old file, with the tag P, is its beginning, and the first entry of the new file is the
// rest.
std::vector<std::string> WrittenIn(const std::vector<std::string>& entries) {
  constexpr std::string_view kStream = " stdout ";
  std::vector<std::string> written;
  bool goes_on = false;
  for (const std::string& entry : entries) {
    const std::size_t tag = std::min(entry.find(kStream) + kStream.size(), entry.size() - 2);
    std::string text = entry.substr(tag + 2);
    const bool is_part = entry[tag] == 'P';
    if (is_part) text.pop_back();  // the line feed
    if (goes_on) {
      written.back() += text;
    } else {
      written.push_back(text);
    }
    goes_on = is_part;
  }
  return written;
}

// The lines of a file, compressed or not.
std::vector<std::string> LinesOf(const std::string& path) {
  std::vector<std::string> lines;
  const gzFile file = ::gzopen(path.c_str(), "rb");
  std::array<char, 256> line{};
  while (file != nullptr && ::gzgets(file, line.data(), static_cast<int>(line.size())) != nullptr) {
    lines.emplace_back(line.data());
  }
  if (file != nullptr) ::gzclose(file);
  return lines;
}

class LiveCriLogs : public LiveCriRuntime {
 protected:
  [[nodiscard]] std::vector<std::string> Names(const std::string& folder) const {
    return kernel::NamesIn(folder).value_or(std::vector<std::string>{});
  }
  [[nodiscard]] bool Becomes(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + seconds(60);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      (void)Await<PodRemoved>("nobody", std::chrono::milliseconds(20));
    }
    return true;
  }
};

TEST_F(LiveCriLogs, OfAContainerThatWritesALotNoLineIsLostAndNotMoreKeptThanAllowed) {
  constexpr int kLines = 200'000;
  log_max_bytes_ = 64 << 10;
  Open();
  ASSERT_TRUE(runtime().List());
  Pod pod = TestPod("u", {"lines", std::to_string(kLines)});
  ASSERT_TRUE(Start(pod));
  const std::string folder = kernel::Paths(root()).ContainerLogs(pod, "main");
  const std::string last = "F line " + std::to_string(kLines - 1) + "\n";
  const auto is_written = [&] {
    const auto names = Names(folder);
    return std::ranges::any_of(names, [&](const std::string& name) {
      const auto lines = LinesOf(folder + "/" + name);
      return !lines.empty() && lines.back().ends_with(last);
    });
  };
  ASSERT_TRUE(Becomes(is_written)) << Said();
  const auto is_tidy = [&] {
    const auto names = Names(folder);
    return names.size() == 4 && names[1].ends_with(".gz") && names[2].ends_with(".gz") &&
           !names[3].ends_with(".gz") && !names[3].ends_with(".tmp");
  };
  EXPECT_TRUE(Becomes(is_tidy)) << testing::PrintToString(Names(folder));
  auto names = Names(folder);
  std::ranges::rotate(names, names.begin() + 1);  // the log itself is the newest
  std::vector<std::string> lines;
  for (const std::string& name : names) {
    const auto some = LinesOf(folder + "/" + name);
    lines.insert(lines.end(), some.begin(), some.end());
  }
  const std::vector<std::string> written = WrittenIn(lines);
  ASSERT_GT(written.size(), 1000U);
  for (std::size_t i = 1; i < written.size(); ++i) {  // the first may have begun earlier
    const std::string number = std::to_string(kLines - written.size() + i);
    ASSERT_EQ(written[i], "line " + number + "\n");
  }
  EXPECT_THAT(logged_, testing::IsEmpty());
  RemoveAndLookForRemains(pod);
}

}  // namespace
}  // namespace jettison::cri

// The agent with a log that nobody reads: it guards on.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <string>

#include "http/client/client.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::HasSubstr;

class LiveLogReader : public AgentTest {
 protected:
  void Prepare() override {
    bed_.Configure("evictionHard: {memory.available: 100Mi}\n");
    bed_.ConfigureAgent("monitoringInterval: 500ms\nlogLevel: debug\n");
    PutLeak();
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    read_end_ = FileDescriptor(ends[0]);
    write_end_ = FileDescriptor(ends[1]);
  }
  // Leaves no room in the pipe.
  void Fill() const {
    ::fcntl(write_end_.get(), F_SETFL, O_NONBLOCK);
    const std::array<char, 4096> page{};
    while (::write(write_end_.get(), page.data(), page.size()) > 0) {
    }
    ::fcntl(write_end_.get(), F_SETFL, 0);
  }
  [[nodiscard]] std::string Metrics() const {
    const auto answer = HttpGet({.endpoint = bed_.endpoint()}, "/metrics");
    return answer ? answer->body : "";
  }
  [[nodiscard]] bool WaitForMetric(const std::string& line) const {
    const auto deadline = steady_clock::now() + seconds(20);
    while (steady_clock::now() < deadline) {
      if (Metrics().find("\n" + line + "\n") != std::string::npos) return true;
      ::poll(nullptr, 0, 50);
    }
    return false;
  }
  [[nodiscard]] bool EvictsTheLeak() const {
    return WaitForMetric(R"(kubelet_evictions{eviction_signal="memory.available"} 1)");
  }
  // What is in the pipe, until `text` has come.
  [[nodiscard]] std::string ReadUntil(std::string_view text) const {
    std::string all;
    std::array<char, 65536> part{};
    pollfd ready = {.fd = read_end_.get(), .events = POLLIN, .revents = 0};
    while (all.find(text) == std::string::npos && ::poll(&ready, 1, 20'000) > 0) {
      const ssize_t got = ::read(read_end_.get(), part.data(), part.size());
      if (got <= 0) break;
      all.append(part.data(), static_cast<std::size_t>(got));
    }
    return all;
  }

  FileDescriptor read_end_;
  FileDescriptor write_end_;
};

TEST_F(LiveLogReader, OneThatStandsStillHoldsUpNoEvictionAndReadsAllOfItLater) {
  Fill();
  bed_.StartAgentWithLogAt(write_end_.get());
  EXPECT_TRUE(EvictsTheLeak());
  EXPECT_THAT(ReadUntil("pods were cleaned up"), HasSubstr("pod is evicted successfully"));
  EXPECT_EQ(bed_.StopAgent(), 0);
}

TEST_F(LiveLogReader, OneThatGoesAwayHoldsUpNoEvictionAndIsMissed) {
  bed_.StartAgentWithLogAt(write_end_.get());
  write_end_.Close();
  read_end_.Close();
  EXPECT_TRUE(EvictsTheLeak());
  EXPECT_THAT(Metrics(), HasSubstr("jettison_log_lines_dropped_total"));
  EXPECT_THAT(Metrics(), testing::Not(HasSubstr("jettison_log_lines_dropped_total 0")));
  EXPECT_EQ(bed_.StopAgent(), 0);
}

}  // namespace
}  // namespace jettison

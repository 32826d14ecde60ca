#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/model/value.h"
#include "ports/fakes/fake_clock.h"
#include "sources/kubernetes/client/api_client.h"
#include "sources/kubernetes/client/pod_watch.h"
#include "sources/kubernetes/test_bed/fake_api_server.h"

namespace jettison::kube {

// A client of an API server of the tests' own, and what it tells of the pods of the node "bed".
// Pauses are stepped over.
class WithFakeApiServer : public testing::Test {
 protected:
  static constexpr auto kLongest = std::chrono::seconds(120);  // that what must come is waited for

  void Connect(const ApiAccess& access) {
    watch_.reset();
    auto client = ApiClient::Open(access, clock_);
    ASSERT_TRUE(client) << client.error().message;
    client_ = std::move(*client);
  }
  void Connect() { Connect({.server = server_.url()}); }

  void Follow(const std::vector<ObjectHead>& known = {}) {
    if (client_ == nullptr) Connect();
    told_.clear();
    for (const ObjectHead& head : known) told_.insert(head.uid);
    watch_ = std::make_unique<PodWatch>(
        *client_, clock_, "bed", [] { return 0.0; },
        PodWatch::Listeners{.on_pod =
                                [this](const ApiPod& pod, const Value&) {
                                  const bool is_new = told_.insert(pod.head.uid).second;
                                  news_.push_back((is_new ? "+" : "~") + pod.head.uid + " " +
                                                  pod.phase);
                                },
                            .on_gone =
                                [this](const ObjectHead& head) {
                                  told_.erase(head.uid);
                                  news_.push_back("-" + head.uid);
                                }},
        known);
  }

  template <typename Condition>
  [[nodiscard]] bool TurnUntil(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + kLongest;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      Turn();
    }
    return true;
  }
  void Turn() {
    const auto pause = watch_ == nullptr ? std::nullopt : watch_->Advance();
    if (pause) {
      clock_.Advance(*pause);
      paused_ += *pause;
    }
    client_->Turn(pause ? Duration::zero() : std::chrono::milliseconds(20));
  }
  // Until it has listed and watches again.
  [[nodiscard]] bool IsWatching() {
    return TurnUntil([&] {
      return watch_->state().has_listed && !watch_->state().fault && server_.watches() == 1;
    });
  }
  [[nodiscard]] Result<ApiReply> Ask(const ApiCall& call) {
    return AskNow(*client_, call, kLongest);
  }
  [[nodiscard]] std::vector<std::string> TakeNews() { return std::exchange(news_, {}); }

  FakeApiServer server_;
  FakeClock clock_{Instant(std::chrono::hours(500'000))};
  std::unique_ptr<ApiClient> client_;
  std::unique_ptr<PodWatch> watch_;
  std::vector<std::string> news_;
  std::set<std::string> told_;  // UIDs of pods that are there
  Duration paused_{0};
};

}  // namespace jettison::kube

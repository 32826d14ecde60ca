#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sources/kubernetes/calls/api_call.h"

namespace jettison::kube {

// An API server that answers when the test says so.
class FakeCluster : public Cluster {
 public:
  // The body of an answer that says no more than that it was done.
  static constexpr const char* kSuccess = R"({"kind":"Status","status":"Success"})";

  struct Asked {
    ApiCall call;
    OnReply on_reply;
  };

  void Ask(ApiCall call, Duration /*timeout*/, OnReply on_reply) override {
    ++count_;
    waiting_.push_back({std::move(call), std::move(on_reply)});
  }

  // The calls that are not answered yet: "DELETE /api/v1/...".
  [[nodiscard]] std::vector<std::string> Waiting() const {
    std::vector<std::string> lines;
    for (const Asked& one : waiting_) lines.push_back(one.call.method + " " + one.call.path);
    return lines;
  }
  [[nodiscard]] const std::vector<Asked>& waiting() const { return waiting_; }
  // Answers the one that was asked first.
  void Answer(const Result<ApiReply>& reply) {
    Asked first = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    first.on_reply(reply);
  }
  void Answer(int status, std::string body = kSuccess) {
    Answer(ApiReply{.status = status, .body = std::move(body)});
  }
  // Answers the calls that wait now, but not those that follow from the answers.
  void AnswerAll(int status) {
    for (std::size_t left = waiting_.size(); left > 0; --left) Answer(status);
  }

  [[nodiscard]] std::size_t count() const { return count_; }  // asked, ever

 private:
  std::vector<Asked> waiting_;
  std::size_t count_ = 0;
};

}  // namespace jettison::kube

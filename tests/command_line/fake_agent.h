#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "api/overview/overview.h"
#include "http/server/server.h"
#include "tests/live/program.h"

namespace jettison {

// Answers in place of an agent, on its own socket, for as long as this object lives.
class FakeAgent {
 public:
  explicit FakeAgent(Overview overview);
  FakeAgent(const FakeAgent&) = delete;
  FakeAgent& operator=(const FakeAgent&) = delete;
  ~FakeAgent();

  // What is answered from now on; its pods are said to be ranked for whatever is asked.
  void Show(Overview overview);
  // What /readyz answers from now on.
  void AnswerReadyz(HttpResponse answer);
  // From now on nobody answers.
  void Stop();
  // For --server.
  [[nodiscard]] std::string server() const { return "unix://" + socket_; }

 private:
  [[nodiscard]] HttpResponse Answer(const HttpRequest& request);

  TemporaryFolder folder_;
  std::string socket_ = folder_.path() + "/agent.sock";
  std::mutex mutex_;
  Overview overview_;    // guarded by mutex_
  HttpResponse readyz_;  // guarded by mutex_
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

}  // namespace jettison

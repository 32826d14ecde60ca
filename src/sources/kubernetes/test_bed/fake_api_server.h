#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sources/kubernetes/test_bed/wire_server.h"

namespace jettison::kube {

// What an API server keeps: pods, a node, and what watches are told, under versions that only grow.
// Not for two threads at once.
class FakeStore {
 public:
  using Json = nlohmann::json;
  struct Change {
    std::uint64_t version = 0;
    Json line;  // {"type", "object"}
  };

  FakeStore();

  // A pod of the namespace "default" on the node "bed"; one that is there is changed.
  void PutPod(const std::string& name, const std::string& uid,
              const std::string& phase = "Running");
  // Gone at once, as after its grace period.
  void RemovePod(const std::string& name);
  // Forgets the changes so far: who watches from before gets a 410.
  void Compact() { oldest_ = version_; }
  // The store as of a backup: without a history, at this version.
  void SetBack(std::uint64_t version);

  [[nodiscard]] Json* Pod(const std::string& name);
  // A pod that was written to: a new version and a change.
  void Touch(Json& pod);
  [[nodiscard]] Json& node() { return node_; }
  void TouchNode() { SetVersion(node_); }

  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] std::uint64_t oldest() const { return oldest_; }
  [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }
  [[nodiscard]] const std::map<std::string, Json>& pods() const { return pods_; }

 private:
  void SetVersion(Json& object);
  void Note(const char* type, const Json& pod);

  std::uint64_t version_ = 100;
  std::uint64_t oldest_ = 100;  // what came after this one is known
  std::map<std::string, Json> pods_;
  Json node_;
  std::vector<Change> changes_;
};

// How an API server misbehaves, once.
struct Misbehaviour {
  enum class Kind {
    kRefuse,  // answers `status` and `body`
    kHang,    // answers nothing
    kCut,     // cuts the connection in the middle of its answer
    kSlow,    // sends its answer byte by byte
    kHuge,    // answers with seventeen megabytes
  };
  Kind kind = Kind::kRefuse;
  std::string part;  // of the path and query of the request: "watch=true"; empty: any
  int status = 500;
  std::string body;
  std::string headers;  // further lines, each with its end
};

// An API server of the tests' own: pods of one namespace by list and watch, marks and deletions of
// them, one node, access reviews. Its refusals are those that a real one was seen to give.
// It says HTTP/1.1 on a port of this machine, in plain.
class FakeApiServer {
 public:
  FakeApiServer();
  ~FakeApiServer() { Stop(); }

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(server_.port());
  }
  // Away, and back on the same port with the same store.
  void Stop();
  void Start();

  // Changes the store; who watches is told.
  void Change(const std::function<void(FakeStore&)>& change);
  void PutPod(const std::string& name, const std::string& uid,
              const std::string& phase = "Running");
  void RemovePod(const std::string& name);
  // Sends bytes to all who watch, whatever the store says.
  void SendToWatches(std::string bytes);
  // Cuts all watches.
  void CutWatches();
  // For the next request that fits, after those asked for before.
  void MisbehaveOnce(Misbehaviour misbehaviour);
  // Requests must have this token from now on.
  void RequireToken(std::string token);
  // Verbs and resources ("patch nodes") that nobody has the right to.
  void Deny(std::string right);

  // The time by its clock, which it writes into objects.
  void SetTime(std::string time);

  // What was asked, in order: "GET /api/v1/pods?watch".
  [[nodiscard]] std::vector<std::string> requests();
  // How many of them begin so.
  [[nodiscard]] std::size_t CountOf(std::string_view begin);
  [[nodiscard]] std::size_t watches();
  // A look at the store.
  template <typename T>
  [[nodiscard]] T Look(const std::function<T(FakeStore&)>& look) {
    const std::lock_guard lock(mutex_);
    return look(store_);
  }

 private:
  // A whole answer, before it is sent.
  struct Reply {
    int status = 200;
    std::string body;
    std::string headers;
  };

  bool Handle(const WireRequest& request, const WireConnection& connection);
  bool Misbehave(const Misbehaviour& how, const Reply& reply, const WireConnection& connection);
  bool Watch(const WireRequest& request, const WireConnection& connection);
  [[nodiscard]] std::optional<Misbehaviour> TakeMisbehaviour(const WireRequest& request);
  [[nodiscard]] Reply ReplyTo(const WireRequest& request);
  [[nodiscard]] Reply List(const WireRequest& request);
  [[nodiscard]] Reply OnPod(const WireRequest& request);
  [[nodiscard]] Reply OnNode(const WireRequest& request);
  [[nodiscard]] Reply Review(const WireRequest& request);
  [[nodiscard]] static Reply Refusal(int status, const char* recorded);

  std::mutex mutex_;  // of all but the server
  std::condition_variable changed_;
  FakeStore store_;
  std::string time_ = "2026-01-01T00:00:00Z";
  bool stopping_ = false;
  std::size_t cuts_ = 0;
  std::vector<std::string> sent_;  // to all who watch
  std::deque<Misbehaviour> misbehaviours_;
  std::string token_;
  std::vector<std::string> denied_;
  std::vector<std::string> requests_;
  std::size_t watches_ = 0;
  WireServer server_;
};

}  // namespace jettison::kube

#pragma once

#include <microhttpd.h>

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

#include "ports/file_descriptor.h"

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
  std::string retry_after;  // empty: not said
};

// An API server of the tests' own: pods of one namespace by list and watch, marks and deletions of
// them, one node, access reviews. Its refusals are those that a real one was seen to give.
// It says HTTP/1.1 on a port of this machine, in plain.
class FakeApiServer {
 public:
  FakeApiServer();
  ~FakeApiServer() { Stop(); }

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  // Away, and back on the same port with the same store. Meanwhile who connects is refused.
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
  struct Request {
    std::string method;
    std::string path;                                       // without the query
    std::map<std::string, std::string, std::less<>> query;  // decoded
    std::string authorization;
    std::string body;
  };
  // A whole answer, before it is sent.
  struct Reply {
    int status = 200;
    std::string body;
    std::string retry_after;
  };
  // The next bytes of an answer that is sent in pieces; absent: the connection is cut.
  using Pieces = std::function<std::optional<std::string>()>;

  // As libmicrohttpd calls it, on the thread of the connection.
  static MHD_Result Take(void* self, MHD_Connection* connection, const char* url,
                         const char* method, const char* version, const char* data,
                         std::size_t* size, void** body);
  static MHD_Result Answer(MHD_Connection* connection, const Reply& reply);
  static MHD_Result AnswerInPieces(MHD_Connection* connection, std::uint64_t size, Pieces pieces);

  MHD_Result Handle(const Request& request, MHD_Connection* connection);
  MHD_Result Misbehave(const Misbehaviour& how, const Reply& reply, MHD_Connection* connection);
  MHD_Result Watch(std::uint64_t from, MHD_Connection* connection);
  [[nodiscard]] static bool FitsPart(const Request& request, const std::string& part);
  [[nodiscard]] std::optional<Misbehaviour> TakeMisbehaviour(const Request& request);
  [[nodiscard]] Reply ReplyTo(const Request& request);
  [[nodiscard]] Reply List(const Request& request);
  [[nodiscard]] Reply OnPod(const Request& request);
  [[nodiscard]] Reply OnNode(const Request& request);
  [[nodiscard]] Reply Review(const Request& request);
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
  int port_ = 0;
  FileDescriptor kept_port_;  // bound, and listens to nobody, while the server is stopped
  MHD_Daemon* server_ = nullptr;
};

}  // namespace jettison::kube

#include "sources/kubernetes/test_bed/fake_api_server.h"

#include <poll.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "sources/kubernetes/objects/testing/test_answers.h"

namespace jettison::kube {
namespace {

using Json = FakeStore::Json;
using Lock = std::unique_lock<std::mutex>;

bool FitsPart(const WireRequest& request, const std::string& part) {
  std::string all = request.path;
  for (const auto& [name, value] : request.query) all += "&" + name + "=" + value;
  return all.find(part) != std::string::npos;
}

void MergeConditions(Json& conditions, const Json& patch) {
  for (const Json& wanted : patch) {
    const auto at = std::ranges::find_if(
        conditions, [&](const Json& has) { return has["type"] == wanted["type"]; });
    if (wanted.contains("$patch")) {
      if (at != conditions.end()) conditions.erase(at);
    } else if (at == conditions.end()) {
      conditions.push_back(wanted);
    } else {
      at->update(wanted);
    }
  }
}

// As an API server applies a strategic merge patch to the status of a pod or a node.
void PatchStatus(Json& object, const Json& patch) {
  Json status = patch["status"];
  if (status.contains("conditions")) {
    Json& conditions = object["status"]["conditions"];
    if (conditions.is_null()) conditions = Json::array();
    MergeConditions(conditions, status["conditions"]);
    status.erase("conditions");
  }
  object["status"].update(status);
}

}  // namespace

FakeStore::FakeStore() : node_(Json::parse(RecordedAnswer("node.json"))) {
  SetVersion(node_);
}

void FakeStore::SetVersion(Json& object) {
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
}

void FakeStore::Note(const char* type, const Json& pod) {
  changes_.push_back({.version = version_, .line = {{"type", type}, {"object", pod}}});
}

FakeStore::Json* FakeStore::Pod(const std::string& name) {
  const auto at = pods_.find(name);
  return at == pods_.end() ? nullptr : &at->second;
}

void FakeStore::Touch(Json& pod) {
  SetVersion(pod);
  Note("MODIFIED", pod);
}

void FakeStore::PutPod(const std::string& name, const std::string& uid, const std::string& phase) {
  if (Json* pod = Pod(name)) {
    (*pod)["status"]["phase"] = phase;
    return Touch(*pod);
  }
  Json& pod = pods_[name];
  pod = {{"kind", "Pod"},
         {"apiVersion", "v1"},
         {"metadata", {{"name", name}, {"namespace", "default"}, {"uid", uid}}},
         {"spec", {{"nodeName", "bed"}}},
         {"status", {{"phase", phase}}}};
  SetVersion(pod);
  Note("ADDED", pod);
}

void FakeStore::RemovePod(const std::string& name) {
  auto gone = pods_.extract(name);
  SetVersion(gone.mapped());
  Note("DELETED", gone.mapped());
}

void FakeStore::SetBack(std::uint64_t version) {
  version_ = version;
  oldest_ = version;
  changes_.clear();
}

FakeApiServer::FakeApiServer()
    : server_([this](const WireRequest& request, const WireConnection& connection) {
        return Handle(request, connection);
      }) {
  Start();
}

void FakeApiServer::Start() {
  {
    const Lock lock(mutex_);
    stopping_ = false;
  }
  if (!server_.Start()) std::abort();
}

void FakeApiServer::Stop() {
  {
    const Lock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  server_.Stop();
}

void FakeApiServer::Change(const std::function<void(FakeStore&)>& change) {
  const Lock lock(mutex_);
  change(store_);
  changed_.notify_all();
}

void FakeApiServer::PutPod(const std::string& name, const std::string& uid,
                           const std::string& phase) {
  Change([&](FakeStore& store) { store.PutPod(name, uid, phase); });
}

void FakeApiServer::RemovePod(const std::string& name) {
  Change([&](FakeStore& store) { store.RemovePod(name); });
}

void FakeApiServer::SendToWatches(std::string bytes) {
  const Lock lock(mutex_);
  sent_.push_back(std::move(bytes));
  changed_.notify_all();
}

void FakeApiServer::CutWatches() {
  const Lock lock(mutex_);
  ++cuts_;
  changed_.notify_all();
}

void FakeApiServer::MisbehaveOnce(Misbehaviour misbehaviour) {
  const Lock lock(mutex_);
  misbehaviours_.push_back(std::move(misbehaviour));
}

void FakeApiServer::RequireToken(std::string token) {
  const Lock lock(mutex_);
  token_ = std::move(token);
}

void FakeApiServer::SetTime(std::string time) {
  const std::lock_guard lock(mutex_);
  time_ = std::move(time);
}

void FakeApiServer::Deny(std::string right) {
  const Lock lock(mutex_);
  denied_.push_back(std::move(right));
}

std::vector<std::string> FakeApiServer::requests() {
  const Lock lock(mutex_);
  return requests_;
}

std::size_t FakeApiServer::CountOf(std::string_view begin) {
  const Lock lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(
      requests_, [&](const std::string& one) { return one.starts_with(begin); }));
}

std::size_t FakeApiServer::watches() {
  const Lock lock(mutex_);
  return watches_;
}

std::optional<Misbehaviour> FakeApiServer::TakeMisbehaviour(const WireRequest& request) {
  const auto fits = [&](const Misbehaviour& how) { return FitsPart(request, how.part); };
  const auto at = std::ranges::find_if(misbehaviours_, fits);
  if (at == misbehaviours_.end()) return std::nullopt;
  Misbehaviour how = std::move(*at);
  misbehaviours_.erase(at);
  return how;
}

bool FakeApiServer::Handle(const WireRequest& request, const WireConnection& connection) {
  const bool is_watch = request.query.contains("watch");
  std::optional<Misbehaviour> how;
  Reply reply;
  {
    const Lock lock(mutex_);
    requests_.push_back(request.method + " " + request.path + (is_watch ? "?watch" : ""));
    how = TakeMisbehaviour(request);
    if (!token_.empty() && request.authorization != "Bearer " + token_) {
      reply = Refusal(401, "status_unauthorized.json");
    } else if (!is_watch) {
      reply = ReplyTo(request);
    }
  }
  if (how) return Misbehave(*how, reply, connection);
  if (is_watch && reply.status == 200) return Watch(request, connection);
  return connection.Answer(reply.status, reply.body, reply.headers);
}

bool FakeApiServer::Misbehave(const Misbehaviour& how, const Reply& reply,
                              const WireConnection& connection) {
  switch (how.kind) {
    case Misbehaviour::Kind::kRefuse: return connection.Answer(how.status, how.body, how.headers);
    case Misbehaviour::Kind::kHang: {
      Lock lock(mutex_);
      const std::size_t cuts = cuts_;
      changed_.wait(lock, [&] { return stopping_ || cuts_ != cuts; });
      return false;
    }
    case Misbehaviour::Kind::kCut:
      connection.Send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" +
                      reply.body.substr(0, reply.body.size() / 2));
      return false;
    case Misbehaviour::Kind::kSlow: {
      connection.Send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(reply.body.size()) +
                      "\r\n\r\n");
      for (const char byte : reply.body) connection.Send({&byte, 1});
      return true;
    }
    case Misbehaviour::Kind::kHuge:
      return connection.Answer(200, std::string(std::size_t{17} << 20, ' '));
  }
  return false;
}

FakeApiServer::Reply FakeApiServer::Refusal(int status, const char* recorded) {
  return {.status = status, .body = RecordedAnswer(recorded), .headers = {}};
}

FakeApiServer::Reply FakeApiServer::ReplyTo(const WireRequest& request) {
  if (request.path == "/version") return {.body = RecordedAnswer("version.json")};
  if (request.path == "/api/v1/pods") return List(request);
  if (request.path.ends_with("/selfsubjectaccessreviews")) return Review(request);
  if (request.path.find("/pods/") != std::string::npos) return OnPod(request);
  if (request.path.starts_with("/api/v1/nodes/bed")) return OnNode(request);
  return Refusal(404, "status_not_found.json");
}

FakeApiServer::Reply FakeApiServer::List(const WireRequest& request) {
  const auto limit = request.query.find("limit");
  const auto from = request.query.find("continue");
  const std::size_t most = limit == request.query.end() ? 1000 : std::stoul(limit->second);
  Json page = {{"kind", "PodList"}, {"apiVersion", "v1"}, {"items", Json::array()}};
  page["metadata"]["resourceVersion"] = std::to_string(store_.version());
  for (const auto& [name, pod] : store_.pods()) {
    if (from != request.query.end() && name < from->second) continue;
    if (page["items"].size() == most) {
      page["metadata"]["continue"] = name;
      break;
    }
    page["items"].push_back(pod);
  }
  return {.body = page.dump()};
}

bool FakeApiServer::Watch(const WireRequest& request, const WireConnection& connection) {
  const std::uint64_t from = std::stoull(request.query.find("resourceVersion")->second);
  Lock lock(mutex_);
  if (from < store_.oldest()) {
    const std::string line =
        R"({"type":"ERROR","object":)" + RecordedAnswer("status_expired.json") + "}\n";
    lock.unlock();
    return connection.Answer(200, line);
  }
  connection.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  ++watches_;
  std::uint64_t told = from;
  std::size_t sent = sent_.size();
  const std::size_t cuts = cuts_;
  bool connected = true;
  while (!stopping_ && cuts_ == cuts && connected) {
    std::string bytes;
    for (const FakeStore::Change& change : store_.changes()) {
      if (change.version <= told) continue;
      bytes += change.line.dump() + "\n";
      told = change.version;
    }
    for (; sent < sent_.size(); ++sent) bytes += sent_[sent];
    if (bytes.empty()) {
      // The client may disconnect meanwhile, which nothing reports.
      changed_.wait_for(lock, std::chrono::milliseconds(50));
      pollfd gone{.fd = connection.fd(), .events = POLLRDHUP, .revents = 0};
      connected = ::poll(&gone, 1, 0) == 0;
    } else {
      lock.unlock();  // sending may take until the client reads
      connected = connection.SendChunk(bytes);
      lock.lock();
    }
  }
  --watches_;
  return false;
}

FakeApiServer::Reply FakeApiServer::OnPod(const WireRequest& request) {
  constexpr std::string_view kPods = "/api/v1/namespaces/default/pods/";
  if (!request.path.starts_with(kPods)) return Refusal(404, "status_not_found.json");
  const std::string rest = request.path.substr(kPods.size());
  const std::string name = rest.substr(0, rest.find('/'));
  Json* pod = store_.Pod(name);
  if (pod == nullptr) return Refusal(404, "status_not_found.json");
  const Json body = request.body.empty() ? Json::object() : Json::parse(request.body);
  const std::string has = (*pod)["metadata"]["uid"];
  if (request.method == "PATCH" && rest.ends_with("/status")) {
    if (body["metadata"].value("uid", has) != has) return Refusal(422, "status_other_uid.json");
    PatchStatus(*pod, body);
    store_.Touch(*pod);
    return {.body = pod->dump()};
  }
  const std::string wanted = body.value("/preconditions/uid"_json_pointer, has);
  if (wanted != has) return Refusal(409, "status_delete_other_uid.json");
  (*pod)["metadata"]["deletionTimestamp"] = time_;
  (*pod)["metadata"]["deletionGracePeriodSeconds"] = body.value("gracePeriodSeconds", 30);
  store_.Touch(*pod);
  return {.body = pod->dump()};
}

FakeApiServer::Reply FakeApiServer::OnNode(const WireRequest& request) {
  if (request.path.ends_with("/proxy/configz")) return {.body = RecordedAnswer("configz.json")};
  Json& node = store_.node();
  if (request.method == "GET") return {.body = node.dump()};
  const Json patch = Json::parse(request.body);
  if (request.path.ends_with("/status")) {
    PatchStatus(node, patch);
  } else {
    const std::string version = node["metadata"]["resourceVersion"];
    if (patch.value("/metadata/resourceVersion"_json_pointer, version) != version) {
      return Refusal(409, "status_conflict.json");
    }
    node.merge_patch(patch);
  }
  store_.TouchNode();
  return {.body = node.dump()};
}

FakeApiServer::Reply FakeApiServer::Review(const WireRequest& request) {
  const Json asked = Json::parse(request.body)["spec"]["resourceAttributes"];
  std::string right = asked["verb"].get<std::string>() + " " + asked["resource"].get<std::string>();
  if (asked.contains("subresource")) right += "/" + asked["subresource"].get<std::string>();
  const bool denied = std::ranges::find(denied_, right) != denied_.end();
  return {.status = 201, .body = RecordedAnswer(denied ? "review_no.json" : "review_yes.json")};
}

}  // namespace jettison::kube

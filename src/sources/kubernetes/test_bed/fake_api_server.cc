#include "sources/kubernetes/test_bed/fake_api_server.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "sources/kubernetes/objects/testing/test_answers.h"

namespace jettison::kube {
namespace {

using Json = FakeStore::Json;
using Lock = std::unique_lock<std::mutex>;

sockaddr_in Loopback(int port) {
  return {.sin_family = AF_INET,
          .sin_port = htons(static_cast<std::uint16_t>(port)),
          .sin_addr = {htonl(INADDR_LOOPBACK)},
          .sin_zero = {}};
}

// A socket that has a port and listens to nobody.
FileDescriptor PortKept(int port) {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const sockaddr_in address = Loopback(port);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    std::abort();
  }
  return socket;
}

MHD_Result Queue(MHD_Connection* connection, int status, MHD_Response* response) {
  MHD_add_response_header(response, "Content-Type", "application/json");
  const MHD_Result queued = MHD_queue_response(connection, static_cast<unsigned>(status), response);
  MHD_destroy_response(response);
  return queued;
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

FakeApiServer::FakeApiServer() {
  Start();
}

void FakeApiServer::Start() {
  {
    const Lock lock(mutex_);
    stopping_ = false;
  }
  const sockaddr_in address = Loopback(port_);
  const auto forget = [](void*, MHD_Connection*, void** body, MHD_RequestTerminationCode) {
    delete static_cast<std::string*>(*body);
  };
  server_ = MHD_start_daemon(
      MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD, 0, nullptr, nullptr, &Take,
      this, MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_NOTIFY_COMPLETED,
      static_cast<MHD_RequestCompletedCallback>(forget), nullptr, MHD_OPTION_END);
  if (server_ == nullptr) std::abort();
  kept_port_.Close();
  port_ = MHD_get_daemon_info(server_, MHD_DAEMON_INFO_BIND_PORT)->port;
}

void FakeApiServer::Stop() {
  {
    const Lock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (server_ == nullptr) return;
  const FileDescriptor listening(MHD_quiesce_daemon(server_));
  ::shutdown(listening.get(), SHUT_RDWR);
  kept_port_ = PortKept(port_);
  MHD_stop_daemon(std::exchange(server_, nullptr));
}

MHD_Result FakeApiServer::Take(void* self, MHD_Connection* connection, const char* url,
                               const char* method, const char* /*version*/, const char* data,
                               std::size_t* size, void** body) {
  if (*body == nullptr) {  // so far it has but read the headers
    *body = new std::string;
    return MHD_YES;
  }
  auto& text = *static_cast<std::string*>(*body);
  if (*size > 0) {
    text.append(data, std::exchange(*size, 0));
    return MHD_YES;
  }
  Request request{.method = method, .path = url, .query = {}, .authorization = {}, .body = text};
  MHD_get_connection_values(
      connection, MHD_GET_ARGUMENT_KIND,
      [](void* query, MHD_ValueKind, const char* key, const char* value) {
        (*static_cast<decltype(Request::query)*>(query))[key] = value == nullptr ? "" : value;
        return MHD_YES;
      },
      &request.query);
  const char* who = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
  if (who != nullptr) request.authorization = who;
  return static_cast<FakeApiServer*>(self)->Handle(request, connection);
}

MHD_Result FakeApiServer::Answer(MHD_Connection* connection, const Reply& reply) {
  MHD_Response* const response = MHD_create_response_from_buffer(
      reply.body.size(), const_cast<char*>(reply.body.data()), MHD_RESPMEM_MUST_COPY);
  if (!reply.retry_after.empty()) {
    MHD_add_response_header(response, "Retry-After", reply.retry_after.c_str());
  }
  return Queue(connection, reply.status, response);
}

MHD_Result FakeApiServer::AnswerInPieces(MHD_Connection* connection, std::uint64_t size,
                                         Pieces pieces) {
  struct Stream {
    Pieces next;
    std::string held;
  };
  const auto read = [](void* from, std::uint64_t, char* into, std::size_t most) -> ssize_t {
    auto& [next, held] = *static_cast<Stream*>(from);
    if (held.empty()) {
      auto more = next();
      if (!more) return MHD_CONTENT_READER_END_WITH_ERROR;
      held = *std::move(more);
    }
    const std::size_t part = held.copy(into, most);
    held.erase(0, part);
    return static_cast<ssize_t>(part);
  };
  const auto forget = [](void* stream) { delete static_cast<Stream*>(stream); };
  return Queue(connection, 200,
               MHD_create_response_from_callback(size, std::size_t{64} << 10, read,
                                                 new Stream{std::move(pieces), {}}, forget));
}

bool FakeApiServer::FitsPart(const Request& request, const std::string& part) {
  std::string all = request.path;
  for (const auto& [name, value] : request.query) all += "&" + name + "=" + value;
  return all.find(part) != std::string::npos;
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

std::optional<Misbehaviour> FakeApiServer::TakeMisbehaviour(const Request& request) {
  const auto fits = [&](const Misbehaviour& how) { return FitsPart(request, how.part); };
  const auto at = std::ranges::find_if(misbehaviours_, fits);
  if (at == misbehaviours_.end()) return std::nullopt;
  Misbehaviour how = std::move(*at);
  misbehaviours_.erase(at);
  return how;
}

MHD_Result FakeApiServer::Handle(const Request& request, MHD_Connection* connection) {
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
  if (!is_watch || reply.status != 200) return Answer(connection, reply);
  return Watch(std::stoull(request.query.find("resourceVersion")->second), connection);
}

MHD_Result FakeApiServer::Misbehave(const Misbehaviour& how, const Reply& reply,
                                    MHD_Connection* connection) {
  switch (how.kind) {
    case Misbehaviour::Kind::kRefuse:
      return Answer(connection, {how.status, how.body, how.retry_after});
    case Misbehaviour::Kind::kHang: {
      Lock lock(mutex_);
      const std::size_t cuts = cuts_;
      changed_.wait(lock, [&] { return stopping_ || cuts_ != cuts; });
      return MHD_NO;
    }
    case Misbehaviour::Kind::kCut:
      return AnswerInPieces(
          connection, 100'000,
          [half = std::optional(reply.body.substr(0, reply.body.size() / 2))]() mutable {
            return std::exchange(half, std::nullopt);
          });
    case Misbehaviour::Kind::kSlow:
      return AnswerInPieces(connection, reply.body.size(), [rest = reply.body]() mutable {
        const std::string byte = rest.substr(0, 1);
        rest.erase(0, 1);
        return std::optional(byte);
      });
    case Misbehaviour::Kind::kHuge:
      return Answer(connection, {.body = std::string(std::size_t{17} << 20, ' ')});
  }
  return MHD_NO;
}

FakeApiServer::Reply FakeApiServer::Refusal(int status, const char* recorded) {
  return {.status = status, .body = RecordedAnswer(recorded)};
}

FakeApiServer::Reply FakeApiServer::ReplyTo(const Request& request) {
  if (request.path == "/version") return {.body = RecordedAnswer("version.json")};
  if (request.path == "/api/v1/pods") return List(request);
  if (request.path.ends_with("/selfsubjectaccessreviews")) return Review(request);
  if (request.path.find("/pods/") != std::string::npos) return OnPod(request);
  if (request.path.starts_with("/api/v1/nodes/bed")) return OnNode(request);
  return Refusal(404, "status_not_found.json");
}

FakeApiServer::Reply FakeApiServer::List(const Request& request) {
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

MHD_Result FakeApiServer::Watch(std::uint64_t from, MHD_Connection* connection) {
  Lock lock(mutex_);
  if (from < store_.oldest()) {
    return Answer(connection, {.body = R"({"type":"ERROR","object":)" +
                                       RecordedAnswer("status_expired.json") + "}\n"});
  }
  ++watches_;
  const std::shared_ptr<void> watching(nullptr, [this](void*) {
    const Lock end(mutex_);
    --watches_;
  });
  const int socket =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
  const auto next = [this, watching, socket, told = from, sent = sent_.size(),
                     cuts = cuts_]() mutable -> std::optional<std::string> {
    Lock turn(mutex_);
    while (!stopping_ && cuts_ == cuts) {
      std::string bytes;
      for (const FakeStore::Change& change : store_.changes()) {
        if (change.version <= told) continue;
        bytes += change.line.dump() + "\n";
        told = change.version;
      }
      for (; sent < sent_.size(); ++sent) bytes += sent_[sent];
      if (!bytes.empty()) return bytes;
      // The client may disconnect meanwhile, which nothing reports.
      changed_.wait_for(turn, std::chrono::milliseconds(50));
      pollfd gone{.fd = socket, .events = POLLRDHUP, .revents = 0};
      if (::poll(&gone, 1, 0) != 0) break;
    }
    return std::nullopt;
  };
  lock.unlock();
  return AnswerInPieces(connection, MHD_SIZE_UNKNOWN, next);
}

FakeApiServer::Reply FakeApiServer::OnPod(const Request& request) {
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

FakeApiServer::Reply FakeApiServer::OnNode(const Request& request) {
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

FakeApiServer::Reply FakeApiServer::Review(const Request& request) {
  const Json asked = Json::parse(request.body)["spec"]["resourceAttributes"];
  std::string right = asked["verb"].get<std::string>() + " " + asked["resource"].get<std::string>();
  if (asked.contains("subresource")) right += "/" + asked["subresource"].get<std::string>();
  const bool denied = std::ranges::find(denied_, right) != denied_.end();
  return {.status = 201, .body = RecordedAnswer(denied ? "review_no.json" : "review_yes.json")};
}

}  // namespace jettison::kube

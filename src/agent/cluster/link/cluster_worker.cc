#include "agent/cluster/link/cluster_worker.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <utility>

#include "agent/known_pods/known_pods.h"
#include "agent/known_pods/known_pods_writer.h"
#include "agent/loop/mailbox.h"
#include "core/json/json_writer.h"
#include "sources/kubernetes/client/api_client.h"
#include "sources/kubernetes/objects/value_writer.h"

namespace jettison {
namespace {

// No pause is longer than this. It only bounds a wait that other events end anyway.
constexpr Duration kLongestTurn = std::chrono::minutes(5);

struct Asked {
  std::uint64_t id = 0;
  kube::ApiCall call;
  Instant deadline;
};

}  // namespace

// The state that both threads share. Only the worker uses `client`, except for Wake.
struct ClusterWorker::Shared {
  explicit Shared(Setup with) : setup(std::move(with)) {
    if (!setup.pods_folder.empty()) kept = std::make_unique<KnownPodsWriter>(setup.pods_folder);
  }

  void Run();
  // Reports the pods that an earlier agent knew.
  [[nodiscard]] std::vector<kube::ObjectHead> TellKnown();
  void TellPod(kube::Verdict verdict, const kube::ApiPod& pod, const Value& object);
  void TellGone(const kube::ObjectHead& head);
  void TakeAsked();
  void Call(const Asked& one);
  void TellState(const kube::PodWatchState& state);
  // How long the thread may pause, for the sake of pods that are not on disk yet.
  [[nodiscard]] Duration KeepOn();

  const Setup setup;
  std::unique_ptr<KnownPodsWriter> kept;  // null: the pods are kept nowhere
  // For what the client reads and looks up: a file system or a resolver that hangs keeps no call.
  JobQueue late{Threads::kSpare, AtEnd::kLeave};
  std::unique_ptr<kube::ApiClient> client;
  std::atomic<bool> stop{false};
  Mailbox<Asked> asked;
  Mailbox<ClusterNews> news;
  std::optional<kube::PodWatchState> told;  // the worker's
};

void ClusterWorker::Shared::Run() {
  kube::PodWatch watch(*client, *setup.clock, setup.node, setup.chance,
                       {.on_pod = [this](kube::Verdict verdict, const kube::ApiPod& pod,
                                         const Value& object) { TellPod(verdict, pod, object); },
                        .on_gone = [this](const kube::ObjectHead& head) { TellGone(head); }},
                       TellKnown());
  while (!stop) {
    TakeAsked();
    const auto pause = watch.Advance();
    TellState(watch.state());
    client->Turn(std::min(pause.value_or(kLongestTurn), KeepOn()));
  }
}

std::vector<kube::ObjectHead> ClusterWorker::Shared::TellKnown() {
  std::vector<kube::ObjectHead> heads;
  if (setup.pods_folder.empty()) return heads;
  for (kube::ApiPod& pod : KnownPods(setup.pods_folder).Load()) {
    heads.push_back(pod.head);
    news.Put(ClusterPod{kube::Verdict::kAppeared, std::move(pod)});
  }
  return heads;
}

void ClusterWorker::Shared::TellPod(kube::Verdict verdict, const kube::ApiPod& pod,
                                    const Value& object) {
  news.Put(ClusterPod{verdict, pod});
  if (!kept) return;
  std::string text;
  JsonWriter json(text);
  kube::WriteValue(object, json);
  kept->Keep(pod.head.uid, std::move(text));
}

void ClusterWorker::Shared::TellGone(const kube::ObjectHead& head) {
  news.Put(ClusterPodGone{head});
  if (kept) kept->Forget(head.uid);
}

void ClusterWorker::Shared::TakeAsked() {
  for (const Asked& one : asked.TakeAll()) Call(one);
}

// Who asked has gone on without the answer by its deadline, and may have asked anew.
void ClusterWorker::Shared::Call(const Asked& one) {
  const auto answer = [this, id = one.id](const Result<kube::ApiReply>& reply) {
    news.Put(ClusterAnswer{id, reply});
  };
  const Instant now = setup.clock->Now();
  if (now < one.deadline) {
    client->Call(one.call, Elapsed(now, one.deadline), answer);
  } else {
    answer(Fail(ErrorCode::kDeadlineExceeded,
                "the request waited longer than its time limit and was not sent"));
  }
}

void ClusterWorker::Shared::TellState(const kube::PodWatchState& state) {
  if (told == state) return;
  told = state;
  news.Put(ClusterState{state});
}

Duration ClusterWorker::Shared::KeepOn() {
  if (!kept) return kLongestTurn;
  const Instant now = setup.clock->Now();
  const auto due = kept->Advance(now);
  if (auto complaint = kept->TakeComplaint()) news.Put(ClusterNotKept{*std::move(complaint)});
  return due ? std::min(Elapsed(now, *due), kLongestTurn) : kLongestTurn;
}

Result<std::unique_ptr<ClusterWorker>> ClusterWorker::Start(Setup setup) {
  auto shared = std::make_shared<Shared>(std::move(setup));
  auto client = kube::ApiClient::Open(
      shared->setup.access, *shared->setup.clock, shared->setup.read_access,
      [late = &shared->late](std::function<void()> work) { late->Do(std::move(work)); });
  if (!client) return Fail(client.error());
  shared->client = std::move(*client);
  return std::unique_ptr<ClusterWorker>(new ClusterWorker(std::move(shared)));
}

ClusterWorker::ClusterWorker(std::shared_ptr<Shared> shared)
    : shared_(std::move(shared)), run_(Threads::kCluster, AtEnd::kLeave) {
  run_.Do([with = shared_] { with->Run(); });
}

ClusterWorker::~ClusterWorker() {
  shared_->stop = true;
  shared_->client->Wake();
}

void ClusterWorker::Ask(std::uint64_t id, kube::ApiCall call, Duration timeout) {
  const Instant deadline = shared_->setup.clock->Now() + timeout;
  shared_->asked.Put({.id = id, .call = std::move(call), .deadline = deadline});
  shared_->client->Wake();
}

std::vector<ClusterNews> ClusterWorker::TakeNews() {
  return shared_->news.TakeAll();
}

int ClusterWorker::fd() const {
  return shared_->news.fd();
}

}  // namespace jettison

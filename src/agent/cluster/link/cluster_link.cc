#include "agent/cluster/link/cluster_link.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <utility>

#include "ports/mailbox.h"
#include "sources/kubernetes/client/api_client.h"
#include "sources/kubernetes/objects/api_objects.h"

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

// The state that both threads share. Only the thread uses `client`, except for Wake.
struct ClusterLink::Shared {
  // What happened, to be told on the loop.
  using News = std::function<void(ClusterLink&)>;

  explicit Shared(Setup with) : setup(std::move(with)) {}

  void Run();
  void Call(const Asked& one);

  const Setup setup;
  // For what the client reads: a file system that hangs keeps no call.
  JobQueue late{Threads::kSpare, AtEnd::kLeave};
  std::unique_ptr<kube::ApiClient> client;
  std::atomic<bool> stop{false};
  Mailbox<Asked> asked;
  const std::shared_ptr<Mailbox<News>> news = std::make_shared<Mailbox<News>>();
};

void ClusterLink::Shared::Run() {
  kube::PodWatch watch(*client, *setup.clock, setup.node, setup.chance,
                       {.on_pod =
                            [this](const kube::ApiPod& pod) {
                              news->Put([pod](ClusterLink& link) { link.TakePod(pod); });
                            },
                        .on_gone =
                            [this](const kube::ObjectHead& head) {
                              news->Put([head](ClusterLink& link) { link.TakeGone(head); });
                            }});
  std::optional<kube::PodWatchState> told;
  while (!stop) {
    for (const Asked& one : asked.TakeAll()) Call(one);
    const auto pause = watch.Advance();
    if (auto state = watch.state(); told != state) {
      told = state;
      news->Put([state = std::move(state)](ClusterLink& link) {
        link.state_ = state;
        if (link.state_log_) link.state_log_->Take(state, link.shared_->setup.clock->Now());
      });
    }
    client->Turn(std::min(pause.value_or(kLongestTurn), kLongestTurn));
  }
}

// Who asked has gone on without the answer by its deadline, and may have asked anew.
void ClusterLink::Shared::Call(const Asked& one) {
  const auto answer = [this, id = one.id](const Result<kube::ApiReply>& reply) {
    news->Put([id, reply](ClusterLink& link) {
      const auto awaiting = link.asked_.extract(id);
      if (!awaiting.empty()) awaiting.mapped()(reply);
    });
  };
  const Instant now = setup.clock->Now();
  if (now < one.deadline) {
    client->Call(one.call, Elapsed(now, one.deadline), answer);
  } else {
    answer(Fail(ErrorCode::kDeadlineExceeded,
                "the request waited longer than its time limit and was not sent"));
  }
}

Result<std::unique_ptr<ClusterLink>> ClusterLink::Open(Setup setup) {
  auto shared = std::make_shared<Shared>(std::move(setup));
  auto client = kube::ApiClient::Open(
      shared->setup.access, *shared->setup.clock, shared->setup.read_access,
      [late = &shared->late](std::function<void()> work) { late->Do(std::move(work)); });
  if (!client) return Fail(client.error());
  shared->client = std::move(*client);
  return std::unique_ptr<ClusterLink>(new ClusterLink(std::move(shared)));
}

ClusterLink::ClusterLink(std::shared_ptr<Shared> shared)
    : shared_(std::move(shared)), run_(Threads::kCluster, AtEnd::kLeave) {
  if (const Log* const log = shared_->setup.log) state_log_.emplace(*log);
  run_.Do([with = shared_] { with->Run(); });
}

ClusterLink::~ClusterLink() {
  shared_->stop = true;
  shared_->client->Wake();
}

void ClusterLink::Ask(kube::ApiCall call, Duration timeout, OnReply on_reply) {
  const std::uint64_t id = next_id_++;
  asked_[id] = std::move(on_reply);
  const Instant deadline = shared_->setup.clock->Now() + timeout;
  shared_->asked.Put({.id = id, .call = std::move(call), .deadline = deadline});
  shared_->client->Wake();
}

int ClusterLink::fd() const {
  return shared_->news->fd();
}

void ClusterLink::Dispatch() {
  for (const Shared::News& told : shared_->news->TakeAll()) told(*this);
}

void ClusterLink::TakePod(const kube::ApiPod& pod) {
  for (const Listeners* each : {&listeners_, &more_listeners_}) {
    if (each->on_pod) each->on_pod(pod);
  }
}

void ClusterLink::TakeGone(const kube::ObjectHead& head) {
  for (const Listeners* each : {&listeners_, &more_listeners_}) {
    if (each->on_gone) each->on_gone(head);
  }
}

std::string ClusterLink::WhyNeverListed() const {
  if (state_.has_listed || !state_.fault) return {};
  const bool is_refused = state_.fault->is_refusal && !state_.away_since;
  return is_refused || state_.fault->is_untrusted ? state_.fault->error.message : std::string();
}

void ClusterStateLog::Take(const kube::PodWatchState& state, Instant now) {
  if (state.token_fault && IsNews(state.token_fault->message, now)) {
    log_.Warn(
        "the token for the API server cannot be read; the agent uses the last one that it read",
        {{"err", state.token_fault->message}});
  }
  const bool has_just_listed = state.has_listed && !std::exchange(had_listed_, true);
  if (has_just_listed) log_.Info("the pods of this node were read from the API server");
  const std::string err = state.fault ? state.fault->error.message : std::string("no answer");
  if (state.fault && state.fault->is_untrusted) {
    if (!IsNews(err, now)) return;
    was_refused_ = true;
    return log_.Error(
        "the agent does not trust the certificate of the API server and sends it nothing; it "
        "continues with the pods that it knows. `certificate-authority` in the kubeconfig, or "
        "`ca.crt` of the service account, must be the CA of the cluster, and the certificate must "
        "have the name by which `server` addresses it",
        {{"err", err}});
  }
  if (state.away_since) {
    if (std::exchange(was_away_, true)) return;
    return log_.Warn(
        "the API server does not answer; the agent continues with the pods that it knows",
        {{"err", err}});
  }
  if (state.fault) {
    if (!state.fault->is_refusal || !IsNews(err, now)) return;
    was_refused_ = true;
    constexpr const char* kRefused =
        "the API server answers, but the pods of this node cannot be read; the agent continues "
        "with the pods that it knows";
    const std::string& rule = state.fault->missing_rule;
    if (rule.empty()) return log_.Warn(kRefused, {{"err", err}});
    return log_.Warn(kRefused, {{"err", err}, {"rule", rule}});
  }
  const bool was_away = std::exchange(was_away_, false);
  const bool was_refused = std::exchange(was_refused_, false);
  if (was_away) return log_.Info("the API server answers again");
  if (was_refused && !has_just_listed) log_.Info("the pods of this node can be read again");
}

bool ClusterStateLog::IsNews(const std::string& text, Instant now) {
  std::erase_if(said_at_,
                [now](const auto& said) { return Elapsed(said.second, now) >= kSayAgainAfter; });
  return said_at_.emplace(text, now).second;
}

}  // namespace jettison

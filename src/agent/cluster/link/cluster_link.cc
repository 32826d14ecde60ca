#include "agent/cluster/link/cluster_link.h"

#include <utility>
#include <variant>

namespace jettison {

Result<std::unique_ptr<ClusterLink>> ClusterLink::Open(ClusterWorker::Setup setup) {
  auto worker = ClusterWorker::Start(std::move(setup));
  if (!worker) return Fail(worker.error());
  return std::make_unique<ClusterLink>(std::move(*worker));
}

void ClusterLink::Ask(kube::ApiCall call, Duration timeout, OnReply on_reply) {
  const std::uint64_t id = next_id_++;
  asked_[id] = std::move(on_reply);
  worker_->Ask(id, std::move(call), timeout);
}

void ClusterLink::Follow(Listeners listeners) {
  listeners_ = std::move(listeners);
}

std::string ClusterLink::WhyNeverListed() const {
  if (state_.has_listed || !state_.fault) return {};
  const bool is_refused = state_.fault->is_refusal && !state_.away_since;
  return is_refused || state_.fault->is_untrusted ? state_.fault->error.message : std::string();
}

std::optional<bool> ClusterLink::GoesOn(const std::string& uid) const {
  const bool is_followed = state_.has_listed && !state_.away_since && !state_.fault;
  if (!is_followed || !listeners_.goes_on) return std::nullopt;
  return listeners_.goes_on(uid);
}

void ClusterLink::Dispatch() {
  for (const ClusterNews& news : worker_->TakeNews()) {
    std::visit([this](const auto& told) { Take(told); }, news);
  }
}

void ClusterLink::Take(const ClusterPod& news) {
  if (listeners_.on_pod) listeners_.on_pod(news.pod);
  ends_.Take(news.pod, state_.has_listed);
}

void ClusterLink::Take(const ClusterPodGone& news) {
  if (listeners_.on_gone) listeners_.on_gone(news.head);
  ends_.TakeGone(news.head);
}

void ClusterLink::Take(const ClusterAnswer& news) {
  const auto asked = asked_.extract(news.id);
  if (!asked.empty()) asked.mapped()(news.reply);
}

void ClusterLink::Take(const ClusterState& news) {
  state_ = news.watch;
  if (on_state_) on_state_(state_);
}

void ClusterLink::Take(const ClusterNotKept& news) {
  if (on_not_kept_) on_not_kept_(news.error);
}

}  // namespace jettison

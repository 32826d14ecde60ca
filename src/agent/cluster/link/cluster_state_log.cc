#include "agent/cluster/link/cluster_state_log.h"

#include <utility>

namespace jettison {

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

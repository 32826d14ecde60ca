#include "agent/cluster/notify/cluster_events.h"

#include <utility>

namespace jettison {
namespace {

constexpr Duration kEventPatience = std::chrono::seconds(5);
// The name of the node in `Event::object`.
constexpr std::string_view kNode = "node";

}  // namespace

ClusterEvents::ClusterEvents(ClusterEventDependencies dependencies, const std::string& node)
    : dependencies_(std::move(dependencies)),
      node_(node),
      queue_(node),
      caller_(dependencies_.cluster, dependencies_.log) {}

std::optional<kube::EventObject> ClusterEvents::ObjectOf(const Event& event) const {
  if (event.object == kNode) {
    return kube::EventObject{.kind = "Node", .namespace_ = {}, .name = node_, .uid = node_};
  }
  const std::string name = dependencies_.name_of_pod(event.object);
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return std::nullopt;
  return kube::EventObject{.kind = "Pod",
                           .namespace_ = name.substr(0, slash),
                           .name = name.substr(slash + 1),
                           .uid = event.object};
}

void ClusterEvents::Report(const Event& event, Instant now) {
  const auto about = ObjectOf(event);
  if (!about) return;
  queue_.Tell(*about, event, now, dependencies_.clock.Wall());
  Advance(now);
}

void ClusterEvents::Advance(Instant now) {
  auto call = queue_.TakeCall(now);
  if (!call) return;
  caller_.Ask(*std::move(call), kEventPatience, [this](const Result<kube::ApiReply>& reply) {
    Take(kube::OutcomeOf(reply, {.kind = "Event", .uid = {}}));
  });
}

void ClusterEvents::Take(const kube::Outcome& outcome) {
  caller_.Complain(queue_.purpose(), outcome);
  const Instant now = dependencies_.clock.Now();
  queue_.Take(outcome, now, dependencies_.clock.Wall());
  Advance(now);
}

}  // namespace jettison

#include "sources/containerd/foreign_sandbox_value.h"

#include <string>

#include "containers/labels.h"

namespace jettison::cri {

ForeignIdentity IdentityOf(const api::PodSandbox& sandbox) {
  return {.key = sandbox.id(),
          .name = sandbox.metadata().name(),
          .namespace_ = sandbox.metadata().namespace_(),
          .uid = sandbox.metadata().uid(),
          .labels = {sandbox.labels().begin(), sandbox.labels().end()},
          .annotations = {sandbox.annotations().begin(), sandbox.annotations().end()}};
}

ForeignContainer ContainerFor(const api::ContainerStatus& status) {
  ForeignContainer container;
  container.id = status.id();
  container.given_name = status.metadata().name();
  container.image = status.image().image();
  container.attempt = static_cast<int>(status.metadata().attempt());
  container.created_at = status.created_at();
  container.started_at = status.started_at();
  container.log_path = status.log_path();
  const auto label = status.labels().find(std::string(kContainerNameLabel));
  if (label != status.labels().end()) container.label = label->second;
  const auto grace = status.annotations().find(std::string(kGracePeriodAnnotation));
  if (grace != status.annotations().end()) container.grace_period = grace->second;
  return container;
}

}  // namespace jettison::cri

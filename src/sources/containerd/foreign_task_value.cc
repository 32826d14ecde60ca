#include "sources/containerd/foreign_task_value.h"

#include <fmt/format.h>

#include <utility>

#include "containers/labels.h"
#include "kernel/files/paths.h"
#include "rpc/verbose_info.h"

namespace jettison::cri {
namespace {

constexpr const char* kKindLabel = "io.cri-containerd.kind";
constexpr const char* kNerdctlNameLabel = "nerdctl/name";
// The label that every client of containerd copies from the image. (containerd:
// WithImageStopSignal)
constexpr const char* kStopSignalLabel = "io.containerd.image.config.stop-signal";
// The default weight of the kernel and Docker, which ctr writes for containers without a request.
constexpr std::uint64_t kUsualShares = 1024;

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsSeparator(char c) {
  return c == '.' || c == '_' || c == '-';
}

std::string NameOf(const containers_api::Container& container) {
  const auto label = container.labels().find(kNerdctlNameLabel);
  const bool is_name = label != container.labels().end() && kernel::IsPathSegment(label->second);
  return is_name ? label->second : container.id();
}

}  // namespace

bool IsIdentifier(std::string_view name) {
  constexpr std::size_t kLongest = 76;
  if (name.empty() || name.size() > kLongest) return false;
  bool may_separate = false;
  for (const char c : name) {
    if (!IsAlphanumeric(c) && !(IsSeparator(c) && may_separate)) return false;
    may_separate = IsAlphanumeric(c);
  }
  return may_separate;
}

bool IsOfCri(const containers_api::Container& container) {
  return container.labels().contains(kKindLabel);
}

containers_api::ListContainersRequest ContainersOutsideCri(const std::set<std::string>& except) {
  std::string filter = fmt::format(R"(labels."{0}"!=container,labels."{0}"!=sandbox)", kKindLabel);
  for (const std::string& id : except) filter += fmt::format(R"(,id!="{}")", id);
  containers_api::ListContainersRequest request;
  request.add_filters(std::move(filter));
  return request;
}

// Two separators, because neither name contains them.
std::string KeyOf(const std::string& in_namespace, const std::string& id) {
  return fmt::format("{}--{}", in_namespace, id);
}

ForeignIdentity IdentityOf(const std::string& in_namespace,
                           const containers_api::Container& container, const ContainerSpec& spec) {
  ForeignIdentity identity{.key = KeyOf(in_namespace, container.id()),
                           .name = NameOf(container),
                           .namespace_ = in_namespace,
                           .uid = container.id(),
                           .labels = {container.labels().begin(), container.labels().end()},
                           .annotations = spec.annotations};
  // Several containers may have the same name, and each is a pod here.
  identity.labels.erase(std::string(kPodUidLabel));
  return identity;
}

ForeignContainer ContainerFor(const containers_api::Container& container,
                              const ContainerSpec& spec) {
  ForeignContainer found;
  found.id = container.id();
  found.given_name = NameOf(container);
  found.image = container.image();
  const auto label = container.labels().find(std::string(kContainerNameLabel));
  if (label != container.labels().end()) found.label = label->second;
  const auto signal = container.labels().find(kStopSignalLabel);
  if (signal != container.labels().end()) found.stop_signal = SignalNamed(signal->second);
  if (spec.cpu_shares && *spec.cpu_shares != kUsualShares) {
    found.milli_cpu = MilliCpuOf(*spec.cpu_shares);
  }
  return found;
}

}  // namespace jettison::cri

#include "sources/containerd/foreign_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "containers/cri_container.h"
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

std::string NameOf(const containers_api::Container& container) {
  const auto label = container.labels().find(kNerdctlNameLabel);
  const bool is_name = label != container.labels().end() && kernel::IsPathSegment(label->second);
  return is_name ? label->second : container.id();
}

ContainerStanding StandingOfTask(const task_api::Process& task) {
  switch (task.status()) {
    case task_api::CREATED:
    case task_api::RUNNING:
    case task_api::PAUSED:
    case task_api::PAUSING: return {.state = ContainerStanding::State::kLives};
    case task_api::STOPPED:
      return {.state = ContainerStanding::State::kEnded,
              .end = {.exit_code = static_cast<int>(task.exit_status())}};
    default: return {.state = ContainerStanding::State::kUnknown};
  }
}

bool Runs(const task_api::Process& task) {
  switch (task.status()) {
    case task_api::RUNNING:
    case task_api::PAUSED:
    case task_api::PAUSING: return true;
    default: return false;
  }
}

// The runtime as a whole, which others complain about, or what has ended meanwhile.
bool IsNoFault(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kNotFound;
}

}  // namespace

bool IsOfCri(const containers_api::Container& container) {
  return container.labels().contains(kKindLabel);
}

// Two separators, because containerd allows them in neither name.
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

void ContainerdTask::AskHowItStands(Duration deadline, StandingAnswer answer) {
  tasks_api::GetRequest request;
  request.set_container_id(key_.id);
  calls_.Make(
      kGetTaskIn, request, deadline,
      [answer = std::move(answer)](const Result<tasks_api::GetResponse>& told) {
        if (!told) return answer(Fail(told.error()));
        answer(StandingOfTask(told->process()));
      },
      key_.in_namespace);
}

void ForeignTasks::Look() {
  if (no_api_ || busy()) return;
  unread_.clear();
  ++under_way_;
  dependencies_.calls.Make(kListNamespaces, {}, dependencies_.run.request_timeout,
                           lifetime_.Guard([this](const auto& answer) {
                             OnNamespaces(answer);
                             Answered();
                           }));
}

void ForeignTasks::Answered() {
  if (--under_way_ > 0) return;
  // A namespace has the name of no pod's key.
  complaints_.KeepOnly([this](const std::string& subject) {
    const auto passed_over = [&](const auto& known) { return known.second.contains(subject); };
    return dependencies_.roster.Has(subject) || unread_.contains(subject) ||
           std::ranges::any_of(passed_over_, passed_over);
  });
}

// A runtime that does not answer, or returns an error, is asked again after the next listing.
void ForeignTasks::OnNamespaces(const Result<namespaces_api::ListNamespacesResponse>& answer) {
  no_api_ = !answer && answer.error().code == ErrorCode::kNotFound;
  if (!answer) return;
  std::map<std::string, AllPassedOver> known;
  for (const namespaces_api::Namespace& listed : answer->namespaces()) {
    if (kernel::IsPathSegment(listed.name()))
      known[listed.name()] = std::move(passed_over_[listed.name()]);
  }
  passed_over_ = std::move(known);
  for (const auto& [in_namespace, its] : passed_over_) ListTasks(in_namespace);
}

// containerd knows no filter for tasks. Each comes with a few hundred bytes, where a container
// comes with its specification.
void ForeignTasks::ListTasks(const std::string& in_namespace) {
  ++under_way_;
  dependencies_.calls.Make(
      kListTasksIn, {}, dependencies_.run.request_timeout,
      lifetime_.Guard([this, in_namespace](const Result<tasks_api::ListTasksResponse>& answer) {
        if (answer) OnTasks(in_namespace, *answer);
        if (!answer) {
          Complain(in_namespace,
                   "its tasks cannot be listed, so that no new foreign pods are found in it",
                   answer.error());
        }
        Answered();
      }),
      in_namespace);
}

void ForeignTasks::OnTasks(const std::string& in_namespace,
                           const tasks_api::ListTasksResponse& answer) {
  AllPassedOver& known = passed_over_[in_namespace];
  const auto before = std::exchange(known, {});
  for (const task_api::Process& task : answer.tasks()) {
    if (!kernel::IsPathSegment(task.id()) || !Runs(task)) continue;
    const std::string key = KeyOf(in_namespace, task.id());
    const auto passed_over = before.find(key);
    if (dependencies_.roster.Has(key)) continue;
    if (passed_over != before.end() && passed_over->second.pid == task.pid()) {
      known.insert(*passed_over);
    } else {
      AskContainer({.in_namespace = in_namespace, .process = task});
    }
  }
}

// By ID: a list with a filter makes containerd read every container of the namespace.
void ForeignTasks::AskContainer(NewTask task) {
  ++under_way_;
  containers_api::GetContainerRequest request;
  request.set_id(task.process.id());
  const std::string in_namespace = task.in_namespace;
  dependencies_.calls.Make(
      kGetContainerIn, request, dependencies_.run.request_timeout,
      lifetime_.Guard([this, task = std::move(task)](
                          const Result<containers_api::GetContainerResponse>& answer) {
        OnContainer(task, answer);
        Answered();
      }),
      in_namespace);
}

void ForeignTasks::OnContainer(const NewTask& task,
                               const Result<containers_api::GetContainerResponse>& answer) {
  if (!answer) {
    return Complain(task.in_namespace,
                    "a running container cannot be read, so that it is no foreign pod",
                    answer.error());
  }
  const Container& container = answer->container();
  if (container.id() != task.process.id()) return;
  if (IsOfCri(container)) return PassOver(task);
  if (!dependencies_.roster.Has(KeyOf(task.in_namespace, container.id())))
    Consider(task, container);
}

void ForeignTasks::Consider(const NewTask& task, const Container& container) {
  const ContainerSpec spec = ReadSpec(container.spec().value());
  FoundForeignPod finding{.identity = IdentityOf(task.in_namespace, container, spec),
                          .list = "",
                          .containers = {ContainerFor(container, spec)},
                          .considered = {container.id()}};
  const ForeignIdentity identity = finding.identity;
  constexpr auto kMostPids = static_cast<std::uint32_t>(std::numeric_limits<pid_t>::max());
  if (task.process.pid() == 0 || task.process.pid() > kMostPids) return;
  ForeignContainer& found = finding.containers.front();
  const TaskKey key{.in_namespace = task.in_namespace, .id = container.id()};
  found.keeper = std::make_shared<ContainerdTask>(dependencies_.calls, key);
  found.pid = static_cast<pid_t>(task.process.pid());
  const auto group = TakeGroup(dependencies_.groups, found, spec.cgroups_path);
  if (!group && group.error().code != ErrorCode::kInvalidArgument) return;
  if (!group) return LeaveOut(identity, task, group.error().message);
  Describe(finding);
  if (const auto taken = dependencies_.roster.Take(std::move(finding), complaints_); !taken) {
    return LeaveOut(identity, task, taken.error().message);
  }
}

void ForeignTasks::PassOver(const NewTask& task, std::string why) {
  passed_over_[task.in_namespace][KeyOf(task.in_namespace, task.process.id())] = {
      .pid = task.process.pid(), .why = std::move(why)};
}

void ForeignTasks::AddNotGuarded(std::vector<std::string>& pods) const {
  for (const auto& [in_namespace, all] : passed_over_) {
    for (const auto& [key, passed_over] : all) {
      if (!passed_over.why.empty()) pods.push_back(passed_over.why);
    }
  }
}

void ForeignTasks::LeaveOut(const ForeignIdentity& identity, const NewTask& task,
                            const std::string& why) {
  const std::string text = fmt::format(
      "foreign pod {} (container {} in containerd's namespace {}) is left out: {}",
      FullName(ReadForeignPod(identity, {}).pod), task.process.id(), identity.namespace_, why);
  PassOver(task, text);
  complaints_.Say(identity.key, text);
}

void ForeignTasks::Complain(const std::string& in_namespace, std::string_view what,
                            const Error& why) {
  unread_.insert(in_namespace);
  if (IsNoFault(why)) return;
  complaints_.SayFirst(in_namespace, fmt::format("containerd's namespace {}: {}: {}", in_namespace,
                                                 what, why.message));
}

}  // namespace jettison::cri

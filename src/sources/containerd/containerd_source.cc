#include "sources/containerd/containerd_source.h"

#include <fmt/format.h>

#include <memory>

#include "containers/cri_container.h"
#include "kernel/files/paths.h"

namespace jettison::cri {
namespace {

// The name of the list of sandboxes.
constexpr const char* kList = "sandboxes of CRI";

}  // namespace

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

ForeignSandboxes::Candidates ForeignSandboxes::CandidatesIn(const Listing& listing) const {
  Candidates candidates;
  for (const api::PodSandbox& sandbox : listing.sandboxes) {
    if (sandbox.state() != api::SANDBOX_READY || !kernel::IsPathSegment(sandbox.id())) continue;
    const bool own = IsOfRoot(rules_.root, sandbox);
    const bool is_wanted = own ? !rules_.has(sandbox.metadata().uid()) : rules_.adopt;
    if (is_wanted) candidates[sandbox.id()] = {.sandbox = sandbox, .own = own};
  }
  for (const api::Container& container : listing.containers) {
    if (container.state() != api::CONTAINER_RUNNING || container.id().empty()) continue;
    const auto candidate = candidates.find(container.pod_sandbox_id());
    if (candidate != candidates.end()) candidate->second.running.insert(container.id());
  }
  std::erase_if(candidates, [](const auto& entry) { return entry.second.running.empty(); });
  return candidates;
}

bool ForeignSandboxes::IsKnown(const Candidate& candidate) const {
  const std::string& id = candidate.sandbox.id();
  if (asked_.contains(id)) return true;
  const auto left_out = left_out_.find(id);
  if (left_out != left_out_.end() && left_out->second.running == candidate.running) {
    return true;
  }
  return dependencies_.roster.Has(id);
}

void ForeignSandboxes::OnListed(const Listing& listing) {
  Candidates candidates = CandidatesIn(listing);
  std::map<std::string, std::set<std::string>> running;
  for (const auto& [id, candidate] : candidates) running[id] = candidate.running;
  dependencies_.roster.OnListed(kList, running);
  std::erase_if(left_out_, [&](const auto& entry) { return !candidates.contains(entry.first); });
  complaints_.KeepOnly([&](const std::string& id) { return candidates.contains(id); });
  for (auto& [id, candidate] : candidates) {
    if (!IsKnown(candidate)) Ask(std::move(candidate));
  }
}

void ForeignSandboxes::Ask(Candidate candidate) {
  asked_.insert(candidate.sandbox.id());
  const auto asked = std::make_shared<Candidate>(std::move(candidate));
  for (const std::string& id : asked->running) {
    api::ContainerStatusRequest request;
    request.set_container_id(id);
    request.set_verbose(true);
    dependencies_.calls.Make(
        kContainerStatus, request, dependencies_.run.request_timeout,
        lifetime_.Guard([this, asked](Result<api::ContainerStatusResponse> answer) {
          asked->answers.push_back(std::move(answer));
          if (asked->answers.size() < asked->running.size()) return;
          asked_.erase(asked->sandbox.id());
          Consider(*asked);
        }));
  }
}

// A container that cannot be examined now is examined again after the next listing: the runtime
// does not answer, the container has just ended, or its process cannot be opened. One of which the
// runtime refuses to tell does not hide the others. A pod of an earlier agent that was taken over
// while the runtime was asked is not watched a second time.
void ForeignSandboxes::Consider(const Candidate& candidate) {
  if (candidate.own && rules_.has(candidate.sandbox.metadata().uid())) return;
  FoundForeignPod finding{
      .identity = IdentityOf(candidate.sandbox),
      .list = kList,
      .keeper = std::make_shared<CriSandbox>(dependencies_.calls, candidate.sandbox.id()),
      .spared = candidate.own,
      .considered = candidate.running};
  for (const Result<api::ContainerStatusResponse>& answer : candidate.answers) {
    if (!answer && IsSilence(answer.error())) return;
    if (!answer && answer.error().code != ErrorCode::kNotFound) {
      SayRefused(candidate, answer.error().message);
      continue;
    }
    if (!answer || answer->status().state() != api::CONTAINER_RUNNING) continue;
    auto container = ContainerIn(candidate, *answer);
    if (!container && container.error().code == ErrorCode::kNotFound) continue;
    if (!container && container.error().code != ErrorCode::kInvalidArgument) return;
    if (!container) return LeaveOut(candidate, container.error().message);
    finding.containers.push_back(*std::move(container));
  }
  if (finding.containers.empty()) return;
  Describe(finding);
  if (const auto taken = dependencies_.roster.Take(std::move(finding), complaints_); !taken) {
    return LeaveOut(candidate, taken.error().message);
  }
  left_out_.erase(candidate.sandbox.id());
}

Result<ForeignContainer> ForeignSandboxes::ContainerIn(
    const Candidate& candidate, const api::ContainerStatusResponse& answer) const {
  const std::string& id = answer.status().id();
  if (!candidate.running.contains(id)) {
    return Fail(ErrorCode::kInvalidArgument,
                "the container runtime tells of another container than was asked");
  }
  const auto pid = PidOf(answer);
  if (!pid) {
    return Fail(ErrorCode::kInvalidArgument, "the container runtime does not tell its processes");
  }
  ForeignContainer container = ContainerFor(answer.status());
  container.keeper = std::make_shared<CriContainer>(dependencies_.calls, id);
  container.pid = *pid;
  if (const auto group = TakeGroup(dependencies_.groups, container); !group)
    return Fail(group.error());
  if (const auto shares = ReadSpecInInfo(answer.info().at("info")).cpu_shares) {
    container.milli_cpu = MilliCpuOf(*shares);
  }
  return container;
}

std::string ForeignSandboxes::Described(const Candidate& candidate) {
  return fmt::format("{} pod {} (sandbox {})", candidate.own ? "an earlier agent's" : "foreign",
                     FullName(ReadForeignPod(IdentityOf(candidate.sandbox), {}).pod),
                     candidate.sandbox.id());
}

void ForeignSandboxes::SayRefused(const Candidate& candidate, const std::string& why) {
  complaints_.Say(candidate.sandbox.id(),
                  fmt::format("{} is watched without a container of which the container runtime "
                              "does not tell: {}",
                              Described(candidate), why));
}

void ForeignSandboxes::LeaveOut(const Candidate& candidate, const std::string& why) {
  const std::string& id = candidate.sandbox.id();
  const std::string text = fmt::format("{} is left out: {}", Described(candidate), why);
  left_out_[id] = {.running = candidate.running, .why = text};
  complaints_.Say(id, text);
}

ContainerdSource::ContainerdSource(Calls& calls, const SourceDependencies& dependencies,
                                   const ContainerdRules& rules)
    : calls_(calls),
      adopt_(rules.adopt),
      sandboxes_({dependencies, calls}, rules),
      tasks_({dependencies, calls}) {}

void ContainerdSource::OnListed(const Listing& listing) {
  sandboxes_.OnListed(listing);
  if (adopt_) tasks_.Look();
}

// Pods that are not reported in time are found later.
void ContainerdSource::Await(Duration patience) {
  (void)AwaitAnswers(calls_, patience, [this] { return !sandboxes_.busy() && !tasks_.busy(); });
}

std::vector<std::string> ContainerdSource::NotGuarded() const {
  std::vector<std::string> pods;
  sandboxes_.AddNotGuarded(pods);
  tasks_.AddNotGuarded(pods);
  return pods;
}

}  // namespace jettison::cri

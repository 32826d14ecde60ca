#include "sources/kubernetes/calls/call_complaints.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace jettison::kube {
namespace {

struct Needed {
  std::string_view verb;
  std::string_view resource;
  std::string_view subresource;
};

Needed NeededFor(CallPurpose purpose) {
  switch (purpose) {
    case CallPurpose::kMarkPod: return {"patch", "pods", "status"};
    case CallPurpose::kDeletePod: return {"delete", "pods", ""};
    case CallPurpose::kEvictPod: return {"create", "pods", "eviction"};
    case CallPurpose::kReadNode: return {"get", "nodes", ""};
    case CallPurpose::kTaintNode: return {"patch", "nodes", ""};
    case CallPurpose::kSetCondition: return {"patch", "nodes", "status"};
    case CallPurpose::kCreateEvent: return {"create", "events", ""};
    case CallPurpose::kCountEvent: return {"patch", "events", ""};
  }
  return {};
}

// Empty: there is nothing to log.
std::string MessageOf(const Outcome& outcome, const Right& right) {
  switch (outcome.result) {
    case CallResult::kDone:
    case CallResult::kGone:
    case CallResult::kAnother:
    case CallResult::kConflict: return {};
    case CallResult::kForbidden:
      return fmt::format("the agent has no right to {}; {}", Describe(right), right.cost);
    case CallResult::kUnauthenticated:
      return fmt::format("the API server does not accept the credentials of the agent; {}",
                         right.cost);
    case CallResult::kBusy:
      return fmt::format("the API server is overloaded; {} until it accepts requests again",
                         right.cost);
    case CallResult::kAway:
      if (outcome.is_untrusted) {
        return fmt::format("the certificate of the API server is not trusted; {} until it is",
                           right.cost);
      }
      return fmt::format("the API server does not answer; {} until it does", right.cost);
    case CallResult::kBudget:
    case CallResult::kRefused:
      return fmt::format("the API server refused to {}; {}", Describe(right), right.cost);
  }
  return {};
}

}  // namespace

const Right& RightFor(CallPurpose purpose) {
  const Needed needed = NeededFor(purpose);
  const auto& rights = NeededRights();
  return *std::ranges::find_if(rights, [&](const Right& right) {
    return right.verb == needed.verb && right.resource == needed.resource &&
           right.subresource == needed.subresource && right.group.empty();
  });
}

std::optional<Complaint> CallComplaints::Take(CallPurpose purpose, const Outcome& outcome) {
  std::uint32_t& said = said_[static_cast<std::size_t>(purpose)];
  if (outcome.ok()) said = 0;
  const Right& right = RightFor(purpose);
  std::string message = MessageOf(outcome, right);
  const std::uint32_t bit = 1U << static_cast<unsigned>(outcome.result);
  if (message.empty() || (said & bit) != 0) return std::nullopt;
  said |= bit;
  return Complaint{
      .message = std::move(message),
      .err = outcome.why,
      .rule = outcome.result == CallResult::kForbidden ? RuleFor(right) : std::string()};
}

}  // namespace jettison::kube

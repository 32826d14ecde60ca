// The place of one pod in the ranking, as text for people.
#include <fmt/format.h>

#include "core/explanation/amounts.h"
#include "core/explanation/explanation_text.h"
#include "core/explanation/text_sections.h"
#include "core/explanation/text_table.h"
#include "core/text/printable.h"

namespace jettison {
namespace {

std::string NeighboursOf(const PodPlace& place) {
  std::string text = fmt::format("{} of {}", place.self.place, place.total);
  if (place.before) {
    text += fmt::format(", after {} ({})", place.before->pod.FullName(), place.before->decided_by);
  }
  if (place.after) {
    text += fmt::format(", before {} ({})", place.after->pod.FullName(), place.self.decided_by);
  }
  return text + ".";
}

std::string FiguresOf(const PodPlace& place) {
  const Signal signal = place.signal;
  if (!place.self.measured) return " Its usage is not known.";
  std::string text =
      fmt::format(" It uses {}",
                  place.self.usage ? AmountText(signal, *place.self.usage) : "an unknown amount");
  if (place.self.request > 0) {
    text += fmt::format(
        " and requests {}, so its usage {} by {}", AmountText(signal, place.self.request),
        place.self.excess > 0 ? "exceeds the request" : "is below the request",
        AmountText(signal, place.self.excess > 0 ? place.self.excess : -place.self.excess));
  }
  return text + ".";
}

std::string ShiftOf(const PodPlace& place) {
  const auto told = [&](std::int64_t amount) {
    const std::string rough = RoughText(place.signal, amount);
    const std::string exact = AmountText(place.signal, amount);
    return rough.empty() ? exact : fmt::format("{} ({})", exact, rough);
  };
  if (place.self.chosen) {
    if (!place.less_usage) return " It would be evicted first, whatever it used.";
    return fmt::format(" It would be evicted first, but not if it used {} less.",
                       told(*place.less_usage));
  }
  if (place.more_usage)
    return fmt::format(" It would be evicted first if it used {} more.", told(*place.more_usage));
  if (place.self.keeps_to_request) {
    return " It keeps to its request, so it is not evicted before the kubelet would.";
  }
  if (!place.self.may_go) return " It is not evicted for this signal.";
  return " It would not be evicted first, whatever it used.";
}

}  // namespace

std::string TextOf(const PodExplanation& explanation) {
  std::string text = fmt::format("{}: {}, priority {}", Printable(explanation.pod.FullName()),
                                 NameOf(explanation.qos), explanation.priority);
  if (!explanation.activity.empty()) text += ", " + explanation.activity;
  text +=
      fmt::format("\nuid {}, {}\n", Printable(explanation.pod.uid), FormatInstant(explanation.at));
  text += explanation.protected_by.empty()
              ? "It may be evicted.\n"
              : fmt::format("It is never evicted: {}.\n", explanation.protected_by);
  text += "\nPLACE IN THE ORDER OF EVICTION\n";
  for (const PodPlace& place : explanation.places) {
    text += fmt::format("  {}\n", NameOf(place.signal));
    text += Wrapped(NeighboursOf(place) + FiguresOf(place) + ShiftOf(place), "    ", 4);
  }
  if (!explanation.limits.empty()) text += "\nSTORAGE LIMITS\n" + LimitsText(explanation.limits);
  if (!explanation.evictions.empty()) {
    std::string ids;
    for (const std::string& id : explanation.evictions) ids += (ids.empty() ? "" : ", ") + id;
    text += Wrapped(ids + ".", "\nEvicted before: ", 2);
  }
  return text;
}

}  // namespace jettison
